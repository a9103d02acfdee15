//go:build linux && (amd64 || arm64)

package metaltest

import (
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// View announces how many bytes of a buffer an argument gets that begins there.
// Metal is told where a piece begins but not where it ends, and to check for
// barriers and for accesses beyond it the fake has to know. Without a view it
// ends with the buffer; of several lengths the longest counts. A view of kernel ""
// is for those that have none of their own.
func View(start []byte, kernel string, index int) {
	if len(start) > 0 {
		fake.view(uintptr(unsafe.Pointer(&start[0])), kernel, uint64(index), uint64(len(start)))
	}
}

// LeftOut announces that a caller sets nothing for an argument. Metal wants something
// bound nevertheless: where there is no [View] of that, the kernel is to touch none
// of it, and it matters for no barrier.
func LeftOut(kernel string, index int) { fake.view(0, kernel, uint64(index), 1) }

// Watch returns the device, with everything that its recorders are given announced by [View] and [LeftOut], until
// Reset. Memory that the host cannot see needs two methods: Object() uintptr returns the MTLBuffer, and At() int where
// it begins there. Close ends jobs that somebody has waited for in vain.
func Watch(d driver.Device) driver.Device { return watched{d, new(atomic.Int64)} }

type watched struct {
	driver.Device
	givenUp *atomic.Int64 // jobs, see watchedJob
}

func (w watched) NewRecorder() (driver.Recorder, error) {
	r, err := w.Device.NewRecorder()
	if err != nil {
		return nil, err
	}
	return watchedRecorder{r, w.givenUp, &views{}}, nil
}

type watchedRecorder struct {
	driver.Recorder
	givenUp *atomic.Int64
	views   *views // that were announced since the last Reset
}

func (w watchedRecorder) Record(d *driver.Dispatch) error {
	for _, kind := range argKinds {
		if kind.announce != nil {
			kind.announce(d, w.views)
		}
	}
	for i := range d.Resources {
		if m := d.Resources[i].Memory; m != nil {
			w.views.add(&driver.Buffer{Memory: m, Length: len(m.Bytes())}, "", memoryPart)
		}
	}
	return w.Recorder.Record(d)
}

// Copy announces both pieces to any kernel, because whose they are is the driver's
// business: bound to index 0 what is written, to index 1 what is read.
func (w watchedRecorder) Copy(to, from driver.Buffer) error {
	to.Length = from.Length
	w.views.add(&to, "", 0)
	w.views.add(&from, "", 1)
	return w.Recorder.Copy(to, from)
}

// Upload announces what is written.
func (w watchedRecorder) Upload(to driver.Buffer, bytes []byte) error {
	to.Length = len(bytes)
	w.views.add(&to, "", 0)
	return w.Recorder.Upload(to, bytes)
}

// Reset forgets what was announced: other memory may begin there next.
func (w watchedRecorder) Reset() {
	for _, v := range w.views.list {
		fake.forgetView(v.address, v.kernel, v.index, v.length)
	}
	w.views.list = w.views.list[:0]
	w.Recorder.Reset()
}

// memoryPart is that of fake.h.
const memoryPart = 1 << 20

// views are pieces of buffers that a recorder has announced.
type views struct{ list []announced }

type announced struct {
	address uintptr
	kernel  string
	index   uint64
	length  uint64
}

// object is memory of a Metal device.
type object interface {
	Object() uintptr // the MTLBuffer
	At() int         // where it begins there
}

func (v *views) add(b *driver.Buffer, kernel string, index int) {
	if b.Length == 0 {
		return // no bytes are where no other piece begins
	}
	var at uintptr
	if host := b.Memory.Bytes(); host != nil {
		at = uintptr(unsafe.Pointer(&host[b.Offset]))
	} else if m, ok := b.Memory.(object); ok {
		at = fake.bytes(m.Object()) + uintptr(m.At()+b.Offset)
	} else {
		return
	}
	fake.view(at, kernel, uint64(index), uint64(b.Length))
	v.list = append(v.list, announced{at, kernel, uint64(index), uint64(b.Length)})
}

// Contents returns the bytes of an MTLBuffer, also of a private one.
func Contents(object uintptr, length int) []byte {
	at := fake.bytes(object)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), length)
}
