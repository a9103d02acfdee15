package driver

import (
	"fmt"
	"strings"
)

// Checks are what the sanitizer of the CPU device looks for while kernels run, beside the mistakes that end them.
type Checks uint16

const (
	CheckRace          Checks = 1 << iota // two threads touch one byte in no order, and one of them writes
	CheckRaceSimdgroup                    // so do two lanes of a simd-group, which only lockstep orders
	CheckBarrier                          // a barrier that not all threads of the threadgroup reach
	CheckUninit                           // what nothing has written decides something
	CheckShape                            // a buffer is touched beyond its stated shape, or a texture outside
	CheckNaN                              // an operation that makes a NaN of operands that are not NaNs
	CheckGrid                             // a grid smaller than the stated one leaves elements unwritten
	CheckIdle                             // a call does nothing though its buffers have elements

	// CheckAll is what is a mistake in any kernel or call, as a NaN need not be.
	CheckAll = CheckRace | CheckRaceSimdgroup | CheckBarrier | CheckUninit | CheckShape | CheckGrid | CheckIdle
)

var checkNames = []struct {
	name  string
	check Checks
}{
	{"race", CheckRace}, {"race-simdgroup", CheckRaceSimdgroup}, {"barrier", CheckBarrier},
	{"uninit", CheckUninit}, {"shape", CheckShape}, {"nan", CheckNaN}, {"grid", CheckGrid}, {"idle", CheckIdle},
}

// ParseChecks returns the checks of a list of names, such as "race,barrier" or "all".
func ParseChecks(list string) (c Checks, err error) {
	for name := range strings.SplitSeq(list, ",") {
		one, names := Checks(0), []string{"all"}
		if name == "all" {
			one = CheckAll
		}
		for _, n := range checkNames {
			names = append(names, n.name)
			if n.name == name {
				one = n.check
			}
		}
		if one == 0 {
			return 0, fmt.Errorf("%q: need %s, or several of them separated by commas", name, strings.Join(names, ", "))
		}
		c |= one
	}
	return c, nil
}

// String returns the names, as ParseChecks takes them.
func (c Checks) String() string {
	var names []string
	for _, n := range checkNames {
		if c&n.check != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}
