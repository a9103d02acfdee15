//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// fakeOpener returns what opens devices of the fake, of which each test has one.
func fakeOpener() opener {
	of := map[*testing.T]bool{}
	return func(t *testing.T, o driver.Options) *Device {
		t.Helper()
		if !of[t] {
			of[t] = true
			return startWith(t, metaltest.Options{}, o)
		}
		d, err := OpenLibrary(fakePath(t), nil, -1, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
}

func TestTheProgrammeOfTheFirstDayAgreesWithTheFake(t *testing.T) {
	t.Setenv("MTL_CAPTURE_ENABLED", "1")
	page := runProgramme(t, fakeOpener(), programme)
	for _, e := range programme {
		if !strings.Contains(page, "agrees   "+e.what+"\n") && !strings.Contains(page, "-        "+e.what+" (not examined") {
			t.Errorf("no line about %q in\n%s", e.what, page)
		}
	}
	for _, want := range []string{"Fake GPU (metal, MSL ", "families ", "recording a dispatch takes ", "Please send "} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// TestThePageSaysWhatDiffers runs a programme that fails in a process of its own.
func TestThePageSaysWhatDiffers(t *testing.T) {
	const variable = "METALGEN_TEST_DIFFERS"
	if os.Getenv(variable) != "" {
		page := runProgramme(t, fakeOpener(), []examination{
			{"memory is memory", func(t *testing.T, open opener) { newMemory(t, open(t, driver.Options{}), 64) }},
			{"pigs fly", func(t *testing.T, _ opener) { t.Error("they do not") }},
			{"there is life on Mars", func(t *testing.T, _ opener) { t.Skip("too far") }},
		})
		t.Logf("\n%s", page)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run", "^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), variable+"=1")
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Errorf("no failure: %v", err)
	}
	for _, want := range []string{
		"agrees   memory is memory\n", "DIFFERS  pigs fly\n", "-        there is life on Mars (not examined, see above)\n",
		"1 of 3 differ. What stands above about them says how.\n", "they do not\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
