//go:build (amd64 || arm64) && !purego

package exec

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// permissions returns those of the pages at an address, or "" if no pages are there.
func permissions(t *testing.T, at uintptr) string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var permissions string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &permissions); err != nil {
			t.Fatal(err)
		}
		if from <= at && at < to {
			return permissions
		}
	}
	return ""
}

// A process may give up the right to make memory executable. This one does so in another one.
func TestWithoutPermissionAnErrorSaysSo(t *testing.T) {
	const (
		variable        = "METALGEN_TEST_REFUSE"
		setMDWE, refuse = 65, 1
	)
	prctl := map[string]uintptr{"amd64": 157, "arm64": 167}[runtime.GOARCH] // of Linux
	if os.Getenv(variable) != "" {
		if _, _, errno := syscall.RawSyscall6(prctl, setMDWE, refuse, 0, 0, 0, 0); errno != 0 {
			fmt.Println("skip:", errno)
			return
		}
		fmt.Println(Available())
		return
	}
	// METALGEN_EMULATOR is what runs tests of another architecture, where the system does not by itself.
	words := append(strings.Fields(os.Getenv("METALGEN_EMULATOR")), os.Args[0], "-test.run", t.Name())
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(os.Environ(), variable+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.HasPrefix(string(out), "skip:") {
		t.Skip(string(out))
	}
	want := fmt.Sprintf("%d bytes of executable memory: permission denied", len(returns))
	if !strings.HasPrefix(string(out), want) {
		t.Errorf("%s, want %s", out, want)
	}
}
