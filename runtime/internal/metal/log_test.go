//go:build linux && (amd64 || arm64)

package metal

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/driver/drivertest"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// logKernels are three kernels: two of a source with os_log, and one of another.
func logKernels() (says, tells, quiet *driver.Kernel) {
	source := `#include <metal_logging>
constant metal::os_log logger("com.example", "kernels");
kernel void says(uint i [[thread_position_in_grid]]) {
	logger.log_error("says %u of %v2hlf\n", i, metal::float2(1.5, i));
	metal::os_log_default.log_debug("details");
}
kernel void tells(uint i [[thread_position_in_grid]]) { metal::os_log_default.log("tells %u", i); }
`
	other := "kernel void quiet() {}\n"
	library := &driver.Library{File: "log.metal", Source: &source}
	return &driver.Kernel{Name: "says", Library: library}, &driver.Kernel{Name: "tells", Library: library},
		&driver.Kernel{Name: "quiet", Library: &driver.Library{File: "quiet.metal", Source: &other}}
}

// runAll runs a batch of kernels, of two threads each.
func runAll(t *testing.T, d *Device, kernels ...*driver.Kernel) {
	t.Helper()
	err := batch(t, d, func(r driver.Recorder) error {
		for _, k := range kernels {
			grid := driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{2, 1, 1}}
			if err := r.Record(&driver.Dispatch{Kernel: k, Grid: grid}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestKernelsLog(t *testing.T) {
	says, tells, quiet := logKernels()
	for _, test := range []struct {
		name    string
		level   slog.Level
		kernels []*driver.Kernel
		want    []string
	}{
		{"one kernel", slog.LevelInfo, []*driver.Kernel{quiet, says}, []string{
			"ERROR says 0 of 1.500000,0.000000 kernel=says subsystem=com.example category=kernels",
			"ERROR says 1 of 1.500000,1.000000 kernel=says subsystem=com.example category=kernels"}},
		{"details", slog.LevelDebug, []*driver.Kernel{says}, []string{
			"ERROR says 0 of 1.500000,0.000000 kernel=says subsystem=com.example category=kernels",
			"ERROR says 1 of 1.500000,1.000000 kernel=says subsystem=com.example category=kernels",
			"DEBUG details kernel=says", "DEBUG details kernel=says"}},
		{"several kernels", slog.LevelInfo, []*driver.Kernel{tells, says}, []string{
			"INFO tells 0", "INFO tells 1",
			"ERROR says 0 of 1.500000,0.000000 subsystem=com.example category=kernels",
			"ERROR says 1 of 1.500000,1.000000 subsystem=com.example category=kernels"}},
		{"one kernel twice", slog.LevelInfo, []*driver.Kernel{tells, tells}, []string{
			"INFO tells 0 kernel=tells", "INFO tells 1 kernel=tells", "INFO tells 0 kernel=tells", "INFO tells 1 kernel=tells"}},
		{"no kernel", slog.LevelInfo, []*driver.Kernel{quiet}, nil},
		{"nobody listens", slog.LevelError + 1, []*driver.Kernel{says, tells}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			to := &drivertest.Log{Level: test.level}
			d := startWith(t, metaltest.Options{}, driver.Options{Log: slog.New(to)})
			for range 2 {
				to.Lines = nil
				runAll(t, d, test.kernels...)
				if !slices.Equal(to.Lines, test.want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(to.Lines, "\n"), strings.Join(test.want, "\n"))
				}
			}
			for _, m := range metaltest.Log() {
				if test.want == nil && strings.Contains(m.Selector, "Log") {
					t.Errorf("%v, though there is nothing to log", m)
				}
			}
		})
	}
}

// Two devices have blocks of their own.
func TestDevicesLogByThemselves(t *testing.T) {
	_, tells, _ := logKernels()
	one, two := &drivertest.Log{}, &drivertest.Log{}
	d := startWith(t, metaltest.Options{}, driver.Options{Log: slog.New(one)})
	other, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{Log: slog.New(two)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	runAll(t, d, tells)
	runAll(t, other, tells)
	runAll(t, other, tells)
	if len(one.Lines) != 2 || len(two.Lines) != 4 {
		t.Errorf("%d and %d messages", len(one.Lines), len(two.Lines))
	}
}

// A buffer of Metal's is finite, and what has no room is lost.
func TestMessagesThatHaveNoRoomAreLost(t *testing.T) {
	source := "kernel void much() { for (int i = 0; i < 2000; i++) metal::os_log_default.log(\"%1000d\", i); }\n"
	to := &drivertest.Log{}
	d := startWith(t, metaltest.Options{}, driver.Options{Log: slog.New(to)})
	runAll(t, d, &driver.Kernel{Name: "much", Library: &driver.Library{File: "much.metal", Source: &source}})
	if n := len(to.Lines); n < logBuffer/1100 || n > logBuffer/1000 {
		t.Errorf("%d messages of 1000 bytes from a buffer of %d", n, logBuffer)
	}
}

func TestSystemsWithoutLoggingWarnOnce(t *testing.T) {
	guarded := `#if __METAL_VERSION__ >= 320
#include <metal_logging>
#define LOG(x) metal::os_log_default.log(x)
#else
#define LOG(x)
#endif
kernel void first() { LOG("first"); }
kernel void second() { LOG("second"); }
`
	again := guarded + "\n"
	for _, test := range []struct {
		name  string
		on    metaltest.System
		fault string
		with  driver.LanguageVersion
		want  []string
	}{
		{"macOS 14", metaltest.MacOS14, "", 0,
			[]string{"WARN a.metal has os_log, whose messages need macOS 15 or iOS 18"}},
		{"an older language", metaltest.AnySystem, "", driver.MSL(3, 1), nil},
		{"no log state", metaltest.AnySystem, "no residency set", 0,
			[]string{"WARN a.metal has os_log, whose messages are lost: no residency set (MTLLogStateErrorDomain 2)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			to := &drivertest.Log{}
			nothing := func(context.Context, metaltest.Dispatch) error { return nil }
			d := startWith(t, metaltest.Options{System: test.on, Execute: nothing},
				driver.Options{Log: slog.New(to), Language: test.with})
			if test.fault != "" {
				metaltest.Fail(metaltest.LogError, metaltest.Fault{Text: test.fault, Times: -1})
			}
			for i, text := range []*string{&guarded, &again} {
				library := &driver.Library{File: string(rune('a'+i)) + ".metal", Source: text}
				runAll(t, d, &driver.Kernel{Name: "first", Library: library}, &driver.Kernel{Name: "second", Library: library})
			}
			if !slices.Equal(to.Lines, test.want) {
				t.Errorf("got %q, want %q", to.Lines, test.want)
			}
			for _, m := range metaltest.Log() {
				if m.Selector == "setEnableLogging:" || m.Selector == "commandBufferWithDescriptor:" {
					t.Errorf("%v, where there is no logging", m)
				}
			}
		})
	}
}

// What many goroutines run at once logs whole messages.
func TestJobsLogAtOnce(t *testing.T) {
	_, tells, _ := logKernels()
	to := &drivertest.Log{}
	d := startWith(t, metaltest.Options{}, driver.Options{Log: slog.New(to)})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { runAll(t, d, tells) })
	}
	group.Wait()
	counts := map[string]int{}
	for _, line := range to.Lines {
		counts[line]++
	}
	want := map[string]int{"INFO tells 0 kernel=tells": 8, "INFO tells 1 kernel=tells": 8}
	if !maps.Equal(counts, want) {
		t.Errorf("got %v, want %v", counts, want)
	}
}
