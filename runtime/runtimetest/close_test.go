package runtimetest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/x448/float16"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// failing is a test that keeps what it fails with to itself.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper()           {}
func (f *failing) Error(args ...any) { f.said = append(f.said, fmt.Sprint(args...)) }
func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func close[T runtimetest.Float](got []T, want []float64, by ...runtimetest.Tolerance) string {
	f := &failing{}
	if ok := runtimetest.Close(f, got, want, by...); ok != (len(f.said) == 0) {
		return fmt.Sprintf("returned %t and said %q", ok, f.said)
	}
	return strings.Join(f.said, "\n")
}

func TestCloseShowsTheWorstElements(t *testing.T) {
	relative, absolute := runtimetest.Relative, runtimetest.Absolute
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{close([]float32{1, 2}, []float64{1, 2}), ""},
		{close([]float32{1}, []float64{1, 2}), "got 1 elements, want 2"},
		{close([]float32{0.1}, []float64{0.1}), ""},
		{close([]float16.Float16{float16.Fromfloat32(0.1)}, []float64{0.1}), ""},
		{close([]runtime.BFloat16{runtime.NewBFloat16(0.1)}, []float64{0.1}), ""},
		{close([]float32{0.1}, []float64{0.10000001}, relative(1e-7)), ""},
		{close([]float64{0.1}, []float64{math.Nextafter(0.1, 1)}), "1 of 1 elements are not close, with nothing allowed; " +
			"the worst:\n\t[0]: got 0.1, want 0.10000000000000002, off by 1.39e-17, which is 1.39e-16 of it"},
		{close([]float64{90, 0.5, 8}, []float64{100, 1, 8}, relative(0.1)), "1 of 3 elements are not close, with 0.1 of " +
			"the number allowed; the worst:\n\t[1]: got 0.5, want 1, off by 0.5, which is 0.5 of it"},
		{close([]float64{0.25, -0.5, 0}, []float64{0, 0, 0}, absolute(0.25)), "1 of 3 elements are not close, with 0.25 " +
			"allowed; the worst:\n\t[1]: got -0.5, want 0, off by 0.5"},
		{close([]float64{111, 112}, []float64{100, 100}, absolute(1), relative(0.1)), "1 of 2 elements are not close, " +
			"with 0.1 of the number and 1 allowed; the worst:\n\t[1]: got 112, want 100, off by 12, which is 0.12 of it"},
		{close([]float64{nan, inf, -inf}, []float64{nan, inf, -inf}, relative(1)), ""},
		{close([]float64{nan, 1, inf}, []float64{1, nan, -inf}, relative(1e9)), "3 of 3 elements are not close, with 1e+09 " +
			"of the number allowed; the worst:\n\t[0]: got NaN, want 1\n\t[1]: got 1, want NaN\n\t[2]: got +Inf, want -Inf"},
		{close([]float64{9, 1, 2, 3, 4, 5, 6}, make([]float64, 7), absolute(2)), "5 of 7 elements are not close, with 2 " +
			"allowed; the worst:\n\t[0]: got 9, want 0, off by 9\n\t[6]: got 6, want 0, off by 6\n" +
			"\t[5]: got 5, want 0, off by 5\n\t[4]: got 4, want 0, off by 4\n\t[3]: got 3, want 0, off by 3"},
	} {
		if c.got != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
		}
	}
}
