//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

func TestDevicesAreFoundByTheirIndex(t *testing.T) {
	for _, c := range []struct {
		name           string
		devices, index int
		faults         []metaltest.FaultKind
		want           string // of the error, "" where there is none
	}{
		{"the default one", 2, -1, nil, ""},
		{"the first", 2, 0, nil, ""},
		{"the last", 2, 1, nil, ""},
		{"beyond the last", 2, 2, nil, "there is no Metal device metal:2, the last one is metal:1"},
		{"no default one, but a list", 1, -1, []metaltest.FaultKind{metaltest.NoDevice}, ""},
		{"no list, but a default one", 1, 0, []metaltest.FaultKind{metaltest.NoDevices}, ""},
		{"neither", 1, -1, []metaltest.FaultKind{metaltest.NoDevice, metaltest.NoDevices}, "there is no Metal device"},
		{"none", -1, -1, nil, "there is no Metal device"},
		{"the first of none", -1, 0, nil, "there is no Metal device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			metaltest.Start(t, metaltest.Options{Devices: c.devices})
			for _, f := range c.faults {
				metaltest.Fail(f, metaltest.Fault{Times: -1})
			}
			d, err := OpenLibrary(fakePath(t), nil, c.index, driver.Options{})
			if err == nil {
				defer d.Close()
			}
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || err.Error() != c.want || !errors.Is(err, ErrNoDevice)):
				t.Fatalf("got %v, want %s", err, c.want)
			case c.want == "" && d.String() != "Fake GPU (metal, MSL 4.0)":
				t.Errorf("opened %v", d)
			}
		})
	}
}

func TestTheIndexIsThatOfTheList(t *testing.T) {
	metaltest.Start(t, metaltest.Options{Devices: 2})
	for index, want := range []string{"MTLDevice#1", "MTLDevice#2"} {
		metaltest.ResetLog()
		d, err := OpenLibrary(fakePath(t), nil, index, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metaltest.Log() {
			if m.Selector == "newCommandQueue" && !strings.HasPrefix(m.Receiver, want) {
				t.Errorf("device %d is %s, want %s", index, m.Receiver, want)
			}
		}
		d.Close()
	}
}

func TestDevicesAreListedByName(t *testing.T) {
	for _, c := range []struct {
		devices, want int
		fault         metaltest.FaultKind
	}{
		{2, 2, metaltest.NoDevice}, {1, 1, metaltest.NoDevices}, {-1, 0, metaltest.NoDevice},
	} {
		t.Run(fmt.Sprint(c.devices), func(t *testing.T) {
			metaltest.Start(t, metaltest.Options{Devices: c.devices})
			metaltest.Fail(c.fault, metaltest.Fault{Times: -1})
			names, err := DevicesOf(fakePath(t), nil)
			if len(names) != c.want || (c.want == 0) != errors.Is(err, ErrNoDevice) {
				t.Errorf("%q, %v", names, err)
			}
			for _, name := range names {
				if name != "Fake GPU" {
					t.Errorf("name %s", name)
				}
			}
		})
	}
}

func TestASystemWithoutMetalHasNoDevice(t *testing.T) {
	metaltest.Start(t, metaltest.Options{})
	_, err := OpenLibrary(fakePath(t), []string{"/no/Metal"}, -1, driver.Options{})
	if !errors.Is(err, ErrNoDevice) || !strings.HasPrefix(err.Error(), "there is no Metal device: ") {
		t.Errorf("open: %v", err)
	}
	if _, err := DevicesOf(fakePath(t), []string{"/no/Metal"}); !errors.Is(err, ErrNoDevice) {
		t.Errorf("list: %v", err)
	}
	if _, err := Open(-1, driver.Options{}); !errors.Is(err, ErrNoDevice) {
		t.Errorf("Apple's on Linux: %v", err)
	}
	if _, err := Devices(); !errors.Is(err, ErrNoDevice) {
		t.Errorf("Apple's on Linux: %v", err)
	}
}

func TestOpeningThatFailsLeavesNothingBehindAndMayBeRepeated(t *testing.T) {
	for _, c := range []struct {
		fault metaltest.FaultKind
		want  string
	}{
		{metaltest.NoCommandQueue, "Fake GPU gives no command queue"},
		{metaltest.OutOfMemory, "no memory for a buffer"},
	} {
		t.Run(c.want, func(t *testing.T) {
			metaltest.Start(t, metaltest.Options{})
			metaltest.Fail(c.fault, metaltest.Fault{})
			_, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrNoDevice) {
				t.Errorf("got %v", err)
			}
			d, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d.Close()
		})
	}
}

func TestLimitsAreThoseOfTheDevice(t *testing.T) {
	got := start(t, metaltest.Options{}).Limits()
	want := driver.Limits{
		ThreadsPerThreadgroup: 1024, Threads: [3]int{1024, 1024, 1024}, ThreadgroupMemory: 32768,
		BufferLength: 1 << 36, ConstantAlign: 256, PageSize: os.Getpagesize(), Addresses: true,
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
