package runtimetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// device is the driver that records.
type device struct{ rec *Recording }

func (d *device) String() string { return "recording device" }

// Limits returns those of today's Metal devices.
func (d *device) Limits() driver.Limits {
	return driver.Limits{
		ThreadsPerThreadgroup: 1024,
		Threads:               [3]int{1024, 1024, 1024},
		ThreadgroupMemory:     32768,
		BufferLength:          1 << 34,
		ConstantAlign:         256,
		PageSize:              4096,
		Addresses:             true,
	}
}

func (d *device) Memory() driver.MemoryUse { return driver.MemoryUse{} }

func (d *device) NewMemory(size int, storage driver.Storage) (driver.Memory, error) {
	// complex128 for alignment: the addresses of blocks of 16 bytes, and of their multiples, are multiples of 16.
	blocks := make([]complex128, (size+15)/16)
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(blocks))), size)
	return d.keep(&memory{rec: d.rec, bytes: all, private: storage&driver.StoragePrivate != 0}), nil
}

func (d *device) WrapMemory(bytes []byte, _ bool) (driver.Memory, error) {
	return d.keep(&memory{rec: d.rec, bytes: bytes}), nil
}

func (d *device) NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	t, err := storage.NewTexture(spec)
	if err != nil {
		return nil, err
	}
	return d.keepTexture(t), nil
}

func (d *device) NewTextureOver(
	m driver.Memory, offset, rowBytes int, spec driver.TextureSpec,
) (driver.Texture, error) {
	t, err := storage.NewTextureOver(m.(*memory).bytes, offset, rowBytes, spec)
	if err != nil {
		return nil, err
	}
	return d.keepTexture(t), nil
}

// samplers are those of all devices.
var samplers driver.Samplers

func (d *device) SamplerID(s bind.Sampler) (uint64, error) { return samplers.ID(s), nil }

// keep counts an allocation.
func (d *device) keep(m *memory) *memory {
	d.rec.mu.Lock()
	defer d.rec.mu.Unlock()
	d.rec.made++
	d.rec.live++
	m.id = d.rec.made
	return m
}

func (d *device) Trim() {}

func (d *device) NewEvent() (driver.Event, error) { return &driver.Counter{}, nil }

func (d *device) Clock() time.Duration { return 0 }

func (d *device) Metal() driver.Metal { return nil }

func (d *device) Stop() {}

func (d *device) Prepare(k *driver.Kernel, _ []driver.Value) error {
	d.rec.mu.Lock()
	defer d.rec.mu.Unlock()
	d.rec.prepared = append(d.rec.prepared, k.Name)
	return d.rec.recordErr
}

func (d *device) Capture(string) (func() error, error) { return nil, errors.ErrUnsupported }

func (d *device) NewRecorder() (driver.Recorder, error) { return &recorder{rec: d.rec}, nil }

func (d *device) Close() error {
	d.rec.Finish(nil)
	return nil
}

type memory struct {
	rec     *Recording
	id      int
	bytes   []byte
	private bool

	once    sync.Once // sets address
	address uint64
}

func (m *memory) Bytes() []byte {
	if m.private {
		return nil
	}
	return m.bytes
}

// addresses are those of all devices, so that a pointer of one leads nowhere on another.
var addresses driver.Addresses

// Address returns an address that a memory keeps for itself alone.
func (m *memory) Address() uint64 {
	m.once.Do(func() { m.address = addresses.Take(len(m.bytes)) })
	return m.address
}

func (m *memory) Free() {
	if m.address != 0 {
		addresses.Free(m.address)
	}
	m.rec.mu.Lock()
	defer m.rec.mu.Unlock()
	m.rec.live--
	m.bytes = nil
}

// keepTexture counts a texture, or a view of one.
func (d *device) keepTexture(t driver.Texture) *texture {
	d.rec.mu.Lock()
	defer d.rec.mu.Unlock()
	d.rec.made++
	d.rec.live++
	return &texture{t, d, d.rec.made}
}

// texture is one that has texels, in memory.
type texture struct {
	driver.Texture
	device *device
	id     int
}

