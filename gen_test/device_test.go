package gen_test

import (
	"fmt"
	"os"
	"os/exec"
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
			var err error
			if o.Machine, o.System, err = fakemetal.ParseMachine(name); err != nil {
				t.Fatalf("%s: %v", onFake, err)
			}
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
	if out, err := allOn(t, "1", "", *long); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNumbersAreRightOnEveryMachine has each machine play under another system. What a GPU lacks skips the tests of the
// kernels that need it.
func TestNumbersAreRightOnEveryMachine(t *testing.T) {
	if !*long {
		t.Skip("runs all tests five times more: only with -long")
	}
	openFake(t, fakemetal.Options{}) // or skips
	systems := fakemetal.Systems()
	for i, m := range fakemetal.Machines() {
		name := fmt.Sprint(m, " ", systems[(2*i+1)%len(systems)])
		if out, err := allOn(t, name, "", false); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
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
	if out, err := allOn(t, "cuda", quick, false); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// allOn runs all tests again, or those whose names match, in a process of their own: that way there is no list of those
// that open a device, which one could be missing from.
func allOn(t *testing.T, fake, match string, long bool) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.count=1", "-test.run="+match, fmt.Sprintf("-long=%v", long))
	c.Env = append(os.Environ(), onFake+"="+fake)
	return c.CombinedOutput()
}
