//go:build linux && amd64

package objc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestARM64 runs all tests of this package for arm64 in an emulator, so that both
// replay routines are run wherever one is.
func TestARM64(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("builds and emulates another architecture, which has no race detector here")
	}
	const cc, root = "aarch64-linux-gnu-gcc", "/usr/aarch64-linux-gnu"
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("no emulator (Debian: qemu-user): ", err)
	}
	if _, err := exec.LookPath(cc); err != nil {
		t.Skip("no cross compiler (Debian: gcc-aarch64-linux-gnu): ", err)
	}
	dir := t.TempDir()
	library, tests := filepath.Join(dir, "fake.so"), filepath.Join(dir, "objc.test")
	if err := compileFake(cc, "arm64", library); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-o", tests, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(emulator, "-L", root, tests, "-test.v")
	run.Env = append(os.Environ(), fakeVariable+"="+library)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
