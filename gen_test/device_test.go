package gen_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	_ "github.com/metalgen/metalgen/runtime/cuda"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakecuda"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onFake is the environment variable that has openDevice open the Metal driver on
// the fake: 1, or a machine and a system such as "M1 macOS 14". With cuda it opens a CUDA device on the fake of that.
const onFake = "METALGEN_TEST_ON_FAKE"

// openDevice returns the device of a numeric test: one that all of them share, or on the
// fake one of its own, so that mistakes of the driver are those of the test.
func openDevice(t testing.TB) *runtime.Device {
	t.Helper()
	if name := os.Getenv(onFake); name == "cuda" {
		return fakecuda.Open(t, fakecuda.Options{})
	} else if name != "" {
		o := fakemetal.Options{NoLog: true}
		if name != "1" {
			mac, err := fakemetal.ParseMac(name)
			if err != nil {
				t.Fatalf("%s: %v", onFake, err)
			}
			o.Machine, o.System = mac.Machine, mac.System
		}
		dev, _ := fakemetal.Open(t, o)
		return dev
	}
	dev, err := theDevice()
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// The references know infinities and NaNs, and the tolerances no fast math.
var theDevice = sync.OnceValues(func() (*runtime.Device, error) {
	return runtime.OpenWith(runtime.Options{Math: runtime.MathSafe})
})

// openFake is for the tests that are about the Metal driver.
func openFake(t testing.TB, o fakemetal.Options) (*runtime.Device, *fakemetal.Log) {
	t.Helper()
	if os.Getenv(onFake) != "" {
		t.Skip("runs in the process that started this one")
	}
	return fakemetal.Open(t, o)
}

func TestNumbersAreRightThroughTheMetalDriver(t *testing.T) {
	if raceEnabled {
		t.Skip("takes minutes under the race detector, which has no numbers to look at; " +
			"the other tests of the driver run there")
	}
	openFake(t, fakemetal.Options{}) // or skips
	if out, err := allOn(t, "1", fmt.Sprintf("-long=%v", *long)); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	macs     = flag.Int("macs", 0, "how many of the 30 Macs of the fake run all tests; with -long 6")
	firstMac = flag.Int("firstmac", 0, "how many of them are passed over")
)

// What a GPU lacks skips the tests of the kernels that need it.
func TestNumbersAreRightOnEveryMac(t *testing.T) {
	if *long && *macs == 0 {
		*macs = 6
	}
	if *macs == 0 {
		t.Skip("runs all tests several times more: only with -long, or -macs")
	}
	openFake(t, fakemetal.Options{}) // or skips
	all := fakemetal.Macs()
	first := min(*firstMac, len(all))
	for _, mac := range all[first:min(first+*macs, len(all))] {
		out, err := allOn(t, mac.String(), "-test.v")
		if err != nil {
			t.Errorf("%v: %v\n%s", mac, err, out)
		}
		count := func(verdict string) int { return bytes.Count(out, []byte("--- "+verdict+": ")) }
		t.Logf("%-13v %-9v %d pass, %d are skipped", mac.Machine, mac.System, count("PASS"), count("SKIP"))
	}
}

// quickOnCUDA are the tests whose kernels the interpreter of PTX takes seconds for, and not minutes.
const quickOnCUDA = "Swiglu|Softmax|MoeGate|MoeRouting|Rope|WeightedSum|Conv1d|Matvec8bit|Embedding|Lanczos"

// TestNumbersAreRightThroughTheCUDADriver runs tests on the fake of CUDA: all with -long, which takes minutes. What the
// device lacks skips the tests of the kernels that need it.
func TestNumbersAreRightThroughTheCUDADriver(t *testing.T) {
	if raceEnabled {
		t.Skip("takes minutes under the race detector, which has no numbers to look at; " +
			"the other tests of the driver run there")
	}
	if os.Getenv(onFake) != "" {
		t.Skip("runs in the process that started this one")
	}
	fakecuda.Open(t, fakecuda.Options{}) // or skips
	quick := quickOnCUDA
	if *long {
		quick = ""
	}
	if out, err := allOn(t, "cuda", "-test.run="+quick); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// allOn runs all tests again, with more flags, in a process of their own: that way there is no list of those that open
// a device, which one could be missing from.
func allOn(t *testing.T, fake string, flags ...string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// METALGEN_EMULATOR is what runs tests of another architecture, where the system does not by itself.
	words := slices.Concat(strings.Fields(os.Getenv("METALGEN_EMULATOR")), []string{self, "-test.count=1"}, flags)
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Env = append(os.Environ(), onFake+"="+fake)
	return c.CombinedOutput()
}
