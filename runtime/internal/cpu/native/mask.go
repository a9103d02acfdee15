package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// Each of these makes RAX a mask.

func loadMask(e *emitter, in *Instruction) { e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A)) }

func noMask(e *emitter, _ *Instruction) { e.asm.Number(asm.RAX, 0) }

func maskOp(op asm.GR) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
		e.asm.GR(op, asm.RAX, memoryAt(in.B))
	}
}

func notMask(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
	e.asm.RO(asm.NOTL, asm.RAX)
}

func equalMasks(e *emitter, in *Instruction) {
	maskOp(asm.XORL)(e, in)
	e.asm.RO(asm.NOTL, asm.RAX)
}

// moveMask is A in the active lanes, and D in the others.
func moveMask(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
	e.asm.GR(asm.MOVL, asm.RCX, memoryAt(in.D))
	e.blendMasks(active)
}

// blendMasks makes RAX itself where k holds, and RCX elsewhere.
func (e *emitter) blendMasks(k asm.GP) {
	e.asm.GR(asm.ANDL, asm.RAX, k)
	e.asm.GGR(asm.ANDNL, asm.RCX, k, asm.RCX)
	e.asm.GR(asm.ORL, asm.RAX, asm.RCX)
}

// selectMask is C ? A : B.
func selectMask(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVL, asm.RDX, memoryAt(in.C))
	e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
	e.asm.GR(asm.MOVL, asm.RCX, memoryAt(in.B))
	e.blendMasks(asm.RDX)
}
