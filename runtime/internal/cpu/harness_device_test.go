package cpu

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/cuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// With METALGEN_DEVICE=cuda the tests that execute kernels, those of projects too, do that on NVIDIA's GPU, and with
// fakecuda on the fake of it. What that device lacks skips them. With fakemetal the kernels of projects go through the
// Metal driver, on its fake. Tests of the CPU device itself stay what they are.

// OpenFakeMetal opens the Metal driver on its fake. The fake executes kernels with this package, so it cannot be
// imported here.
var OpenFakeMetal = func(t testing.TB) (driver.Device, error) {
	t.Skip("the fake of Metal works on Linux (amd64 and arm64)")
	return nil, nil
}

// chosen returns the device of METALGEN_DEVICE, nil for the CPU device. It is open until the process ends.
func chosen(t testing.TB) driver.Device {
	name := os.Getenv("METALGEN_DEVICE")
	if name == "" || name == "cpu" {
		return nil
	}
	theChosen.once.Do(func() {
		path := ""
		switch name {
		case "fakemetal":
			theChosen.device, theChosen.err = OpenFakeMetal(t)
			return
		case "fakecuda":
			path = fakeCUDA(t)
		}
		theChosen.path = path
		theChosen.device, theChosen.err = cuda.Open(path, 0, driver.Options{Math: driver.MathSafe})
	})
	if theChosen.err != nil {
		t.Fatal(theChosen.err)
	}
	return theChosen.device
}

var theChosen struct {
	once   sync.Once
	device driver.Device
	path   string // of NVIDIA's driver
	err    error
}

// openWith opens a device with options: where METALGEN_DEVICE has a CUDA device, one of these.
func openWith(t testing.TB, o driver.Options) driver.Device {
	t.Helper()
	if _, ok := chosen(t).(*cuda.Device); !ok || o.Schedule != 0 || o.Sanitize != 0 {
		return Open(o)
	}
	o.Math = driver.MathSafe
	dev, err := cuda.Open(theChosen.path, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// lacks skips a test of what a device does not support.
func lacks(t testing.TB, err error) {
	t.Helper()
	if e, ok := errors.AsType[*driver.CompileError](err); ok && strings.Contains(e.Error(), "does not support") {
		t.Skip(e)
	}
}

// like returns a texture of a device with the texels of one of the CPU device, to which back copies them.
func like(t testing.TB, dev driver.Device, tex driver.Texture) (made driver.Texture, back func()) {
	t.Helper()
	from := tex.(*storage.Texture)
	made, err := dev.NewTexture(from.Spec)
	if err != nil {
		t.Fatal(err)
	}
	each := func(do func(r driver.Region, bytes []byte) error) {
		for level, l := range from.Levels {
			for slice := range from.Spec.Slices() {
				at := l.Offset + slice*l.Slice*l.Depth
				if err := do(from.Spec.Whole(level, slice), from.Bytes[at:at+l.Slice*l.Depth]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	each(made.Write)
	return made, func() { each(made.Read) }
}
