package cpu

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Device is the CPU as a device that runs kernels.
type Device struct {
	limits  driver.Limits
	dialect dialect
	// sanitize are what the sanitizer looks for; 0 is no sanitizer.
	sanitize driver.Checks
	schedule uint64 // the seed of the order in which simd-groups run; 0 is the usual one
	// nativeAfter is how many simd-groups of a program are interpreted before it becomes machine code; -1 for all.
	nativeAfter int64
	nativeKind  machine.Kind // of the machine code
	// provesAfter is how many simd-groups a dispatch has for which a kernel proves that the sanitizer finds nothing; -1
	// if none does.
	provesAfter int64
	slabs       slabs
	opened      time.Time
	options     driver.Options
	logger      func() *slog.Logger // of the options: what slog.Default() is may change

	mu           sync.Mutex
	libraries    map[*driver.Library]*frontend.Library
	kernels      map[*driver.Kernel]*kernel
	compilations map[*driver.Kernel]*compilation
	compiling    sync.WaitGroup // compilations, and those that have not yet noticed that they are stopped
	stopped      atomic.Bool

	allocated atomic.Int64 // bytes of memory and textures

	samplers driver.Samplers
	queue    *queue
	helpers  *crew // of the goroutine that runs a dispatch
}

// Open returns the CPU device. It runs as many threadgroups at once as Go runs
// goroutines: GOMAXPROCS. Of the options macros, the language, the sanitizer and the
// schedule matter to it.
func Open(o driver.Options) *Device {
	d := &Device{
		limits: driver.Limits{
			// those of Apple's GPUs from the A11 on
			ThreadsPerThreadgroup: 1024,
			Threads:               [3]int{1024, 1024, 1024},
			ThreadgroupMemory:     32 << 10,
			BufferLength:          1 << 40,
			ConstantAlign:         4,
			PageSize:              os.Getpagesize(),
			Addresses:             true,
		},
		dialect:      dialect{language: cmp.Or(o.Language, newestLanguage)},
		sanitize:     o.Sanitize,
		schedule:     o.Schedule,
		opened:       time.Now(),
		options:      o,
		logger:       o.Logger,
		libraries:    map[*driver.Library]*frontend.Library{},
		kernels:      map[*driver.Kernel]*kernel{},
		compilations: map[*driver.Kernel]*compilation{},
	}
	d.nativeAfter, d.nativeKind = nativeAfter(o)
	d.provesAfter = provesFrom(d.nativeKind)
	for _, name := range slices.Sorted(maps.Keys(o.Macros)) {
		d.dialect.define = append(d.dialect.define, name+"="+o.Macros[name])
	}
	d.helpers = &crew{wakeful: true}
	d.queue = newQueue(&crew{})
	for _, c := range []*crew{d.helpers, d.queue.crew} {
		runtime.AddCleanup(d, (*crew).end, c) // of a device that nobody closes
	}
	return d
}

// SamplerID returns the ID of a sampler, of this device only.
func (d *Device) SamplerID(s bind.Sampler) (uint64, error) { return d.samplers.ID(s), nil }

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

// Memory returns how much is allocated, which is memory of Go's and has no limit of the device's own.
func (d *Device) Memory() driver.MemoryUse {
	return driver.MemoryUse{Allocated: int(d.allocated.Load())}
}

// Clock returns the time since the device was opened.
func (d *Device) Clock() time.Duration { return time.Since(d.opened) }

// Trim does nothing: what is freed is the garbage collector's.
func (d *Device) Trim() {}

// NewEvent returns an event.
func (d *Device) NewEvent() (driver.Event, error) { return &driver.Counter{}, nil }

// Prepare compiles a kernel. Constants are the same to it as arguments.
func (d *Device) Prepare(k *driver.Kernel, _ []driver.Value) error {
	_, err := d.kernel(k)
	return err
}

// Listing returns the program of a kernel, and its machine code where the device makes some.
func (d *Device) Listing(k *driver.Kernel) (string, error) {
	compiled, err := d.kernel(k)
	if err != nil {
		return "", err
	}
	p := compiled.program.Program
	if d.nativeAfter < 0 {
		return p.String(), nil
	}
	code, err := machine.Listing(p, d.nativeKind)
	if err != nil {
		code = fmt.Sprintf("no machine code: %v\n", err)
	}
	return p.String() + "\n" + code, nil
}

// Capture is not supported: there is nothing to see but Go.
func (d *Device) Capture(string) (func() error, error) {
	return nil, fmt.Errorf("%s has no captures: %w", d, errors.ErrUnsupported)
}

// Metal returns nil.
func (d *Device) Metal() driver.Metal { return nil }

// NewRecorder returns an empty recorder.
func (d *Device) NewRecorder() (driver.Recorder, error) { return newRecorder(d), nil }

// Stop stops what is being compiled.
func (d *Device) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped.Store(true)
	for _, c := range d.compilations {
		c.end()
	}
}

// Close stops what runs, what waits to run, and what is being compiled.
func (d *Device) Close() error {
	d.Stop()
	d.queue.close()
	d.compiling.Wait()
	d.helpers.end()
	d.queue.crew.end()
	return nil
}
