package cpu

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Device is the CPU as a device that runs kernels.
type Device struct {
	limits driver.Limits

	mu        sync.Mutex
	libraries map[*driver.Library]*library
	kernels   map[*driver.Kernel]*kernel

	queue *queue
}

// Open returns the CPU device. It runs as many threadgroups at once as Go runs
// goroutines: GOMAXPROCS.
func Open() *Device {
	d := &Device{
		limits: driver.Limits{
			// those of Apple's GPUs from the A11 on
			ThreadsPerThreadgroup: 1024,
			Threads:               [3]int{1024, 1024, 1024},
			ThreadgroupMemory:     32 << 10,
			BufferLength:          1 << 40,
			ConstantAlign:         4,
		},
		libraries: map[*driver.Library]*library{},
		kernels:   map[*driver.Kernel]*kernel{},
	}
	d.queue = newQueue()
	return d
}

// String names the device by its number of cores.
func (d *Device) String() string {
	n := runtime.GOMAXPROCS(0)
	if n == 1 {
		return "CPU (1 core)"
	}
	return fmt.Sprintf("CPU (%d cores)", n)
}

// Limits are those of Apple's GPUs, so that what runs here runs there.
func (d *Device) Limits() driver.Limits { return d.limits }

// NewMemory returns zeroed memory.
func (d *Device) NewMemory(size int) (m driver.Memory, err error) {
	return newMemory(size)
}

// NewRecorder returns an empty recorder.
func (d *Device) NewRecorder() (driver.Recorder, error) { return &recorder{device: d}, nil }

// Close stops what runs and what waits to run.
func (d *Device) Close() error {
	d.queue.close()
	return nil
}
