package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/vcode"

// addPointer writes a pointer that is moved by a number of elements of Imm bytes. One that comes out too far from its
// object is for the interpreter.
func addPointer(index int32) scalarFunc {
	return func(l *lowering, in *Instruction) {
		if l.keptKind(&l.state, in, l.pc).scalar() {
			l.addScalarPointer(in, index)
			return
		}
		l.addVaryingPointer(in, index)
	}
}

func (l *lowering) addScalarPointer(in *Instruction, index int32) {
	made := l.madeKind(&l.state, in)
	k := l.kind(in.B)
	by := l.keep(l.widened(in.B, index))
	var step reg
	if made.form != uniform {
		step = l.step(in.B)
		if index != LongIndex {
			step = l.op(vcode.GExtS32, step, 0)
			if k.form != uniform {
				l.leaveIfWraps(by, step, index)
			}
		}
		step = l.scaledWithinReach(step, in.Imm)
		step = l.keep(l.op(vcode.GAdd, step, l.step(in.A)))
		l.checkReach(step)
	}
	by = l.keep(l.scaledWithinReach(by, in.Imm))
	at := l.op(vcode.GAdd, l.displacement(in.A, 0), by) // where it points to in its object
	l.checkReach(at)
	if made.form != uniform {
		l.checkReach(l.op(vcode.GAdd, at, l.opI(vcode.GMul, step, width-1)))
	}
	l.setCounting(in.D, made, l.op(vcode.GAdd, l.base(in.A), by), step)
}

// scaledWithinReach multiplies a number of elements by their size.
func (l *lowering) scaledWithinReach(r reg, size int64) reg {
	r = l.exiting(vcode.MulX, r, 0, size)
	l.checkReach(r)
	return r
}

// checkReach leaves what is not from -reach to reach - 1 to the interpreter.
func (l *lowering) checkReach(r reg) {
	over := l.opI(vcode.GSar, r, reachBits)
	over = l.op(vcode.GXor, over, l.opI(vcode.GSar, r, 63))
	l.leaveIfI(vcode.Ne, over, 0)
}

func (l *lowering) addVaryingPointer(in *Instruction, index int32) {
	limit := uint64(1) << reachBits / uint64(max(in.Imm, 1))
	moved := make([]reg, 2*l.parts)
	for i := range moved {
		n := l.now(in.B, i)
		if index != LongIndex {
			n = l.extended(in.B, index, i)
		}
		p := l.now(in.A, i)
		far := l.compare(vcode.VCmpQ, vcode.GeU, l.op(vcode.VAddQ, n, l.word64(limit)), l.word64(2*limit))
		by := l.keep(l.scaledLongs(n, in.Imm))
		at := l.opI(vcode.VSarQI, l.opI(vcode.VShlQI, p, 64-offsetBits), 64-offsetBits)
		at = l.op(vcode.VAddQ, l.op(vcode.VAddQ, at, by), l.word64(1<<reachBits))
		far = l.op(vcode.POr, far, l.compare(vcode.VCmpQ, vcode.GeU, at, l.word64(2<<reachBits)))
		far = l.op(vcode.PAnd, far, l.activeLongs(i))
		l.emit(vcode.Instr{Op: vcode.BranchAny, A: far, Exit: l.exit()})
		moved[i] = l.keep(l.op(vcode.VAddQ, p, by))
	}
	old, blend := l.kind(in.D), l.blends(in)
	for i, v := range moved {
		l.setPart(in, blend, old, i, v)
	}
	l.finishLanes(in)
}

// finishLanes notes that the lanes of what an instruction makes are written.
func (l *lowering) finishLanes(in *Instruction) {
	n := l.slotOf(in.D)
	l.cache.changed(n)
	l.forget(n, inLanes)
}
