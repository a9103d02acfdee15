package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// The registers of the processor that have a purpose in all of the code.
const (
	frames  = asm.R15 // the Run
	frame   = asm.R14 // of the simd-group that runs
	memory  = asm.RBX // of its registers
	objects = asm.R13 // that it can reach
	active  = asm.R12 // the active lanes

	activeLow, activeHigh = asm.K1, asm.K2 // the lower and upper 16 of them

	countLow, countHigh = asm.Z30, asm.Z31 // 0 to 15, and 16 to 31
)

// The vector registers from units on hold values of registers, in pairs: Z10 and Z11, and so
// on. Those below are for what one instruction needs.
const (
	firstUnit = 10
	units     = 10
)

// emitter writes the code of a program.
type emitter struct {
	*analysis
	asm   asm.Assembler
	state state // before the instruction that is written
	pc    int32

	cache  cache
	labels []asm.Label // of blocks
	later  []func()    // what is written behind all else
	exits  exits
	part   int  // of the lanes, that an instruction is written for
	short  bool // vector instructions work on the value of a scalar register
	next   asm.Label

	counted int // bytes of asm that have been taken from the budget
}

// memoryAt returns the memory at an offset of the simd-group's registers.
func memoryAt(offset int32) asm.Mem { return asm.Mem{Base: memory, Disp: offset} }

func (e *emitter) registerOf(at int32) *Register {
	if e.slots[e.slotAt[at/8]-1].class == long {
		return &e.layout.Long
	}
	return &e.layout.Word
}

// base returns the memory of the base of a register, step that of its step.
func (e *emitter) base(at int32) asm.Mem { return memoryAt(at + e.registerOf(at).Base) }
func (e *emitter) step(at int32) asm.Mem { return memoryAt(at + e.registerOf(at).Step) }

// lanes returns the memory of part n of the lanes of a register, of 64 bytes.
func (e *emitter) lanes(at int32, n int) asm.Mem {
	return memoryAt(at + e.registerOf(at).Lanes + 64*int32(n))
}

// Vector instructions, of the length that is wanted.

func (e *emitter) vvx(op asm.VVX, d, x asm.V, y asm.X) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.VVX(op, d, x, y)
}

func (e *emitter) vx(op asm.VX, d asm.V, x asm.X) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.VX(op, d, x)
}

func (e *emitter) vxi(op asm.VXI, d asm.V, x asm.X, i uint8) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.VXI(op, d, x, i)
}

func (e *emitter) vvxi(op asm.VVXI, d, x asm.V, y asm.X, i uint8) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.VVXI(op, d, x, y, i)
}

func (e *emitter) kvx(op asm.KVX, d asm.K, x asm.V, y asm.X) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.KVX(op, d, x, y)
}

func (e *emitter) kvxi(op asm.KVXI, d asm.K, x asm.V, y asm.X, i uint8) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.KVXI(op, d, x, y, i)
}

func (e *emitter) kxi(op asm.KXI, d asm.K, x asm.X, i uint8) {
	if e.short {
		op = asm.Len128(op)
	}
	e.asm.KXI(op, d, x, i)
}

func (e *emitter) clear(d asm.V) { e.asm.VVX(asm.VPXORD, d, d, d) }

// word32 returns a number for all elements, word64 one of 64 bits.
func (e *emitter) word32(v uint32) asm.Broadcast { return e.asm.Uint32(v).Broadcast() }
func (e *emitter) word64(v uint64) asm.Broadcast { return e.asm.Uint64(v).Broadcast() }

// kind returns what is known of a register before the instruction.
func (e *emitter) kind(at int32) kind { return e.kindOf(&e.state, at) }

// parts returns how many vector registers hold the lanes of a register.
func (e *emitter) parts(at int32) int {
	if e.slots[e.slotAt[at/8]-1].class == long {
		return 4
	}
	return 2
}
