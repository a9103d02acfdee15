package cpu

import "unsafe"

// What depends on nothing but constants is computed when the program is written, by the operation that
// would do it, and is a constant again.

// folding is a frame of a few registers, in which operations on constants are carried out.
type folding struct {
	frame  frame
	memory []uint64
}

// pure is opBy for an operation whose result follows from its operands, and which cannot fault.
func (asm *assembler) pure(rule unsetRule, c class, run operation, imm int64, operands ...int32) int32 {
	for _, r := range operands {
		if _, ok := asm.constantIn(r); !ok {
			return asm.opBy(rule, c, run, imm, operands...)
		}
	}
	return asm.constantOf(c, asm.folded(c, run, imm, operands))
}

// folded returns what an operation makes of constants.
func (asm *assembler) folded(c class, run operation, imm int64, operands []int32) uint64 {
	fold := &asm.folding
	f := &fold.frame
	if fold.memory == nil {
		fold.memory = make([]uint64, (5*size64+lineSize)/8)
		start := unsafe.Pointer(&fold.memory[0])
		f.memory, f.mask = unsafe.Add(start, -uintptr(start)&(lineSize-1)), full
	}
	in := instruction{imm: imm, d: 4 * size64}
	for i, field := range []*int32{&in.a, &in.b, &in.c, &in.target}[:len(operands)] {
		*field = int32(i) * size64
		operand, _ := asm.constantIn(operands[i])
		operand.set(f, *field)
	}
	run(f, &in)
	switch c {
	case maskClass:
		return uint64(*maskAt(f, in.d))
	case wordClass:
		return uint64(at[uint32](f, in.d).value(0))
	}
	return at[uint64](f, in.d).value(0)
}

// set makes a register, or a mask, of a frame the constant.
func (c *constant) set(f *frame, to int32) {
	switch c.class {
	case maskClass:
		*maskAt(f, to) = uint32(c.bits)
	case wordClass:
		at[uint32](f, to).set(uint32(c.bits))
	default:
		at[uint64](f, to).set(c.bits)
	}
}

// decided returns the value of a condition that is the same whenever the program runs.
func (asm *assembler) decided(cond int32) (is, ok bool) {
	c, ok := asm.constantIn(cond)
	return c.bits != 0, ok
}

// isKnown reports whether a register always holds v.
func (asm *assembler) isKnown(r int32, v uint64) bool {
	c, ok := asm.constantIn(r)
	return ok && c.bits == v
}
