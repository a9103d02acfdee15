//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// trial is a test that may fail.
type trial struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (t *trial) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}
func (t *trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// The end of a test tells what its author did not ask.
func TestEnd(t *testing.T) {
	inner := &trial{TB: t}
	s := begin(inner, Options{})
	s.buffer(16)
	s.buffer(0)
	for _, f := range slices.Backward(inner.cleanups) {
		f()
	}
	want := []string{"metal: MTLDevice#1 \"Fake GPU\" newBufferWithLength:options:: a buffer of length 0",
		"metal: leaked: MTLBuffer#1"}
	if !slices.Equal(inner.errors, want) {
		t.Errorf("errors:\n%s", strings.Join(inner.errors, "\n"))
	}
}

// recording is a device that has a recorder and nothing else.
type recording struct {
	driver.Device
	recorder counting
}

func (r *recording) NewRecorder() (driver.Recorder, error) { return &r.recorder, nil }
func (r *recording) Close() error                          { return nil }
func (r *recording) Stop()                                 {}

// counting is a recorder that counts dispatches.
type counting struct {
	driver.Recorder
	recorded int
}

func (c *counting) Record(*driver.Dispatch) error { c.recorded++; return nil }

func TestWatch(t *testing.T) {
	s := begin(t, Options{})
	x, y, plus := s.buffer(128), s.buffer(64), s.pipeline("plus")
	at := s.send(x, "contents")
	bytes := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), 128)
	device := &recording{}
	recorder, err := Watch(device).NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	for offset := range 2 {
		recorder.Record(&driver.Dispatch{Kernel: &driver.Kernel{Name: "plus"}, Buffers: []driver.Buffer{{
			Arg: &driver.Arg{Index: 0}, Memory: &memory{bytes: bytes}, Offset: 64 * offset, Length: 64,
		}}})
	}
	if n := device.recorder.recorded; n != 2 {
		t.Errorf("%d recorded", n)
	}
	e := s.encode(1)
	e.set(plus, x, y)
	e.dispatch(8)
	e.send(e.encoder, "setBufferOffset:atIndex:", 64, 0)
	e.dispatch(8)
	e.finish()
	s.release(x, y, plus)
}

func TestWatchOfAnArgumentThatIsLeftOut(t *testing.T) {
	s := begin(t, Options{})
	placeholder, y, plus := s.buffer(64), s.buffer(64), s.pipeline("plus")
	recorder, err := Watch(&recording{}).NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	recorder.Record(
		&driver.Dispatch{Kernel: &driver.Kernel{Name: "plus", Buffers: []*driver.Arg{{Index: 0, Writes: true}}}})
	e := s.encode(1)
	e.set(plus, placeholder, y)
	e.dispatch(8)
	e.dispatch(8) // no barrier, though what is bound would be written twice
	e.finish()
	s.release(placeholder, y, plus)
}
