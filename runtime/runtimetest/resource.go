package runtimetest

import "github.com/metalgen/metalgen/runtime/internal/driver"

// Resource is memory that pointers in the arguments lead to.
type Resource struct {
	Name   string // of the first such pointer: "scenes[3].Pos"
	Writes bool   // the kernel may write it
	Memory int    // which allocation, as of a [Binding]
}

func cloneResource(r *driver.Resource) Resource {
	return Resource{Name: r.Name(), Writes: r.Writes, Memory: r.Memory.(*memory).id}
}
