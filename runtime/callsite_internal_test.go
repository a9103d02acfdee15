package runtime

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

func TestAnErrorOfAGPUHasTheFirstAndTheLastCall(t *testing.T) {
	err := oursAt(&driver.GPUError{Code: driver.GPUTimeout, First: 3, Last: 5}, func(call int) CallSite {
		return CallSite{Number: call}
	})
	if want := "GPU timeout; call 3 to call 5"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
