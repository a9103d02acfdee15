//go:build linux && (amd64 || arm64)

package metal

import (
	"runtime"
	"structs"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// The kernels of this file have the arguments of fused_norm_add_f32: seven, and
// threadgroup memory. There are two, so that every dispatch can need a pipeline and
// a length that the one before it did not have.

var (
	normSource = `#include <metal_stdlib>
using namespace metal;
#define NORM(name)                                                                                                   ` +
		`         \
	kernel void name(device const float* residual [[buffer(0)]], device const float* input [[buffer(1)]],               ` +
		`      \
	                 device const float* weight [[buffer(2)]], device float* output [[buffer(3)]],                      ` +
		`      \
	                 constant uint& dim [[buffer(4)]], constant uint& rows [[buffer(5)]], constant float& eps ` +
		`[[buffer(6)]],  \
	                 threadgroup float* shared [[threadgroup(0)]], uint i [[thread_position_in_grid]],                  ` +
		`      \
	                 uint tid [[thread_index_in_threadgroup]]) {                                                        ` +
		`      \
		shared[tid] = input[i] * eps + float(dim * rows);                                                                  ` +
		`   \
		output[i] = residual[i] + shared[tid] * weight[i % dim];                                                           ` +
		`   \
	}
NORM(norm0)
NORM(norm1)
`
	normLibrary = driver.Library{File: "norm.metal", Source: &normSource}
	normKernels = [2]*driver.Kernel{newNorm("norm0"), newNorm("norm1")}
)

func newNorm(name string) *driver.Kernel {
	return &driver.Kernel{
		Name: name, Library: &normLibrary,
		Buffers: []*driver.Arg{
			{Index: 0, Name: "residual", Type: "float", Size: 4, Reads: true},
			{Index: 1, Name: "input", Type: "float", Size: 4, Reads: true},
			{Index: 2, Name: "weight", Type: "float", Size: 4, Reads: true},
			{Index: 3, Name: "output", Type: "float", Size: 4, Writes: true},
		},
		Values: []*driver.Arg{
			{Index: 4, Name: "dim", Type: "uint", Size: 4}, {Index: 5, Name: "rows", Type: "uint", Size: 4},
			{Index: 6, Name: "eps", Type: "float", Size: 4},
		},
		Shared: []*driver.Arg{{Index: 0, Name: "shared", Type: "float", Size: 4}},
	}
}

const normDispatches = 64

// norms returns the dispatches of one batch, each of which writes rows of its own.
func norms(t testing.TB, d driver.Device) []*driver.Dispatch {
	t.Helper()
	const row = 4 * elements
	in, out := memoryOf(t, d, 3*row, driver.StorageShared), memoryOf(t, d, normDispatches*row, driver.StorageShared)
	four := []byte{1, 0, 0, 0}
	var list []*driver.Dispatch
	for i := range normDispatches {
		k := normKernels[i%2]
		list = append(list, &driver.Dispatch{
			Kernel: k,
			Buffers: []driver.Buffer{
				{Arg: k.Buffers[0], Memory: in, Length: row}, {Arg: k.Buffers[1], Memory: in, Offset: row, Length: row},
				{Arg: k.Buffers[2], Memory: in, Offset: 2 * row, Length: row},
				{Arg: k.Buffers[3], Memory: out, Offset: i * row, Length: row},
			},
			Values: []driver.Value{{Arg: k.Values[0], Bytes: four}, {Arg: k.Values[1], Bytes: four},
				{Arg: k.Values[2], Bytes: four}},
			Shared: []driver.Shared{{Arg: k.Shared[0], Length: row * (1 + i%2)}},
			Grid:   driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{elements, 1, 1}},
		})
	}
	return list
}

func TestADispatchTakesFourMessagesAtMost(t *testing.T) {
	d := start(t, metaltest.Options{})
	list := norms(t, d)
	for _, c := range []struct {
		name string
		list []*driver.Dispatch
		want int
	}{
		{"one", list[:1], 4},
		{"another kernel, and another length", list[:2], 8},
		{"the same kernel again", []*driver.Dispatch{list[0], list[2], list[4]}, 8},
		{"all", list, 4 * normDispatches},
	} {
		t.Run(c.name, func(t *testing.T) {
			metaltest.ResetLog()
			if err := run(t, metaltest.Watch(d), c.list...); err != nil {
				t.Fatal(err)
			}
			if got := encoded(); len(got) != c.want+1 { // and endEncoding
				t.Errorf("%d messages, want %d: %q", len(got)-1, c.want, got)
			}
		})
	}
}

