package gen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// traceEvent has the fields of the Trace Event Format that a trace may have.
type traceEvent struct {
	Name *string        `json:"name"`
	Cat  string         `json:"cat"`
	Ph   string         `json:"ph"`
	Ts   *float64       `json:"ts"`
	Dur  *float64       `json:"dur"`
	Pid  *int           `json:"pid"`
	Tid  *int           `json:"tid"`
	ID   int            `json:"id"`
	Args map[string]any `json:"args"`
}

// readTrace returns the events of a file, which it checks against the format: "Trace Event Format", Google.
func readTrace(t *testing.T, path string) []traceEvent {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var events []traceEvent
	if err := d.Decode(&events); err != nil || d.More() {
		t.Fatalf("%v in\n%s", err, text)
	}
	type pair struct {
		cat string
		id  int
	}
	began := map[pair]traceEvent{}
	for _, e := range events {
		if e.Name == nil || *e.Name == "" || e.Ts == nil || e.Pid == nil || e.Tid == nil {
			t.Fatalf("%+v lacks a field", e)
		}
		p := pair{e.Cat, e.ID}
		first, open := began[p]
		switch e.Ph {
		case "M":
			if _, ok := e.Args["name"].(string); !ok {
				t.Errorf("%s without a name", *e.Name)
			}
		case "X":
			if e.Dur == nil || *e.Dur < 0 {
				t.Errorf("%s has no duration", *e.Name)
			}
		case "b":
			if open || e.ID == 0 {
				t.Errorf("%s %d begins twice, or has no ID", e.Cat, e.ID)
			}
			began[p] = e
		case "e":
			if !open || *first.Name != *e.Name || *e.Ts < *first.Ts {
				t.Errorf("%s %d ends as %s, and began as %+v", e.Cat, e.ID, *e.Name, first)
			}
			delete(began, p)
		default:
			t.Errorf("phase %q", e.Ph)
		}
	}
	if len(began) > 0 {
		t.Errorf("%d slices have no end", len(began))
	}
	return events
}

func TestTheTraceOfAMixtureOfExpertsLayerHasASliceForEachDispatch(t *testing.T) {
	for _, device := range []struct {
		name string
		open func(t *testing.T) *runtime.Device
	}{
		{"CPU", func(t *testing.T) *runtime.Device {
			dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { dev.Close() })
			return dev
		}},
		{"fake", func(t *testing.T) *runtime.Device {
			dev, _ := openFake(t, fakemetal.Options{})
			return dev
		}},
	} {
		t.Run(device.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("METALGEN_TRACE", filepath.Join(dir, "%p.json"))
			dev := device.open(t)
			c := moeLayers[0]
			execute(t, dev, c.on(newMoeLayer(t, c.tokens), &memories{t: t, dev: dev}).record)

			var have, want []string
			for _, e := range readTrace(t, filepath.Join(dir, fmt.Sprintf("%d.json", os.Getpid()))) {
				if e.Cat == "dispatch" {
					have = append(have, *e.Name)
				}
			}
			for _, name := range c.order {
				if name != fakemetal.Barrier {
					want = append(want, name)
				}
			}
			if !slices.Equal(have, want) {
				t.Errorf("slices\n\t%q\nwant\n\t%q", have, want)
			}
		})
	}
}
