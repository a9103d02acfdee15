package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Device is a GPU.
type Device struct {
	lib     *libcuda.Library
	device  libcuda.Device
	context libcuda.Context
	stream  libcuda.Stream
	// branches are the streams that graphs are captured from.
	branches []libcuda.Stream
	name     string // "NVIDIA H200"
	options  driver.Options
	define   []string // macros of all sources
	limits   driver.Limits
	block    int // threadgroup memory of a block, in bytes
	// capability is the compute capability, 10 times the major number and the minor one.
	capability int
	opened     time.Time

	mu        sync.Mutex
	libraries map[*driver.Library]*frontend.Library
	kernels   map[*driver.Kernel]*kernel
	stopped   atomic.Bool

	memory    pool
	samplers  driver.Samplers
	textures  atomic.Uint64 // how many have an ID
	waiter    queue         // finishes jobs that have been sent
	sender    queue         // sends those that wait for events, and those after them
	sending   sync.Mutex    // of the order of jobs
	closing   chan struct{} // closed by Stop
	stop      sync.Once
	recorders []*recorder // all that were made
}

// minCapability is the oldest compute capability that the text of package ptx is for, 10 times the major number.
const minCapability = 70

// Open opens a GPU by its number, with the driver at a path, "" for that of the system. An index of -1 is the first.
func Open(path string, index int, o driver.Options) (*Device, error) {
	lib, err := libcuda.Open(path)
	if err != nil {
		return nil, err
	}
	device, err := find(lib, max(index, 0))
	if err != nil {
		return nil, err
	}
	d := &Device{
		lib: lib, device: device, options: o, opened: time.Now(), closing: make(chan struct{}),
		libraries: map[*driver.Library]*frontend.Library{}, kernels: map[*driver.Kernel]*kernel{},
	}
	for _, name := range slices.Sorted(maps.Keys(o.Macros)) {
		d.define = append(d.define, name+"="+o.Macros[name])
	}
	if d.name, err = d.describe(); err != nil {
		return nil, err
	}
	d.limits = driver.Limits{
		ThreadsPerThreadgroup: 1024,
		Threads:               [3]int{1024, 1024, 64},
		ThreadgroupMemory:     32 << 10,
		BufferLength:          1 << 40,
		ConstantAlign:         4,
		PageSize:              os.Getpagesize(),
		Addresses:             true,
		ReadWrite:             driver.ReadWriteAll,
	}
	context, r := lib.PrimaryCtxRetain(device)
	if r != libcuda.Success {
		return nil, lib.Error("cuDevicePrimaryCtxRetain", r)
	}
	d.context = context
	d.with(func() { d.stream, r = lib.StreamCreate() })
	if r != libcuda.Success {
		lib.PrimaryCtxRelease(device)
		return nil, lib.Error("cuStreamCreate", r)
	}
	d.memory.device = d
	d.waiter.start(d, d.waitFor)
	d.sender.start(d, d.sendLater)
	return d, nil
}

// Devices returns the names of the GPUs, by their numbers.
func Devices(path string) ([]string, error) {
	lib, err := libcuda.Open(path)
	if err != nil {
		return nil, err
	}
	n, r := lib.DeviceGetCount()
	if r != libcuda.Success {
		return nil, lib.Error("cuDeviceGetCount", r)
	}
	var names []string
	for i := range n {
		device, r := lib.DeviceGet(i)
		if r != libcuda.Success {
			return nil, lib.Error("cuDeviceGet", r)
		}
		name, _ := lib.DeviceGetName(device)
		names = append(names, name)
	}
	return names, nil
}

// find returns the device of a number.
func find(lib *libcuda.Library, index int) (libcuda.Device, error) {
	n, r := lib.DeviceGetCount()
	switch {
	case r != libcuda.Success:
		return 0, lib.Error("cuDeviceGetCount", r)
	case index >= n:
		return 0, fmt.Errorf("%w with the number %d: there are %d", libcuda.ErrNoDriver, index, n)
	}
	device, r := lib.DeviceGet(index)
	return device, lib.Error("cuDeviceGet", r)
}

