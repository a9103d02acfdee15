//go:build linux && (amd64 || arm64)

package metal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

func bonus(n uint32) []driver.Value {
	return []driver.Value{{Arg: fillKernel.Constants[0], Bytes: binary.LittleEndian.AppendUint32(nil, n)}}
}

func TestPipelinesCarryTheNameOfTheirKernel(t *testing.T) {
	d := start(t, metaltest.Options{})
	if err := d.Prepare(&scaleKernel, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{`setComputeFunction: MTLFunction#1 "scale"`, `setLabel: "scale"`}
	if got := sentTo("MTLComputePipelineDescriptor"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPreparedKernelsAreNotMadeAgain(t *testing.T) {
	d := start(t, metaltest.Options{})
	for range 3 {
		if err := d.Prepare(&scaleKernel, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []uint32{1, 2, 1} {
		if err := d.Prepare(&fillKernel, bonus(n)); err != nil {
			t.Fatal(err)
		}
	}
	made := map[string]int{}
	for _, m := range metaltest.Log() {
		made[m.Selector]++
	}
	for selector, want := range map[string]int{
		"newLibraryWithSource:options:error:": 1, "newFunctionWithName:constantValues:error:": 2,
		"newComputePipelineStateWithDescriptor:options:reflection:error:": 3,
	} {
		if made[selector] != want {
			t.Errorf("%s was sent %d times, want %d", selector, made[selector], want)
		}
	}
}

func TestKernelsArePreparedAtTheSameTime(t *testing.T) {
	d := start(t, metaltest.Options{Quiet: true})
	var source strings.Builder
	source.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	lib := &driver.Library{File: "many.metal"}
	var kernels []*driver.Kernel
	for i := range 20 {
		fmt.Fprintf(&source,
			"kernel void k%d(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = %d; }\n", i, i)
		kernels = append(kernels, &driver.Kernel{
			Name: fmt.Sprintf("k%d", i), Library: lib, Buffers: []*driver.Arg{{Name: "x", Type: "uint", Size: 4, Writes: true}},
		})
	}
	text := source.String()
	lib.Source = &text
	var wg sync.WaitGroup
	for range 4 {
		for _, k := range kernels {
			wg.Go(func() {
				if err := d.Prepare(k, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if n := len(d.pipelines); n != len(kernels) {
		t.Errorf("%d pipelines", n)
	}
}

func TestAKernelThatCountsOnTheWidthOfSimdgroupsIsRefusedWhereItIsAnother(t *testing.T) {
	text := "kernel void k(device uint* x [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) { x[i] = i; }\n"
	lib := &driver.Library{File: "simd.metal", Source: &text}
	buffers := []*driver.Arg{{Name: "x", Type: "uint", Size: 4, Writes: true}}
	counts := &driver.Kernel{Name: "k", Library: lib, Buffers: buffers, Simd: true}
	copes := &driver.Kernel{Name: "k", Library: lib, Buffers: buffers}
	for _, width := range []int{0, 8, 32, 64} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			d := start(t, metaltest.Options{SimdWidth: width})
			err := d.Prepare(counts, nil)
			var refused *driver.SimdWidthError
			if want := (driver.SimdWidthError{Kernel: "k", Need: 32, Have: width}); width == 0 || width == 32 {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.As(err, &refused) || *refused != want {
				t.Errorf("got %v", err)
			}
			if err := d.Prepare(copes, nil); err != nil {
				t.Errorf("a kernel that copes: %v", err)
			}
		})
	}
}

func TestConstantsAreCheckedBeforeMetalIs(t *testing.T) {
	const source = `#include <metal_stdlib>
using namespace metal;
enum Mode : uint { one, two };
constant uint bonus [[function_constant(3)]];
constant bool maybe [[function_constant(4)]];
constant bool is_set = is_function_constant_defined(maybe);
constant half2 pair [[function_constant(5)]];
kernel void k(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = bonus; }
kernel void optional(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = is_set ? maybe : 7; }
kernel void two(device half* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = pair.y; }
`
	text := source
	lib := &driver.Library{File: "c.metal", Source: &text}
	arg := func(index int, name, typ string, size int) *driver.Arg {
		return &driver.Arg{Index: index, Name: name, Type: typ, Size: size, Pos: fmt.Sprintf("c.metal:%d", index+1)}
	}
	own := []*driver.Arg{arg(3, "bonus", "uint32_t", 4), arg(4, "maybe", "bool", 1), arg(5, "pair", "half2", 4),
		arg(6, "other", "uint", 4)}
	value := func(at int) driver.Value {
		return driver.Value{Arg: own[at], Bytes: []byte{1, 0, 0, 0}[:own[at].Size]}
	}
	for _, c := range []struct {
		name, kernel string
		constants    []*driver.Arg
		values       []driver.Value
		want         string
	}{
		{"given", "k", own, []driver.Value{value(0)}, ""},
		{"given, and one that is not used", "k", own, []driver.Value{value(3), value(0)}, ""},
		{"missing", "k", own, nil, "function constant bonus has no value: the kernel cannot be compiled without"},
		{"another missing", "k", own, []driver.Value{value(1)},
			"function constant bonus has no value: the kernel cannot be compiled without"},
		{"optional", "optional", own, nil, ""},
		{"optional, given", "optional", own, []driver.Value{value(1)}, ""},
		{"a vector", "two", own, []driver.Value{value(2)}, ""},
		{"unknown to the code", "k", own[1:], nil,
			"an argument (c.metal:8): the generated code says function constant 3 is not used, Metal says function constant 3 " +
				"is uint bonus: run metalgen again"},
		{"renamed", "k", []*driver.Arg{arg(3, "malus", "uint", 4)}, nil,
			"malus (c.metal:4): the generated code says function constant 3 is uint malus, Metal says function constant 3 is " +
				"uint bonus: run metalgen again"},
		{"of another type", "k", []*driver.Arg{arg(3, "bonus", "float", 4)}, nil,
			"bonus (c.metal:4): the generated code says function constant 3 is float bonus, Metal says function constant 3 is " +
				"uint bonus: run metalgen again"},
		{"of a type of its own", "k", []*driver.Arg{arg(3, "bonus", "Mode", 4)}, []driver.Value{value(0)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			x := &driver.Arg{Name: "x", Type: "uint", Size: 4, Writes: true}
			if c.kernel == "two" {
				x.Type, x.Size = "half", 2
			}
			err := d.Prepare(&driver.Kernel{Name: c.kernel, Pos: "c.metal:8", Library: lib, Buffers: []*driver.Arg{x},
				Constants: c.constants}, c.values)
			if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
				t.Errorf("got %s, want %q", got, c.want)
			}
		})
	}
}

func TestRecordingAllocatesNothingOnceThePipelinesAreThere(t *testing.T) {
	d := start(t, metaltest.Options{Quiet: true})
	x := newMemory(t, d, 4*elements)
	plain := scaled(x, 0, x, 0, 1)
	special := &driver.Dispatch{
		Kernel:    &fillKernel,
		Buffers:   []driver.Buffer{{Arg: fillKernel.Buffers[0], Memory: x, Length: 4 * elements}},
		Constants: bonus(5),
		Grid:      driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{elements, 1, 1}},
	}
	r, err := d.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(100, func() {
		for _, one := range []*driver.Dispatch{plain, special} {
			if err := r.Record(one); err != nil {
				t.Fatal(err)
			}
		}
		r.Reset()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
