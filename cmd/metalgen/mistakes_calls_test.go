package main

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/cmd/metalgen/testdata/mistakes/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// engine is what makes calls, some of them by mistake.
type engine struct {
	*runtime.Device
	t     *testing.T
	batch *runtime.Batch
}

// timesMore is how often more a finding was made.
var timesMore = regexp.MustCompile(`and \d+ times more`)

// try makes the calls of a mistake on a CPU device of its own, and returns what is said.
func (m *madeMistake) try(t *testing.T, checks string) string {
	t.Helper()
	t.Setenv("METALGEN_SANITIZE", checks)
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	err = m.calls(&engine{dev, t, dev.NewBatch()})
	if err == nil {
		return nothing
	}
	cores, _, _ := strings.Cut(dev.String(), ", ")
	// How often threads meet depends on how many cores work on them.
	text := timesMore.ReplaceAllString(err.Error(), "and more times")
	return strings.ReplaceAll(text, cores, "CPU (2 cores)")
}

func must[T any](t *testing.T, x T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (e *engine) floats(n int) runtime.Buffer[float32] {
	b, err := runtime.NewBuffer[float32](e.Device, n)
	return must(e.t, b, err)
}

func (e *engine) uints(n int) runtime.Buffer[uint32] {
	b, err := runtime.NewBuffer[uint32](e.Device, n)
	return must(e.t, b, err)
}

func (e *engine) image(format runtime.PixelFormat, o runtime.TextureOptions) runtime.Texture2D {
	t, err := runtime.NewTexture2D(e.Device, 8, 4, format, o)
	return must(e.t, t, err)
}

// scale records a call of scale of n elements.
func (e *engine) scale(x, y runtime.Buffer[float32], n uint32) {
	gen.Scale(e.batch, gen.ScaleArgs{X: x, Y: y, By: 2, N: n})
}

func (e *engine) run() error { return e.batch.Run(e.t.Context()) }

func (e *engine) other() *engine {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	must(e.t, dev, err)
	e.t.Cleanup(func() { dev.Close() })
	return &engine{dev, e.t, dev.NewBatch()}
}

type (
	grid   = runtime.Grid
	triple = [3]int
	floats = runtime.Buffer[float32]
)

var callMistakes = []madeMistake{
	{name: "a buffer that is too short", calls: func(e *engine) error {
		e.scale(e.floats(100), e.floats(99), 100)
		return e.run()
	}},
	{name: "a missing buffer", calls: func(e *engine) error {
		e.scale(e.floats(100), floats{}, 100)
		return e.run()
	}},
	{name: "a missing texture", calls: func(e *engine) error {
		gen.Moved(e.batch, gen.MovedArgs{Dst: e.image(runtime.RGBA8Unorm, runtime.TextureOptions{})})
		return e.run()
	}},
	{name: "a forgotten size", why: "an engine may have nothing to do; the sanitizer finds it, and a trace shows it",
		calls: func(e *engine) error {
			e.scale(e.floats(100), e.floats(100), 0)
			return e.run()
		}},
	{name: "every argument forgotten", calls: func(e *engine) error {
		gen.Scale(e.batch, gen.ScaleArgs{})
		return e.run()
	}},
	{name: "a dimension that was forgotten in a grid", calls: func(e *engine) error {
		gen.Scale(e.batch, gen.ScaleArgs{X: e.floats(100), Y: e.floats(100), By: 2, N: 100,
			Grid: grid{Threadgroups: triple{1, 1}, Threads: triple{100, 1, 1}}})
		return e.run()
	}},
	{name: "too many threads in a threadgroup", calls: func(e *engine) error {
		gen.Scale(e.batch, gen.ScaleArgs{X: e.floats(100), Y: e.floats(100), By: 2, N: 100,
			Grid: grid{Threadgroups: triple{1, 1, 1}, Threads: triple{4096, 1, 1}}})
		return e.run()
	}},
	{name: "a source that states too many threads", calls: func(e *engine) error {
		gen.Wide(e.batch, gen.WideArgs{X: e.floats(1)})
		return e.run()
	}},
	{name: "a grid that is smaller than the stated one", why: "the results of a call are its caller's to say; see the " +
		"sanitizer", calls: func(e *engine) error {
		gen.Scale(e.batch, gen.ScaleArgs{X: e.floats(100), Y: e.floats(100), By: 2, N: 100,
			Grid: grid{Threadgroups: triple{1, 1, 1}, Threads: triple{64, 1, 1}}})
		return e.run()
	}},
	{name: "no grid, and none that is stated", calls: func(e *engine) error {
		gen.Unstated(e.batch, gen.UnstatedArgs{X: e.floats(1)})
		return e.run()
	}},
	{name: "an access out of bounds by one", calls: func(e *engine) error {
		gen.Beyond(e.batch, gen.BeyondArgs{X: e.floats(64), Y: e.floats(64), N: 64})
		return e.run()
	}},
	{name: "the same within a longer buffer", calls: func(e *engine) error {
		gen.Beyond(e.batch, gen.BeyondArgs{X: e.floats(100), Y: e.floats(64), N: 64})
		return e.run()
	}},
	{name: "a sum without an atomic", calls: func(e *engine) error {
		gen.Total(e.batch, gen.TotalArgs{X: e.floats(1000), Sum: e.floats(1), N: 1000})
		return e.run()
	}},
	{name: "a missing barrier", calls: func(e *engine) error {
		gen.Reverse(e.batch, gen.ReverseArgs{X: e.floats(128)})
		return e.run()
	}},
	{name: "threadgroup memory that nothing has written", calls: func(e *engine) error {
		gen.Unset(e.batch, gen.UnsetArgs{Y: e.floats(64)})
		return e.run()
	}},
	{name: "a barrier in a branch", calls: func(e *engine) error {
		gen.Divergent(e.batch, gen.DivergentArgs{Y: e.floats(64)})
		return e.run()
	}},
	{name: "a NaN", calls: func(e *engine) error {
		gen.Ratio(e.batch, gen.RatioArgs{X: e.floats(64), Y: e.floats(64), N: 64})
		return e.run()
	}},
	{name: "a kernel that never ends, with a deadline", calls: func(e *engine) error {
		ctx, cancel := context.WithTimeout(e.t.Context(), 20*time.Millisecond)
		defer cancel()
		gen.Endless(e.batch, gen.EndlessArgs{Y: e.uints(1)})
		if err := e.batch.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return errors.New("(the error has the place where it was, and wraps context.DeadlineExceeded)")
	}},
	{name: "a context that has ended", calls: func(e *engine) error {
		ctx, cancel := context.WithCancel(e.t.Context())
		cancel()
		e.scale(e.floats(1), e.floats(1), 1)
		return e.batch.Run(ctx)
	}},
	{name: "a pixel format that the kernel cannot take", calls: func(e *engine) error {
		gen.Moved(e.batch, gen.MovedArgs{Src: e.image(runtime.R8Uint, runtime.TextureOptions{}),
			Dst: e.image(runtime.RGBA8Unorm, runtime.TextureOptions{})})
		return e.run()
	}},
	{name: "a texture for reading as the destination", calls: func(e *engine) error {
		gen.Moved(e.batch, gen.MovedArgs{Src: e.image(runtime.RGBA8Unorm, runtime.TextureOptions{}),
			Dst: e.image(runtime.RGBA8Unorm, runtime.TextureOptions{Access: runtime.Read})})
		return e.run()
	}},
	{name: "one texture as source and destination", calls: func(e *engine) error {
		t := e.image(runtime.RGBA8Unorm, runtime.TextureOptions{})
		gen.Moved(e.batch, gen.MovedArgs{Src: t, Dst: t})
		return e.run()
	}},
	{name: "a read beyond a texture", calls: func(e *engine) error {
		gen.Moved(e.batch, gen.MovedArgs{Src: e.image(runtime.RGBA8Unorm, runtime.TextureOptions{}),
			Dst: e.image(runtime.RGBA8Unorm, runtime.TextureOptions{}), Dx: 2})
		return e.run()
	}},
	{name: "a buffer that was freed", calls: func(e *engine) error {
		x := e.floats(8)
		x.Free()
		e.scale(x, e.floats(8), 8)
		return e.run()
	}},
	{name: "a buffer of another device", calls: func(e *engine) error {
		e.scale(e.other().floats(8), e.floats(8), 8)
		return e.run()
	}},
	{name: "a device that was closed", calls: func(e *engine) error {
		x := e.floats(8)
		e.Close()
		e.scale(x, x, 8)
		return e.run()
	}},
	{name: "a buffer of a closed device", calls: func(e *engine) error {
		e.Close()
		_, err := runtime.NewBuffer[float32](e.Device, 8)
		return err
	}},
	{name: "Submit without Wait, and again", calls: func(e *engine) error {
		e.scale(e.floats(8), e.floats(8), 8)
		must(e.t, 0, e.batch.Submit())
		defer e.batch.Wait(e.t.Context())
		return e.batch.Submit()
	}},
	{name: "a call while the batch is submitted", calls: func(e *engine) error {
		e.scale(e.floats(8), e.floats(8), 8)
		must(e.t, 0, e.batch.Submit())
		e.scale(e.floats(8), e.floats(8), 8)
		return e.batch.Wait(e.t.Context())
	}},
	{name: "Wait without Submit", calls: func(e *engine) error { return e.batch.Wait(e.t.Context()) }},
	{name: "a batch that no device has made", calls: func(e *engine) error {
		e.batch = &runtime.Batch{}
		e.scale(e.floats(8), e.floats(8), 8)
		return e.run()
	}},
	{name: "a Variant that is not set", calls: func(e *engine) error {
		gen.Twice(e.batch, gen.TwiceArgs[float32]{Y: e.floats(8), N: 8})
		return e.run()
	}},
	{name: "a Variant that does not exist", calls: func(e *engine) error {
		gen.Twice(e.batch, gen.TwiceArgs[float32]{Variant: 7, Y: e.floats(8), N: 8})
		return e.run()
	}},
	{name: "the buffer of a function constant that is missing", calls: func(e *engine) error {
		gen.Biased(e.batch, gen.BiasedArgs{Y: e.floats(8), N: 8, Constants: gen.KernelsConstants{HasBias: true}})
		return e.run()
	}},
	{name: "a Slice beyond the end", calls: func(e *engine) error {
		e.scale(e.floats(8).Slice(5, 9), e.floats(8), 4)
		return e.run()
	}},
	{name: "a Cast of bytes that are no whole elements", calls: func(e *engine) error {
		e.scale(runtime.Cast[float32](e.bytes(7)), e.floats(1), 1)
		return e.run()
	}},
	{name: "a buffer that begins between elements", calls: func(e *engine) error {
		gen.Scale(e.batch, gen.ScaleArgs{X: runtime.Cast[float32](e.bytes(12).Slice(2, 10)), Y: e.floats(2), N: 2})
		return e.run()
	}},
	{name: "a mapping for reading that a kernel writes", calls: func(e *engine) error {
		x, err := runtime.WrapBuffer(e.Device, page(), runtime.Read)
		must(e.t, x, err)
		e.scale(x, x, 8)
		return e.run()
	}},
	{name: "input and output in one buffer, where the kernel minds", calls: func(e *engine) error {
		x := e.floats(101)
		gen.Shift(e.batch, gen.ShiftArgs{X: x, Y: x, N: 100})
		return e.run()
	}},
	{name: "a pointer in a struct to a slice that is too short", calls: func(e *engine) error {
		g, err := runtime.UploadArguments(e.Device, []gen.Gains{{Gains: e.floats(8).Slice(2, 5).Pointer(), NGains: 4}})
		must(e.t, g, err)
		gen.Gain(e.batch, gen.GainArgs{G: g, Y: e.floats(1)})
		return e.run()
	}},
	{name: "a pointer in a struct to a buffer that was freed", calls: func(e *engine) error {
		x := e.floats(8)
		x.Free()
		_, err := runtime.UploadArguments(e.Device, []gen.Gains{{Gains: x.Pointer(), NGains: 4}})
		return err
	}},
	{name: "a null pointer in a struct", calls: func(e *engine) error {
		g, err := runtime.UploadArguments(e.Device, []gen.Gains{{NGains: 4}})
		must(e.t, g, err)
		gen.Gain(e.batch, gen.GainArgs{G: g, Y: e.floats(1)})
		return e.run()
	}},
	{name: "structs with pointers, uploaded as numbers", calls: func(e *engine) error {
		_, err := runtime.Upload(e.Device, []gen.Gains{{NGains: 4}})
		return err
	}},
	{name: "elements that hold Go's own pointers", calls: func(e *engine) error {
		_, err := runtime.NewBuffer[string](e.Device, 4)
		return err
	}},
	{name: "a negative length", calls: func(e *engine) error {
		_, err := runtime.NewBuffer[float32](e.Device, -1)
		return err
	}},
	{name: "a division by zero", calls: func(e *engine) error {
		gen.Groups(e.batch, gen.GroupsArgs{Y: e.uints(8), N: 8})
		return e.run()
	}},
	{name: "a number that a kernel requires not to be 0", calls: func(e *engine) error {
		gen.Careful(e.batch, gen.CarefulArgs{Y: e.uints(8), N: 8})
		return e.run()
	}},
	{name: "threadgroup memory without a length", calls: func(e *engine) error {
		gen.Scratch(e.batch, gen.ScratchArgs{Y: e.floats(32)})
		return e.run()
	}},
	{name: "too much threadgroup memory", calls: func(e *engine) error {
		gen.Scratch(e.batch, gen.ScratchArgs{Y: e.floats(32), S: 1 << 20})
		return e.run()
	}},
	{name: "a Copy to a shorter buffer", calls: func(e *engine) error {
		runtime.Copy(e.batch, e.floats(7), e.floats(8))
		return e.run()
	}},
	{name: "a Copy within one buffer, over itself", calls: func(e *engine) error {
		x := e.floats(8)
		runtime.Copy(e.batch, x.Slice(1, 8), x.Slice(0, 7))
		return e.run()
	}},
	{name: "a nil image", calls: func(e *engine) error {
		_, err := runtime.UploadImage(e.Device, (*image.NRGBA)(nil))
		return err
	}},
	{name: "a texture that is too large", calls: func(e *engine) error {
		_, err := runtime.NewTexture2D(e.Device, 20000, 4, runtime.RGBA8Unorm, runtime.TextureOptions{})
		return err
	}},
	{name: "texels of another type", calls: func(e *engine) error {
		dst := e.image(runtime.RGBA16Float, runtime.TextureOptions{})
		return runtime.WriteTexels(dst, runtime.Region{}, make([][4]float32, 32))
	}},
	{name: "a region beyond a texture", calls: func(e *engine) error {
		return runtime.WriteTexels(e.image(runtime.RGBA8Unorm, runtime.TextureOptions{}), runtime.Region{X: 5, Width: 4},
			make([][4]uint8, 16))
	}},
	{name: "an embedded source that was edited, and not generated again", calls: func(e *engine) error {
		source := "kernel void scale(device half* x [[buffer(0)]], constant uint& n [[buffer(1)]]) { x[0] = n; }"
		c := e.batch.Call(&bind.Kernel{
			Name: "scale", Library: &bind.Library{File: "scale.metal", Source: &source}, Pos: "scale.metal:1",
			Args: []bind.Arg{
				{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: bind.ReadWrite},
				{Kind: bind.ValueArg, Index: 1, Name: "n", Type: "uint", Size: 4},
			},
		})
		c.Buffer(0, e.floats(8).View(), 8)
		bind.Value(c, 1, uint32(8))
		c.Dispatch(runtime.Threads(8).Of(8))
		return e.run()
	}},
	{name: "METALGEN_SANITIZE of an unknown check", calls: func(e *engine) error {
		e.t.Setenv("METALGEN_SANITIZE", "races")
		_, err := runtime.Open()
		return err
	}},
	{name: "METALGEN_DEVICE of an unknown device", calls: func(e *engine) error {
		e.t.Setenv("METALGEN_DEVICE", "gpu")
		_, err := runtime.Open()
		return err
	}},
	{name: "a slice of Data that is used after Close", why: "a slice of Go cannot be checked. With a sanitizer the " +
		"program ends with \"unexpected fault address\" at the line that uses it: TestDataIsNotUsedAfterClose"},
	{name: "one batch from two goroutines", why: "go test -race finds it, as in any other value that is not for " +
		"concurrent use"},
}

func (e *engine) bytes(n int) runtime.Buffer[uint8] {
	b, err := runtime.NewBuffer[uint8](e.Device, n)
	return must(e.t, b, err)
}

// page returns a page of memory, which begins where one does.
func page() []float32 {
	all := make([]float32, 1<<15)
	for len(all) > 0 && uintptr(unsafe.Pointer(&all[0]))%(1<<16) != 0 {
		all = all[1:]
	}
	return all[:64]
}
