//go:build linux && (amd64 || arm64)

package metal

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

func TestEveryKindOfMemoryCopyAndGridComputesWhatItShould(t *testing.T) {
	for _, o := range []metaltest.Options{{}, {Discrete: true}, {Integrated: true}} {
		for _, options := range []driver.Options{{}, {Labels: true}, {Piece: 1}, {Piece: 4}} {
			name := fmt.Sprintf("discrete %v, integrated %v, %+v", o.Discrete, o.Integrated, options)
			t.Run(name, func(t *testing.T) {
				d := startWith(t, o, options)
				checkExecution(t, metaltest.Watch(d))
				barriers := !o.Discrete && options.Piece != 1
				if n := metaltest.Count(); n.Needless != 0 || (n.Barriers > 0) != barriers {
					t.Errorf("%+v", n)
				}
			})
		}
	}
}

// TestBarriersStandWhereBytesMeet counts those of a batch; the fake finds any that is
// missing.
func TestBarriersStandWhereBytesMeet(t *testing.T) {
	const part = 64
	type places struct{ a, b, private, grid, wrap, again driver.Memory }
	piece := func(m driver.Memory, i int) driver.Buffer {
		return driver.Buffer{Memory: m, Offset: part * i, Length: part}
	}
	raise := func(m driver.Memory, i int) *driver.Dispatch { return raised(piece(m, i), driver.Buffer{}) }
	for _, c := range []struct {
		name     string
		steps    func(p places) []any
		barriers uint64
	}{
		{"copies side by side", func(p places) []any {
			return []any{[2]driver.Buffer{piece(p.b, 0), piece(p.a, 0)}, [2]driver.Buffer{piece(p.b, 1), piece(p.a, 0)}}
		}, 0},
		{"a copy of what was copied", func(p places) []any {
			return []any{[2]driver.Buffer{piece(p.b, 0), piece(p.a, 0)}, [2]driver.Buffer{piece(p.b, 1), piece(p.b, 0)}}
		}, 1},
		{"a kernel on what was copied, and one beside", func(p places) []any {
			return []any{[2]driver.Buffer{piece(p.b, 0), piece(p.a, 0)}, raise(p.b, 1), raise(p.b, 0), raise(p.a, 1)}
		}, 1},
		{"a copy over what is read", func(p places) []any {
			return []any{[2]driver.Buffer{piece(p.b, 0), piece(p.a, 0)}, [2]driver.Buffer{piece(p.a, 0), piece(p.a, 1)}}
		}, 1},
		{"parts of private memory", func(p places) []any {
			return []any{raise(p.private, 0), raise(p.private, 1), raise(p.grid, 0), raise(p.private, 0)}
		}, 1},
		{"a grid beside what was written", func(p places) []any {
			return []any{raise(p.grid, 1), raised(piece(p.a, 0), piece(p.grid, 0))}
		}, 0},
		{"a grid that was written", func(p places) []any {
			return []any{planned(piece(p.grid, 0), 1), raised(piece(p.a, 0), piece(p.grid, 0)),
				raised(piece(p.b, 0), piece(p.grid, 0))}
		}, 1},
		{"a grid that is written after", func(p places) []any {
			return []any{raised(piece(p.a, 0), piece(p.grid, 0)), planned(piece(p.grid, 0), 1)}
		}, 1},
		{"two views of the same bytes", func(p places) []any {
			page := p.again.(*memory).start - p.wrap.(*memory).start
			return []any{raise(p.wrap, int(page)/part), raise(p.again, 1), raise(p.again, 0), raise(p.wrap, 0)}
		}, 1},
	} {
		for _, discrete := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, discrete %v", c.name, discrete), func(t *testing.T) {
				d := start(t, metaltest.Options{Discrete: discrete})
				watched := metaltest.Watch(d)
				two := pages(t, 2)
				var wraps []driver.Memory
				for _, bytes := range [][]byte{two, two[len(two)/2:]} {
					m, err := watched.WrapMemory(bytes, false)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(m.Free)
					wraps = append(wraps, m)
				}
				p := places{
					memoryOf(t, watched, 4*part, driver.StorageShared), memoryOf(t, watched, 4*part, driver.StorageShared),
					memoryOf(t, watched, 4*part, driver.StoragePrivate), memoryOf(t, watched, 4*part, driver.StoragePrivate),
					wraps[0], wraps[1],
				}
				if err := batch(t, watched, func(r driver.Recorder) error { return all(r, c.steps(p)...) }); err != nil {
					t.Fatal(err)
				}
				want := c.barriers
				if discrete {
					want = 0 // its encoder is serial
				}
				if n := metaltest.Count(); n.Barriers != want || n.Needless != 0 {
					t.Errorf("%d barriers, %d of them needless, want %d", n.Barriers, n.Needless, want)
				}
			})
		}
	}
}

