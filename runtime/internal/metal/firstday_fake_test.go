//go:build linux && (amd64 || arm64)

package metal

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// fakeOpener returns what opens devices of the fake; each test has one.
func fakeOpener(with metaltest.Options) opener {
	of := map[*testing.T]bool{}
	return func(t *testing.T, o driver.Options) *Device {
		t.Helper()
		if !of[t] {
			of[t] = true
			return startWith(t, with, o)
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
	page := runProgramme(t, fakeOpener(metaltest.Options{}), programme)
	for _, e := range programme {
		if !strings.Contains(page, "agrees   "+e.what+"\n") {
			t.Errorf("%q does not agree in\n%s", e.what, page)
		}
	}
	for _, want := range []string{"Fake GPU (metal, MSL ", "families ", "recording a dispatch takes ", "Please send "} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// lacking are the numbers of the programme that a machine has nothing to examine for, from the system on that is named.
// All others agree on all machines and systems.
var lacking = []struct {
	what   string
	lacked func(m metaltest.Machine, s metaltest.System) bool
}{
	{"the program's own memory is wrapped", virtual},
	{"pipelines are found on disk by the next process", virtual},
	{"pointers, textures and samplers in memory lead where they should",
		func(m metaltest.Machine, s metaltest.System) bool { return virtual(m, s) || s < metaltest.MacOS13 }},
	{"simd-groups are 32 threads wide",
		func(m metaltest.Machine, _ metaltest.System) bool { return m == metaltest.Intel }},
	{"messages of os_log arrive",
		func(_ metaltest.Machine, s metaltest.System) bool { return s < metaltest.MacOS15 }},
}

func virtual(m metaltest.Machine, _ metaltest.System) bool {
	return m == metaltest.VirtualARM || m == metaltest.VirtualIntel
}

var macs = flag.Int("macs", 6, "how many of the 30 Macs of the fake run the programme")

func TestTheProgrammeRunsOnEveryMac(t *testing.T) {
	t.Setenv("MTL_CAPTURE_ENABLED", "1")
	var table strings.Builder
	for _, mac := range metaltest.Macs()[:*macs] {
		m, s := mac.Machine, mac.System
		t.Run(mac.String(), func(t *testing.T) {
			page := runProgramme(t, fakeOpener(metaltest.Options{Machine: m, System: s}), programme)
			agree, skipped := 0, 0
			for _, e := range programme {
				want := "agrees   " + e.what + "\n"
				agree++
				for _, l := range lacking {
					if l.what == e.what && l.lacked(m, s) {
						want = "-        " + e.what + " (see above)\n"
						agree--
						skipped++
					}
				}
				if !strings.Contains(page, want) {
					t.Errorf("want %q in\n%s", want, page)
				}
			}
			fmt.Fprintf(&table, "%-13s %-9s %d agree, %d are skipped\n", m, s, agree, skipped)
		})
	}
	t.Logf("\n%s", &table)
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
