// Package arm64 makes machine code of package vcode's instructions for arm64 with NEON.
//
// A vector has four elements of 32 bits, so the value of a simd-group is eight registers. Predicates are vectors, too:
// each element is all ones where it holds, and else zeros.
//
// general.go, vector.go, convert.go, predicate.go and memory.go have a function for each instruction of vcode, and
// machine.go the table of them. Most are one instruction; what they need besides is in scratch registers that nothing
// else has.
package arm64

import (
	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// lanes is the number of elements of 32 bits of a vector, and vectorBytes that of its bytes.
const (
	lanes       = 4
	vectorBytes = 16
)

// general are the general-purpose registers that vcode counts from 1. X16 and X17 are scratch; X18, X28, X29 and X30
// belong to others.
var general = [...]asm.R{
	asm.X0, asm.X1, asm.X2, asm.X3, asm.X4, asm.X5, asm.X6, asm.X7, asm.X8, asm.X9, asm.X10, asm.X11, asm.X12, asm.X13,
	asm.X14, asm.X15, asm.X24, asm.X25, asm.X26, asm.X27,
}

// pinned are those with one purpose.
var pinned = [...]asm.R{
	-vcode.Run: asm.X19, -vcode.Frame: asm.X20, -vcode.Memory: asm.X21, -vcode.Objects: asm.X22, -vcode.Active: asm.X23,
}

// The scratch registers of an instruction.
const (
	tmp0, tmp1 = asm.X16, asm.X17
	vec0, vec1 = asm.V30, asm.V31

	vectors = 30 // that are not scratch
)

// emits are what writes each instruction.
var emits = [vcode.Ops]func(m *Machine, in *vcode.Instr){}

func init() {
	for _, table := range [...]map[vcode.Op]func(*Machine, *vcode.Instr){
		generalOps, memoryOps, vectorOps, convertOps, predicateOps,
	} {
		for op, emit := range table {
			emits[op] = emit
		}
	}
}

var traits = func() vcode.Traits {
	t := vcode.Traits{Name: "NEON", Lanes: lanes}
	t.Registers = [vcode.Classes]int{vcode.G: len(general), vcode.V: vectors}
	t.Local = [vcode.Classes]int{vcode.G: 8, vcode.V: 14}
	for _, op := range [...]vcode.Op{vcode.PToBits, vcode.VMulQ, vcode.VScaleF} {
		t.Temps[op][vcode.V] = 1
	}
	for _, op := range [...]vcode.Op{
		vcode.VPermute, vcode.VPermLanes, vcode.VLoadLow, vcode.VLoadHigh, vcode.VLoadLow16, vcode.VLoadHigh16,
		vcode.VStoreBits, vcode.VTable8,
		vcode.GPrefetch, // nothing is done
	} {
		t.Lacks[op] = true
	}
	t.MacroTemps()
	return t
}()

// Machine makes code for a processor with NEON.
type Machine struct {
	a *asm.Assembler

	// A VLoad or VStore that may become one of two registers with the next instruction, and the last one that has not:
	// see pair.
	held, released vcode.Instr
}

// New returns a Machine that has made nothing yet.
func New() vcode.Machine { return &Machine{a: new(asm.Assembler)} }

// Traits returns what is to be known of the machine.
func (m *Machine) Traits() *vcode.Traits { return &traits }

// Label returns a label that is not bound yet.
func (m *Machine) Label() vcode.Label { return vcode.Label(m.a.Label()) }

// Emit appends an instruction.
func (m *Machine) Emit(in *vcode.Instr) {
	if !m.pair(in) {
		emits[in.Op](m, in)
	}
}

// Size returns how many bytes the code takes, with what is kept to put it together.
func (m *Machine) Size() int { return m.a.Size() + 4 }

// Code returns the code, or what was wrong first.
func (m *Machine) Code() ([]byte, error) {
	m.release()
	return m.a.Code()
}

// g returns a general-purpose register.
func g(r vcode.Reg) asm.R {
	if r < 0 {
		return pinned[-r]
	}
	return general[r-1]
}

// v returns a vector register.
func v(r vcode.Reg) asm.V { return asm.V(r - 1) }

// label returns a label of the assembler.
func label(l vcode.Label) asm.Label { return asm.Label(l) }
