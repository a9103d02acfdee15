// Package cuda makes NVIDIA's GPUs devices of a program that imports it:
//
//	import _ "github.com/metalgen/metalgen/runtime/cuda"
//
// Then runtime.Devices lists them, and runtime.Options.Device or the environment variable METALGEN_DEVICE choose one:
// "cuda", "cuda:1". Generated code is the same as for Metal and for the CPU device.
//
// It needs NVIDIA's driver, of CUDA 11.7 or later, and a GPU of compute capability 7.0 or later; no toolkit, and no
// cgo. On Linux the import makes a program dynamically linked. Programs without it do not change.
//
// Kernels are checked: an access that is out of bounds is a runtime.Fault, as on the CPU device, and not the end of all
// work on the GPU. A kernel that never ends can't be stopped.
package cuda

import (
	"github.com/metalgen/metalgen/runtime/internal/cuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

func init() {
	driver.CUDA = driver.Backend{
		None: libcuda.ErrNoDriver,
		Open: func(index int, o driver.Options) (driver.Device, error) {
			d, err := cuda.Open("", index, o)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Devices: func() ([]string, error) { return cuda.Devices("") },
	}
}
