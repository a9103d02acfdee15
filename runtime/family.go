package runtime

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/runtime/bind"
)

// CallVariant begins a call of an instance of a kernel template, as [Batch.Call] does of a kernel. Variants count
// from 1. One that does not exist, such as the 0 of a call that sets none, is a mistake of the batch. CallVariant is
// for generated functions.
func (b *Batch) CallVariant(f *bind.Family, variant int) *bind.Call[Grid] {
	if b == nil {
		panic("metalgen: CallVariant on a nil *Batch; Device.NewBatch makes one")
	}
	if k := f.Kernel(variant); k != nil {
		return b.Call(k)
	}
	b.call.beginNone(b, f, variant)
	return b.call.recorded.Call()
}

// beginNone makes a mistake of a call of a variant that does not exist.
func (c *call) beginNone(b *Batch, f *bind.Family, variant int) {
	f = cmp.Or(f, &noFamily)
	named := bind.Kernel{Name: f.Name, Library: f.Library, Pos: f.Pos}
	if !c.beginOther(b, &named) {
		return
	}
	c.Fail(&VariantError{Family: f, Variant: variant})
}

// noFamily is what messages about a nil *Family name.
var noFamily = bind.Family{Name: "call of no family"}

// VariantError is the error of a call that does not say which instance of a kernel template it means, or means one
// that does not exist. It wraps [ErrNotSet] where none is set.
type VariantError struct {
	Family  *bind.Family // the template, with the instances that there are
	Variant int          // as the call has it
}

// fewVariants is how many a message lists.
const fewVariants = 8

// Error returns, say, "Variant is not set: need one of rms_norm_f32, rms_norm_f16".
func (e *VariantError) Error() string {
	var s strings.Builder
	if e.Variant == 0 {
		s.WriteString("Variant is not set")
	} else {
		fmt.Fprintf(&s, "Variant is %d, which does not exist", e.Variant)
	}
	for i, v := range e.Family.Variants {
		switch {
		case i == 0:
			s.WriteString(": need one of " + v.Name)
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
