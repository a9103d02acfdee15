//go:build linux || darwin

package runtime_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

// What ends a program is tried in another process, which this variable begins.
const useFreed = "METALGEN_TEST_USE_FREED"

func TestDataIsNotUsedAfterClose(t *testing.T) {
	if os.Getenv(useFreed) != "" {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Sanitize: runtime.CheckShape})
		if err != nil {
			t.Fatal(err)
		}
		freed, data := newBuffer[float32](t, dev, 100), newBuffer[float32](t, dev, 100).Data()
		if os.Getenv(useFreed) == "free" {
			data = freed.Data()
			freed.Free()
		} else {
			dev.Close()
		}
		fmt.Println("read", data[99]) // which ends the program
		return
	}
	for _, by := range []string{"free", "close"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDataIsNotUsedAfterClose$")
		cmd.Env = append(os.Environ(), useFreed+"="+by)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "unexpected fault address") ||
			!strings.Contains(string(out), "sanitize_memory_test.go:") {
			t.Errorf("%s: %v\n%s", by, err, out)
		}
	}
}
