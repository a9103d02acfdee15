package fakemetal_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// here returns the line that it is called from, and offset more, as a CallSite has it.
func here(offset int) string {
	_, _, line, _ := goruntime.Caller(1)
	return fmt.Sprintf("fakemetal/callsite_test.go:%d", line+offset)
}

func doubled(b *runtime.Batch, x runtime.Buffer[float32], threads int) { scaled(b, x, x, 2, threads) }

// madeIn is where the function is that makes the calls of doubled: it is not generated.
const madeIn = "fakemetal/fakemetal_test.go:"

func TestMistakesSayWhichCallTheyAreOf(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := upload(t, dev, 1, 2, 3)
		b := dev.NewBatch()
		doubled(b, x, 3)
		b.Label("layer 2")
		runtime.Copy(b, x.Slice(0, 1), x.Slice(1, 2))
		runtime.Copy(b, x, runtime.Buffer[float32]{})
		line := here(-1)
		err := b.Run(t.Context())
		var e *runtime.ArgError
		if !errors.As(err, &e) {
			t.Fatalf("got %v", err)
		}
		if want := (runtime.CallSite{Number: 3, Label: "layer 2", Line: line}); e.Call != want {
			t.Errorf("got %+v, want %+v", e.Call, want)
		}
		if !strings.HasSuffix(err.Error(), "; call 3 (layer 2), "+line) {
			t.Errorf("got %v", err)
		}
		runtime.Copy(b, x, runtime.Buffer[float32]{}) // the next batch begins without a label
		line = here(-1)
		if err := b.Run(t.Context()); !errors.As(err, &e) || e.Call != (runtime.CallSite{Number: 1, Line: line}) {
			t.Errorf("got %v", err)
		}
	})
}

func TestFaultsSayWhichCallTheyAreOf(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := upload(t, dev, 1, 2, 3)
	b := dev.NewBatch()
	b.Keep()
	doubled(b, x, 3)
	runtime.Copy(b, x.Slice(0, 0), x.Slice(0, 0)) // does nothing and is a call
	b.Label("late")
	doubled(b, x, 64)
	for range 2 {
		err = b.Run(t.Context())
		var e *runtime.Fault
		if !errors.As(err, &e) || e.Call.Number != 3 || e.Call.Label != "late" || !strings.HasPrefix(e.Call.Line, madeIn) {
			t.Fatalf("got %v", err)
		}
		if !strings.HasSuffix(err.Error(), "; "+e.Call.String()) {
			t.Errorf("got %v", err)
		}
	}
	b.Reset()
}

func TestFindingsSayWhichCallTheyAreOf(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Sanitize: runtime.CheckRace | runtime.CheckNaN})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x, nothing := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	doubled(b, x, 3)
	scaled(b, nothing, nothing, float32(inf()), 3)
	doubled(b, x, 64) // a fault beside the finding
	err = b.Run(t.Context())
	var found *runtime.Findings
	var fault *runtime.Fault
	if !errors.As(err, &found) || !errors.As(err, &fault) {
		t.Fatalf("got %v", err)
	}
	if n := found.List[0].Call.Number; n != 2 || fault.Call.Number != 3 {
		t.Errorf("the finding is of call %d, the fault of call %d", n, fault.Call.Number)
	}
	for _, want := range []string{"; call 2, " + madeIn, "; call 3, " + madeIn} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func TestCallsThatRunNothingAreFindingsOfTheirPlace(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Sanitize: runtime.CheckIdle})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := upload(t, dev, 1, 2, 3)
	b := dev.NewBatch()
	b.Keep()
	doubled(b, x, 3)
	b.Label("no rows")
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x})
	line := here(-1)
	for range 2 {
		var found *runtime.Findings
		if err := b.Run(t.Context()); !errors.As(err, &found) || len(found.List) != 1 {
			t.Fatalf("got %v", err)
		}
		if want := (runtime.CallSite{Number: 2, Label: "no rows", Line: line}); found.List[0].Call != want {
			t.Errorf("got %+v, want %+v", found.List[0].Call, want)
		}
	}
	b.Reset()
}

func inf() float64 { zero := 0.0; return 1 / zero }

