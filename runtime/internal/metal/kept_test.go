//go:build linux && (amd64 || arm64)

package metal

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

func TestKeptBatchesComputeTheSameInEveryRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		fake    metaltest.Options
		options driver.Options
	}{
		{"in one piece", metaltest.Options{}, driver.Options{}},
		{"in pieces", metaltest.Options{}, driver.Options{Piece: 2}},
		{"with times", metaltest.Options{}, driver.Options{Times: true}},
		{"with labels", metaltest.Options{}, driver.Options{Labels: true}},
		{"without unified memory", metaltest.Options{Discrete: true}, driver.Options{}},
		{"on another GPU than Apple's", metaltest.Options{Integrated: true}, driver.Options{}},
		{"without indirect command buffers", metaltest.Options{Hide: []string{"MTLIndirectCommandBufferDescriptor"}},
			driver.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkKept(t, metaltest.Watch(startWith(t, c.fake, c.options)))
		})
	}
}

func runKept(t *testing.T, r driver.Recorder) {
	t.Helper()
	r.Keep()
	job, err := r.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if done, err := job.Wait(t.Context()); !done || err != nil {
		t.Fatal(done, err)
	}
}

func TestTheGPUHasCommandsForWhatAllowsThem(t *testing.T) {
	logging := func(d *Device) { d.labels.Store(true) }
	for _, c := range []struct {
		name  string
		with  func(d *Device)
		fault metaltest.FaultKind
		of    string
		calls func(t *testing.T, d *Device) []any
		want  bool
	}{
		{name: "calls with buffers, values and threadgroup memory", want: true,
			calls: func(t *testing.T, d *Device) (calls []any) {
				for _, one := range norms(t, d) {
					calls = append(calls, one)
				}
				return calls
			}},
		{name: "calls with barriers between them", want: true, calls: func(t *testing.T, d *Device) []any {
			x := newMemory(t, d, 64)
			return []any{raised(whole(x, 64), driver.Buffer{}), raised(whole(x, 64), driver.Buffer{})}
		}},
		{name: "a grid from a buffer", calls: func(t *testing.T, d *Device) []any {
			x := newMemory(t, d, 64)
			return []any{raised(whole(x, 64), whole(newMemory(t, d, 12), 12))}
		}},
		{name: "textures", calls: func(t *testing.T, d *Device) []any {
			four := driver.TextureSpec{Type: bind.TextureBuffer, Format: pixel.R32Uint, Width: 4, Height: 1}
			return []any{raisedTexels(textureOf(t, d, four), 4)}
		}},
		{name: "labels", with: logging, calls: func(t *testing.T, d *Device) []any {
			return []any{raised(whole(newMemory(t, d, 64), 64), driver.Buffer{})}
		}},
		{name: "a pipeline that Metal refuses", fault: metaltest.PipelineError, of: "raise",
			calls: func(t *testing.T, d *Device) []any {
				return []any{raised(whole(newMemory(t, d, 64), 64), driver.Buffer{})}
			}},
		{name: "no memory for it", fault: metaltest.OutOfMemory, calls: func(t *testing.T, d *Device) []any {
			return []any{raised(whole(newMemory(t, d, 64), 64), driver.Buffer{})}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			if c.with != nil {
				c.with(d)
			}
			r, err := metaltest.Watch(d).NewRecorder()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Reset()
			if err := all(r, c.calls(t, d)...); err != nil {
				t.Fatal(err)
			}
			if c.fault != 0 {
				metaltest.Fail(c.fault, metaltest.Fault{Name: c.of, Code: 3, Text: "not for commands"})
			}
			for range 3 {
				metaltest.ResetLog()
				runKept(t, r)
				got := encoded()
				others := slices.DeleteFunc(slices.Clone(got), func(m string) bool {
					return strings.HasPrefix(m, "useResources:") || strings.HasPrefix(m, "executeCommandsInBuffer:")
				})
				if has := len(others) == 1 && len(got) <= 4; has != c.want {
					t.Errorf("sent %q", got)
				}
			}
		})
	}
}

