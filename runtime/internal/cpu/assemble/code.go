package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// code is the program while it is written, with the registers that it has.
type code struct {
	how       Options
	stop      func() bool
	program   *program.Program
	regs      registers
	constants map[program.Constant]int32
	pos       int32 // index of the position of what is being written
	sitesAt   map[parser.Pos]int32
	ids       int32 // of constructs
}

func newCode(k *ir.Kernel, how Options, stop func() bool) *code {
	e := &code{
		how: how, stop: stop, constants: map[program.Constant]int32{},
		program: &program.Program{Name: k.Name, Zeroed: map[parser.Pos]bool{}, Positions: k.Positions,
			Code: make([]program.Instruction, 0, k.Count())},
	}
	e.program.Alive = e.regs.extend(program.MaskClass, 1)
	if len(k.Positions) == 0 {
		e.program.Positions = []parser.Pos{k.Pos}
	}
	e.regs.pos = k.Pos
	return e
}

// label is an instruction that others lead to.
type label struct {
	at   int32
	refs []int32
}

func newLabel() *label { return &label{at: -1} }

// copyOps copy registers and masks, and blendOps do in the active lanes only.
var (
	copyOps = [program.Classes]program.Opcode{
		program.MaskClass: program.OpCopyMask, program.WordClass: program.OpCopyWord,
		program.LongClass: program.OpCopyLong,
	}
	blendOps = [program.Classes]program.Opcode{
		program.MaskClass: program.OpMoveMask, program.WordClass: program.OpBlendWord,
		program.LongClass: program.OpBlendLong,
	}
)

// constant returns a register that always holds the same bits.
func (e *code) constant(c program.Class, bits uint64) int32 {
	key := program.Constant{Class: c, Bits: bits}
	if c == program.MaskClass {
		key.Bits = uint64(program.MaskOf(bits != 0))
	}
	r, ok := e.constants[key]
	if !ok {
		r = e.regs.extend(c, 1)
		e.constants[key] = r
		key.At = r
		e.program.Constants = append(e.program.Constants, key)
	}
	return r
}

// emit adds an instruction at the current position.
func (e *code) emit(in program.Instruction) {
	e.checkCode()
	in.Pos = e.pos
	e.program.Code = append(e.program.Code, in)
}

// checkCode fails where the program has no room for another instruction.
func (e *code) checkCode() {
	if len(e.program.Code)+len(e.program.Prologue) >= program.MaxCode {
		fail(e.position(), "the kernel comes to more than %d instructions with its calls inlined", program.MaxCode)
	}
}

func (e *code) position() parser.Pos { return e.program.Positions[e.pos] }

// here puts a label before the next instruction.
func (e *code) here(l *label) {
	l.at = int32(len(e.program.Code))
	for _, ref := range l.refs {
		e.program.Code[ref].Target = l.at
	}
}

// jump adds an instruction that may lead to a label.
func (e *code) jump(in program.Instruction, l *label) {
	in.Target = l.at
	if l.at < 0 {
		l.refs = append(l.refs, int32(len(e.program.Code)))
	}
	e.emit(in)
}

// temporary calls do with a register that nothing else has.
func (e *code) temporary(c program.Class, do func(t int32)) {
	t := e.regs.allocate(c)
	do(t)
	e.regs.giveBack(c, t)
}

// copyTo makes all lanes of a register hold what another one does.
func (e *code) copyTo(c program.Class, to, from int32) {
	in := copyOps[c].Instruction()
	in.D, in.A = to, from
	e.emit(in)
}

// sitePos returns the index of the position at which the sanitizer sees an access.
func (e *code) sitePos(a *ir.Access) int32 {
	if a.Site == (parser.Pos{}) {
		return e.pos
	}
	i, ok := e.sitesAt[a.Site]
	if !ok {
		if e.sitesAt == nil {
			e.sitesAt = map[parser.Pos]int32{}
			e.program.Positions = slices.Clip(e.program.Positions)
		}
		i = int32(len(e.program.Positions))
		e.program.Positions = append(e.program.Positions, a.Site)
		e.sitesAt[a.Site] = i
	}
	return i
}
