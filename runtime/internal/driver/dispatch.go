package driver

import (
	"bytes"
	"slices"
)

// Dispatch is one checked kernel call.
//
// Arguments that the call leaves out do not appear in it: optional ones, and buffers that, by their stated shape, the
// kernel does not touch in this call. A driver treats a buffer of Length 0 as one that is left out, wherever it begins.
// A kernel that does access a missing buffer contradicts its own source; a driver that notices reports it.
type Dispatch struct {
	Kernel *Kernel
	Grid   Grid

	// The arguments, a list for each kind, in the order of those of Kernel.
	Buffers   []Buffer
	Values    []Value
	Shared    []Shared
	Constants []Value
	Textures  []TextureArg
	Samplers  []SamplerArg

	// Resources are what pointers and IDs in the arguments lead to, each memory and each texture once.
	Resources []Resource

	// For is what Compilation.For is where the kernel is compiled for this call.
	For any
}

// Reset empties the lists and keeps their storage.
func (d *Dispatch) Reset() {
	d.Buffers = d.Buffers[:0]
	d.Values = d.Values[:0]
	d.Shared = d.Shared[:0]
	d.Constants = d.Constants[:0]
	d.Textures = d.Textures[:0]
	d.Samplers = d.Samplers[:0]
	d.Resources = d.Resources[:0]
}

// Clone returns a copy that stays as it is when the lists of d, or the bytes of its values, change.
func (d *Dispatch) Clone() Dispatch {
	c := *d
	c.Buffers, c.Shared = slices.Clone(d.Buffers), slices.Clone(d.Shared)
	c.Values, c.Constants = cloneValues(d.Values), cloneValues(d.Constants)
	c.Textures, c.Samplers = slices.Clone(d.Textures), slices.Clone(d.Samplers)
	c.Resources = slices.Clone(d.Resources)
	return c
}

func cloneValues(list []Value) []Value {
	list = slices.Clone(list)
	for i := range list {
		list[i].Bytes = bytes.Clone(list[i].Bytes)
	}
	return list
}

// Grid is the extent of a dispatch. Every number of Threadgroups and Threads is at least 1. The
// zero Size means that all threadgroups are full.
//
// Where Indirect has Memory, the numbers of threadgroups are the three uint32 there when the
// dispatch begins, at an offset that is a multiple of 4; any of them may be 0, and then nothing
// runs. Threadgroups and Size are zero.
//
// Short says what the source states more than the grid has, for the sanitizer; it is "" otherwise.
type Grid struct {
	Threadgroups [3]int
	Threads      [3]int
	Size         [3]int
	Indirect     Buffer
	Short        string
}
