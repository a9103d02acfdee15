package runtime_test

import (
	"errors"
	"os"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

// hasMetal reports whether the machine of the test has a Metal device.
func hasMetal(t *testing.T) bool {
	t.Helper()
	list, err := runtime.Devices()
	if err != nil {
		t.Fatal(err)
	}
	return len(list) > 1
}

func TestOpenSaysWhichDeviceAndWhy(t *testing.T) {
	metal := hasMetal(t)
	if metal && goruntime.GOOS != "darwin" {
		t.Errorf("Metal on %s", goruntime.GOOS)
	}
	for _, c := range []struct {
		variable, option string
		metal            bool   // the device is one of Metal
		want             string // in the name of the device, or in the error
	}{
		{"", "", true, ", the default device"},
		{"cpu", "", false, "), as METALGEN_DEVICE says"},
		{"metal", "", true, "), as METALGEN_DEVICE says"},
		{"metal:0", "", true, "), as METALGEN_DEVICE says"},
		{"metal", "cpu", false, "), as asked for"},
		{"cpu", "metal", true, " (metal, MSL "},
		{"cpu", "metal:99", true, "metal:99"},
		{"gpu", "", false, `METALGEN_DEVICE=gpu: want "metal", "metal:0" and so on, "cpu" or nothing`},
		{"", "metal:x", false, `device "metal:x": want "metal", "metal:0" and so on, "cpu" or nothing`},
		{"metal:-1", "", false, `METALGEN_DEVICE=metal:-1: want`},
	} {
		t.Run(c.variable+","+c.option, func(t *testing.T) {
			t.Setenv("METALGEN_DEVICE", c.variable)
			dev, err := runtime.OpenWith(runtime.Options{Device: c.option})
			switch {
			case err == nil:
				defer dev.Close()
				if !metal && c.metal && c.variable == "" {
					c.want = "CPU (" // what Open falls back on
				}
				if !strings.Contains(dev.String(), c.want) {
					t.Errorf("opened %v, want %q in it", dev, c.want)
				}
			case c.metal && !metal:
				if !errors.Is(err, runtime.ErrNoDevice) {
					t.Errorf("got %v, want ErrNoDevice", err)
				}
			case !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestTheCPUIsTheLastDeviceListed(t *testing.T) {
	list, err := runtime.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range list {
		if last := i == len(list)-1; last != (d.Device == "cpu") {
			t.Errorf("device %d of %d is %v", i, len(list), d)
		}
		dev, err := runtime.OpenWith(runtime.Options{Device: d.Device})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(dev.String(), d.Name) {
			t.Errorf("%s is %v, listed as %s", d.Device, dev, d.Name)
		}
		dev.Close()
	}
}

// TestMain leaves the choice of a device to the tests.
func TestMain(m *testing.M) {
	os.Unsetenv("METALGEN_DEVICE")
	os.Exit(m.Run())
}
