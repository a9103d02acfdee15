package runtime_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

func TestBufferIsZeroedAndShared(t *testing.T) {
	dev, _ := open(t)
	b := newBuffer[uint32](t, dev, 5)
	if got := b.Data(); !slices.Equal(got, make([]uint32, 5)) || cap(got) != 5 {
		t.Errorf("new buffer holds %v, cap %d", got, cap(got))
	}
	copy(b.Data(), []uint32{1, 2, 3, 4, 5})
	tail := b.Slice(2, 5)
	tail.Data()[0] = 99
	if got := b.Data(); !slices.Equal(got, []uint32{1, 2, 99, 4, 5}) {
		t.Errorf("buffer holds %v", got)
	}
	if tail.Len() != 3 || cap(b.Slice(0, 2).Data()) != 2 {
		t.Error("a slice reaches beyond its end")
	}
}

func TestUploadCopies(t *testing.T) {
	dev, _ := open(t)
	in := []float32{1, 2, 3}
	b, err := runtime.Upload(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	in[0] = 9
	if got := b.Data(); !slices.Equal(got, []float32{1, 2, 3}) {
		t.Errorf("buffer holds %v", got)
	}
}

func TestCastReinterpretsTheBytes(t *testing.T) {
	dev, _ := open(t)
	b, err := runtime.Upload(dev, []uint32{0, 0x3f800000, 0x40000000, 7})
	if err != nil {
		t.Fatal(err)
	}
	if got := runtime.Cast[float32](b.Slice(1, 3)).Data(); !slices.Equal(got, []float32{1, 2}) {
		t.Errorf("as float32 %v", got)
	}
	if got := runtime.Cast[uint8](b); got.Len() != 16 || got.Data()[12] != 7 {
		t.Errorf("as uint8 %v", got.Data())
	}
}

func TestEmptyBufferIsABuffer(t *testing.T) {
	dev, rec := open(t)
	b := newBuffer[float32](t, dev, 0)
	if b.Len() != 0 || b.Data() == nil || len(b.Data()) != 0 {
		t.Errorf("holds %v", b.Data())
	}
	if end := newBuffer[float32](t, dev, 4).Slice(4, 4); len(end.Data()) != 0 {
		t.Errorf("empty slice at the end holds %v", end.Data())
	}
	batch := dev.NewBatch()
	c := batch.Call(&bind.Kernel{Name: "k", Library: &normLibrary, Args: []bind.Arg{
		{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4, Access: runtime.Read},
	}})
	c.Buffer(0, b.View(), 0)
	c.Dispatch(one)
	if err := batch.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := rec.Dispatches()[0].Buffers[0]; got.Length != 0 || !runtimetest.Bound(got, b) {
		t.Errorf("bound %+v", got)
	}
}

func TestNewBufferRefuses(t *testing.T) {
	dev, rec := open(t)
	type padded struct {
		N    uint32
		Name string
	}
	for _, c := range []struct {
		name string
		make func() error
		want string
	}{
		{"negative length", func() error { _, err := runtime.NewBuffer[float32](dev, -1); return err },
			"-1 elements of float32: negative length"},
		{"size overflow", func() error { _, err := runtime.NewBuffer[uint64](dev, 1<<61); return err },
			"the device allows at most 17179869184 bytes"},
		{"above the device's limit", func() error { _, err := runtime.NewBuffer[uint8](dev, 1<<34+1); return err },
			"the device allows at most 17179869184 bytes"},
		{"string", func() error { _, err := runtime.NewBuffer[string](dev, 1); return err },
			"of string: the type has Go pointers"},
		{"pointer", func() error { _, err := runtime.NewBuffer[*int](dev, 1); return err }, "has Go pointers"},
		{"array of slices", func() error { _, err := runtime.NewBuffer[[2][]int](dev, 1); return err }, "has Go pointers"},
		{"struct with a string", func() error { _, err := runtime.NewBuffer[padded](dev, 1); return err }, "has Go pointers"},
		{"empty struct", func() error { _, err := runtime.NewBuffer[struct{}](dev, 1); return err }, "has no size"},
		{"nil device", func() error { _, err := runtime.NewBuffer[int](nil, 1); return err }, "the *Device is nil"},
		{"upload of strings", func() error { _, err := runtime.Upload(dev, []string{"a"}); return err }, "has Go pointers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.make(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
}

func TestMistakenBufferIsEmptyAndHarmless(t *testing.T) {
	dev, rec := open(t)
	b := newBuffer[uint32](t, dev, 10)
	for name, m := range map[string]runtime.Buffer[uint32]{
		"j beyond the end":          b.Slice(5, 99),
		"i above j":                 b.Slice(5, 4),
		"negative i":                b.Slice(-1, 4),
		"slice of the zero buffer":  runtime.Buffer[uint32]{}.Slice(0, 1),
		"slice of a mistake":        b.Slice(5, 99).Slice(0, 0),
		"cast that does not fit":    runtime.Cast[uint32](runtime.Cast[uint8](b).Slice(0, 7)),
		"cast that is not aligned":  runtime.Cast[uint32](runtime.Cast[uint8](b).Slice(2, 6)),
		"cast from pointers":        runtime.Cast[uint32](runtime.Cast[*int](b)),
		"cast from nothing":         runtime.Cast[uint32](runtime.Cast[struct{}](b)),
		"cast of a mistake":         runtime.Cast[uint32](b.Slice(5, 99)),
		"cast of the zero buffer":   runtime.Cast[uint32](runtime.Buffer[uint8]{}),
		"zero slice of zero buffer": runtime.Buffer[uint32]{}.Slice(0, 0),
	} {
		if m.Len() != 0 || m.Data() != nil || m.View().Length != 0 {
			t.Errorf("%s: holds %v", name, m.Data())
		}
		m.Free()
	}
	if rec.Live() != 1 {
		t.Error("Free of a mistake freed the buffer")
	}
}

func TestFreeReleasesOnceForAllViews(t *testing.T) {
	dev, rec := open(t)
	b := newBuffer[uint32](t, dev, 10)
	part := runtime.Cast[uint8](b.Slice(2, 4))
	part.Free()
	b.Free()
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
	if b.Data() != nil || part.Data() != nil {
		t.Error("freed memory can still be reached")
	}
}

func TestFreeWaitsForBatchesThatUseTheMemory(t *testing.T) {
	dev, rec := open(t, runtimetest.HoldJobs())
	a := normArgs(t, dev, 1, 64)
	b := dev.NewBatch()
	Norm(b, a)
	Norm(b, a)
	a.Residual.Free() // between recording and submitting
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	a.Output.Free() // while it runs
	if n := rec.Live(); n != 4 {
		t.Errorf("%d allocations while the batch runs, want 4", n)
	}
	rec.Finish(nil)
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := rec.Live(); n != 2 {
		t.Errorf("%d allocations after the batch, want 2", n)
	}

	Norm(b, a)
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrFreed) {
		t.Errorf("used after Free: got %v", err)
	}
}

func TestViewsOfBuffersDoNotAllocate(t *testing.T) {
	dev, _ := open(t)
	b := newBuffer[[4]float32](t, dev, 64)
	var n int
	if allocs := testing.AllocsPerRun(100, func() {
		c := runtime.Cast[mixParams](runtime.Cast[uint32](b.Slice(3, 33)).Slice(0, 60))
		n += c.Len() + c.View().Length + len(c.Data())
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	if n == 0 {
		t.Error("the views are empty")
	}
}

func TestABufferPrintsWhatItIs(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	b := newBuffer[float32](t, dev, 8)
	private, err := runtime.NewPrivateBuffer[[4]uint16](dev, 3)
	if err != nil {
		t.Fatal(err)
	}
	freed := newBuffer[int8](t, dev, 5)
	freed.Free()
	for _, c := range []struct {
		buffer any
		want   string
	}{
		{b, "buffer of 8 elements of float32"},
		{b.Slice(2, 5), "buffer of 3 elements of float32"},
		{b.Slice(2, 9), "mistaken buffer of 0 elements of float32: Slice(2, 9) of a buffer of 8 elements"},
		{private, "private buffer of 3 elements of [4]uint16"},
		{freed, "freed buffer of 5 elements of int8"},
		{runtime.Buffer[float32]{}, "zero buffer of float32"},
	} {
		if got := fmt.Sprint(c.buffer); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
