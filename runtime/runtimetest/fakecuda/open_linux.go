//go:build amd64 || arm64

package fakecuda

import (
	"os"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/cuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Open opens a device that is closed when the test ends, which fails the test if the driver made a mistake, or a kernel
// did what a card does not survive. Only one test of a process has a device at a time: others wait. Where there is no C
// compiler, the test is skipped.
func Open(t testing.TB, o Options) *runtime.Device {
	t.Helper()
	for _, name := range []string{"METALGEN_SANITIZE", "METALGEN_SCHEDULE"} {
		if v := os.Getenv(name); v != "" {
			t.Skipf("fakecuda: %s=%s asks for what only the CPU device has", name, v)
		}
	}
	path := cudatest.Start(t, cudatest.Options{Seed: o.Seed})
	opened, err := driver.OpenDevice(o.Runtime, func(options driver.Options) (driver.Device, error) {
		return cuda.Open(path, -1, options)
	})
	if err != nil {
		t.Fatal(err)
	}
	dev := opened.(*runtime.Device)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		if list := cudatest.Errors(); len(list) > 0 {
			t.Errorf("kernels: %s", strings.Join(list, "\n"))
		}
	})
	return dev
}
