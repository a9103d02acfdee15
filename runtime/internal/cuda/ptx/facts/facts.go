package facts

import (
	"github.com/metalgen/metalgen/internal/ir"
)

// Facts are what is known of a kernel.
type Facts struct {
	*ir.Kernel
	threads int                 // that a threadgroup has at most
	bound   map[int]bool        // the values that the call passes as buffers
	By      []*ir.Instr         // by value: what makes it
	Origins []int               // by value, of pointers: the object
	Zeros   []int               // by value, of pointers: how many low bits of the offset are 0
	Below   map[ir.Value]uint64 // how great counted numbers are at most
	Layouts map[ir.Value]Layout // of elements of matrices
}

// Of returns what is known of a kernel for threadgroups of so many threads at most.
func Of(k *ir.Kernel, threads int, bound map[int]bool) *Facts {
	f := &Facts{Kernel: k, threads: threads, bound: bound, By: make([]*ir.Instr, k.Values()),
		Below: map[ir.Value]uint64{}, Layouts: map[ir.Value]Layout{}}
	for in := range k.All() {
		for _, v := range in.Results {
			f.By[v] = in
		}
	}
	f.findOrigins()
	return f
}
