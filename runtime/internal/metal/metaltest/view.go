//go:build linux && (amd64 || arm64)

package metaltest

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// View announces how many bytes of a buffer an argument gets that begins there.
// Metal is told where a piece begins but not where it ends, and to check for
// barriers and for accesses beyond it the fake has to know. Without a view it
// ends with the buffer; of several lengths the longest counts.
func View(start []byte, kernel string, index int) {
	if len(start) > 0 {
		fake.view(uintptr(unsafe.Pointer(&start[0])), kernel, uint64(index), uint64(len(start)))
	}
}

// Watch returns the device, with everything that its recorders are given
// announced by [View].
func Watch(d driver.Device) driver.Device { return watched{d} }

type watched struct{ driver.Device }

func (w watched) NewRecorder() (driver.Recorder, error) {
	r, err := w.Device.NewRecorder()
	if err != nil {
		return nil, err
	}
	return watchedRecorder{r}, nil
}

type watchedRecorder struct{ driver.Recorder }

func (w watchedRecorder) Record(d *driver.Dispatch) error {
	for i := range d.Buffers {
		b := &d.Buffers[i]
		View(b.Memory.Bytes()[b.Offset:][:b.Length], d.Kernel.Name, b.Arg.Index)
	}
	return w.Recorder.Record(d)
}
