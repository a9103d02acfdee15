package cpu

import (
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"
	"unsafe"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// width is the number of lanes of a simd-group, and full the mask of all.
const (
	width = lanes.Width
	full  = ^uint32(0)
)

// long is for the runs that compare every combination of types, and many programs, with
// a model. Without it they take a part of them.
var long = flag.Bool("long", false, "compare with the models in full")

// sanitized is for the runs in which all kernels of the tests go through the sanitizer.
var sanitized = flag.Bool("sanitize", false, "run kernels under the sanitizer")

func TestMain(m *testing.M) {
	flag.Parse()
	machine.BackEndFailed = func(e *interp.InternalError) { panic(fmt.Sprintf("%v\n%s", e, e.Stack)) }
	os.Exit(m.Run())
}

// options are those of the devices of tests.
func options() (o driver.Options) {
	if *sanitized {
		o.Sanitize = driver.CheckAll
	}
	return o
}

// some returns one in n of a list, from one that seed picks on, and with -long all of it.
func some[T any](list []T, n, seed int) []T {
	if *long {
		return list
	}
	var part []T
	for i := seed % n; i < len(list); i += n {
		part = append(part, list[i])
	}
	return part
}

// hang is when a kernel counts as one that never ends, so that a test says which one it
// is. No kernel of the tests takes a hundredth of it.
const hang = 5 * time.Minute

// shared is an argument of threadgroup memory, by its bytes.
type shared int

// texelsOf is a texture of the first buffer, whose rows lie side by side.
type texelsOf driver.TextureSpec

// constants are function constants by index: scalars.
type constants map[int]any

// threads is a grid of one threadgroup.
func threads(n int) driver.Grid {
	return driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{n, 1, 1}}
}

// testKernel compiles the kernel test of a source.
func testKernel(t testing.TB, dev *Device, source string) *kernel {
	t.Helper()
	k, err := dev.kernel(&driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &source}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// execute runs kernel `test` of a source. The arguments are those of the kernel in
// order: a slice is a buffer, which afterwards holds what the kernel left in it,
// a shared is threadgroup memory, nil leaves an argument out, and anything else is
// a constant reference. Slices of textures and of samplers are arguments of those.
// It returns what the device reports.
func execute(t testing.TB, source string, grid driver.Grid, args ...any) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	return executeContext(ctx, t, source, grid, args...)
}

func executeContext(ctx context.Context, t testing.TB, source string, grid driver.Grid, args ...any) error {
	t.Helper()
	if dev := chosen(t); dev != nil {
		return executeKept(ctx, t, dev, source, grid, args...)
	}
	return executeWith(ctx, t, options(), source, grid, args...)
}

func executeWith(
	ctx context.Context, t testing.TB, o driver.Options, source string, grid driver.Grid, args ...any,
) error {
	t.Helper()
	return executeOn(ctx, t, Open(o), source, grid, args...)
}

// executeOn is execute on a device, which it closes.
func executeOn(ctx context.Context, t testing.TB, dev *Device, source string, grid driver.Grid, args ...any) error {
	t.Helper()
	defer dev.Close()
	return executeKept(ctx, t, dev, source, grid, args...)
}

// executeKept is execute on a device that stays open.
func executeKept(ctx context.Context, t testing.TB, dev driver.Device, source string, grid driver.Grid,
	args ...any) error {
	t.Helper()
	d, results := dispatchOf(t, dev, source, grid, args...)
	done, err := run(ctx, t, dev, d)
	if !done {
		lacks(t, err)
		return err
	}
	for _, r := range results {
		if r.back != nil {
			r.back()
			continue
		}
		copy(bytesOfSlice(r.to), r.memory.Bytes())
	}
	return err
}

// result is a slice with the memory that holds what a kernel makes of it.
type result struct {
	to     reflect.Value
	memory driver.Memory
	back   func() // of a texture: copies its texels
}

// dispatchOf returns a call of kernel `test` of a source, see execute, and its buffers.
func dispatchOf(
	t testing.TB, dev driver.Device, source string, grid driver.Grid, args ...any,
) (d *driver.Dispatch, results []result) {
	t.Helper()
	text := "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n" + source
	d = &driver.Dispatch{
		Kernel: &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
		Grid:   grid,
	}
	buffers, sharedArgs, textures, samplers := 0, 0, 0, 0
	for _, a := range args {
		switch a := a.(type) {
		case nil:
			buffers++
			continue
		case shared:
			d.Shared = append(d.Shared, driver.Shared{Arg: &driver.Arg{Index: sharedArgs}, Length: int(a)})
			sharedArgs++
			continue
		case []driver.Texture: // an array of textures, or one
			arg := &driver.Arg{Index: textures}
			for i, tex := range a {
				if _, own := dev.(*Device); !own && tex != nil {
					var back func()
					tex, back = like(t, dev, tex)
					results = append(results, result{back: back})
				}
				d.Textures = append(d.Textures, driver.TextureArg{Arg: arg, Element: i, Texture: tex})
			}
			textures += max(len(a), 1)
			continue
		case texelsOf:
			spec := driver.TextureSpec(a)
			over, err := dev.NewTextureOver(results[0].memory, 0, spec.Width*spec.Format.Info().Size, spec)
			if err != nil {
				t.Fatal(err)
			}
			d.Textures = append(d.Textures, driver.TextureArg{Arg: &driver.Arg{Index: textures}, Texture: over})
			textures++
			continue
		case []bind.Sampler: // an array of samplers, or one
			arg := &driver.Arg{Index: samplers}
			for i, s := range a {
				d.Samplers = append(d.Samplers, driver.SamplerArg{Arg: arg, Element: i, Sampler: s})
			}
			samplers += max(len(a), 1)
			continue
		case constants:
			for index, v := range a {
				d.Constants = append(d.Constants, driver.Value{Arg: &driver.Arg{Index: index}, Bytes: bytesOfValue(v)})
			}
			continue
		}
		arg := &driver.Arg{Index: buffers, Name: fmt.Sprintf("arg%d", buffers)}
		buffers++
		v := reflect.ValueOf(a)
		if v.Kind() != reflect.Slice {
			d.Values = append(d.Values, driver.Value{Arg: arg, Bytes: bytesOfValue(a)})
			continue
		}
		bytes := bytesOfSlice(v)
		memory, err := dev.NewMemory(max(len(bytes), 1), driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		copy(memory.Bytes(), bytes)
		d.Buffers = append(d.Buffers, driver.Buffer{Arg: arg, Memory: memory, Length: len(bytes)})
		results = append(results, result{to: v, memory: memory})
	}
	return d, results
}

// run executes one dispatch. It reports whether that is done: the memory is then the caller's again.
func run(ctx context.Context, t testing.TB, dev driver.Device, d *driver.Dispatch) (done bool, err error) {
	t.Helper()
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Record(d); err != nil {
		return false, err
	}
	job, err := rec.Submit()
	if err != nil {
		return false, err
	}
	if done, err = job.Wait(ctx); !done {
		err = fmt.Errorf("not done: %w", err)
	}
	return done, err
}

func bytesOfSlice(v reflect.Value) []byte {
	if v.Len() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

func bytesOfValue(a any) []byte {
	v := reflect.New(reflect.TypeOf(a))
	v.Elem().Set(reflect.ValueOf(a))
	b := unsafe.Slice((*byte)(v.UnsafePointer()), int(v.Elem().Type().Size()))
	return append([]byte(nil), b...)
}

// compute is execute for sources that must run.
func compute(t testing.TB, source string, grid driver.Grid, args ...any) {
	t.Helper()
	if err := execute(t, source, grid, args...); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
}
