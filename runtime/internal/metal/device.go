package metal

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// frameworks are loaded beside the Objective-C runtime. Without CoreGraphics,
// MTLCreateSystemDefaultDevice may return nil in a command-line program.
var frameworks = []string{
	"/System/Library/Frameworks/Metal.framework/Metal",
	"/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics",
}

// ErrNoDevice says that the system has Metal, but no device.
var ErrNoDevice = errors.New("there is no Metal device")

// maxRunning is the number of command buffers of a queue that may be uncompleted
// at once: more would block in the middle of a submit.
const maxRunning = 64

// Device is a GPU.
type Device struct {
	id, queue   objc.ID
	name        string
	unified     bool
	limits      driver.Limits
	placeholder *memory // bound where an argument is left out
	running     chan struct{}
	jobs        sync.WaitGroup
	labels      atomic.Bool // debug groups around dispatches
	wraps       wraps

	mu        sync.Mutex
	libraries map[*driver.Library]*library
	pipelines map[*driver.Kernel]*pipelines
	kept      []*memory // arena pages of recorders
}

// Open opens a device: the one at an index of [Devices], or the default one for -1.
func Open(index int, o driver.Options) (*Device, error) { return open("", frameworks...) }

// Devices lists the names of the devices.
func Devices() ([]string, error) { return nil, ErrNoDevice }

// open opens the default device of an Objective-C runtime and its frameworks.
func open(runtime string, frameworks ...string) (*Device, error) {
	if err := objc.Load(runtime, frameworks...); err != nil {
		return nil, err
	}
	create, err := objc.Symbol("MTLCreateSystemDefaultDevice")
	if err != nil {
		return nil, err
	}
	var d *Device
	objc.WithPool(func() {
		s := objc.NewSender()
		defer s.Free()
		id := objc.ID(s.Call(create))
		if id == 0 {
			err = ErrNoDevice
			return
		}
		d, err = newDevice(id)
	})
	return d, err
}

// newDevice takes over a reference to an MTLDevice.
func newDevice(id objc.ID) (*Device, error) {
	d := &Device{
		id:        id,
		name:      objc.String(objc.ID(id.Send(selName))),
		running:   make(chan struct{}, maxRunning),
		libraries: map[*driver.Library]*library{},
		pipelines: map[*driver.Kernel]*pipelines{},
	}
	d.unified = id.Send(selHasUnifiedMemory) != 0
	d.limits = driver.Limits{
		// what all GPUs allow that Metal runs on; a pipeline may allow less
		ThreadsPerThreadgroup: 1024,
		Threads:               [3]int{1024, 1024, 1024},
		ThreadgroupMemory:     int(id.Send(selMaxThreadgroupMemory)),
		BufferLength:          int(id.Send(selMaxBufferLength)),
		ConstantAlign:         constantAlign,
		PageSize:              os.Getpagesize(),
	}
	if d.queue = objc.ID(id.Send(selNewCommandQueue)); d.queue == 0 {
		id.Release()
		return nil, errors.New("the Metal device gives no command queue")
	}
	var err error
	if d.placeholder, err = d.newMemory(constantAlign); err != nil {
		d.queue.Release()
		id.Release()
		return nil, err
	}
	return d, nil
}

// constantAlign is what offsets of constant arguments are a multiple of: 256 is
// right on every GPU (Metal feature set tables).
const constantAlign = 256

// String names the device.
func (d *Device) String() string { return d.name + " (metal)" }

// Limits are those of the device.
func (d *Device) Limits() driver.Limits { return d.limits }

// NewRecorder returns an empty recorder.
func (d *Device) NewRecorder() (driver.Recorder, error) { return &recorder{device: d}, nil }

// Prepare makes a pipeline.
func (d *Device) Prepare(k *driver.Kernel, constants []driver.Value) error {
	_, err := d.pipeline(&driver.Dispatch{Kernel: k, Constants: constants})
	return err
}

// Capture is not there yet.
func (d *Device) Capture(path string) (func() error, error) { return nil, errors.ErrUnsupported }

// keep notes memory that is released with the device.
func (d *Device) keep(m *memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, m)
}

// Close waits for all jobs, which a GPU cannot stop, and releases the device.
func (d *Device) Close() error {
	d.jobs.Wait()
	objc.WithPool(func() {
		for _, p := range d.pipelines {
			p.release()
		}
		for _, l := range d.libraries {
			l.id.Release()
		}
		for _, m := range d.kept {
			m.Free()
		}
		d.wraps.release()
		d.placeholder.Free()
		d.queue.Release()
		d.id.Release()
	})
	return nil
}
