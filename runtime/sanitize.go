package runtime

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Checks are what the sanitizer of the CPU device looks for.
type Checks uint16

// The checks.
const (
	// CheckRace looks for two threads that touch the same byte while nothing orders them, where one of them writes and
	// not both are atomic: neither a threadgroup_barrier with the mem_flags of that memory nor, between threadgroups,
	// anything at all. Two threads that write the same value race, too.
	CheckRace Checks = 1 << iota

	// CheckRaceSimdgroup looks for races of lanes of one simd-group in different instructions, without a
	// simdgroup_barrier between them. Today's GPUs run in lockstep, which orders them, but MSL does not promise it.
	CheckRaceSimdgroup

	// CheckBarrier looks for barriers that not all threads of the threadgroup reach, whichever way they miss them: in
	// another branch, out of the loop, at another barrier, in another round of the loop, or because they have returned.
	// All but the last two are a [*Fault] without the sanitizer, and end the kernel.
	CheckBarrier

	// CheckUninit looks for uses of uninitialised variables and uninitialised memory of threads and threadgroups.
	// Copies and arithmetic are not uses. A use is a branch, an address or an index that depends on such bytes, or a
	// value that is stored to device memory or a texture, printed, or passed to an atomic function.
	CheckUninit

	// CheckShape looks for accesses beyond the stated shape of a buffer, which a longer buffer would hide, and for
	// reads and writes outside a texture, for which Metal returns zeros or does nothing. If no thread writes some
	// elements of the shape of a written buffer, which may be intended, a message to Options.Log says how many.
	CheckShape

	// CheckNaN looks for operations that make a NaN of numbers: the places to look at when results are NaNs. Some
	// kernels do that on purpose, so it is not in CheckAll.
	CheckNaN

	// CheckGrid looks for calls whose Grid has fewer threads than the source states and leaves elements unwritten. A
	// smaller grid with which the kernel writes everything is fine.
	CheckGrid

	// CheckIdle looks for calls that do nothing, because a size is 0, though they have buffers with elements: most
	// often the size was forgotten. If that is intended, pass buffers without elements, such as Buffer.Slice(0, 0), or
	// leave the call out.
	CheckIdle

	// CheckAll has all checks for things that are mistakes in any kernel or call.
	CheckAll = CheckRace | CheckRaceSimdgroup | CheckBarrier | CheckUninit | CheckShape | CheckGrid | CheckIdle
)

// ParseChecks returns the checks of a list: "race,barrier", or "all".
func ParseChecks(list string) (Checks, error) {
	c, err := driver.ParseChecks(list)
	return Checks(c), err
}

// String returns the list of the checks, as [ParseChecks] takes it.
func (c Checks) String() string { return driver.Checks(c).String() }

// The environment variables that turn the sanitizer on and choose an order.
const (
	sanitizeVariable = "METALGEN_SANITIZE"
	scheduleVariable = "METALGEN_SCHEDULE"
)

// fromEnvironment completes the options that the environment may choose.
func (o *Options) fromEnvironment() (err error) {
	if list := os.Getenv(sanitizeVariable); list != "" && o.Sanitize == 0 {
		if o.Sanitize, err = ParseChecks(list); err != nil {
			return fmt.Errorf("Open: %s: %w", sanitizeVariable, err)
		}
	}
	if seed := os.Getenv(scheduleVariable); seed != "" && o.Schedule == 0 {
		if o.Schedule, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return fmt.Errorf("Open: %s=%s: need a number", scheduleVariable, seed)
		}
	}
	return nil
}

// cpuOnly reports whether the options ask for what only the CPU device has.
func (o *Options) cpuOnly() bool { return o.Sanitize != 0 || o.Schedule != 0 }

// Findings is the error of a batch in which the sanitizer has found mistakes. All kernels have run to their ends,
// unless the error also wraps a [*Fault].
type Findings struct {
	List []Finding // by their places in the source
	More int       // mistakes that are not in List, because there were too many
}

// Error returns the findings one after the other, with lines of the source.
func (e *Findings) Error() string {
	d := &driver.Findings{More: e.More}
	for i := range e.List {
		d.List = append(d.List, e.List[i].driver())
	}
	return d.Error()
}

// Finding is a mistake that the sanitizer has found.
type Finding struct {
	Kind   Checks  // the check that found it
	Kernel string  // as in the source
	Msg    string  // the mistake
	Places []Place // where it was made: both accesses of a race, the first of which writes
	Group  [3]int  // threadgroup_position_in_grid of the thread of the first place
	Count  int     // how often it was made at these places; the rest is about one time

	Call CallSite // the call
}

// Place is a place in the source that takes part in a finding.
type Place struct {
	Pos    string // "norm.metal:31:17"
	Line   string // of the source
	Column int    // in Line, in bytes, from 1
	Thread [3]int // thread_position_in_grid
	Group  [3]int // threadgroup_position_in_grid
}

// String returns the finding with the lines of the source.
func (f Finding) String() string {
	d := f.driver()
	return d.String()
}

func (f *Finding) driver() driver.Finding {
	d := driver.Finding{Kind: driver.Checks(f.Kind), Kernel: f.Kernel, Msg: f.Msg, Group: f.Group, Count: f.Count}
	d.At = f.Call.suffix()
	for _, p := range f.Places {
		d.Places = append(d.Places, driver.Place(p))
	}
	return d
}

// withFindings returns the error of a batch, which may be nil, with what was found in its calls.
func withFindings(err error, list []Finding) error {
	if e, ok := err.(*Findings); ok {
		e.List = append(e.List, list...)
		return e
	}
	return errors.Join(&Findings{List: slices.Clone(list)}, err)
}

// findings returns what a driver has found.
func findings(e *driver.Findings, at func(call int) CallSite) *Findings {
	list := &Findings{More: e.More}
	for _, f := range e.List {
		own := Finding{Kind: Checks(f.Kind), Kernel: f.Kernel, Msg: f.Msg, Group: f.Group, Count: f.Count}
		own.Call = at(f.Call)
		for _, p := range f.Places {
			own.Places = append(own.Places, Place(p))
		}
		list.List = append(list.List, own)
	}
	return list
}
