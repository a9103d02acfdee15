package runtime_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

func newPrivate[T any](t testing.TB, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.NewPrivateBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustRun(t testing.TB, b *runtime.Batch) {
	t.Helper()
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestPrivateBufferIsReachedByCopies(t *testing.T) {
	dev := openChosen(t)
	host, private := newBuffer[uint32](t, dev, 64), newPrivate[uint32](t, dev, 64)
	for i := range host.Data() {
		host.Data()[i] = uint32(i)
	}
	if private.Data() != nil || private.Slice(1, 2).Data() != nil || runtime.Cast[uint16](private).Data() != nil ||
		private.Len() != 64 {
		t.Error("the host sees private memory")
	}
	out := newBuffer[uint32](t, dev, 64)
	b := dev.NewBatch()
	for range 2 { // the batch is used again
		runtime.Copy(b, private, host)
		countTo(b, private.Slice(0, 32), 5)
		runtime.Copy(b, out.Slice(0, 32), private.Slice(0, 32))
		countTo(b, private.Slice(0, 32), 100)
		runtime.Copy(b, out.Slice(32, 64), private.Slice(32, 64))
		mustRun(t, b)
		for i, got := range out.Data() {
			want := uint32(i)
			if i < 32 {
				want += 5
			}
			if got != want {
				t.Fatalf("element %d is %d, want %d", i, got, want)
			}
		}
		clear(out.Data())
	}
	runtime.Copy(b, out.Slice(0, 32), private.Slice(0, 32))
	mustRun(t, b)
	if got := out.Data()[0]; got != 105 {
		t.Errorf("the next batch reads %d, want 105", got)
	}
}

func TestCopyWithinABuffer(t *testing.T) {
	dev := openChosen(t)
	x := newBuffer[uint8](t, dev, 7)
	copy(x.Data(), []uint8{1, 2, 3, 4, 5, 6, 7})
	b := dev.NewBatch()
	runtime.Copy(b, x.Slice(3, 7), x.Slice(0, 3)) // dst may be longer
	runtime.Copy(b, x.Slice(0, 1), x.Slice(6, 7))
	runtime.Copy(b, x.Slice(1, 1), x.Slice(0, 0))
	mustRun(t, b)
	if want := []uint8{7, 2, 3, 1, 2, 3, 7}; !slices.Equal(x.Data(), want) {
		t.Errorf("got %v, want %v", x.Data(), want)
	}
}

func TestCopyMistakes(t *testing.T) {
	dev, other := openChosen(t), openChosen(t)
	x := newBuffer[float32](t, dev, 8)
	freed := newBuffer[float32](t, dev, 8)
	freed.Free()
	readOnly, err := runtime.WrapBuffer(dev, pages[float32](8), runtime.Read)
	if err != nil {
		t.Fatal(err)
	}
	var none runtime.Buffer[float32]
	for _, c := range []struct {
		name     string
		dst, src runtime.Buffer[float32]
		is       error
		want     string
	}{
		{"too short", x.Slice(0, 3), x.Slice(4, 8), runtime.ErrTooShort,
			"Copy: dst: need at least 4 elements of float32, have 3"},
		{"no dst", none, x, runtime.ErrNilBuffer, "Copy: dst: need a buffer of float32, have the zero Buffer"},
		{"no src", x, none, runtime.ErrNilBuffer, "Copy: src: need a buffer of float32, have the zero Buffer"},
		{"freed dst", freed, x, runtime.ErrFreed, "Copy: dst: need a buffer of float32, have one that was freed"},
		{"freed src", x, freed, runtime.ErrFreed, "Copy: src: need a buffer of float32, have one that was freed"},
		{"read-only dst", readOnly, x, runtime.ErrReadOnly,
			"Copy: dst: need a buffer that may be written, have one that was wrapped for reading only"},
		{"read-only src", x, readOnly, nil, ""},
		{"other device", x, newBuffer[float32](t, other, 8), runtime.ErrOtherDevice,
			"Copy: src: need a buffer of the batch's device, " + nameOf(dev) + ", have one of another, " + nameOf(other)},
		{"bad slice", x, x.Slice(5, 9), nil,
			"Copy: src: need a buffer of float32, have Slice(5, 9) of a buffer of 8 elements"},
		{"overlap", x.Slice(1, 5), x.Slice(0, 4), nil, "Copy: dst and src overlap; copy through a third buffer"},
		{"overlap from behind", x.Slice(0, 4), x.Slice(3, 7), nil, "Copy: dst and src overlap; copy through a third buffer"},
		{"itself", x, x, nil, "Copy: dst and src overlap; copy through a third buffer"},
		{"side by side", x.Slice(4, 8), x.Slice(0, 4), nil, ""},
	} {
		b := dev.NewBatch()
		runtime.Copy(b, c.dst, c.src)
		err := b.Run(t.Context())
		if text := errorText(err); text != c.want || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: got %q, want %q", c.name, text, c.want)
		}
	}

	var b runtime.Batch
	runtime.Copy(&b, x.Slice(0, 1), x.Slice(1, 2))
	wantError[*runtime.CallError](t, b.Run(t.Context()),
		"Copy: no device: the batch was not made by Device.NewBatch, or by that of a nil *Device")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCopyTakesTurnsWithCalls(t *testing.T) {
	dev, rec := open(t, runtimetest.HoldJobs())
	x := newBuffer[float32](t, dev, 8)
	b := dev.NewBatch()
	b.Call(&fill)
	runtime.Copy(b, x.Slice(0, 1), x.Slice(1, 2))
	wantError[*runtime.CallError](t, b.Run(t.Context()), "fill (norm.metal:40): the call was begun but not dispatched")

	runtime.Copy(b, x.Slice(0, 1), x.Slice(1, 2))
	b.Call(&fill).Dispatch(one)
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	runtime.Copy(b, x.Slice(0, 1), x.Slice(1, 2))
	x.Free()
	if n := rec.Live(); n != 1 {
		t.Errorf("%d allocations are left while the batch runs, want 1", n)
	}
	rec.Finish(nil)
	if err := b.Wait(t.Context()); !errors.Is(err, runtime.ErrSubmitted) {
		t.Errorf("copied after Submit: %v", err)
	}
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
	got := rec.Dispatches()
	if len(got) != 2 || got[0].Kernel != "Copy" || got[1].Kernel != "fill" {
		t.Errorf("dispatched %+v", got)
	}
	if dst := got[0].Buffers[0]; dst.Name != "dst" || dst.Access != runtime.Write || dst.Offset != 0 || dst.Length != 4 {
		t.Errorf("dst is %+v", dst)
	}
}

func TestCopiesDoNotAllocateInTheSteadyState(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	x := newBuffer[float32](t, dev, 128)
	groups := newBuffer[[3]uint32](t, dev, 1)
	b, ctx := dev.NewBatch(), t.Context()
	allocs := testing.AllocsPerRun(100, func() {
		for range 64 {
			runtime.Copy(b, x.Slice(0, 64), x.Slice(64, 128))
			b.Call(&fill).Dispatch(runtime.Grid{Threads: [3]int{32, 1, 1}, Indirect: groups})
		}
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
		_ = b.Result()
	})
	if allocs != 0 {
		t.Errorf("%v allocations in a run of 64 copies and 64 indirect calls", allocs)
	}
}