func TestEventsAndTimesSayWhichCallTheyAreOf(t *testing.T) {
	var events []runtime.Event
	options := runtime.Options{Trace: func(e runtime.Event) {
		if e.Kind == runtime.DispatchEvent {
			events = append(events, e)
		}
	}}
	check := func(t *testing.T, dev *runtime.Device) {
		events = nil
		x := upload(t, dev, 1, 2, 3)
		b := dev.NewBatch()
		doubled(b, x, 3)
		b.Label("a copy")
		runtime.Copy(b, x.Slice(0, 1), x.Slice(1, 2))
		line := here(-1)
		mustRun(t, b)
		var sites []runtime.CallSite
		for _, e := range events {
			sites = append(sites, e.Call)
		}
		times := b.Result().Dispatches()
		if len(sites) != 2 || len(times) != 2 || times[0].Call != sites[0] || times[1].Call != sites[1] {
			t.Fatalf("got %+v and %+v", sites, times)
		}
		if want := (runtime.CallSite{Number: 2, Label: "a copy", Line: line}); sites[1] != want || sites[0].Number != 1 {
			t.Errorf("got %+v", sites)
		}
	}
	t.Run("cpu", func(t *testing.T) {
		options.Device = "cpu"
		dev, err := runtime.OpenWith(options)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		check(t, dev)
	})
	t.Run("metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{Runtime: options})
		check(t, dev)
	})
}

func TestCompilationsAndCallsOfNothingSayWhichCallTheyAreOf(t *testing.T) {
	var mu sync.Mutex
	sites := map[runtime.EventKind][]runtime.CallSite{}
	options := runtime.Options{Device: "cpu", Lines: runtime.LinesAlways, Trace: func(e runtime.Event) {
		mu.Lock()
		defer mu.Unlock()
		sites[e.Kind] = append(sites[e.Kind], e.Call)
	}}
	check := func(t *testing.T, dev *runtime.Device, compilations int) {
		clear(sites)
		x := upload(t, dev, 1, 2, 3)
		b := dev.NewBatch()
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x})
		line := here(-1)
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 3})
		compiles := here(-1)
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 3})
		mustRun(t, b)
		if got := sites[runtime.IdleEvent]; len(got) != 1 || got[0] != (runtime.CallSite{Number: 1, Line: line}) {
			t.Errorf("calls of nothing: %+v", got)
		}
		want := slices.Repeat([]runtime.CallSite{{Number: 2, Line: compiles}}, compilations)
		if got := sites[runtime.CompileEvent]; !slices.Equal(got, want) {
			t.Errorf("compilations: %+v, want %+v", got, want)
		}
	}
	t.Run("cpu", func(t *testing.T) {
		dev, err := runtime.OpenWith(options)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		check(t, dev, 1)
	})
	t.Run("metal", func(t *testing.T) {
		options.Device = ""
		dev, _ := fakemetal.Open(t, fakemetal.Options{Runtime: options})
		check(t, dev, 2) // of the source and of the kernel
	})
}

func TestLinesAreKeptWhereSomebodyWantsThem(t *testing.T) {
	for _, c := range []struct {
		variable          string
		option            runtime.Lines
		mistakes, results bool
	}{
		{"", runtime.LinesInTests, true, true},
		{"off", runtime.LinesInTests, false, false},
		{"on", runtime.LinesInTests, true, true},
		{"on", runtime.LinesNever, false, false},
		{"off", runtime.LinesAlways, true, true},
	} {
		t.Setenv("METALGEN_LINES", c.variable)
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Times: true, Lines: c.option})
		if err != nil {
			t.Fatal(err)
		}
		x := upload(t, dev, 1, 2, 3)
		b := dev.NewBatch()
		doubled(b, x, 3)
		mustRun(t, b)
		if has := b.Result().Dispatches()[0].Call.Line != ""; has != c.results {
			t.Errorf("%+v: results have lines: %v", c, has)
		}
		runtime.Copy(b, x, runtime.Buffer[float32]{})
		var e *runtime.ArgError
		if err := b.Run(t.Context()); !errors.As(err, &e) || (e.Call.Line != "") != c.mistakes {
			t.Errorf("%+v: %v", c, err)
		}
		dev.Close()
	}
}

func TestCallSitesAreText(t *testing.T) {
	var got []string
	for _, s := range []runtime.CallSite{
		{}, {Label: "x", Line: "y"}, {Number: 1}, {Number: 2, Label: "x"}, {Number: 3, Line: "m/a.go:1"},
		{Number: 4, Label: "layer 3", Line: "m/a.go:1"},
	} {
		got = append(got, s.String())
	}
	want := []string{"", "", "call 1", "call 2 (x)", "call 3, m/a.go:1", "call 4 (layer 3), m/a.go:1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
