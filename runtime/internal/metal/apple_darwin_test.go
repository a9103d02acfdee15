package metal

import (
	"errors"
	"os"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestApple meets Apple's own Metal. What the fake of the other tests takes for granted is what it is about:
//
//	go test ./runtime/internal/metal -run Apple -v
func TestApple(t *testing.T) {
	if os.Getenv("METALGEN_DEVICE") == "cpu" {
		t.Skip("METALGEN_DEVICE=cpu: nothing runs on the GPU of this machine")
	}
	page := runProgramme(t, func(t *testing.T, o driver.Options) *Device {
		t.Helper()
		d, err := Open(-1, o)
		if errors.Is(err, ErrNoDevice) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}, programme)
	t.Logf("\n%s", page)
}
