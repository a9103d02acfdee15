package runtimetest

import (
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Dispatch is one recorded kernel call. The arguments of each kind are in the order of the kernel's Args; omitted
// arguments are missing. A [runtime.Copy] is a call of kernel "Copy", with the buffers dst and src, and
// [runtime.CopyFrom] and [runtime.CopyTexels] are calls of kernels of these names, with the buffer or texture dst and
// the value src.
type Dispatch struct {
	Kernel      string
	Buffers     []Binding
	Values      []Bytes
	Constants   []Bytes
	Threadgroup []Length
	Textures    []Texture
	Samplers    []Sampler
	Resources   []Resource   // in the order in which the arguments lead to them
	Grid        runtime.Grid // without Indirect
	Indirect    *Binding     // of the Grid, or nil
}

// clone copies a dispatch, which is valid during Record only.
func clone(d *driver.Dispatch) Dispatch {
	return Dispatch{
		Kernel:      d.Kernel.Name,
		Buffers:     cloneList(d.Buffers, cloneBuffer),
		Values:      cloneList(d.Values, cloneValue),
		Constants:   cloneList(d.Constants, cloneValue),
		Threadgroup: cloneList(d.Shared, cloneShared),
		Textures:    cloneList(d.Textures, cloneTexture),
		Samplers:    cloneList(d.Samplers, cloneSampler),
		Resources:   cloneList(d.Resources, cloneResource),
		Grid:        runtime.Grid{Threadgroups: d.Grid.Threadgroups, Threads: d.Grid.Threads, Size: d.Grid.Size},
		Indirect:    cloneIndirect(&d.Grid),
	}
}

func cloneList[A, B any](list []A, clone func(*A) B) []B {
	var c []B
	for i := range list {
		c = append(c, clone(&list[i]))
	}
	return c
}