func TestTheGridIsReadWhenTheDispatchBegins(t *testing.T) {
	d := start(t, metaltest.Options{})
	x, grid := newMemory(t, d, 64), newMemory(t, d, 16)
	r := d.newRecorder()
	if err := r.Record(raised(whole(x, 64), driver.Buffer{Memory: grid, Offset: 4})); err != nil {
		t.Fatal(err)
	}
	metaltest.Fail(metaltest.Hang, metaltest.Fault{})
	job, err := r.Submit()
	if err != nil {
		t.Fatal(err)
	}
	copy(grid.Bytes(), []byte{9, 9, 9, 9, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})
	metaltest.Resume()
	if done, err := job.Wait(t.Context()); !done || err != nil {
		t.Fatal(done, err)
	}
	if x.Bytes()[4*7] != 1 || x.Bytes()[4*8] != 0 {
		t.Errorf("%v", x.Bytes())
	}
}

func TestTimesAreThoseOfTheGPU(t *testing.T) {
	d := start(t, metaltest.Options{})
	x := newMemory(t, d, 64)
	r := d.newRecorder()
	metaltest.Fail(metaltest.GPUTimes, metaltest.Fault{Start: 1.5, End: 4})
	job, err := jobOn(t, r, func(r driver.Recorder) error { return r.Record(raised(whole(x, 64), driver.Buffer{})) })
	if err != nil {
		t.Fatal(err)
	}
	if have := job.Times(); have.Start != 1500*time.Millisecond || have.End != 4*time.Second {
		t.Errorf("from %v to %v, want 1.5s to 4s", have.Start, have.End)
	}
}

func TestDispatchesAreMeasuredByCommandBuffersOfTheirOwn(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Times: true})
	x, y := newMemory(t, d, 64), newMemory(t, d, 64)
	r := d.newRecorder()
	for i, step := range []any{raised(whole(x, 64), driver.Buffer{}), [2]driver.Buffer{whole(y, 64), whole(x, 64)}} {
		if err := all(r, step); err != nil {
			t.Fatal(err)
		}
		metaltest.Fail(metaltest.GPUTimes, metaltest.Fault{Start: 4 - 2*float64(i), End: 5 - 2*float64(i)})
	}
	job, err := jobOn(t, r, func(driver.Recorder) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	want := driver.Times{Start: 2 * time.Second, End: 5 * time.Second, Dispatches: []driver.DispatchTimes{
		{Kernel: "raise", Start: 4 * time.Second, End: 5 * time.Second, Call: 1},
		{Kernel: "Copy", Start: 2 * time.Second, End: 3 * time.Second, Call: 2},
	}}
	if have := job.Times(); !reflect.DeepEqual(have, want) {
		t.Errorf("got %+v, want %+v", have, want)
	}
}

// encoded returns what the encoder was told, without arguments.
func encoded() []string {
	var list []string
	for _, m := range metaltest.Log() {
		if m.Class == "MTLComputeCommandEncoder" {
			list = append(list, strings.TrimPrefix(m.String(), m.Receiver+" "))
		}
	}
	return list
}

func TestLabelsNameBatchesAndDispatches(t *testing.T) {
	for _, c := range []struct {
		name  string
		on    bool
		steps func(x, y driver.Memory) []any
		label string
		want  []string
	}{
		{"off", false, func(x, y driver.Memory) []any { return []any{raised(whole(x, 64), driver.Buffer{})} }, "", nil},
		{"one kernel", true, func(x, y driver.Memory) []any {
			return []any{raised(whole(x, 64), driver.Buffer{}), raised(whole(y, 64), driver.Buffer{})}
		}, "raise", []string{`pushDebugGroup: "raise"`, "popDebugGroup", `pushDebugGroup: "raise"`, "popDebugGroup"}},
		{"several", true, func(x, y driver.Memory) []any {
			return []any{planned(whole(x, 12), 1), raised(whole(y, 64), driver.Buffer{}),
				[2]driver.Buffer{whole(y, 16), whole(x, 16)}}
		}, "plan ... copy16 (3 dispatches)", []string{
			`pushDebugGroup: "plan"`, "popDebugGroup", `pushDebugGroup: "raise"`, "popDebugGroup", `pushDebugGroup: "copy16"`,
			"popDebugGroup",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var label string
			o := metaltest.Options{Execute: func(_ context.Context, d metaltest.Dispatch) error { label = d.Label; return nil }}
			d := startWith(t, o, driver.Options{Labels: c.on})
			watched := metaltest.Watch(d)
			x, y := newMemory(t, watched, 64), newMemory(t, watched, 64)
			if err := batch(t, watched, func(r driver.Recorder) error { return all(r, c.steps(x, y)...) }); err != nil {
				t.Fatal(err)
			}
			var groups []string
			for _, s := range encoded() {
				if strings.Contains(s, "DebugGroup") {
					groups = append(groups, s)
				}
			}
			if label != c.label || !slices.Equal(groups, c.want) {
				t.Errorf("label %q, groups %q", label, groups)
			}
		})
	}
}

