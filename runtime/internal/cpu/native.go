package cpu

import (
	"os"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// nativeAfter returns how many simd-groups of a program a device interprets before it makes machine code of it, and
// for which kind of machines: what runs once is done before the code would be. METALGEN_NATIVE=on makes it at once, for
// tests, and so does the name of a kind. The sanitizer has the interpreter, but for proofs (proof.go), and so have
// schedules.
func nativeAfter(o driver.Options) (after int64, kind machine.Kind) {
	mode, kind := kindAsked()
	switch {
	case mode == "off", o.Sanitize != 0, o.Schedule != 0, kind == nil:
		return -1, kind
	case mode != "":
		return 0, kind
	}
	return 8, kind
}

// kindAsked returns METALGEN_NATIVE, and the kind of machine code that it names. That is the best of the processor if
// it is "on", "off" or not set, and nil if the processor lacks it.
func kindAsked() (mode string, kind machine.Kind) {
	mode = os.Getenv("METALGEN_NATIVE")
	if mode == "on" || mode == "off" {
		return mode, machine.KindOf("")
	}
	return mode, machine.KindOf(mode)
}

// newMachine makes what executes threadgroups in the place of the interpreter.
type newMachine = func(g *interp.Threadgroup) interp.Machine

// machineOf returns the machine code of a program, and what runs that, or nil where the device has none.
func (d *Device) machineOf(p *interp.Code) (*machine.Codes, newMachine) {
	if d.nativeAfter < 0 || p == nil {
		return nil, nil
	}
	n := machine.New(p, d.nativeKind, d.nativeAfter)
	return n, n.Machine
}

// provesFrom returns how many simd-groups a dispatch has for which a kernel proves that the sanitizer finds nothing, or
// -1 if there is no machine code that could.
func provesFrom(kind machine.Kind) int64 {
	switch mode, _ := kindAsked(); {
	case mode == "off", kind == nil:
		return -1
	case mode != "":
		return 0
	}
	return provesAfter
}
