package runtime_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

func TestParseChecksTakesWhatStringReturns(t *testing.T) {
	for c := runtime.Checks(1); c <= runtime.CheckAll|runtime.CheckNaN; c++ {
		if got, err := runtime.ParseChecks(c.String()); err != nil || got != c {
			t.Errorf("%s: %v, %v", c, got, err)
		}
	}
	if got, err := runtime.ParseChecks("all"); err != nil || got != runtime.CheckAll {
		t.Errorf("all: %v, %v", got, err)
	}
	for _, list := range []string{"", "races", "race,", "race barrier"} {
		if c, err := runtime.ParseChecks(list); err == nil || !strings.Contains(err.Error(), "need all, race, ") {
			t.Errorf("%q: %v, %v", list, c, err)
		}
	}
}

var swapSource = `#include <metal_stdlib>
using namespace metal;
kernel void swap(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	x[i] = x[i ^ 32];
}
`

var swap = bind.Kernel{
	Name: "swap", Library: &bind.Library{File: "swap.metal", Source: &swapSource}, Pos: "swap.metal:3",
	Args: []bind.Arg{{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.ReadWrite}},
}

// swapHalves records a call of the kernel, which races.
func swapHalves(b *runtime.Batch, x runtime.Buffer[float32]) {
	c := b.Call(&swap)
	c.Buffer(0, x.View(), x.Len())
	c.Dispatch(runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{64, 1, 1}})
}

func TestRacesAreFindingsOfTheBatch(t *testing.T) {
	for _, c := range []struct {
		variable string
		options  runtime.Options
		found    bool
	}{
		{"", runtime.Options{Device: "cpu"}, false},
		{"", runtime.Options{Device: "cpu", Sanitize: runtime.CheckRace}, true},
		{"race", runtime.Options{Device: "cpu"}, true},
		{"race-simdgroup", runtime.Options{Device: "cpu"}, false},
		{"all", runtime.Options{Device: "cpu", Sanitize: runtime.CheckRaceSimdgroup}, false},
	} {
		t.Setenv("METALGEN_SANITIZE", c.variable)
		dev, err := runtime.OpenWith(c.options)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		x, err := runtime.NewBuffer[float32](dev, 64)
		if err != nil {
			t.Fatal(err)
		}
		b := dev.NewBatch()
		swapHalves(b, x)
		swapHalves(b, x)
		err = b.Run(t.Context())
		var found *runtime.Findings
		if errors.As(err, &found) != c.found {
			t.Errorf("%s, %+v: %v", c.variable, c.options, err)
		}
		if !c.found {
			continue
		}
		if len(found.List) != 2 {
			t.Fatalf("want a finding of each call, found %v", found)
		}
		const want = `swap: swap.metal:4:3: race on x[0]: thread (0, 0, 0) writes it, and thread (32, 0, 0) reads it at ` +
			"swap.metal:4:10, with no threadgroup_barrier(mem_flags::mem_device) between; here 0 was written, then 0 read; " +
			"threadgroup (0, 0, 0), and 63 times more\n" +
			"\t\tx[i] = x[i ^ 32];\n" +
			"\t\t ^\n" +
			"swap.metal:4:10:\n" +
			"\t\tx[i] = x[i ^ 32];\n" +
			"\t\t        ^"
		if got := found.List[0].String(); got != want {
			t.Errorf("reported\n%s\nwant\n%s", got, want)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the batch failed with\n%v", err)
		}
		f := found.List[0]
		if f.Kind != runtime.CheckRace || len(f.Places) != 2 || f.Places[0].Thread != [3]int{0, 0, 0} {
			t.Errorf("found %+v", f)
		}
	}
}

var sumsSource = `#include <metal_stdlib>
using namespace metal;
kernel void sums(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
	uint i [[thread_position_in_grid]]) {
	y[2 * i] = x[i] + x[i + OFFSET];
}
`