func (t *texture) View(v driver.TextureView) (driver.Texture, error) {
	view, err := t.Texture.View(v)
	if err != nil {
		return nil, err
	}
	return t.device.keepTexture(view), nil
}

func (t *texture) Free() {
	t.device.rec.mu.Lock()
	defer t.device.rec.mu.Unlock()
	t.device.rec.live--
	t.Texture.Free()
}

// recorder is also the job of the batch it records.
type recorder struct {
	rec        *Recording
	dispatches []Dispatch
	count      int                   // of dispatches, also where they are not kept
	progress   func(done, total int) // or nil
	signals    []func()              // what Submit does with events, as if all had run
}

func (r *recorder) Record(d *driver.Dispatch) error {
	if r.rec.recordErr != nil {
		return r.rec.recordErr
	}
	r.count++
	if !r.rec.noLog {
		r.dispatches = append(r.dispatches, clone(d))
	}
	return nil
}

func (r *recorder) Copy(to, from driver.Buffer) error {
	if r.rec.noLog {
		r.count++
		return r.rec.recordErr
	}
	to.Arg = &driver.Arg{Index: 0, Name: "dst", Writes: true}
	from.Arg = &driver.Arg{Index: 1, Name: "src", Reads: true}
	return r.Record(&driver.Dispatch{Kernel: &driver.Kernel{Name: "Copy"}, Buffers: []driver.Buffer{to, from}})
}

// hostArg is what messages call what the host has.
var hostArg = &driver.Arg{Index: 1, Name: "src", Reads: true}

func (r *recorder) Upload(to driver.Buffer, bytes []byte) error {
	to.Arg = &driver.Arg{Index: 0, Name: "dst", Writes: true}
	return r.Record(&driver.Dispatch{
		Kernel: &driver.Kernel{Name: "CopyFrom"}, Buffers: []driver.Buffer{to},
		Values: []driver.Value{{Arg: hostArg, Bytes: bytes}},
	})
}

func (r *recorder) UploadTexels(to driver.Texture, levels [][]byte) error {
	arg := &driver.Arg{Index: 0, Name: "dst", Writes: true}
	return r.Record(&driver.Dispatch{
		Kernel: &driver.Kernel{Name: "CopyTexels"}, Textures: []driver.TextureArg{{Arg: arg, Texture: to}},
		Values: []driver.Value{{Arg: hostArg, Bytes: slices.Concat(levels...)}},
	})
}

func (r *recorder) WaitForEvent(driver.Event, uint64) {}

func (r *recorder) SignalEvent(e driver.Event, value uint64) {
	r.signals = append(r.signals, func() { e.Signal(value) })
}

func (r *recorder) Metal() driver.MetalRecorder { return nil }

func (r *recorder) Start() error { return nil }

func (r *recorder) Keep() {}

func (r *recorder) Submit() (driver.Job, error) {
	if r.rec.submitErr != nil {
		return nil, r.rec.submitErr
	}
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.dispatches = append(r.rec.dispatches, r.dispatches...)
	for _, signal := range r.signals {
		signal()
	}
	return r, nil
}

func (r *recorder) Done() <-chan struct{} {
	if r.rec.hold {
		return r.rec.finished
	}
	done := make(chan struct{})
	close(done)
	return done
}

func (r *recorder) Times() driver.Times { return driver.Times{} }

func (r *recorder) Progress(f func(done, total int)) { r.progress = f }

func (r *recorder) Reset() {
	r.dispatches, r.count, r.progress, r.signals = r.dispatches[:0], 0, nil, r.signals[:0]
}

func (r *recorder) Wait(ctx context.Context) (bool, error) {
	done, err := r.end(ctx)
	if done && err == nil && r.progress != nil {
		for i := range r.count {
			r.progress(i+1, r.count)
		}
	}
	return done, err
}

// end waits for the end of the job.
func (r *recorder) end(ctx context.Context) (bool, error) {
	if !r.rec.hold {
		return true, nil
	}
	select {
	case <-r.rec.finished:
		return true, r.rec.jobErr
	default:
	}
	select {
	case <-r.rec.finished:
		return true, r.rec.jobErr
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
