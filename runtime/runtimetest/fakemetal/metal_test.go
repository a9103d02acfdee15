package fakemetal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

func TestObjectsOfMetalArePassedOnAndTakenIn(t *testing.T) {
	// buffers of their own, for what is about all of one
	dev, log := fakemetal.Open(t, fakemetal.Options{Runtime: runtime.Options{Reuse: -1}})
	if dev.MTLDevice() == 0 || dev.MTLCommandQueue() == 0 {
		t.Error("the device has no objects")
	}
	x, y := upload(t, dev, 1, 2, 3, 4), upload(t, dev, 0, 0, 0, 0)
	id, offset := x.Slice(1, 4).MTLBuffer()
	if id == 0 || offset != 4 {
		t.Fatalf("the buffer is %x from byte %d", id, offset)
	}
	same, err := runtime.WrapMTLBuffer[float32](dev, id, runtime.Read)
	if err != nil {
		t.Fatal(err)
	}
	if n := same.Len(); n != 256/4 { // as long as Metal's textures want it
		t.Errorf("the object has %d elements", n)
	}
	same = same.Slice(0, 4)
	if again, _ := same.MTLBuffer(); again != id || !slices.Equal(same.Data(), x.Data()) {
		t.Errorf("%x with %v, wrapped %x with %v", id, x.Data(), again, same.Data())
	}

	b := dev.NewBatch()
	scaled(b, same, y, 2, 4)
	encoded := 0
	b.Encode(func(encoder uintptr) {
		if encoder == 0 {
			t.Error("there is no encoder")
		}
		encoded++
	})
	scaled(b, y, y, 3, 4)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []float32{6, 12, 18, 24}
	if encoded != 1 || !slices.Equal(y.Data(), want) || log.Counts().CommandBuffers != 3 {
		t.Errorf("got %v, want %v; encoded %d times, %+v", y.Data(), want, encoded, log.Counts())
	}

	scaled(b, x, same, 2, 4)
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrReadOnly) {
		t.Errorf("a kernel may write what was wrapped to be read: %v", err)
	}
	b.Encode(nil)
	if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the function is nil") {
		t.Errorf("got %v", err)
	}
	if _, err := runtime.WrapMTLBuffer[float32](dev, id, runtime.Write); err == nil ||
		!strings.Contains(err.Error(), "need Read or ReadWrite") {
		t.Error(err)
	}
	x.Free()
	if id, offset := x.MTLBuffer(); id != 0 || offset != 0 {
		t.Errorf("a freed buffer is %x from byte %d", id, offset)
	}
	same.Free()
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	if dev.MTLDevice() != 0 || dev.MTLCommandQueue() != 0 {
		t.Error("the closed device has objects")
	}
}