func TestLabelsOfOneCaptureEndWithIt(t *testing.T) {
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	x := newMemory(t, watched, 64)
	for _, on := range []bool{false, true, false} {
		d.labels.Store(on)
		metaltest.ResetLog()
		if err := batch(t, watched,
			func(r driver.Recorder) error { return r.Record(raised(whole(x, 64), driver.Buffer{})) }); err != nil {
			t.Fatal(err)
		}
		if got := len(encoded()); got != map[bool]int{false: 4, true: 7}[on] {
			t.Errorf("labels %v: %d messages: %q", on, got, encoded())
		}
	}
}

// A kernel has the threadgroup memory that it takes, and none that another one had.
func TestThreadgroupMemoryOfEarlierKernelsIsGivenBack(t *testing.T) {
	source := `#include <metal_stdlib>
using namespace metal;
kernel void own(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	threadgroup uint s[4096];
	s[i] = i;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	x[i] = s[i];
}
`
	own := &driver.Kernel{
		Name: "own", Library: &driver.Library{File: "own.metal", Source: &source},
		Buffers: []*driver.Arg{{Name: "x", Type: "uint", Size: 4, Writes: true}},
	}
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	x, y := newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements)
	big := scaled(x, 0, y, 0, 1)
	big.Shared[0].Length = 32 << 10
	alone := &driver.Dispatch{
		Kernel: own, Buffers: []driver.Buffer{{Arg: own.Buffers[0], Memory: x, Length: 4 * elements}},
		Grid: driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{elements, 1, 1}},
	}
	if err := run(t, watched, big, alone, big, scaled(x, 0, y, 0, 1), alone); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"setThreadgroupMemoryLength: 32768 atIndex: 0", "setThreadgroupMemoryLength: 0 atIndex: 0",
		"setThreadgroupMemoryLength: 32768 atIndex: 0", "setThreadgroupMemoryLength: 256 atIndex: 0",
		"setThreadgroupMemoryLength: 0 atIndex: 0",
	}
	if got := lengths(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// lengths returns the messages about threadgroup memory.
func lengths() []string {
	return slices.DeleteFunc(encoded(), func(s string) bool { return !strings.HasPrefix(s, "setThreadgroupMemoryLength") })
}

// A kernel that needs all of it gets it, also after one that had more arguments.
func TestAllThreadgroupMemoryIsForWhoNeedsIt(t *testing.T) {
	source := `#include <metal_stdlib>
using namespace metal;
kernel void two(device uint* x [[buffer(0)]], threadgroup uint* s [[threadgroup(0)]], threadgroup uint* u ` +
		`[[threadgroup(1)]],
                uint i [[thread_position_in_grid]]) {
	s[i] = i;
	u[i] = s[i];
	x[i] = u[i];
}
`
	two := &driver.Kernel{
		Name: "two", Library: &driver.Library{File: "two.metal", Source: &source},
		Buffers: []*driver.Arg{{Name: "x", Type: "uint", Size: 4, Writes: true}},
		Shared:  []*driver.Arg{{Index: 0, Name: "s", Type: "uint", Size: 4}, {Index: 1, Name: "u", Type: "uint", Size: 4}},
	}
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	x, y := newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements)
	both := &driver.Dispatch{
		Kernel: two, Buffers: []driver.Buffer{{Arg: two.Buffers[0], Memory: x, Length: 4 * elements}},
		Shared: []driver.Shared{{Arg: two.Shared[0], Length: 4 * elements}, {Arg: two.Shared[1], Length: 4 * elements}},
		Grid:   driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{elements, 1, 1}},
	}
	most, nearly := scaled(x, 0, y, 0, 1), scaled(x, 0, y, 0, 1)
	most.Shared[0].Length, nearly.Shared[0].Length = 32<<10, 32<<10-16
	if err := run(t, watched, both, nearly, both, most); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"setThreadgroupMemoryLength: 256 atIndex: 0", "setThreadgroupMemoryLength: 256 atIndex: 1",
		"setThreadgroupMemoryLength: 32752 atIndex: 0", "setThreadgroupMemoryLength: 0 atIndex: 1",
		"setThreadgroupMemoryLength: 256 atIndex: 0", "setThreadgroupMemoryLength: 256 atIndex: 1",
		"setThreadgroupMemoryLength: 32768 atIndex: 0", "setThreadgroupMemoryLength: 0 atIndex: 1",
	}
	if got := lengths(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
