package runtimetest

import (
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

// Schedules calls a test n times, each time with a CPU device that runs simd-groups and threadgroups in another of the
// orders that barriers permit. The results of a kernel must not depend on it, so a test that compares results fails if
// a barrier is missing. Schedules stops at the first order that fails, and the log of t names it. METALGEN_SCHEDULE and
// [runtime.Options] take its number.
func Schedules(t testing.TB, n int, test func(dev *runtime.Device)) {
	t.Helper()
	for seed := uint64(1); seed <= uint64(n) && !t.Failed(); seed++ {
		schedule(t, seed, test)
	}
}

func schedule(t testing.TB, seed uint64, test func(dev *runtime.Device)) {
	t.Helper()
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Schedule: seed})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // also where the test ends by t.FailNow
		dev.Close()
		if t.Failed() {
			t.Logf("with METALGEN_SCHEDULE=%d", seed)
		}
	}()
	test(dev)
}
