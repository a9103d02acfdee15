package runtimetest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"

	"github.com/metalgen/metalgen/runtime"
)

// Float is an element type of buffers that holds numbers with fractions.
type Float interface {
	float32 | float64 | float16.Float16 | runtime.BFloat16
}

// Tolerance is how far a number may be from the wanted one: [Relative] or [Absolute].
type Tolerance struct{ relative, absolute float64 }

// Relative allows a difference of a multiple of the wanted number. Relative(1e-5) is right for sums of a few hundred
// float32, and Relative(1e-2) for one result of a bfloat16.
func Relative(of float64) Tolerance { return Tolerance{relative: of} }

// Absolute allows a fixed difference. It is for results near 0, such as sums of larger terms.
func Absolute(difference float64) Tolerance { return Tolerance{absolute: difference} }

// Close fails the test if an element of got is farther from that of want than the sum of the tolerances allows, and
// shows the worst elements. Without a tolerance an element must be that of want, rounded to float32 and then to T. A
// NaN is close only to a NaN, and an infinity only to itself. Close reports whether all elements are close.
func Close[T Float](t testing.TB, got []T, want []float64, tolerances ...Tolerance) bool {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d elements, want %d", len(got), len(want))
		return false
	}
	var allowed Tolerance
	for _, by := range tolerances {
		allowed.relative += by.relative
		allowed.absolute += by.absolute
	}
	var far []difference
	for i := range got {
		d := difference{index: i, got: toFloat64(got[i]), want: want[i]}
		if len(tolerances) == 0 {
			d.want = toFloat64(rounded[T](want[i]))
		}
		if d.times = allowed.exceeded(d.got, d.want); d.times > 1 {
			far = append(far, d)
		}
	}
	if len(far) == 0 {
		return true
	}
	t.Error(report(far, len(got), allowed))
	return false
}

// difference is that of one element.
type difference struct {
	index     int
	got, want float64
	times     float64 // how many times as much as is allowed
}

// exceeded returns how many times as much as is allowed got is from want, at most 1 where it is close.
func (t Tolerance) exceeded(got, want float64) float64 {
	switch {
	case got == want || math.IsNaN(got) && math.IsNaN(want):
		return 0
	case math.IsNaN(got) || math.IsNaN(want) || math.IsInf(got, 0) || math.IsInf(want, 0):
		return math.Inf(1)
	}
	return math.Abs(got-want) / (t.absolute + t.relative*math.Abs(want)) // infinite where nothing is allowed
}

// shown is how many elements a report has.
const shown = 5

func report(far []difference, n int, allowed Tolerance) string {
	slices.SortStableFunc(far, func(a, b difference) int { return cmp.Compare(b.times, a.times) })
	var s strings.Builder
	fmt.Fprintf(&s, "%d of %d elements are not close, with %v allowed; the worst:", len(far), n, allowed)
	for _, d := range far[:min(shown, len(far))] {
		fmt.Fprintf(&s, "\n\t[%d]: got %v, want %v", d.index, d.got, d.want)
		if off := math.Abs(d.got - d.want); !math.IsNaN(off) && !math.IsInf(off, 0) {
			fmt.Fprintf(&s, ", off by %.3g", off)
			if d.want != 0 {
				fmt.Fprintf(&s, ", which is %.3g of it", off/math.Abs(d.want))
			}
		}
	}
	return s.String()
}

// String returns, say, "1e-05 of the number and 1e-06".
func (t Tolerance) String() string {
	switch {
	case t.relative == 0 && t.absolute == 0:
		return "nothing"
	case t.absolute == 0:
		return fmt.Sprintf("%v of the number", t.relative)
	case t.relative == 0:
		return fmt.Sprint(t.absolute)
	}
	return fmt.Sprintf("%v of the number and %v", t.relative, t.absolute)
}

func toFloat64[T Float](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case float16.Float16:
		return float64(x.Float32())
	case runtime.BFloat16:
		return float64(x.Float32())
	}
	return any(x).(float64)
}

// rounded returns the T nearest to x.
func rounded[T Float](x float64) T {
	var y any = x
	switch any(*new(T)).(type) {
	case float32:
		y = float32(x)
	case float16.Float16:
		y = float16.Fromfloat32(float32(x))
	case runtime.BFloat16:
		y = runtime.NewBFloat16(float32(x))
	}
	return y.(T)
}
