package gen_test

import (
	"testing"
	"time"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// BenchmarkEngine times what engines do beside calls, on the CPU device and on the Metal driver, whose messages do
// nothing: so it is what the host has to do for it.
func BenchmarkEngine(b *testing.B) {
	devices := []struct {
		name string
		open func(b *testing.B, o runtime.Options) *runtime.Device
	}{
		{"cpu", func(b *testing.B, o runtime.Options) *runtime.Device {
			o.Device = "cpu"
			dev, err := runtime.OpenWith(o)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { dev.Close() })
			return dev
		}},
		{"metal", func(b *testing.B, o runtime.Options) *runtime.Device {
			dev, _ := openFake(b, fakemetal.Options{Empty: true, Runtime: o})
			return dev
		}},
	}
	for _, d := range devices {
		for _, c := range engineSteps {
			b.Run(d.name+"/"+c.name, func(b *testing.B) {
				step := c.prepare(b, d.open(b, c.options))
				b.ReportAllocs()
				for b.Loop() {
					if err := step(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

var engineSteps = []struct {
	name    string
	options runtime.Options
	prepare func(b *testing.B, dev *runtime.Device) (step func() error)
}{
	{"a call", runtime.Options{}, oneCall(func(_ *runtime.Batch, _ runtime.SharedEvent, call func()) { call() })},
	{"a call with its line", runtime.Options{Lines: runtime.LinesAlways},
		oneCall(func(_ *runtime.Batch, _ runtime.SharedEvent, call func()) { call() })},
	{"a call of a device that lingers", runtime.Options{Linger: time.Hour},
		oneCall(func(_ *runtime.Batch, _ runtime.SharedEvent, call func()) { call() })},
	{"a call that is started", runtime.Options{},
		oneCall(func(b *runtime.Batch, _ runtime.SharedEvent, call func()) { b.Start(); call() })},
	{"a call, and an event is signalled", runtime.Options{},
		oneCall(func(b *runtime.Batch, e runtime.SharedEvent, call func()) { call(); b.SignalEvent(e, 1) })},
	{"a call that waits for an event", runtime.Options{},
		oneCall(func(b *runtime.Batch, e runtime.SharedEvent, call func()) { b.WaitForEvent(e, 0); call() })},
	{"a call, and a select until it is done", runtime.Options{}, doneCall},
	{"a copy of 4 KB from the program", runtime.Options{}, copyFrom(1 << 10)},
	{"a copy of 1 MB from the program", runtime.Options{}, copyFrom(1 << 18)},
	{"a copy of 6 slices of 4 levels to a texture", runtime.Options{}, copyTexels},
	{"a buffer of 4 KB", runtime.Options{}, newBufferOf(1 << 10)},
	{"a buffer of 4 KB, not reused", runtime.Options{Reuse: -1}, newBufferOf(1 << 10)},
	{"a buffer of 1 MB", runtime.Options{}, newBufferOf(1 << 18)},
	{"a buffer of 1 MB, not reused", runtime.Options{Reuse: -1}, newBufferOf(1 << 18)},
	{"an upload of 1 MB", runtime.Options{}, func(_ *testing.B, dev *runtime.Device) func() error {
		host := make([]float32, 1<<18)
		return func() error {
			x, err := runtime.Upload(dev, host)
			x.Free()
			return err
		}
	}},
}

// oneCall returns what runs a batch of one call, which record records.
func oneCall(
	record func(b *runtime.Batch, e runtime.SharedEvent, call func()),
) func(*testing.B, *runtime.Device) func() error {
	return func(b *testing.B, dev *runtime.Device) func() error {
		event, err := runtime.NewSharedEvent(dev)
		if err != nil {
			b.Fatal(err)
		}
		x := newBuffer[float32](b, dev, 64)
		batch, ctx := dev.NewBatch(), b.Context()
		call := func() { gen.SwigluFused(batch, gen.SwigluFusedArgs{Gate: x, Up: x, Out: x, Dim: 64}) }
		return func() error {
			record(batch, event, call)
			return batch.Run(ctx)
		}
	}
}

// copyFrom returns what copies so many floats to private memory.
func copyFrom(n int) func(*testing.B, *runtime.Device) func() error {
	return func(b *testing.B, dev *runtime.Device) func() error {
		x, err := runtime.NewPrivateBuffer[float32](dev, n)
		if err != nil {
			b.Fatal(err)
		}
		host, batch, ctx := make([]float32, n), dev.NewBatch(), b.Context()
		return func() error {
			runtime.CopyFrom(batch, x, host)
			return batch.Run(ctx)
		}
	}
}

// doneCall returns what runs a batch of one call, and waits for its channel.
func doneCall(b *testing.B, dev *runtime.Device) func() error {
	x := newBuffer[float32](b, dev, 64)
	batch, ctx := dev.NewBatch(), b.Context()
	return func() error {
		gen.SwigluFused(batch, gen.SwigluFusedArgs{Gate: x, Up: x, Out: x, Dim: 64})
		if err := batch.Submit(); err != nil {
			return err
		}
		select {
		case <-batch.Done():
		case <-ctx.Done():
		}
		return batch.Wait(ctx)
	}
}

// copyTexels returns what fills a cube of 64 x 64 texels, 128 KB.
func copyTexels(b *testing.B, dev *runtime.Device) func() error {
	o := runtime.TextureOptions{Levels: 4, Private: true}
	cube, err := runtime.NewTexture[runtime.TextureCube](dev, runtime.TextureSize{Width: 64}, runtime.RGBA8Unorm, o)
	if err != nil {
		b.Fatal(err)
	}
	var levels [][]byte
	for side := 64; side >= 8; side /= 2 {
		levels = append(levels, make([]byte, 6*side*side*4))
	}
	batch, ctx := dev.NewBatch(), b.Context()
	return func() error {
		runtime.CopyTexels(batch, cube, levels...)
		return batch.Run(ctx)
	}
}

// newBufferOf returns what makes a buffer of so many floats, and frees it.
func newBufferOf(n int) func(*testing.B, *runtime.Device) func() error {
	return func(_ *testing.B, dev *runtime.Device) func() error {
		return func() error {
			x, err := runtime.NewBuffer[float32](dev, n)
			x.Free()
			return err
		}
	}
}