// TestWhatIsTouchedIsComparedWithStatedShapes is about buffers that are longer than the shapes of a call.
func TestWhatIsTouchedIsComparedWithStatedShapes(t *testing.T) {
	kernel := func(offset string) *bind.Kernel {
		source := "#define OFFSET " + offset + "\n" + sumsSource
		return &bind.Kernel{
			Name: "sums", Library: &bind.Library{File: "sums.metal", Source: &source}, Pos: "sums.metal:4",
			Args: []bind.Arg{
				{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.Read, Shape: "[n]"},
				{Kind: bind.BufferArg, Index: 1, Name: "y", Type: "float", Size: 4, Align: 4, Access: runtime.Write,
					Shape: "[2 * n]"},
			},
		}
	}
	for _, c := range []struct {
		name, offset string
		length       int // of x
		stated       int // elements of y
		found, note  string
	}{
		{"inside", "0", 128, 127, "", "no thread writes 63 of the 127 elements that the shape of y states, [2 * n]; " +
			"the first of them is y[1]"},
		{"beyond", "1", 127, 127, "sums: sums.metal:6:21: x[64] is beyond the shape of x: thread (63, 0, 0) reads it, but " +
			"the call states 64 elements, [n]; the buffer has 127", "63 of the 127"},
		{"a stack of two", "1", 128, 127, "", "63 of the 127"},
		{"stores beyond", "0", 64, 100, "y[100] is beyond the shape of y: thread (50, 0, 0) writes it, but the call states " +
			"100 elements, [2 * n]; the buffer has 127; threadgroup (1, 0, 0), and 13 times more", "50 of the 100"},
		{"nothing stated", "0", 64, 0, "y[0] is beyond the shape of y: thread (0, 0, 0)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var logged strings.Builder
			dev, err := runtime.OpenWith(runtime.Options{
				Device: "cpu", Sanitize: runtime.CheckAll, Log: slog.New(slog.NewTextHandler(&logged, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			x, err := runtime.NewBuffer[float32](dev, c.length)
			if err != nil {
				t.Fatal(err)
			}
			y, err := runtime.NewBuffer[float32](dev, 127)
			if err != nil {
				t.Fatal(err)
			}
			b := dev.NewBatch()
			call := b.Call(kernel(c.offset))
			call.Buffer(0, x.View(), 64)
			call.Buffer(1, y.View(), c.stated)
			call.Dispatch(runtime.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{32, 1, 1}})
			err = b.Run(t.Context())
			var found *runtime.Findings
			switch {
			case c.found == "" && err != nil:
				t.Errorf("found %v", err)
			case c.found != "" && (!errors.As(err, &found) || !strings.Contains(err.Error(), c.found)):
				t.Errorf("found %v, want %q", err, c.found)
			case c.found != "" && (len(found.List) != 1 || found.List[0].Kind != runtime.CheckShape):
				t.Errorf("found %v, want one thing", found)
			}
			if got := logged.String(); !strings.Contains(got, c.note) || c.note == "" && got != "" {
				t.Errorf("logged %q, want %q", got, c.note)
			}
		})
	}
}

func TestOnlyTheCPUDeviceHasASanitizer(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "")
	t.Setenv("METALGEN_SANITIZE", "all")
	dev, err := runtime.Open()
	if err != nil {
		t.Fatal(err)
	}
	if name := dev.String(); !strings.HasPrefix(name, "CPU (") {
		t.Errorf("opened %s", name)
	}
	dev.Close()
	const want = `device "metal": only the CPU device has a sanitizer and schedules`
	if _, err := runtime.OpenWith(runtime.Options{Device: "metal"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	if _, err := runtime.OpenWith(runtime.Options{Device: "metal", Schedule: 1}); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	t.Setenv("METALGEN_SCHEDULE", "first")
	if _, err := runtime.Open(); err == nil || !strings.Contains(err.Error(), `METALGEN_SCHEDULE=first: need a number`) {
		t.Errorf("%v", err)
	}
	t.Setenv("METALGEN_SANITIZE", "rice")
	const wantList = `METALGEN_SANITIZE: "rice": need all, race`
	if _, err := runtime.Open(); err == nil || !strings.Contains(err.Error(), wantList) {
		t.Errorf("%v, want %q", err, wantList)
	}
}

func TestEachRunOfAKeptBatchHasItsOwnFindings(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Sanitize: runtime.CheckRace})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	b := dev.NewBatch()
	b.Keep()
	swapHalves(b, newBuffer[float32](t, dev, 64))
	var first string
	for i := range 3 {
		err := b.Run(t.Context())
		var found *runtime.Findings
		if !errors.As(err, &found) {
			t.Fatalf("run %d: got %v", i, err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Errorf("run %d: got %v\nwant %s", i, err, first)
		}
	}
	b.Reset()
}
