//go:build linux && (amd64 || arm64)

package metal

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// start opens the device of a new fake, and closes it when the test ends.
func start(t testing.TB, o metaltest.Options) *Device {
	t.Helper()
	return startWith(t, o, driver.Options{})
}

// startWith is start with options of the driver.
func startWith(t testing.TB, o metaltest.Options, with driver.Options) *Device {
	t.Helper()
	if o.Execute == nil && !o.Bench {
		o.Execute = metaltest.CPU(t)
	}
	metaltest.Start(t, o)
	d, err := OpenLibrary(fakePath(t), nil, -1, with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func fakePath(t testing.TB) string {
	t.Helper()
	path, err := metaltest.Path()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var scaleSource = `#include <metal_stdlib>
using namespace metal;
constant uint bonus [[function_constant(3)]];
kernel void scale(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& by [[buffer(2)]],
                  threadgroup float* s [[threadgroup(0)]], uint i [[thread_position_in_grid]], uint l ` +
	`[[thread_index_in_threadgroup]]) {
	s[l] = x[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	y[i] = s[l] * by;
}
kernel void fill(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = i + bonus; }
`

var (
	scaleLibrary = driver.Library{File: "scale.metal", Source: &scaleSource}
	scaleKernel  = driver.Kernel{
		Name: "scale", Library: &scaleLibrary,
		Buffers: []*driver.Arg{{Index: 0, Name: "x", Type: "float", Size: 4, Reads: true},
			{Index: 1, Name: "y", Type: "float", Size: 4, Writes: true}},
		Values: []*driver.Arg{{Index: 2, Name: "by", Type: "float", Size: 4}},
		Shared: []*driver.Arg{{Index: 0, Name: "s", Type: "float", Size: 4}},
	}
	fillKernel = driver.Kernel{
		Name: "fill", Library: &scaleLibrary,
		Buffers:   []*driver.Arg{{Index: 0, Name: "x", Type: "uint", Size: 4, Writes: true}},
		Constants: []*driver.Arg{{Index: 3, Name: "bonus", Type: "uint", Size: 4}},
	}
)

const elements = 64

// scaled returns a dispatch of scale on bytes of buffers.
func scaled(x driver.Memory, xAt int, y driver.Memory, yAt int, by float32) *driver.Dispatch {
	return &driver.Dispatch{
		Kernel: &scaleKernel,
		Buffers: []driver.Buffer{
			{Arg: scaleKernel.Buffers[0], Memory: x, Offset: xAt, Length: 4 * elements},
			{Arg: scaleKernel.Buffers[1], Memory: y, Offset: yAt, Length: 4 * elements},
		},
		Values: []driver.Value{
			{Arg: scaleKernel.Values[0], Bytes: binary.LittleEndian.AppendUint32(nil, math.Float32bits(by))}},
		Shared: []driver.Shared{{Arg: scaleKernel.Shared[0], Length: 4 * elements}},
		Grid:   driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{elements, 1, 1}},
	}
}

func newMemory(t testing.TB, d driver.Device, size int) driver.Memory {
	t.Helper()
	m, err := d.NewMemory(size, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Free)
	return m
}

func floatAt(m driver.Memory, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(m.Bytes()[4*i:]))
}

func setFloat(m driver.Memory, i int, v float32) {
	binary.LittleEndian.PutUint32(m.Bytes()[4*i:], math.Float32bits(v))
}

// run records dispatches on one recorder and waits for them.
func run(t testing.TB, d driver.Device, list ...*driver.Dispatch) error {
	t.Helper()
	return batch(t, d, func(r driver.Recorder) error {
		for _, one := range list {
			if err := r.Record(one); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestBatchesOfDispatchesComputeWhatTheyShould(t *testing.T) {
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	a, b, c := newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements)
	for i := range elements {
		setFloat(a, i, float32(i))
	}
	if err := run(t, watched, scaled(a, 0, b, 0, 2), scaled(b, 0, c, 0, 10)); err != nil {
		t.Fatal(err)
	}
	for i := range elements {
		if got := floatAt(c, i); got != float32(20*i) {
			t.Fatalf("c[%d] = %v", i, got)
		}
	}
}

func TestBarriersStandBetweenDispatchesThatShareWrittenBytesOnly(t *testing.T) {
	const part = 4 * elements
	for _, c := range []struct {
		name     string
		list     func(a, b driver.Memory) []*driver.Dispatch
		barriers uint64
	}{
		{"nothing shared", func(a, b driver.Memory) []*driver.Dispatch {
			return []*driver.Dispatch{scaled(a, 0, b, 0, 2), scaled(a, 0, b, part, 2), scaled(a, part, b, 2*part, 2)}
		}, 0},
		{"read after write", func(a, b driver.Memory) []*driver.Dispatch {
			return []*driver.Dispatch{scaled(a, 0, b, 0, 2), scaled(b, 0, a, part, 2)}
		}, 1},
		{"write after read", func(a, b driver.Memory) []*driver.Dispatch {
			return []*driver.Dispatch{scaled(a, 0, b, 0, 2), scaled(b, part, a, 0, 2)}
		}, 1},
		{"two readers of one writer", func(a, b driver.Memory) []*driver.Dispatch {
			return []*driver.Dispatch{scaled(a, 0, b, 0, 2), scaled(b, 0, a, part, 2), scaled(b, 0, a, 2*part, 2)}
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			watched := metaltest.Watch(d)
			a, b := newMemory(t, watched, 3*part), newMemory(t, watched, 3*part)
			if err := run(t, watched, c.list(a, b)...); err != nil {
				t.Fatal(err)
			}
			if n := metaltest.Count(); n.Barriers != c.barriers || n.Needless != 0 {
				t.Errorf("%d barriers, %d of them needless, want %d", n.Barriers, n.Needless, c.barriers)
			}
		})
	}
}

func TestFunctionConstantsMakePipelinesOfTheirOwn(t *testing.T) {
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	x := newMemory(t, watched, 4*elements)
	for _, bonus := range []uint32{5, 7, 5} {
		err := run(t, watched, &driver.Dispatch{
			Kernel:    &fillKernel,
			Buffers:   []driver.Buffer{{Arg: fillKernel.Buffers[0], Memory: x, Length: 4 * elements}},
			Constants: []driver.Value{{Arg: fillKernel.Constants[0], Bytes: binary.LittleEndian.AppendUint32(nil, bonus)}},
			Grid:      driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{elements, 1, 1}, Size: [3]int{elements, 1, 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(x.Bytes()[4*3:]); got != 3+bonus {
			t.Errorf("x[3] = %d with a bonus of %d", got, bonus)
		}
	}
	if n := len(d.pipelines[&fillKernel].all); n != 2 {
		t.Errorf("%d pipelines, want 2", n)
	}
}

func TestMishapsReachTheCallerAndTheDeviceGoesOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  metaltest.FaultKind
		fault metaltest.Fault
		want  string
	}{
		{"compile", metaltest.CompileError, metaltest.Fault{Text: "scale.metal:3:1: error: no"}, "scale.metal:3:1: no"},
		{"pipeline", metaltest.PipelineError, metaltest.Fault{Text: "too complex", Code: 2}, "too complex"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			watched := metaltest.Watch(d)
			a, b := newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements)
			metaltest.Fail(c.kind, c.fault)
			err := run(t, watched, scaled(a, 0, b, 0, 1))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			var e *objc.Error
			if c.fault.Code != 0 && (!errors.As(err, &e) || e.Code != c.fault.Code) {
				t.Errorf("got %#v, want code %d", err, c.fault.Code)
			}
		})
	}
}

// Pipelines keep the placeholder that they were made with, whatever comes later.
func TestPlaceholdersHoldTheLargestArgument(t *testing.T) {
	d := start(t, metaltest.Options{})
	first := d.placeholders.largest
	for _, c := range []struct{ size, want int }{{4, 256}, {320, 512}, {256, 512}, {512, 512}, {513, 1024}} {
		k := &driver.Kernel{Buffers: []*driver.Arg{{Size: 1}}, Values: []*driver.Arg{{Size: c.size}, {Size: 2}}}
		m, err := d.placeholderFor(k)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.bytes) != c.want {
			t.Errorf("%d bytes for %d, want %d", len(m.bytes), c.size, c.want)
		}
	}
	metaltest.Fail(metaltest.OutOfMemory, metaltest.Fault{})
	large := &driver.Kernel{Buffers: []*driver.Arg{{Size: 5000}}}
	if _, err := d.placeholderFor(large); err == nil ||
		!strings.Contains(err.Error(), "no memory for a buffer of 8192 bytes") {
		t.Errorf("got %v", err)
	}
	if m, err := d.placeholderFor(large); err != nil || len(m.bytes) != 8192 {
		t.Errorf("the second time: %v", err)
	}
	if first.bytes == nil {
		t.Error("the first one is gone")
	}
}
