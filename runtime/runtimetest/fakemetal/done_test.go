package fakemetal_test

import (
	"context"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestDoneIsClosedWhenTheBatchIsDone(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, _, y := kept(t, dev)
		if b.Done() != nil {
			t.Error("a batch that is not submitted has an end")
		}
		b.Keep()
		for range 3 {
			y.Data()[0] = 0
			if err := b.Submit(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-b.Done():
			case <-time.After(time.Minute):
				t.Fatal("it is not done after a minute")
			}
			if !isClosed(b.Done()) || y.Data()[0] != 20 {
				t.Errorf("%v when it is done", y.Data())
			}
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if b.Done() != nil {
				t.Error("a batch that was waited for has an end")
			}
		}
		b.Reset()
		if err := b.Submit(); err != nil || !isClosed(b.Done()) {
			t.Errorf("an empty batch is not done: %v", err)
		}
		if err := b.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A batch that is stopped is done.
func TestDoneIsClosedWhenTheBatchIsStopped(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := upload(t, dev, 1, 2, 3)
	b, waiting := dev.NewBatch(), dev.NewBatch()
	for range 20000 {
		scaled(b, x, x, 1, 3)
	}
	scaled(waiting, x, x, 1, 3)
	for _, one := range []*runtime.Batch{b, waiting} {
		if err := one.Submit(); err != nil {
			t.Fatal(err)
		}
	}
	ends := []<-chan struct{}{b.Done(), waiting.Done()}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = waiting.Wait(ctx)
	_ = b.Wait(ctx)
	for i, end := range ends {
		if !isClosed(end) {
			t.Errorf("batch %d is not done", i)
		}
	}
}

func TestTheCPUDeviceSaysHowMuchMemoryIsAllocated(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	allocated := func(want int) {
		t.Helper()
		if got := dev.Memory(); got.Allocated != want {
			t.Errorf("%+v, want %d bytes", got, want)
		}
	}
	allocated(0)
	x, err := runtime.NewBuffer[float32](dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	private, err := runtime.NewPrivateBuffer[byte](dev, 96)
	if err != nil {
		t.Fatal(err)
	}
	allocated(4096)
	pages := make([]byte, 3*os.Getpagesize())
	first := -int(uintptr(unsafe.Pointer(&pages[0]))) & (os.Getpagesize() - 1)
	wrapped, err := runtime.WrapBuffer(dev, pages[first:][:64], runtime.Read)
	if err != nil {
		t.Fatal(err)
	}
	allocated(4096) // the caller's own is none of it
	tex, err := runtime.NewTexture2D(dev, 16, 4, runtime.RGBA8Unorm, runtime.TextureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	allocated(4096 + 256)
	x.Free()
	tex.Free()
	wrapped.Free()
	allocated(96)
	private.Free()
	allocated(0)
}
