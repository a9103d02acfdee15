package runtime_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// pages are n elements that begin at a page and have whole pages, as mapped files
// have them.
func pages[T any](n int) []T {
	page, size := os.Getpagesize(), n*int(unsafe.Sizeof(*new(T)))
	all := make([]byte, (size+page-1)/page*page+page)
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) & (page - 1)
	return unsafe.Slice((*T)(unsafe.Pointer(&all[start])), n)
}

func TestWrappedMemoryIsUsedInPlace(t *testing.T) {
	dev := openCPU(t)
	data := pages[uint32](3000)
	data[0], data[2999] = 7, 9
	x, err := runtime.WrapBuffer(dev, data, runtime.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if x.Len() != 3000 || unsafe.SliceData(x.Data()) != unsafe.SliceData(data) || len(x.Data()) != 3000 {
		t.Errorf("%d elements at another place", len(x.Data()))
	}
	b := dev.NewBatch()
	countTo(b, x.Slice(0, 32), 5)
	countTo(b, x.Slice(2968, 3000), 5)
	mustRun(t, b)
	if data[0] != 12 || data[31] != 5 || data[32] != 0 || data[2999] != 14 {
		t.Errorf("got %d %d %d %d", data[0], data[31], data[32], data[2999])
	}
	x.Free()
	if x.Data() != nil || data[0] != 12 {
		t.Error("Free has not let go of the memory, and of no more")
	}
}

func TestMemoryWrappedForReadingIsNotWritten(t *testing.T) {
	dev := openCPU(t)
	weights, err := runtime.WrapBuffer(dev, pages[uint32](32), runtime.Read)
	if err != nil {
		t.Fatal(err)
	}
	b := dev.NewBatch()
	// what is made of it is no other memory
	countTo(b, runtime.Cast[uint32](runtime.Cast[float32](weights)).Slice(0, 32), 1)
	err = b.Run(t.Context())
	wantError[*runtime.ArgError](t, err,
		"count: x: need a buffer that may be written, have one that was wrapped for reading only")
	if !errors.Is(err, runtime.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	weights.Data()[3] = 4
	read := newBuffer[uint32](t, dev, 32)
	runtime.Copy(b, read, weights)
	mustRun(t, b)
	if got := read.Data()[3]; got != 4 {
		t.Errorf("read %d, want 4", got)
	}
}

func TestWrapMistakes(t *testing.T) {
	dev := openCPU(t)
	data := pages[uint32](64)
	closed, _ := runtimetest.New()
	closed.Close()
	for _, c := range []struct {
		name   string
		dev    *runtime.Device
		data   []uint32
		access runtime.Access
		is     error
		want   string
	}{
		{"misaligned", dev, data[1:], runtime.Read, runtime.ErrNotPageAligned,
			"WrapBuffer of 63 elements of uint32: the memory does not begin at a page: it begins 4 bytes into a page of "},
		{"empty", dev, data[:0], runtime.Read, nil, "WrapBuffer of 0 elements of uint32: there are no elements"},
		{"nil", dev, nil, runtime.Read, nil, "WrapBuffer of 0 elements of uint32: there are no elements"},
		{"no access", dev, data, 0, nil,
			"WrapBuffer of 64 elements of uint32: the access is Access(0): need Read or ReadWrite"},
		{"for writing only", dev, data, runtime.Write, nil,
			"WrapBuffer of 64 elements of uint32: the access is write: need Read or ReadWrite"},
		{"unknown access", dev, data, runtime.Read | 8, nil,
			"WrapBuffer of 64 elements of uint32: the access is Access(9): need Read or ReadWrite"},
		{"no device", nil, data, runtime.Read, runtime.ErrNoDevice,
			"WrapBuffer of 64 elements of uint32: no device: the *Device is nil"},
		{"closed device", closed, data, runtime.Read, runtime.ErrClosed,
			"WrapBuffer of 64 elements of uint32: the device is closed"},
	} {
		x, err := runtime.WrapBuffer(c.dev, c.data, c.access)
		if !strings.HasPrefix(errorText(err), c.want) || err == nil || c.is != nil && !errors.Is(err, c.is) ||
			x != (runtime.Buffer[uint32]{}) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := runtime.WrapBuffer(dev, make([]*int, 1), runtime.Read); err == nil ||
		!strings.Contains(err.Error(), "the type has Go pointers") {
		t.Errorf("pointers: %v", err)
	}
	if _, err := runtime.WrapBuffer(dev, make([]struct{}, 1), runtime.Read); err == nil ||
		!strings.Contains(err.Error(), "the type has no size") {
		t.Errorf("no size: %v", err)
	}
}

func TestMemoryOfTheDeviceIsNotWrapped(t *testing.T) {
	for _, name := range []string{"cpu", "recording"} {
		t.Run(name, func(t *testing.T) {
			dev := openCPU(t)
			if name == "recording" {
				dev, _ = open(t)
			}
			page := os.Getpagesize()
			x := newBuffer[byte](t, dev, 3*page)
			start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(x.Data())))) & (page - 1)
			part := x.Data()[start:][:page]
			if _, err := runtime.WrapBuffer(dev, part, runtime.Read); err == nil ||
				!strings.Contains(err.Error(), "the memory is a Buffer's of the device already") {
				t.Errorf("got %v", err)
			}
			other := openCPU(t) // to which it does not belong
			y, err := runtime.WrapBuffer(other, part, runtime.Read)
			if err != nil {
				t.Fatal(err)
			}
			again, err := runtime.WrapBuffer(other, part, runtime.ReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			again.Free()
			y.Free()
		})
	}
}

func TestCopyFindsOverlapsOfMemoryThatIsWrappedTwice(t *testing.T) {
	dev := openCPU(t)
	data := pages[uint32](64)
	var wraps [2]runtime.Buffer[uint32]
	for i := range wraps {
		var err error
		if wraps[i], err = runtime.WrapBuffer(dev, data, runtime.ReadWrite); err != nil {
			t.Fatal(err)
		}
	}
	x, y := wraps[0], wraps[1]
	b := dev.NewBatch()
	data[0], data[7], data[31] = 7, 8, 9
	runtime.Copy(b, y.Slice(32, 64), x.Slice(0, 32))
	mustRun(t, b)
	if data[32] != 7 || data[39] != 8 || data[63] != 9 {
		t.Errorf("copied %v", data)
	}
	runtime.Copy(b, y.Slice(31, 63), x.Slice(0, 32))
	wantError[*runtime.CallError](t, b.Run(t.Context()), "Copy: dst and src overlap; copy through a third buffer")
}

func TestWrappedMemoryIsReleasedOnce(t *testing.T) {
	dev, rec := open(t)
	x, err := runtime.WrapBuffer(dev, pages[float32](10), runtime.Read)
	if err != nil {
		t.Fatal(err)
	}
	if n := rec.Live(); n != 1 {
		t.Errorf("%d allocations, want 1", n)
	}
	x.Free()
	x.Free()
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
}
