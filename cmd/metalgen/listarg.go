package main

import "github.com/metalgen/metalgen/internal/binding"

// listedKind is how `metalgen list` shows the arguments of a kind.
type listedKind struct {
	json func(a *binding.Arg) any
	word string // what the table calls the kind, "" where it leaves it out
}

// listedKinds has a row for each kind of argument that is listed.
var listedKinds = map[binding.ArgKind]listedKind{
	binding.Buffer:           {listBuffer, "buffer"},
	binding.Value:            {listBuffer, "buffer"},
	binding.Texture:          {listTexture, "texture"},
	binding.Sampler:          {listTexture, "sampler"},
	binding.Threadgroup:      {listThreadgroup, "threadgroup"},
	binding.Builtin:          {json: listBuiltin},
	binding.FunctionConstant: {json: listConstant},
}

type jsonBuffer struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Index   int    `json:"index"`
	Space   string `json:"space"`
	Const   bool   `json:"const"`
	Type    string `json:"type"`
	Pointer bool   `json:"pointer"`
	Go      string `json:"go"`
	Shape   string `json:"shape,omitempty"`
	GoLen   string `json:"go_len,omitempty"` // the function that computes the length
	If      string `json:"if,omitempty"`     // the function constant that switches it on
}

func listBuffer(a *binding.Arg) any {
	out := jsonBuffer{a.Name, "buffer", a.Index, a.Space, a.Const, a.Type, a.Pointer, a.Kind.Field(a), a.Stated, a.Len, ""}
	if a.If != nil {
		out.If = a.If.String()
	}
	return out
}

type jsonThreadgroup struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Index int    `json:"index"`
	Type  string `json:"type"`
}

func listThreadgroup(a *binding.Arg) any {
	return jsonThreadgroup{a.Name, "threadgroup", a.Index, a.Type}
}

type jsonBuiltin struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Attribute string `json:"attribute"`
	Type      string `json:"type"`
}

func listBuiltin(a *binding.Arg) any { return jsonBuiltin{a.Name, "builtin", a.Attribute, a.Type} }

type jsonConstant struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Index    int    `json:"index"`
	Optional bool   `json:"optional,omitempty"`
}

func listConstant(a *binding.Arg) any { return jsonConstant{a.Name, a.Type, a.Index, a.Optional} }
