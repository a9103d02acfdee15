package runtime

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Device runs kernels and owns the memory that they work on. Any number of goroutines may use it at the same time, each
// with its own batches.
type Device struct {
	drv    driver.Device
	why    string // Open chose it
	limits driver.Limits
	trace  *tracer // nil where nobody wants to know
	// sanitize is what the sanitizer looks for. What is wrong with calls the runtime finds itself.
	sanitize Checks
	measures bool  // its calls are measured
	lines    Lines // as decide returns it

	// life is locked for reading by whatever needs the driver to stay open for a while.
	life   sync.RWMutex
	closed bool

	mu        sync.Mutex
	resources map[*resource]struct{}
	addresses addresses
	recorders []driver.Recorder // idle ones
}

func init() {
	driver.NewDevice = func(d driver.Device) any { return newDevice(d) }
	driver.OpenDevice = func(o any, open func(driver.Options) (driver.Device, error)) (any, error) {
		return openDriver(o.(Options), open)
	}
}

func newDevice(d driver.Device) *Device {
	return &Device{
		drv: d, limits: d.Limits(), lines: LinesInTests.decide(), resources: map[*resource]struct{}{},
	}
}

// openDriver returns a Device of the driver that open opens with the options, except Device.
func openDriver(o Options, open func(driver.Options) (driver.Device, error)) (*Device, error) {
	options := o.driver()
	trace, err := newTracer(&options, o.Trace)
	if err != nil {
		return nil, err
	}
	drv, err := open(options)
	if err != nil {
		return nil, err
	}
	d := newDevice(drv)
	d.sanitize, d.measures, d.lines = o.Sanitize, options.Times, o.Lines.decide()
	if trace != nil {
		trace.drv, d.trace = drv, trace
	}
	return d, nil
}

// String returns the name of the device and why [Open] chose it, as in "Apple M3 Max (metal, MSL 4.0), the default
// device" or "CPU (8 cores), as there is no Metal on linux".
func (d *Device) String() string {
	if d == nil {
		return ErrNoDevice.Error()
	}
	if d.why == "" {
		return d.drv.String()
	}
	return d.drv.String() + ", " + d.why
}

// name is what messages about calls call the device.
func (d *Device) name() string { return d.drv.String() }

// Close waits for submitted batches, or stops them, and then releases the device and all its memory. Do not touch
// slices that [Buffer.Data] returned after that. Later uses of the device fail with [ErrClosed], and later uses of its
// buffers with [ErrFreed]. Closing a device twice, or a nil one, does nothing.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	d.drv.Stop() // compiling a kernel holds life
	d.life.Lock()
	defer d.life.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	err := ours(d.drv.Close())

	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range d.resources {
		r.freed.Store(true)
		r.destroy()
	}
	d.resources, d.recorders = nil, nil
	return err
}

// NewBatch returns an empty batch. Batches are cheap, and cheaper when reused, because a batch that has run keeps its
// storage.
func (d *Device) NewBatch() *Batch { return &Batch{dev: d} }

// recorder returns an empty recorder, one that was used before if there is one.
func (d *Device) recorder() (driver.Recorder, error) {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return nil, ErrClosed
	}
	if r := d.idleRecorder(); r != nil {
		return r, nil
	}
	r, err := d.drv.NewRecorder()
	return r, ours(err)
}

func (d *Device) idleRecorder() driver.Recorder {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.recorders)
	if n == 0 {
		return nil
	}
	r := d.recorders[n-1]
	d.recorders = d.recorders[:n-1]
	return r
}

// recycle takes a recorder back whose job, if it had one, is done.
func (d *Device) recycle(r driver.Recorder) {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return
	}
	r.Reset()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorders = append(d.recorders, r)
}

// record adds a dispatch to a recorder of this device.
func (d *Device) record(r driver.Recorder, dispatch *driver.Dispatch) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return ours(r.Record(dispatch))
}

// recordCopy adds a copy.
func (d *Device) recordCopy(r driver.Recorder, to, from driver.Buffer) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	if overlapping(to, from) {
		return errOverlap
	}
	return ours(r.Copy(to, from))
}

// recordUpload adds a copy of bytes of the program's.
func (d *Device) recordUpload(r driver.Recorder, to driver.Buffer, bytes []byte) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return ours(r.Upload(to, bytes))
}

// recordTexels adds a copy of texels of the program's.
func (d *Device) recordTexels(r driver.Recorder, to driver.Texture, levels [][]byte) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return ours(r.UploadTexels(to, levels))
}

// start has the device begin with what was recorded.
func (d *Device) start(r driver.Recorder) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return ours(r.Start())
}

// submit starts what was recorded, with progress called where it is not nil.
func (d *Device) submit(r driver.Recorder, progress func(done, total int)) (driver.Job, error) {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return nil, ErrClosed
	}
	r.Progress(progress)
	return r.Submit()
}
