package sample

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// test compares a value with each texel before texels are filtered: 1 where the comparison holds. The zero test leaves
// texels as they are.
type test struct {
	value *[Lanes]float32
	holds func(value, texel float32) bool
	unit  bool // depths are 0 to 1, and so is the value then
}

var comparisons = [...]func(value, texel float32) bool{
	bind.CompareNever:        func(_, _ float32) bool { return false },
	bind.CompareLess:         func(a, b float32) bool { return a < b },
	bind.CompareEqual:        func(a, b float32) bool { return a == b },
	bind.CompareLessEqual:    func(a, b float32) bool { return a <= b },
	bind.CompareGreater:      func(a, b float32) bool { return a > b },
	bind.CompareNotEqual:     func(a, b float32) bool { return a != b },
	bind.CompareGreaterEqual: func(a, b float32) bool { return a >= b },
	bind.CompareAlways:       func(_, _ float32) bool { return true },
}

func (v *View) test(s *bind.Sampler, value *[Lanes]float32) test {
	return test{value, comparisons[s.Compare], v.info.Encoding == pixel.Unorm}
}

// apply replaces the first components by what the test says of them.
func (t test) apply(d *pixel.Rows, mask uint32) {
	if t.holds == nil {
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		value := t.value[l]
		if t.unit {
			value = min(max(value, 0), 1)
		}
		result := float32(0)
		if t.holds(value, math.Float32frombits(d[0][l])) {
			result = 1
		}
		d[0][l] = math.Float32bits(result)
	}
}

// SampleCompare compares values with the depths at a point, and filters the results: the first components of d are the
// parts, 0 to 1, for which the comparison holds.
func (v *View) SampleCompare(
	scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, value *[Lanes]float32, mask uint32,
) {
	v.filter(scratch, d, s, p, v.test(s, value), mask)
}
