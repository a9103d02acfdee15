package runtime

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

func TestAnErrorThatIsFoundLateIsOneOfItsCall(t *testing.T) {
	reason := &driver.CompileError{File: "a.metal"}
	err := oursAt(&driver.CallError{Kernel: "a", Pos: "a.metal:2", Call: 3, Err: reason}, func(call int) CallSite {
		return CallSite{Number: call + 1}
	})
	if want := "a (a.metal:2; call 4): a.metal: does not compile"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, ok := errors.AsType[*CompileError](err); !ok {
		t.Errorf("%v wraps no CompileError", err)
	}
}

func TestAnErrorOfAGPUHasTheFirstAndTheLastCall(t *testing.T) {
	err := oursAt(&driver.GPUError{Code: driver.GPUTimeout, First: 3, Last: 5}, func(call int) CallSite {
		return CallSite{Number: call}
	})
	if want := "GPU timeout; call 3 to call 5"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
