package metal

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// frameworks are loaded beside the Objective-C runtime. Without CoreGraphics,
// MTLCreateSystemDefaultDevice may return nil in a command-line program. libSystem
// has the functions of dispatch.
var frameworks = []string{
	"/System/Library/Frameworks/Metal.framework/Metal",
	"/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics",
	"/usr/lib/libSystem.B.dylib",
}

// ErrNoDevice says that there is no such Metal device, or no Metal. Its text is the
// reason that users read where the CPU device takes its place.
var ErrNoDevice = errors.New("there is no Metal device")

// maxRunning is the number of command buffers of a queue that may be uncompleted
// at once: more would block in the middle of a submit.
const maxRunning = 64

// Device is a GPU.
type Device struct {
	id, queue objc.ID
	name      string
	can       abilities
	limits    driver.Limits
	running   chan struct{} // as many as there are command buffers on their way
	submits   submits
	jobs      sync.WaitGroup         // and what commits them
	commits   func()                 // does that: made once, so that to start it allocates nothing
	completed uintptr                // the block that command buffers call
	most      pieceSize              // of a batch
	newest    driver.LanguageVersion // that the system compiles
	options   driver.Options
	labels    atomic.Bool // whether recorders put dispatches into debug groups
	wraps     wraps
	wired     wired
	reuse     reuse
	privates  privates
	archives  archives
	samplers  samplerStates
	logs      logs
	listener  listener

	placeholders struct {
		mu      sync.Mutex
		largest *memory
	}

	mu        sync.Mutex
	libraries map[*driver.Library]*library
	pipelines map[*driver.Kernel]*pipelines
	kept      []kept // arena pages of recorders, and placeholders
}

// Open opens a device: the one at an index of [Devices], or the default one for -1.
// Where there is none, the error wraps [ErrNoDevice].
func Open(index int, o driver.Options) (*Device, error) {
	return OpenLibrary("", frameworks, index, o)
}

// OpenLibrary is [Open] with another Objective-C runtime than Apple's, and other
// frameworks. It is exported for tests outside of this package, which run the
// driver on the library of metaltest where there is no Metal.
func OpenLibrary(objcLibrary string, frameworks []string, index int, o driver.Options) (d *Device, err error) {
	if err := load(objcLibrary, frameworks); err != nil {
		return nil, err
	}
	objc.WithPool(func() {
		var id objc.ID
		if id, err = find(index); err == nil {
			d, err = newDevice(id, o)
		}
	})
	return d, err
}

// load loads what there is of Metal: a system without is one without a device.
func load(objcLibrary string, frameworks []string) error {
	err := objc.Load(objcLibrary, frameworks...)
	if errors.Is(err, objc.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	return err
}

// newDevice takes over a reference to an MTLDevice.
func newDevice(id objc.ID, o driver.Options) (*Device, error) {
	sys := thisSystem()
	newest := sys.newestLanguage()
	language, err := languageOf(o.Language, newest)
	if err != nil {
		id.Release()
		return nil, err
	}
	completed, err := completionBlock()
	if err != nil {
		id.Release()
		return nil, err
	}
	o.Language = language
	d := &Device{
		id:        id,
		name:      objc.String(objc.ID(id.Send(selName))),
		running:   make(chan struct{}, maxRunning),
		most:      mostOfPiece,
		completed: completed,
		newest:    newest,
		options:   o,
		libraries: map[*driver.Library]*library{},
		pipelines: map[*driver.Kernel]*pipelines{},
	}
	if o.Piece > 0 {
		d.most.dispatches = o.Piece
	}
	if o.Times {
		d.most.dispatches = 1 // a command buffer has times
	}
	d.labels.Store(o.Labels)
	d.can = ask(id, sys)
	if d.can.archives {
		d.archives.open(o.Cache, d.name, sys.build)
	}
	d.reuse.limit = o.Reuse
	most := id.Size(selMaxThreads)
	d.limits = driver.Limits{
		// The first dimension is also the bound of all threads of a threadgroup
		// (Metal feature set tables); a pipeline may allow less.
		ThreadsPerThreadgroup: int(most[0]),
		Threads:               [3]int{int(most[0]), int(most[1]), int(most[2])},
		ThreadgroupMemory:     int(id.Send(selMaxThreadgroupMemory)),
		BufferLength:          int(id.Send(selMaxBufferLength)),
		ConstantAlign:         constantAlign,
		PageSize:              os.Getpagesize(),
		ReadWrite:             d.can.readWrite(),
		Addresses:             d.can.addresses,
	}
	d.commits = d.commitQueue
	d.wraps.era = &era{}
	if d.queue = objc.ID(id.Send(selNewCommandQueue)); d.queue == 0 {
		id.Release()
		return nil, fmt.Errorf("%s gives no command queue", d.name)
	}
	d.wired.open(d, &o)
	if d.placeholders.largest, err = d.newKept(constantAlign); err != nil {
		d.wired.release()
		d.queue.Release()
		id.Release()
		return nil, err
	}
	return d, nil
}

// constantAlign is what offsets of constant arguments are a multiple of: 256 is
// right on every GPU (Metal feature set tables).
const constantAlign = 256

// String names the device and the version of the language that it compiles.
func (d *Device) String() string {
	return fmt.Sprintf("%s (metal, MSL %v)", d.name, d.options.Language)
}

// Limits returns those of the device.
func (d *Device) Limits() driver.Limits { return d.limits }

// NewRecorder returns an empty recorder.
func (d *Device) NewRecorder() (driver.Recorder, error) { return d.newRecorder(), nil }

// Stop does nothing: Metal's compiler cannot be stopped.
func (d *Device) Stop() {}

// Prepare makes a pipeline. Those of different kernels are made at the same time.
func (d *Device) Prepare(k *driver.Kernel, constants []driver.Value) error {
	_, err := d.pipeline(&driver.Dispatch{Kernel: k, Constants: constants})
	return err
}

// kept is what is released with the device.
type kept interface{ Free() }

// keep keeps k until the device is closed. What recorders make for batches to come is
// kept so.
func (d *Device) keep(k kept) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, k)
}

// Close waits for all jobs, which a GPU cannot stop, and releases the device.
func (d *Device) Close() error {
	d.submits.abandon()
	d.jobs.Wait()
	objc.WithPool(func() {
		for _, p := range d.pipelines {
			p.release()
		}
		for _, l := range d.libraries {
			l.id.Release()
		}
		for _, k := range d.kept {
			k.Free()
		}
		d.reuse.end(d)
		d.wired.release()
		d.wraps.release()
		d.samplers.release()
		d.logs.release()
		d.listener.release()
		d.queue.Release()
		d.id.Release()
	})
	return nil
}