func TestADispatchAllocatesNothing(t *testing.T) {
	d := start(t, metaltest.Options{Quiet: true})
	list := norms(t, d)
	from, to := memoryOf(t, d, 1024, driver.StoragePrivate), memoryOf(t, d, 1024, driver.StorageShared)
	indirect := raised(whole(from, 64), whole(to, 12))
	for _, labels := range []bool{false, true} {
		d.labels.Store(labels)
		r := d.newRecorder()
		if n := testing.AllocsPerRun(20, func() {
			for _, one := range list {
				if err := r.Record(one); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Record(indirect); err != nil {
				t.Fatal(err)
			}
			if err := r.Copy(whole(to, 1024), whole(from, 1024)); err != nil {
				t.Fatal(err)
			}
			r.Reset()
		}); n != 0 {
			t.Errorf("labels %v: %v allocations", labels, n)
		}
	}
}

// extent is an MTLSize as an argument of a registered function.
type extent struct {
	_                    structs.HostLayout
	width, height, depth uintptr
}

// BenchmarkDispatch makes 64 dispatches of four messages each, of methods that do
// nothing: as the driver does, and with a call for each message as purego's own
// package for Objective-C would.
func BenchmarkDispatch(b *testing.B) {
	perDispatch := func(b *testing.B) float64 {
		return float64(b.Elapsed().Nanoseconds()) / float64(normDispatches*b.N)
	}
	encoderOf := func(d *Device) (encoder objc.ID) {
		objc.WithPool(func() {
			commands := objc.ID(d.queue.Send(selCommandBuffer))
			encoder = objc.ID(commands.Send(selEncoder, dispatchConcurrent)).Retain()
		})
		return encoder
	}
	var recorded float64
	b.Run("recorded-and-replayed", func(b *testing.B) {
		d := start(b, metaltest.Options{Bench: true})
		list := norms(b, d)
		encoder := encoderOf(d)
		r := d.newRecorder()
		b.ReportAllocs()
		for b.Loop() {
			for _, one := range list {
				if err := r.Record(one); err != nil {
					b.Fatal(err)
				}
			}

			r.tape.Replay(encoder)
			if n := r.tape.Len(); n != 4*normDispatches {
				b.Fatalf("%d messages", n)
			}
			r.Reset()
		}
		recorded = perDispatch(b)
		b.ReportMetric(recorded, "ns/dispatch")
	})
	b.Run("sent-one-by-one", func(b *testing.B) {
		d := start(b, metaltest.Options{Bench: true})
		encoder := encoderOf(d)
		address, err := objc.Symbol("objc_msgSend")
		if err != nil {
			b.Fatal(err)
		}
		var send func(id, sel uintptr, args ...any) uintptr
		purego.RegisterFunc(&send, address)
		id := uintptr(encoder)
		ids, offsets := new([7]uintptr), new([7]uintptr)
		for i := range ids {
			ids[i] = uintptr(d.placeholders.largest.id)
		}
		b.ReportAllocs()
		for b.Loop() {
			for i := range uintptr(normDispatches) {
				send(id, selSetPipeline.Word(), uintptr(d.placeholders.largest.id))
				send(id, selSetBuffers.Word(), uintptr(unsafe.Pointer(ids)), uintptr(unsafe.Pointer(offsets)), uintptr(0),
					uintptr(7))
				send(id, selSetThreadgroupMemory.Word(), 16*(i%2+1), uintptr(0))
				send(id, selDispatchThreadgroups.Word(), extent{width: 1, height: 1, depth: 1},
					extent{width: elements, height: 1, depth: 1})
			}
		}
		runtime.KeepAlive(ids)
		runtime.KeepAlive(offsets)
		b.ReportMetric(perDispatch(b), "ns/dispatch")
		if recorded > 0 {
			b.ReportMetric(perDispatch(b)/recorded, "times-recorded")
		}
	})
}
