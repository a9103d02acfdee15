package bind

import (
	"fmt"
	"sync/atomic"
)

// Family describes the kernels that are instances of one kernel template. Generated code has one Go function for all of
// them, and a variant, which is a number, chooses one. A Family must not be copied or changed after its first call.
type Family struct {
	Name      string        // of the template, as in the source: "rms_norm"
	Library   *Library      // the source
	Pos       string        // where the template is: "norm.metal:24"
	Grid      string        // as in a Kernel
	GridPos   string        // as in a Kernel
	Positions bool          // as in a Kernel
	Simd      bool          // as in a Kernel
	Requires  []Requirement // as in a Kernel
	Variants  []Variant     // number n, from 1 on, is the element n-1; number 0 means no variant

	kernels atomic.Pointer[[]Kernel] // parallel to Variants, made on first use
}

// Variant is what distinguishes one kernel of a [Family].
type Variant struct {
	Name string // [[host_name]]: "rms_norm_f16"
	Args []Arg  // as in a Kernel; variants that take the same share them
}

// VariantName returns the host name of a variant, or, say, "rms_norm(7)" if there is no such variant.
func (f *Family) VariantName(variant int) string {
	if variant < 1 || variant > len(f.Variants) {
		return fmt.Sprintf("%s(%d)", f.Name, variant)
	}
	return f.Variants[variant-1].Name
}

// Kernel returns the kernel of a variant, always the same one, or nil if there is no such variant.
func (f *Family) Kernel(variant int) *Kernel {
	if f == nil || variant < 1 || variant > len(f.Variants) {
		return nil
	}
	all := f.kernels.Load()
	if all == nil {
		list := make([]Kernel, len(f.Variants))
		for i := range list {
			k, v := &list[i], &f.Variants[i]
			k.Name, k.Library, k.Pos, k.Args = v.Name, f.Library, f.Pos, v.Args
			k.Grid, k.GridPos, k.Positions, k.Simd = f.Grid, f.GridPos, f.Positions, f.Simd
			k.Requires = f.Requires
		}
		// Kernels are known by their addresses, so of several first uses one must win.
		f.kernels.CompareAndSwap(nil, &list)
		all = f.kernels.Load()
	}
	return &(*all)[variant-1]
}
