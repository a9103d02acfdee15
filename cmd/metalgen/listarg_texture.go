package main

import "github.com/metalgen/metalgen/internal/binding"

type jsonTexture struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Index  int    `json:"index"`
	Type   string `json:"type"`
	Access string `json:"access,omitempty"` // of textures: read, write or read_write
	Count  int    `json:"count,omitempty"`  // of an array
	Go     string `json:"go"`
	If     string `json:"if,omitempty"` // the function constant that switches it on
}

var accessNames = map[binding.Access]string{
	binding.Read: "read", binding.Write: "write", binding.ReadWrite: "read_write",
}

// listTexture lists a texture or a sampler.
func listTexture(a *binding.Arg) any {
	out := jsonTexture{Name: a.Name, Kind: a.Kind.String(), Index: a.Index, Type: a.Type, Access: accessNames[a.Access],
		Count: a.Count, Go: a.Kind.Field(a)}
	if a.If != nil {
		out.If = a.If.String()
	}
	return out
}