// Barriers of other GPUs than Apple's are not to be relied on, so these replay the tape.
func TestOnlyApplesGPUsGetCommands(t *testing.T) {
	for _, c := range []struct {
		name string
		fake metaltest.Options
		want bool
	}{
		{"Apple's", metaltest.Options{Machine: metaltest.M1}, true},
		{"Intel's", metaltest.Options{Integrated: true}, false},
		{"a discrete one", metaltest.Options{Discrete: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, c.fake)
			r := d.newRecorder()
			defer r.Reset()
			if err := r.Record(raised(whole(newMemory(t, d, 64), 64), driver.Buffer{})); err != nil {
				t.Fatal(err)
			}
			runKept(t, r)
			if has := r.pieces[0].commands.id != 0; has != c.want {
				t.Errorf("there are commands: %v", has)
			}
		})
	}
}

// A pipeline for commands may allow fewer threads than the other one.
func TestCommandsHaveNoMoreThreadsThanTheirPipelineAllows(t *testing.T) {
	p := &pipeline{}
	p.inCommands.once.Do(func() { p.inCommands.id, p.inCommands.maxThreads = 7, 64 })
	if id, err := p.inCommandsOf(nil, [3]uintptr{16, 4, 1}); id != 7 || err != nil {
		t.Errorf("64 threads: %v, %v", id, err)
	}
	if _, err := p.inCommandsOf(nil, [3]uintptr{65, 1, 1}); !errors.Is(err, errNoCommand) {
		t.Errorf("65 threads: %v", err)
	}
}

func TestAKernelThatLogsHasNoCommands(t *testing.T) {
	p := &pipeline{logs: true}
	if err := p.makeInCommands(nil); !errors.Is(err, errNoCommand) {
		t.Errorf("got %v", err)
	}
}

// A barrier is for the command that it stands before, and not for those after it.
func TestCommandsHaveTheBarriersOfTheTape(t *testing.T) {
	d := start(t, metaltest.Options{})
	x, y := newMemory(t, d, 64), newMemory(t, d, 64)
	r := d.newRecorder()
	defer r.Reset()
	if err := all(r, raised(whole(x, 64), driver.Buffer{}), raised(whole(x, 64), driver.Buffer{}),
		raised(whole(y, 64), driver.Buffer{})); err != nil {
		t.Fatal(err)
	}
	var list []command
	var err error
	objc.WithPool(func() { list, err = r.pieces[0].list(d) })
	if err != nil || len(list) != 3 || list[0].barrier || !list[1].barrier || list[2].barrier {
		t.Errorf("%+v, %v", list, err)
	}
}

// What was recorded after a run is in the commands of the next.
func TestCommandsAreMadeAnewForWhatIsAdded(t *testing.T) {
	d := start(t, metaltest.Options{})
	x := newMemory(t, d, 64)
	r, err := metaltest.Watch(d).NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Reset()
	want := uint32(0)
	for calls := range uint32(5) {
		if err := r.Record(raised(whole(x, 64), driver.Buffer{})); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			runKept(t, r)
			want += calls + 1
			if got := binary.LittleEndian.Uint32(x.Bytes()); got != want {
				t.Fatalf("%d calls: %d, want %d", calls+1, got, want)
			}
		}
	}
}

// A batch that nobody resets is released with its device.
func TestCommandsAreReleasedWithTheirDevice(t *testing.T) {
	d := start(t, metaltest.Options{})
	x := newMemory(t, d, 64)
	r := d.newRecorder()
	if err := r.Record(raised(whole(x, 64), driver.Buffer{})); err != nil {
		t.Fatal(err)
	}
	runKept(t, r)
	if r.pieces[0].commands.id == 0 {
		t.Error("there are no commands")
	}
}

func TestAKeptRunAllocatesAsLittleAsARecordedOne(t *testing.T) {
	d := start(t, metaltest.Options{Bench: true})
	list := norms(t, d)
	r := d.newRecorder()
	defer r.Reset()
	record := func() {
		for _, one := range list {
			if err := r.Record(one); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func() {
		job, err := r.Submit()
		if err != nil {
			t.Fatal(err)
		}
		if done, err := job.Wait(t.Context()); !done || err != nil {
			t.Fatal(done, err)
		}
	}
	recorded := testing.AllocsPerRun(50, func() {
		record()
		run()
		r.Reset()
	})
	record()
	kept := testing.AllocsPerRun(50, func() {
		r.Keep()
		run()
	})
	if kept > recorded+1 { // pools drop some of what they are given at random under the race detector
		t.Errorf("%v allocations, %v where it is recorded", kept, recorded)
	}
}
