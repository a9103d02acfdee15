package runtime

import (
	"fmt"
	"os"

	"github.com/metalgen/metalgen/runtime/internal/cpu"
)

// Open returns the device to run on. The environment variable METALGEN_DEVICE
// chooses it: "metal", "cpu", or nothing for Metal where there is a Metal device
// and the CPU elsewhere. Any other value is an error.
//
// No Metal driver is built into this version yet: Open returns the CPU device, and
// for "metal" an error that wraps [ErrNoDevice].
func Open() (*Device, error) {
	switch want := os.Getenv("METALGEN_DEVICE"); want {
	case "", "cpu":
		return NewDevice(cpu.Open()), nil
	case "metal":
		return nil, fmt.Errorf("metalgen: %w: metal is not built into this version yet", ErrNoDevice)
	default:
		return nil, fmt.Errorf(`metalgen: METALGEN_DEVICE=%s: want "metal", "cpu" or nothing`, want)
	}
}
