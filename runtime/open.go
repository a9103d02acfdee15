package runtime

import (
	"fmt"
	"os"
)

// Open returns the device to run on. The environment variable METALGEN_DEVICE
// chooses it: "metal", "cpu", or nothing for Metal where there is a Metal device
// and the CPU elsewhere. Any other value is an error.
//
// No device is built into this version yet, so Open always fails, with an error
// that wraps [ErrNoDevice] where METALGEN_DEVICE is in order.
func Open() (*Device, error) {
	switch want := os.Getenv("METALGEN_DEVICE"); want {
	case "", "metal", "cpu":
		return nil, fmt.Errorf("metalgen: %w: neither metal nor cpu is built into this version yet", ErrNoDevice)
	default:
		return nil, fmt.Errorf(`metalgen: METALGEN_DEVICE=%s: want "metal", "cpu" or nothing`, want)
	}
}
