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

// Watch returns the device, with everything that its recorders are given
// announced by [View] and [LeftOut]. Memory that the host cannot see needs a method
//
//	Object() uintptr
//
// that returns the MTLBuffer. Close ends jobs that somebody has waited for in vain.
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
	return watchedRecorder{r, w.givenUp}, nil
}

type watchedRecorder struct {
	driver.Recorder
	givenUp *atomic.Int64
}

func (w watchedRecorder) Record(d *driver.Dispatch) error {
	for _, kind := range argKinds {
		if kind.announce != nil {
			kind.announce(d)
		}
	}
	return w.Recorder.Record(d)
}

// Copy announces both pieces to any kernel, because whose they are is the driver's
// business: bound to index 0 what is written, to index 1 what is read.
func (w watchedRecorder) Copy(to, from driver.Buffer) error {
	to.Length = from.Length
	view(&to, "", 0)
	view(&from, "", 1)
	return w.Recorder.Copy(to, from)
}

func view(b *driver.Buffer, kernel string, index int) {
	if b.Length == 0 {
		return // no bytes are where no other piece begins
	}
	if host := b.Memory.Bytes(); host != nil {
		View(host[b.Offset:][:b.Length], kernel, index)
	} else if m, ok := b.Memory.(interface{ Object() uintptr }); ok {
		fake.view(fake.bytes(m.Object())+uintptr(b.Offset), kernel, uint64(index), uint64(b.Length))
	}
}

// Contents returns the bytes of an MTLBuffer, also of a private one.
func Contents(object uintptr, length int) []byte {
	at := fake.bytes(object)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), length)
}
