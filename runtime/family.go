package runtime

import (
	"cmp"
	"fmt"
	"strings"
	"sync/atomic"
)

// Family describes the kernels that are instances of one kernel template:
// generated code has one Go function for all of them, to which a variant says
// which one is meant. It must not be copied or changed after its first call.
type Family struct {
	Name      string    // of the template, as in the source: "rms_norm"
	Library   *Library  // the source
	Pos       string    // where the template is: "norm.metal:24"
	Grid      string    // as in a Kernel
	GridPos   string    // as in a Kernel
	Positions bool      // as in a Kernel
	Variants  []Variant // number n, from 1 on, is the element n-1; number 0 is none

	kernels atomic.Pointer[[]Kernel] // parallel to Variants, made on first use
}

// Variant is what one kernel of a [Family] has for itself.
type Variant struct {
	Name string // [[host_name]]: "rms_norm_f16"
	Args []Arg  // as in a Kernel; variants that take the same share them
}

// CallVariant begins a call of a variant of f, which counts from 1, as [Batch.Call]
// does of a kernel. A variant that does not exist, such as the zero one of a call
// that sets none, is a mistake of the batch.
func (b *Batch) CallVariant(f *Family, variant int) *Call {
	if b == nil {
		panic("metalgen: CallVariant on a nil *Batch; Device.NewBatch makes one")
	}
	if k := f.Kernel(variant); k != nil {
		return b.Call(k)
	}
	b.call.beginNone(b, f, variant)
	return &b.call
}

// Kernel is a variant as a kernel, for [Device.Preload]: always the same one, and
// nil where there is no such variant.
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
			k.Grid, k.GridPos, k.Positions = f.Grid, f.GridPos, f.Positions
		}
		// Kernels are known by their addresses, so of several first uses one must win.
		f.kernels.CompareAndSwap(nil, &list)
		all = f.kernels.Load()
	}
	return &(*all)[variant-1]
}

// beginNone begins a call of a variant that does not exist: all it does is to fail.
func (c *Call) beginNone(b *Batch, f *Family, variant int) {
	f = cmp.Or(f, &noFamily)
	named := Kernel{Name: f.Name, Library: f.Library, Pos: f.Pos}
	if !c.beginOther(b, &named) {
		return
	}
	c.fail(&VariantError{Family: f, Variant: variant})
}

// noFamily stands in for a nil *Family in messages.
var noFamily = Family{Name: "call of no family"}

// VariantError is a call that does not say which instance of a kernel template it
// means, or one that does not exist. It wraps [ErrNotSet] where none was set.
type VariantError struct {
	Family  *Family
	Variant int // as given
}

// fewVariants are as many as a message lists.
const fewVariants = 8

// Error returns, say, "Variant is not set: it is one of rms_norm_f32, rms_norm_f16".
func (e *VariantError) Error() string {
	var s strings.Builder
	if e.Variant == 0 {
		s.WriteString("Variant is not set")
	} else {
		fmt.Fprintf(&s, "Variant is %d, which is none", e.Variant)
	}
	for i, v := range e.Family.Variants {
		switch {
		case i == 0:
			s.WriteString(": it is one of " + v.Name)
		case i < fewVariants:
			s.WriteString(", " + v.Name)
		default:
			fmt.Fprintf(&s, " and %d more", len(e.Family.Variants)-i)
			return s.String()
		}
	}
	return s.String()
}

// Unwrap returns [ErrNotSet] for the zero variant.
func (e *VariantError) Unwrap() error {
	if e.Variant == 0 {
		return ErrNotSet
	}
	return nil
}
