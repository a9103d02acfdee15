package runtimetest

import (
	"bytes"
	"context"
	"errors"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// device is the driver that records.
type device struct{ rec *Recording }

func (d *device) String() string { return "recording device" }

// Limits are those of the Metal devices there are.
func (d *device) Limits() driver.Limits {
	return driver.Limits{
		ThreadsPerThreadgroup: 1024,
		Threads:               [3]int{1024, 1024, 1024},
		ThreadgroupMemory:     32768,
		BufferLength:          1 << 34,
		ConstantAlign:         256,
		PageSize:              4096,
	}
}

func (d *device) NewMemory(size int, storage driver.Storage) (driver.Memory, error) {
	// complex128 for alignment: the allocator gives blocks of 16 bytes, and
	// their multiples, addresses that are multiples of 16.
	blocks := make([]complex128, (size+15)/16)
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(blocks))), size)
	return d.keep(&memory{rec: d.rec, bytes: all, private: storage == driver.StoragePrivate}), nil
}

func (d *device) WrapMemory(bytes []byte, _ bool) (driver.Memory, error) {
	return d.keep(&memory{rec: d.rec, bytes: bytes}), nil
}

// keep counts an allocation.
func (d *device) keep(m *memory) *memory {
	d.rec.mu.Lock()
	defer d.rec.mu.Unlock()
	d.rec.made++
	d.rec.live++
	m.id = d.rec.made
	return m
}

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
}

func (m *memory) Bytes() []byte {
	if m.private {
		return nil
	}
	return m.bytes
}

func (m *memory) Free() {
	m.rec.mu.Lock()
	defer m.rec.mu.Unlock()
	m.rec.live--
	m.bytes = nil
}

// recorder is also the job of the batch it records.
type recorder struct {
	rec        *Recording
	dispatches []Dispatch
}

func (r *recorder) Record(d *driver.Dispatch) error {
	if r.rec.recordErr != nil {
		return r.rec.recordErr
	}
	if !r.rec.noLog {
		r.dispatches = append(r.dispatches, clone(d))
	}
	return nil
}

func (r *recorder) Copy(to, from driver.Buffer) error {
	if r.rec.noLog {
		return r.rec.recordErr
	}
	to.Arg = &driver.Arg{Index: 0, Name: "dst", Writes: true}
	from.Arg = &driver.Arg{Index: 1, Name: "src", Reads: true}
	return r.Record(&driver.Dispatch{Kernel: &driver.Kernel{Name: "Copy"}, Buffers: []driver.Buffer{to, from}})
}

func (r *recorder) Submit() (driver.Job, error) {
	if r.rec.submitErr != nil {
		return nil, r.rec.submitErr
	}
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.dispatches = append(r.rec.dispatches, r.dispatches...)
	return r, nil
}

func (r *recorder) Times() (start, end time.Duration) { return 0, 0 }

func (r *recorder) Reset() { r.dispatches = r.dispatches[:0] }

func (r *recorder) Wait(ctx context.Context) (bool, error) {
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

// clone copies what is valid during Record only.
func clone(d *driver.Dispatch) Dispatch {
	c := Dispatch{Kernel: d.Kernel.Name, Grid: runtime.Grid{Threadgroups: d.Grid.Threadgroups, Threads: d.Grid.Threads, Size: d.Grid.Size}}
	for i := range d.Buffers {
		c.Buffers = append(c.Buffers, binding(&d.Buffers[i], d.Buffers[i].Arg))
	}
	if b := &d.Grid.Indirect; b.Memory != nil {
		indirect := binding(b, &driver.Arg{Name: "Grid.Indirect", Reads: true})
		c.Indirect = &indirect
	}
	c.Values, c.Constants = cloneValues(d.Values), cloneValues(d.Constants)
	for _, s := range d.Shared {
		c.Threadgroup = append(c.Threadgroup, Length{Index: s.Arg.Index, Name: s.Arg.Name, Bytes: s.Length})
	}
	return c
}

func binding(b *driver.Buffer, arg *driver.Arg) Binding {
	m := b.Memory.(*memory)
	end := b.Offset + b.Length
	return Binding{
		Index: arg.Index, Name: arg.Name, Access: access(arg),
		Memory: m.id, Offset: b.Offset, Length: b.Length, Fields: arg.Fields,
		bytes: m.bytes[b.Offset:end:end],
	}
}

func cloneValues(values []driver.Value) []Bytes {
	var c []Bytes
	for _, v := range values {
		c = append(c, Bytes{Index: v.Arg.Index, Name: v.Arg.Name, Bytes: bytes.Clone(v.Bytes), Fields: v.Arg.Fields})
	}
	return c
}

func access(a *driver.Arg) (access runtime.Access) {
	if a.Reads {
		access |= runtime.Read
	}
	if a.Writes {
		access |= runtime.Write
	}
	return access
}
