//go:build linux && (amd64 || arm64)

package metal

import (
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
		if !strings.Contains(page, "agrees   "+e.what+"\n") && !strings.Contains(page, "-        "+e.what+" (see above)") {
			t.Errorf("no line about %q in\n%s", e.what, page)
		}
	}
	for _, want := range []string{"Fake GPU (metal, MSL ", "families ", "recording a dispatch takes ", "Please send "} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

func TestThePageSaysWhatDiffers(t *testing.T) {
	list := []examination{{what: "memory is memory"}, {what: "pigs fly"}, {what: "there is life on Mars"}}
	have := lines(list, []verdict{agrees, differs, notExamined})
	want := "agrees   memory is memory\nDIFFERS  pigs fly\n-        there is life on Mars (see above)\n" +
		"1 of 3 differ. What stands above about them says how.\n" +
		"Please send all of this output to github.com/metalgen/metalgen/issues, if all agrees too.\n"
	if have != want {
		t.Errorf("got\n%s\nwant\n%s", have, want)
	}
}
