//go:build linux || darwin

package fakemetal_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var stress = flag.Duration("stress", 0, "how long devices are closed while they are used")

// opened opens each kind of device that has memory of its own.
var opened = map[string]func(t *testing.T) *runtime.Device{
	"cpu": func(t *testing.T) *runtime.Device {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		return dev
	},
	"metal": func(t *testing.T) *runtime.Device {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		return dev
	},
}

// uses are what goroutines do with a device that may be closed meanwhile: each returns an error when it is.
var uses = []func(dev *runtime.Device, data []uint32, page []byte) error{
	func(dev *runtime.Device, data []uint32, _ []byte) error {
		b, err := runtime.Upload(dev, data)
		if err == nil && b.Data() == nil {
			return runtime.ErrClosed
		}
		return err
	},
	func(dev *runtime.Device, data []uint32, _ []byte) error {
		b, err := runtime.NewBuffer[runtime.Pointer[uint32]](dev, 2)
		if err != nil {
			return err
		}
		defer b.Free()
		to, err := runtime.Upload(dev, data)
		if err != nil {
			return err
		}
		defer to.Free()
		return runtime.WriteArguments(b, []runtime.Pointer[uint32]{to.Pointer(), to.Pointer()})
	},
	func(dev *runtime.Device, _ []uint32, page []byte) error {
		b, err := runtime.WrapBuffer(dev, page, runtime.Read)
		if err == nil {
			b.MTLBuffer()
			b.Free()
		}
		return err
	},
	func(dev *runtime.Device, data []uint32, _ []byte) error {
		from, err := runtime.Upload(dev, data)
		if err != nil {
			return err
		}
		to, err := runtime.NewBuffer[uint32](dev, len(data))
		if err != nil {
			return err
		}
		b := dev.NewBatch()
		runtime.Copy(b, to, from)
		from.Free()
		return b.Run(context.Background())
	},
	func(dev *runtime.Device, data []uint32, _ []byte) error {
		tex, err := runtime.NewTexture2D(dev, 8, 8, runtime.R32Uint, runtime.TextureOptions{})
		if err != nil {
			return err
		}
		defer tex.Free()
		tex.Ref()
		return tex.Write(runtime.Region{}, unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 256))
	},
}

// closed reports whether an error is that of a device that has been closed.
func closed(err error) bool {
	_, stopped := errors.AsType[*runtime.StoppedError](err)
	return stopped || errors.Is(err, runtime.ErrClosed) || errors.Is(err, runtime.ErrFreed)
}

// TestDevicesCloseWhileTheirMemoryIsUsed holds that no bytes are touched that Close has released: on the CPU device the
// race detector says so, and in Metal's fake they are gone from the process.
func TestDevicesCloseWhileTheirMemoryIsUsed(t *testing.T) {
	page, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(page)
	for name, open := range opened {
		until := time.Now().Add(*stress)
		for i := 0; !t.Failed() && (i < 30 || time.Now().Before(until)); i++ {
			t.Run(name, func(t *testing.T) { closeWhileInUse(t, open(t), i, page) })
		}
	}
}

func closeWhileInUse(t *testing.T, dev *runtime.Device, i int, page []byte) {
	data := make([]uint32, 64<<(i%12))
	var wg sync.WaitGroup
	for n := range 2 * len(uses) {
		wg.Go(func() {
			for {
				if err := uses[n%len(uses)](dev, data, page); err != nil {
					if !closed(err) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}