// describe returns the name of the GPU, and an error for one that is too old.
func (d *Device) describe() (string, error) {
	name, r := d.lib.DeviceGetName(d.device)
	if r != libcuda.Success {
		return "", d.lib.Error("cuDeviceGetName", r)
	}
	var numbers [3]int
	for i, a := range []libcuda.Attribute{
		libcuda.ComputeCapabilityMajor, libcuda.ComputeCapabilityMinor, libcuda.MaxSharedMemoryPerBlock,
	} {
		if numbers[i], r = d.lib.DeviceGetAttribute(a, d.device); r != libcuda.Success {
			return "", d.lib.Error("cuDeviceGetAttribute", r)
		}
	}
	d.block, d.capability = numbers[2], numbers[0]*10+numbers[1]
	if d.capability < minCapability {
		return "", fmt.Errorf("%s has compute capability %d.%d, and the CUDA device needs 7.0", name, numbers[0], numbers[1])
	}
	return name, nil
}

// with calls do with the context of the device on the thread of the system that it runs on.
func (d *Device) with(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d.lib.CtxSetCurrent(d.context)
	do()
}

// try is with for functions that may fail, and names the first that does.
func (d *Device) try(do func() (string, libcuda.Result)) (err error) {
	d.with(func() {
		name, r := do()
		err = d.lib.Error(name, r)
	})
	return err
}

// String returns, say, "NVIDIA H200 (cuda)".
func (d *Device) String() string { return d.name + " (cuda)" }

// Limits are those of Apple's GPUs, where those of the GPU are not lower.
func (d *Device) Limits() driver.Limits { return d.limits }

// Clock returns the time since the device was opened.
func (d *Device) Clock() time.Duration { return time.Since(d.opened) }

// Prepare compiles a kernel for full threadgroups. Constants are the same to it as arguments. One with textures is made
// ir only: the driver compiles it when their formats are known.
func (d *Device) Prepare(k *driver.Kernel, _ []driver.Value) error {
	compiled, err := d.kernel(k)
	if err != nil || compiled.shows || compiled.finds {
		return err
	}
	_, err = compiled.variant(variantKey{align: 16, whole: true, threads: 256}, &driver.Dispatch{})
	return err
}

// Capture is not supported.
func (d *Device) Capture(string) (func() error, error) {
	return nil, fmt.Errorf("%s has no captures: %w", d, errors.ErrUnsupported)
}

// Metal returns nil.
func (d *Device) Metal() driver.Metal { return nil }

// NewRecorder returns an empty recorder.
func (d *Device) NewRecorder() (driver.Recorder, error) {
	r := &recorder{device: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorders = append(d.recorders, r)
	return r, nil
}

// Stop stops what is being compiled, and what waits for an event.
func (d *Device) Stop() {
	d.stopped.Store(true)
	d.stop.Do(func() { close(d.closing) })
}

// Close waits for submitted jobs. A kernel that does not end cannot be stopped.
func (d *Device) Close() error {
	d.Stop()
	d.sender.stop()
	d.waiter.stop()
	for _, r := range d.recorders {
		r.release()
	}
	err := d.try(func() (string, libcuda.Result) {
		for _, k := range d.kernels {
			k.unload()
		}
		d.memory.trim()
		for _, s := range d.branches {
			d.lib.StreamDestroy(s)
		}
		return "cuStreamDestroy", d.lib.StreamDestroy(d.stream)
	})
	d.memory.close()
	return err
}

// language returns the version of MSL that sources are compiled as.
func (d *Device) language() driver.LanguageVersion {
	return cmp.Or(d.options.Language, driver.MSL(preprocess.NewestVersion/100, preprocess.NewestVersion%100/10))
}
