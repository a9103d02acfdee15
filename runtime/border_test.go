package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// odd wraps an error as drivers do that tell kinds of faults further apart.
type odd struct{}

func (odd) Error() string { return "odd" }
func (odd) Unwrap() error { return driver.ErrDivergentBarrier }

// TestErrorsOfDriversAreThoseOfTheRuntime has what each error of a driver becomes.
func TestErrorsOfDriversAreThoseOfTheRuntime(t *testing.T) {
	for _, c := range []struct {
		name   string
		driver error
		want   error
		text   string
	}{
		{"fault",
			&driver.Fault{Kernel: "norm", Pos: "norm.metal:31:17", Msg: "out of bounds", Thread: [3]int{3, 0, 0},
				Group: [3]int{2, 0, 0}, Err: driver.ErrOutOfBounds},
			&runtime.Fault{Kernel: "norm", Pos: "norm.metal:31:17", Msg: "out of bounds", Thread: [3]int{3, 0, 0},
				Group: [3]int{2, 0, 0}, Err: runtime.ErrOutOfBounds},
			"norm: norm.metal:31:17: out of bounds, in thread (3, 0, 0), threadgroup (2, 0, 0)"},
		{"stopped",
			&driver.StoppedError{Kernel: "norm", Err: context.Canceled},
			&runtime.StoppedError{Kernel: "norm", Err: context.Canceled},
			"norm: stopped while it ran: context canceled"},
		{"stopped somewhere",
			&driver.StoppedError{Kernel: "norm", Pos: "norm.metal:7:2", Thread: [3]int{33, 0, 0}, Group: [3]int{1, 0, 0}},
			&runtime.StoppedError{Kernel: "norm", Pos: "norm.metal:7:2", Thread: [3]int{33, 0, 0}, Group: [3]int{1, 0, 0}},
			"norm: norm.metal:7:2: stopped while it ran, in thread (33, 0, 0), threadgroup (1, 0, 0): the device was closed"},
		{"source",
			&driver.CompileError{File: "a.metal", Diagnostics: []driver.Diagnostic{
				{Pos: "a.metal:3:1", Warning: true, Msg: "odd"}, {Pos: "a.metal:4:1", Msg: "no"}}},
			&runtime.CompileError{File: "a.metal", Diagnostics: []runtime.Diagnostic{
				{Pos: "a.metal:3:1", Warning: true, Msg: "odd"}, {Pos: "a.metal:4:1", Msg: "no"}}},
			"a.metal:4:1: no"},
		{"drift",
			&driver.DriftError{Kernel: "norm", Pos: "norm.metal:4", Arg: "dim", Generated: "uint", Metal: "float"},
			&runtime.DriftError{Kernel: "norm", Pos: "norm.metal:4", Arg: "dim", Generated: "uint", Metal: "float"},
			"dim (norm.metal:4): the generated code says uint, Metal says float: run metalgen again"},
		{"memory",
			&driver.MemoryError{Device: "GPU", Need: 64, Use: driver.MemoryUse{Recommended: 100, Allocated: 50}},
			&runtime.MemoryError{Device: "GPU", Need: 64, Use: runtime.MemoryUse{Recommended: 100, Allocated: 50}},
			"GPU has no memory for a buffer of 64 bytes: 50 are allocated, and 100 are what it recommends at most"},
		{"width of simd-groups",
			&driver.SimdWidthError{Kernel: "norm", Need: 32, Have: 64},
			&runtime.SimdWidthError{Kernel: "norm", Need: 32, Have: 64},
			"the kernel needs simd-groups of 32 threads, on this device they have 64 (one that copes says metalgen:simd any)"},
		{"GPU",
			&driver.GPUError{Code: driver.GPUTimeout, Kernels: []string{"norm"}, Msg: "too long"},
			&runtime.GPUError{Code: runtime.GPUTimeout, Kernels: []string{"norm"}, Msg: "too long"},
			"GPU timeout in norm: too long"},
	} {
		for _, wrap := range []struct {
			name string
			err  error
			text string
		}{
			{"bare", c.driver, c.text},
			{"wrapped", fmt.Errorf("at last: %w", c.driver), "at last: " + c.text},
			{"joined", errors.Join(context.DeadlineExceeded, fmt.Errorf("b: %w", c.driver)),
				context.DeadlineExceeded.Error() + "\nb: " + c.text},
		} {
			t.Run(c.name+", "+wrap.name, func(t *testing.T) {
				err := submitted(t, wrap.err)
				if want := "Submit: " + wrap.text; err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
				got := reflect.New(reflect.TypeOf(c.want))
				if !errors.As(err, got.Interface()) || !reflect.DeepEqual(got.Elem().Interface(), c.want) {
					t.Errorf("found %+v, want %+v", got.Elem(), c.want)
				}
				if errors.Is(err, context.DeadlineExceeded) != (wrap.name == "joined") {
					t.Error("what else it wraps is lost")
				}
			})
		}
	}
}

func TestKindsOfFaultsAreThoseOfTheRuntime(t *testing.T) {
	for of, want := range map[error]error{
		driver.ErrOutOfBounds:      runtime.ErrOutOfBounds,
		driver.ErrDivisionByZero:   runtime.ErrDivisionByZero,
		driver.ErrDivergentBarrier: runtime.ErrDivergentBarrier,
		odd{}:                      runtime.ErrDivergentBarrier,
	} {
		if err := submitted(t, &driver.Fault{Err: of}); !errors.Is(err, want) || !errors.Is(err, of) && of == error(odd{}) {
			t.Errorf("a fault by %v is %v, and not %v", of, err, want)
		}
	}
}

func TestOtherErrorsOfDriversStayWhatTheyAre(t *testing.T) {
	other := errors.New("no")
	if err := submitted(t, other); errors.Unwrap(err) != other {
		t.Errorf("got %v", err)
	}
}

// submitted returns the error of a batch that the device refuses with err.
func submitted(t *testing.T, err error) error {
	t.Helper()
	dev, _ := open(t, runtimetest.FailSubmit(err))
	b := dev.NewBatch()
	Norm(b, normArgs(t, dev, 1, 4))
	return b.Submit()
}
