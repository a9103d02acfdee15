package gen_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// The line of a call is the one that calls the generated function.
func TestTheLineOfACallIsThatOfTheCaller(t *testing.T) {
	t.Setenv("METALGEN_LINES", "on")
	dev := openDevice(t)
	x := newBuffer[float32](t, dev, 3)
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 3})
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 4})
	_, _, line, _ := goruntime.Caller(0)
	err := b.Run(t.Context())
	var e *runtime.ArgError
	want := runtime.CallSite{Number: 2, Line: fmt.Sprintf("gen_test/callsite_test.go:%d", line-1)}
	if !errors.As(err, &e) || e.Call != want {
		t.Errorf("got %v, want %v", err, want)
	}
}
