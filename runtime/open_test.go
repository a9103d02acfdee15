package runtime_test

import (
	"errors"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"testing"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
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

// skipWithoutGPU skips a test that opens Metal devices where METALGEN_DEVICE says that none is to be used.
func skipWithoutGPU(t *testing.T) {
	t.Helper()
	if os.Getenv("METALGEN_DEVICE") == "cpu" && hasMetal(t) {
		t.Skip("METALGEN_DEVICE=cpu: nothing runs on the GPU of this machine")
	}
}

func TestOpenSaysWhichDeviceAndWhy(t *testing.T) {
	skipWithoutGPU(t)
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
		{"gpu", "", false, `METALGEN_DEVICE=gpu: need "metal", "metal:1", "cuda", "cuda:1" and so on, "cpu" or nothing`},
		{"", "metal:x", false, `device "metal:x": need "metal", "metal:1", "cuda", "cuda:1" and so on, "cpu" or nothing`},
		{"metal:-1", "", false, `METALGEN_DEVICE=metal:-1: need`},
		{"", "cuda", false, `this program does not import github.com/metalgen/metalgen/runtime/cuda`},
		{"cuda:1", "", false, `this program does not import github.com/metalgen/metalgen/runtime/cuda`},
		{"", "cuda:x", false, `device "cuda:x": need "metal",`},
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
	skipWithoutGPU(t)
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

// openChosen opens the device that METALGEN_DEVICE names, or the CPU device: what all devices do is tested on that one.
func openChosen(t *testing.T) *runtime.Device {
	t.Helper()
	if os.Getenv("METALGEN_DEVICE") == "" {
		return openCPU(t)
	}
	dev, err := runtime.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func TestMETALGENDEVICEChoosesTheDeviceOfTheseTests(t *testing.T) {
	if hasMetal(t) {
		t.Skip("there is a Metal device, on which they pass")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestCopyWithinABuffer$")
	c.Env = append(os.Environ(), "METALGEN_DEVICE=metal")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), runtime.ErrNoDevice.Error()) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMain leaves lines of Go out of the messages that the tests compare.
func TestMain(m *testing.M) {
	os.Setenv("METALGEN_LINES", "off")
	os.Exit(m.Run())
}
