package cpu

import (
	"os"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// nativeAfter returns how many simd-groups of a program a device interprets before it makes machine
// code of it, or -1 where it makes none: what runs once is done before the code would be.
// METALGEN_NATIVE=on makes it at once, for tests. The sanitizer and schedules have the interpreter.
func nativeAfter(o driver.Options) int64 {
	mode := os.Getenv("METALGEN_NATIVE")
	switch {
	case mode == "off", o.Sanitize != 0, o.Schedule != 0, !lanes.Has("avx512"):
		return -1
	case mode == "on":
		return 0
	}
	return 64
}

// newMachine makes what executes threadgroups in the place of the interpreter.
type newMachine = func(g *interp.Threadgroup) interp.Machine

// machineOf returns the machine code of a program, and what runs that, or nil where the device has none.
func (d *Device) machineOf(p *interp.Code) (*machine.Codes, newMachine) {
	if d.nativeAfter < 0 || p == nil {
		return nil, nil
	}
	n := machine.New(p, d.nativeAfter)
	return n, n.Machine
}
