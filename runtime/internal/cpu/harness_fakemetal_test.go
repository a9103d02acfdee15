//go:build linux && (amd64 || arm64)

package cpu_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// lasting is a test that something outlives.
type lasting struct{ testing.TB }

func (lasting) Cleanup(func()) {}

func init() {
	cpu.OpenFakeMetal = func(t testing.TB) (driver.Device, error) {
		metaltest.Start(lasting{t}, metaltest.Options{Execute: metaltest.CPU(lasting{t}), AllowLeaks: true})
		path, err := metaltest.Path()
		if err != nil {
			return nil, err
		}
		return metal.OpenLibrary(path, nil, -1, driver.Options{Math: driver.MathSafe})
	}
}

// The kernels with tensors of the projects compute the same through the Metal driver, on its fake.
func TestKernelsWithTensorsRunThroughTheMetalDriver(t *testing.T) {
	if os.Getenv("METALGEN_PROJECTS") == "" {
		t.Skip("METALGEN_PROJECTS names no checkout")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := append(strings.Fields(os.Getenv("METALGEN_EMULATOR")), self, "-test.run=OfTensors$", "-test.v")
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Env = append(os.Environ(), "METALGEN_DEVICE=fakemetal")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d pass", strings.Count(string(out), "--- PASS: "))
}
