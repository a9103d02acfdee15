//go:build linux && (amd64 || arm64)

package cpu

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
)

// lasting is a test that something outlives.
type lasting struct{ testing.TB }

func (lasting) Cleanup(func()) {}

// fakeCUDA starts the fake of NVIDIA's driver and returns the path of its library.
func fakeCUDA(t testing.TB) string { return cudatest.Start(lasting{t}, cudatest.Options{}) }

// TestTexturesAreThoseOfCUDAToo runs tests of textures in another process, on the fake of CUDA.
func TestTexturesAreThoseOfCUDAToo(t *testing.T) {
	if os.Getenv("METALGEN_DEVICE") != "" {
		t.Skip("METALGEN_DEVICE names the device")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const tests = "-test.run=TexelsOfAllFormats|GradientsAre|TexturesInBuffersAre|TexturesAreSampled|OnTexels"
	words := append(strings.Fields(os.Getenv("METALGEN_EMULATOR")), self, tests, "-test.v")
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Env = append(os.Environ(), "METALGEN_DEVICE=fakecuda")
	out, err := c.CombinedOutput()
	if err == nil && strings.Contains(string(out), "--- SKIP: ") {
		t.Skip("there is no C compiler")
	}
	if n := strings.Count(string(out), "\n--- PASS: "); err != nil || n != 7 {
		t.Errorf("%d tests pass, %v\n%s", n, err, out)
	}
}
