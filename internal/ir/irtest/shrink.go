package irtest

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
)

// Shrink leaves out what it can of a kernel, in its text, while works reports true of what is left.
func Shrink(text string, works func(*ir.Kernel) bool) string {
	for changed := true; changed; {
		changed = false
		for i := 0; ; i++ {
			k, err := ir.Parse("shrink", text)
			if err != nil || !edit(k, i) {
				break
			}
			if less := k.String(); less != text && ir.Verify(k) == nil && works(k) {
				text, changed = less, true
				i--
			}
		}
	}
	return text
}

// edit makes a kernel smaller in the way of a number, or reports false where there are fewer ways.
func edit(k *ir.Kernel, way int) bool {
	for r := range k.Bodies() {
		if editRegion(k, r, &way) {
			return true
		}
	}
	return false
}

func editRegion(k *ir.Kernel, r *ir.Region, way *int) bool {
	for i, in := range r.Code {
		if !in.Op.Info().Has(ir.Terminates) {
			if *way--; *way < 0 { // without it
				r.Code = slices.Delete(r.Code, i, i+1)
				for _, v := range in.Results {
					replace(k, v)
				}
				return true
			}
		}
		for j, v := range in.Args {
			if _, known := k.Bits(v); known || v == 0 {
				continue
			}
			if *way--; *way < 0 { // without an operand
				in.Args[j] = k.Known(k.Type(v), 0)
				return true
			}
		}
		for _, inner := range in.Regions {
			if editRegion(k, inner, way) {
				return true
			}
		}
	}
	return false
}

// replace has all that uses a value use zero.
func replace(k *ir.Kernel, v ir.Value) {
	zero := k.Known(k.Type(v), 0)
	for in := range k.All() {
		for i, arg := range in.Args {
			if arg == v {
				in.Args[i] = zero
			}
		}
	}
}
