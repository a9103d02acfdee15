//go:build amd64 || arm64

package fakemetal

import (
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
	settings := metaltest.Options{
		Watchdog: o.Watchdog, Discrete: o.Discrete, SimdWidth: o.SimdWidth,
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
	drv, err := metal.OpenLibrary(path, nil, -1, driverOptions(o.Runtime))
	if err != nil {
		t.Fatal(err)
	}
	var device driver.Device = drv
	if !o.Empty {
		device = metaltest.Watch(drv) // for the ends of buffers, which Metal is not told
	}
	dev := runtime.NewDevice(device)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, &Log{}
}

// driverOptions returns o as drivers know it.
func driverOptions(o runtime.Options) driver.Options {
	return driver.Options{
		Macros:    o.Macros,
		Math:      driver.MathMode(o.Math),
		Language:  driver.LanguageVersion(o.Language),
		Metallibs: o.Metallibs,
		Labels:    o.Labels,
		Log:       o.Log,
	}
}
