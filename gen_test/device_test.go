package gen_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onFake is the environment variable that has openDevice open the Metal driver on
// the fake.
const onFake = "METALGEN_TEST_ON_FAKE"

// openDevice returns the device of a numeric test: one that all of them share, or on the
// fake one of its own, so that mistakes of the driver are those of the test.
func openDevice(t testing.TB) *runtime.Device {
	t.Helper()
	if os.Getenv(onFake) != "" {
		dev, _ := fakemetal.Open(t, fakemetal.Options{NoLog: true})
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// All tests again, in a process of their own: that way there is no list of those
	// that open a device, which one could be missing from.
	c := exec.CommandContext(t.Context(), self, "-test.count=1", fmt.Sprintf("-long=%v", *long))
	c.Env = append(os.Environ(), onFake+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
