package cpu

import (
	"math"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// assembler writes a program: its instructions, in registers that it allocates, and
// the constants and positions that they refer to.
type assembler struct {
	building
	registers
	leafCache
	work
	order
	program *program

	constants map[constant]int32
	known     []int32 // by register, in words: the number of its constant plus one, or 0
	folding   folding
	// last are the destinations of the last instructions, one after the other, where those are
	// registers without another use: assignments may write to their variables there.
	last []int32
}

func newAssembler(name string) *assembler {
	return &assembler{
		registers: newRegisters(),
		leafCache: leafCache{},
		program:   &program{name: name, zeroed: map[parser.Pos]bool{}, objects: []objectInfo{{}}},
		constants: map[constant]int32{},
	}
}

// value is the registers of the leaves of a value.
type value []int32

// label is an instruction that others lead to.
type label struct {
	at   int32
	refs []int32
}

func newLabel() *label { return &label{at: -1} }

// here puts the label before the next instruction.
func (asm *assembler) here(l *label) {
	l.at = int32(len(asm.program.code))
	for _, ref := range l.refs {
		asm.program.code[ref].target = l.at
	}
	asm.last = asm.last[:0]
}

// at makes what follows carry a position of the source.
func (asm *assembler) at(pos parser.Pos) { asm.pos = pos }

// positionIndex returns the index of the current position in the program. Only
// instructions in a row share one: to find all that are equal took longer than the rest
// of writing the program.
func (asm *assembler) positionIndex() int32 {
	p := asm.program
	if n := len(p.positions); n == 0 || p.positions[n-1] != asm.pos {
		p.positions = append(p.positions, asm.pos)
	}
	return int32(len(p.positions) - 1)
}

// emit adds an instruction.
func (asm *assembler) emit(in instruction) {
	asm.checkCode()
	in.pos = asm.positionIndex()
	asm.program.code = append(asm.program.code, in)
	asm.last = asm.last[:0]
}

// checkCode fails where the program has no room for another instruction.
func (asm *assembler) checkCode() {
	if len(asm.program.code)+len(asm.program.prologue) >= maxCode {
		fail(asm.pos, "the kernel comes to more than %d instructions with its calls inlined", maxCode)
	}
}

// emitTo is emit for an instruction whose destination nothing else uses.
func (asm *assembler) emitTo(in instruction) {
	last := asm.last
	if len(last) == maxLast {
		last = last[:copy(last, last[1:])]
	}
	asm.emit(in)
	asm.last = append(last, in.d)
}

// maxLast bounds the work of an assignment. A vector has at most 4 leaves, a matrix 16.
const maxLast = 16

// emitAt is emit for another position.
func (asm *assembler) emitAt(pos parser.Pos, in instruction) {
	outer := asm.pos
	asm.pos = pos
	asm.emit(in)
	asm.pos = outer
}

// jump adds an instruction that may lead to l.
func (asm *assembler) jump(in instruction, l *label) {
	if l != nil {
		in.target = l.at
		if l.at < 0 {
			l.refs = append(l.refs, int32(len(asm.program.code)))
		}
	}
	asm.emit(in)
}

// op adds an operation and returns the register of its result.
func (asm *assembler) op(c class, run operation, operands ...int32) int32 {
	return asm.opImm(c, run, 0, operands...)
}

func (asm *assembler) opImm(c class, run operation, imm int64, operands ...int32) int32 {
	return asm.opBy(unsetAny, c, run, imm, operands...)
}

// opBy is opImm for an operation with a rule of its own for what is unset.
func (asm *assembler) opBy(rule unsetRule, c class, run operation, imm int64, operands ...int32) int32 {
	d := asm.newTemp(c)
	if asm.track() {
		asm.derive(rule, c, d, imm, operands...)
	}
	return asm.opTo(d, run, imm, operands...)
}

// opTo is opImm with a temporary register of the caller's for the result.
func (asm *assembler) opTo(d int32, run operation, imm int64, operands ...int32) int32 {
	in := instruction{run: run, imm: imm, d: d}
	for i, field := range []*int32{&in.a, &in.b, &in.c, &in.target} {
		if i < len(operands) {
			*field = operands[i]
		}
	}
	asm.emitTo(in)
	return d
}

// constantOf returns a register that always holds the same bits.
func (asm *assembler) constantOf(c class, bits uint64) int32 {
	key := constant{class: c, bits: bits}
	if r, ok := asm.constants[key]; ok {
		return r
	}
	r := asm.permanently(c)
	asm.constants[key] = r
	key.at = r
	asm.program.constants = append(asm.program.constants, key)
	if more := int(r/8) + 1 - len(asm.known); more > 0 {
		asm.known = append(asm.known, make([]int32, more)...)
	}
	asm.known[r/8] = int32(len(asm.program.constants))
	return r
}

// constantIn returns the constant of a register. It reports false for one that holds other values too.
func (asm *assembler) constantIn(r int32) (c constant, ok bool) {
	if int(r/8) >= len(asm.known) || asm.known[r/8] == 0 {
		return c, false
	}
	return asm.program.constants[asm.known[r/8]-1], true
}

// constantsSoFar is how many constants there are, and what is taken of a frame.
type constantsSoFar struct {
	n          int
	size, mask int32
}

func (asm *assembler) constantsSoFar() constantsSoFar {
	return constantsSoFar{len(asm.program.constants), asm.size, asm.mask}
}

// forgetConstants takes back the constants that have come since, where no other registers have.
func (asm *assembler) forgetConstants(before constantsSoFar) {
	for _, c := range asm.program.constants[before.n:] {
		asm.known[c.at/8] = 0
		delete(asm.fixed, c.at)
		delete(asm.permanent, c.at)
		c.at = 0
		delete(asm.constants, c)
	}
	asm.program.constants = asm.program.constants[:before.n]
	asm.size, asm.mask = before.size, before.mask
}

func (asm *assembler) word(bits uint32) int32   { return asm.constantOf(wordClass, uint64(bits)) }
func (asm *assembler) long(bits uint64) int32   { return asm.constantOf(longClass, bits) }
func (asm *assembler) float(v float32) int32    { return asm.word(math.Float32bits(v)) }
func (asm *assembler) pointer(object int) int32 { return asm.long(pointerTo(object)) }

// truth returns the mask of a known bool.
func (asm *assembler) truth(v bool) int32 { return asm.constantOf(maskClass, uint64(maskOf(v))) }

// zero returns a value of a type whose leaves are all 0.
func (asm *assembler) zero(t *tree.Type, pos parser.Pos) value {
	return asm.zeros(asm.leaves(t, pos))
}

func (asm *assembler) zeros(leaves []leaf) value {
	v := make(value, len(leaves))
	for i, l := range leaves {
		v[i] = asm.constantOf(l.class(), 0)
	}
	return v
}

// copyTo makes all lanes of a register hold what src does.
func (asm *assembler) copyTo(c class, dst, src int32) {
	runs := [classes]operation{maskClass: copyMask, wordClass: copyWord[uint32], longClass: copyWord[uint64]}
	asm.copyUnsetTo(dst, src)
	asm.emit(instruction{run: runs[c], d: dst, a: src})
}

// copyOf returns a register that holds what r does and does not change with it.
func (asm *assembler) copyOf(c class, r int32) int32 {
	if asm.fixed[r] {
		return r
	}
	t := asm.newTemp(c)
	asm.copyTo(c, t, r)
	return t
}

// clear makes a register hold zeros: what an uninitialised variable holds is
// then the same in every run.
func (asm *assembler) clear(c class, r int32) { asm.copyTo(c, r, asm.constantOf(c, 0)) }

// assign makes the active lanes of a variable's register hold what src does.
// scope is the mask for which the variable lives.
func (asm *assembler) assign(c class, dst, src, scope int32) {
	if dst == src {
		return
	}
	asm.move(c, dst, src, scope)
	asm.assignUnset(dst, src)
}

// move is assign, of the value alone.
func (asm *assembler) move(c class, dst, src, scope int32) {
	if c == maskClass {
		asm.emit(instruction{run: moveMask, d: dst, a: src})
		return
	}
	copyRun, blendRun := copyWord[uint32], blendWord[uint32]
	if c == longClass {
		copyRun, blendRun = copyWord[uint64], blendWord[uint64]
	}
	if in := asm.maker(dst, src); in != nil {
		in.masked = &[2]instruction{*in, {run: blendRun, d: dst, a: src, pos: in.pos}}
		in.d, in.scope = dst, scope
		return
	}
	pos := asm.positionIndex()
	asm.emit(instruction{run: copyRun, d: dst, a: src, scope: scope, masked: &[2]instruction{
		{run: blendRun, d: dst, a: src, pos: pos}, {run: nothing, pos: pos},
	}})
}

// maker returns the instruction that makes src, if it may as well write to dst: those behind it
// touch neither.
func (asm *assembler) maker(dst, src int32) *instruction {
	i := slices.Index(asm.last, src)
	if i < 0 || !asm.isTemp(src) {
		return nil
	}
	code := asm.program.code[len(asm.program.code)-len(asm.last)+i:]
	if code[0].masked != nil {
		return nil
	}
	for k := range code[1:] {
		in := &code[1+k]
		if in.imm != 0 { // it may say of registers which there are
			return nil
		}
		for _, r := range [...]int32{in.d, in.a, in.b, in.c, in.target} {
			if r == dst || r == src {
				return nil
			}
		}
	}
	return &code[0]
}

// assignAll is assign for all leaves of a value.
func (asm *assembler) assignAll(leaves []leaf, dst, src value, scope int32) {
	for i, l := range leaves {
		if slices.Contains(src[i+1:], src[i]) {
			asm.last = asm.last[:0] // as in v = float4(x): what is read again must stay in its own register
		}
		asm.assign(l.class(), dst[i], src[i], scope)
	}
}

// choice returns cond ? x : y, of registers that all hold their values already.
func (asm *assembler) choice(c class, cond, x, y int32) int32 {
	runs := [classes]operation{maskClass: selectMask, wordClass: selectWord[uint32], longClass: selectWord[uint64]}
	return asm.pure(unsetChoice, c, runs[c], 0, x, y, cond)
}

// release frees the temporary registers that were allocated since mark.
func (asm *assembler) release(mark int) {
	asm.registers.release(mark)
	asm.last = asm.last[:0]
}
