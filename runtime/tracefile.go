package runtime

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// traceFile is a file of events in the Trace Event Format, as JSON array. It is complete after each write.
// Google: "Trace Event Format".
type traceFile struct {
	mu      sync.Mutex
	file    *os.File
	end     int64 // where the next event goes
	began   time.Time
	devices int
	asyncs  int
}

// traceFiles are those of the process, by their paths: devices share them.
var traceFiles struct {
	sync.Mutex
	byPath map[string]*traceFile
}

// traceFileAt returns the file of a path, in which %p is the number of the process. The first call makes it an empty
// array.
func traceFileAt(path string) (*traceFile, error) {
	path = strings.ReplaceAll(path, "%p", strconv.Itoa(os.Getpid()))
	traceFiles.Lock()
	defer traceFiles.Unlock()
	if f := traceFiles.byPath[path]; f != nil {
		return f, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString("[\n]\n"); err != nil {
		file.Close()
		return nil, err
	}
	f := &traceFile{file: file, began: time.Now()}
	if traceFiles.byPath == nil {
		traceFiles.byPath = map[string]*traceFile{}
	}
	traceFiles.byPath[path] = f
	return f, nil
}

// traceEvent is an event as the file has it. Times are microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// hook returns what writes the events of a device, which the file shows as a process. Its dispatches are a thread, in
// which slices follow each other. The rest may overlap, and are asynchronous slices, by kinds.
func (f *traceFile) hook(t *tracer) func(Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.devices++
	process := f.devices
	named := false
	return func(e Event) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !named {
			named = true
			f.write(traceEvent{
				Name: "process_name", Phase: "M", Process: process, Args: map[string]any{"name": t.drv.String()},
			})
			f.write(traceEvent{
				Name: "thread_name", Phase: "M", Process: process, Thread: process, Args: map[string]any{"name": "dispatches"},
			})
		}
		f.event(process, e)
	}
}

func (f *traceFile) event(process int, e Event) {
	t := traceEvent{
		Name: e.Name, Category: e.Kind.String(), Phase: "X", Process: process, Thread: process,
		Time: microseconds(e.Start.Sub(f.began)),
	}
	if e.Batch > 0 {
		t.Args = map[string]any{"batch": e.Batch}
	}
	if e.Call.Number > 0 {
		if t.Args == nil {
			t.Args = map[string]any{}
		}
		t.Args["call"] = e.Call.String()
	}
	if e.Kind == DispatchEvent {
		t.Args["bytes"] = e.Bytes
		if !e.Grid.IsZero() {
			t.Args["grid"] = e.Grid.String()
		}
		d := microseconds(e.End.Sub(e.Start))
		t.Duration = &d
		f.write(t)
		return
	}
	f.asyncs++
	t.Phase, t.ID = "b", f.asyncs
	if t.Name == "" {
		t.Name = fmt.Sprintf("%s %d", e.Kind, e.Batch)
	}
	f.write(t)
	t.Phase, t.Time = "e", microseconds(e.End.Sub(f.began))
	f.write(t)
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// write appends an event, and the end of the array, which the next event overwrites. A full disk loses events and
// nothing else.
func (f *traceFile) write(e traceEvent) {
	text, err := json.Marshal(e)
	if err != nil {
		return
	}
	separator := ",\n"
	if f.end == 0 {
		separator = "[\n"
	}
	text = append([]byte(separator), text...)
	if _, err := f.file.WriteAt(append(text, "\n]\n"...), f.end); err == nil {
		f.end += int64(len(text))
	}
}
