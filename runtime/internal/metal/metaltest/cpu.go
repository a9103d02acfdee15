//go:build linux && (amd64 || arm64)

package metaltest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// CPU returns what executes dispatches on the CPU device.
func CPU(t testing.TB) func(context.Context, Dispatch) error {
	e := &executor{}
	e.device = cpu.Open(driver.Options{Log: slog.New(logHandler{e})})
	t.Cleanup(func() { e.device.Close() })
	return e.execute
}

type executor struct {
	device *cpu.Device

	mu        sync.Mutex
	log       func(subsystem, category string, level int, text string) // of the dispatch that runs
	recorder  driver.Recorder
	libraries map[string]*driver.Library
	kernels   map[kernelKey]*driver.Kernel
}

type kernelKey struct {
	library *driver.Library
	name    string
}

// execute runs one dispatch to its end, or to that of ctx.
func (e *executor) execute(ctx context.Context, d Dispatch) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.recorder == nil {
		var err error
		if e.recorder, err = e.device.NewRecorder(); err != nil {
			return err
		}
	}
	defer e.recorder.Reset()
	for i, s := range d.InMemory {
		if id, err := e.device.SamplerID(s); err != nil || id != uint64(i+1) {
			return fmt.Errorf("sampler %d in memory is number %d of the CPU device: %v", i+1, id, err)
		}
	}
	e.log = d.Log
	if err := e.recorder.Record(e.dispatch(d)); err != nil {
		return err
	}
	job, err := e.recorder.Submit()
	if err != nil {
		return err
	}
	_, err = job.Wait(ctx)
	return err
}

func (e *executor) dispatch(d Dispatch) *driver.Dispatch {
	to := &driver.Dispatch{
		Kernel: e.kernel(d.Source, d.Kernel),
		Grid:   driver.Grid{Threadgroups: d.Threadgroups, Threads: d.Threads},
	}
	for i, n := range d.Size {
		if n != d.Threadgroups[i]*d.Threads[i] {
			to.Grid.Size = d.Size
		}
	}
	for _, kind := range argKinds {
		if kind.bind != nil {
			kind.bind(to, &d)
		}
	}
	return to
}

// kernel returns the same one for the same name of the same source, because the
// device compiles by address.
func (e *executor) kernel(text, name string) *driver.Kernel {
	if e.libraries == nil {
		e.libraries = map[string]*driver.Library{}
		e.kernels = map[kernelKey]*driver.Kernel{}
	}
	library := e.libraries[text]
	if library == nil {
		library = &driver.Library{File: programName, Source: &text}
		e.libraries[text] = library
	}
	key := kernelKey{library, name}
	k := e.kernels[key]
	if k == nil {
		k = &driver.Kernel{Name: name, Library: library, Pos: programName}
		e.kernels[key] = k
	}
	return k
}

// logHandler hands the messages of kernels to the dispatch that runs.
type logHandler struct{ e *executor }

func (h logHandler) Enabled(context.Context, slog.Level) bool { return h.e.log != nil }
func (h logHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h logHandler) WithGroup(string) slog.Handler            { return h }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	level := map[slog.Level]int{slog.LevelDebug: 1, slog.LevelInfo: 2, slog.LevelWarn: 3, slog.LevelError: 4}[r.Level]
	var subsystem, category string
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "subsystem":
			subsystem = a.Value.String()
		case "category":
			category = a.Value.String()
		}
		return true
	})
	h.e.log(subsystem, category, level, r.Message)
	return nil
}
