package runtimetest

import "github.com/metalgen/metalgen/runtime/internal/driver"

// Resource is memory or a texture that pointers and IDs in the arguments lead to.
type Resource struct {
	Name    string // of the first such pointer or ID: "scenes[3].Pos"
	Writes  bool   // the kernel may write it
	Memory  int    // which allocation, as of a [Binding]; 0 of a texture
	Texture int    // which allocation, as of a [Texture]; 0 of memory
}

func cloneResource(r *driver.Resource) Resource {
	c := Resource{Name: r.Name(), Writes: r.Writes}
	if r.Memory != nil {
		c.Memory = r.Memory.(*memory).id
	} else {
		c.Texture = r.Texture.(*texture).id
	}
	return c
}
