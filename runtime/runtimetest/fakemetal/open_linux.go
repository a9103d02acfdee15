//go:build amd64 || arm64

package fakemetal

import (
	"os"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// Open opens a device that is closed when the test ends, which fails the test if
// the driver made a mistake. Only one test of a process has a device at a time: others
// wait, and a second Open in a test, or in a subtest of it, fails.
func Open(t testing.TB, o Options) (*runtime.Device, *Log) {
	t.Helper()
	if o.Runtime.Sanitize != 0 || o.Runtime.Schedule != 0 {
		t.Fatal("fakemetal: only the CPU device has a sanitizer and schedules")
	}
	for _, name := range []string{"METALGEN_SANITIZE", "METALGEN_SCHEDULE"} {
		if v := os.Getenv(name); v != "" {
			t.Skipf("fakemetal: %s=%s asks for what only the CPU device has", name, v)
		}
	}
	settings := metaltest.Options{
		Machine: o.Machine, System: o.System, AllowFaults: o.AllowFaults,
		Watchdog: o.Watchdog, Discrete: o.Discrete, Tier1: o.NoMetal3, SimdWidth: o.SimdWidth,
		Quiet: o.NoLog, Bench: o.Empty, AllowLeaks: o.Empty,
	}
	if !o.Empty {
		settings.Execute = metaltest.CPU(t)
	}
	metaltest.Start(t, settings)
	path, err := metaltest.Path()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := driver.OpenDevice(o.Runtime, func(options driver.Options) (driver.Device, error) {
		options.Piece = o.Piece
		if o.Runtime.Cache == "" {
			options.Cache = "" // tests leave nothing behind
		}
		drv, err := metal.OpenLibrary(path, nil, -1, options)
		if err != nil || o.Empty {
			return drv, err
		}
		return metaltest.Watch(drv), nil // for the ends of buffers, which Metal is not told
	})
	if err != nil {
		t.Fatal(err)
	}
	dev := opened.(*runtime.Device)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, &Log{}
}
