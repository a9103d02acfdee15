package gen_test

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// A call with nothing to do runs nothing, on every device, and calls beside it run.
func TestCallsOfNothingRunNothing(t *testing.T) {
	t.Setenv("METALGEN_SANITIZE", "") // to which these calls are mistakes
	dev := openDevice(t)
	in := upload(t, dev, []float32{1, 2, 3, 4})
	out, untouched := newBuffer[float32](t, dev, 4), upload(t, dev, []float32{5, 6})
	nothing := untouched.Slice(1, 1)
	weight := upload(t, dev, []float32{1, 1, 1, 1})

	b := dev.NewBatch()
	gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: nothing, Up: nothing, Out: nothing})
	gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: in, Up: in, Out: untouched})
	gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: in, Up: in, Out: untouched, Grid: gen.SwigluFusedGrid(0)})
	gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{
		Residual: nothing, Input: nothing, Weight: weight, Output: nothing, Dim: 4, Eps: 1,
	})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: in, Up: in, Out: out, Dim: 4})
	gen.SwigluFused(b, gen.SwigluFusedArgs{
		Gate: in, Up: in, Out: untouched,
		Grid: runtime.Grid{Threadgroups: [3]int{0, 1, 1}, Threads: [3]int{256, 1, 1}},
	})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := untouched.Data(); got[0] != 5 || got[1] != 6 {
		t.Errorf("calls of nothing wrote %v", got)
	}
	for i, x := range in.Data() {
		if out.Data()[i] == 0 {
			t.Errorf("element %d of silu(x) * x is 0 for x = %v", i, x)
		}
	}

	// A call with none of its arguments looks like one of nothing.
	gen.SwigluFused(b, gen.SwigluFusedArgs{})
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrNilBuffer) {
		t.Errorf("every argument forgotten: %v", err)
	}
	// A buffer that, as the source says, not every call needs may be missing from a call with nothing to do too.
	gen.FusedResidualNormF32(b, gen.FusedResidualNormF32Args{
		Residual: nothing, Input: nothing, Weight: weight, NormedOutput: nothing,
		Params: gen.FusedResidualNormF32Params{Dim: 4, Eps: 1},
	})
	if err := b.Run(t.Context()); err != nil {
		t.Error(err)
	}
}
