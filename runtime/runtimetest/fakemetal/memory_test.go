package fakemetal_test

import (
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

func TestADeviceSaysHowMuchMemoryIsAllocated(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{})
	before := dev.Memory()
	if before.Recommended != 1<<36 { // as the fake says
		t.Errorf("recommended %d", before.Recommended)
	}
	const size = 1 << 20
	b, err := runtime.NewBuffer[byte](dev, size)
	if err != nil {
		t.Fatal(err)
	}
	if got := dev.Memory().Allocated - before.Allocated; got != size {
		t.Errorf("a buffer of %d bytes allocates %d", size, got)
	}
	b.Free()
	if got := dev.Memory(); got.Reusable != size || got.Allocated != before.Allocated+size {
		t.Errorf("with the buffer freed %+v, before it %+v", got, before)
	}
	dev.Trim()
	if got := dev.Memory(); got != before {
		t.Errorf("with memory trimmed %+v, before it %+v", got, before)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if got := dev.Memory(); got != (runtime.MemoryUse{}) {
		t.Errorf("closed: %+v", got)
	}
}

func TestOptionsSayHowMuchIsReused(t *testing.T) {
	for _, c := range []struct{ reuse, kept int }{{0, 3 << 20}, {2 << 20, 2 << 20}, {-1, 0}} {
		t.Run("", func(t *testing.T) {
			dev, _ := fakemetal.Open(t, fakemetal.Options{Runtime: runtime.Options{Reuse: c.reuse}})
			var list []runtime.Buffer[byte]
			for range 3 {
				b, err := runtime.NewBuffer[byte](dev, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, b)
			}
			for _, b := range list {
				b.Free()
			}
			if got := dev.Memory().Reusable; got != c.kept {
				t.Errorf("%d bytes are kept, want %d", got, c.kept)
			}
		})
	}
}

// What a buffer holds is found in its MTLBuffer, at its offset.
func TestSmallBuffersAreFoundInTheirMTLBuffer(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{})
	for range 3 {
		x := upload(t, dev, 1, 2, 3, 4)
		id, offset := x.Slice(1, 4).MTLBuffer()
		all, err := runtime.WrapMTLBuffer[byte](dev, id, runtime.Read)
		if err != nil {
			t.Fatal(err)
		}
		if got := runtime.Cast[float32](all.Slice(offset, offset+12)).Data(); got[0] != 2 || got[2] != 4 {
			t.Errorf("%v at %d", got, offset)
		}
		all.Free()
	}
}
