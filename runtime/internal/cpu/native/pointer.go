package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// addPointer writes a pointer that is moved by a number of elements of Imm bytes. One that comes out too far from its
// object is for the interpreter.
func addPointer(index int32) scalarFunc {
	return func(l *lowering, in *wide.Instruction) {
		if l.keptKind(&l.state, in, l.pc).Scalar() {
			l.addScalarPointer(in, index)
			return
		}
		l.addVaryingPointer(in, index)
	}
}

func (l *lowering) addScalarPointer(in *wide.Instruction, index int32) {
	made, p, k := l.madeKind(&l.state, in), l.kind(in.A), l.kind(in.B)
	by := l.keep(l.widened(in.B, index))
	if index != wide.LongIndex && k.Form != wide.Uniform {
		l.leaveIfWraps(in.B, by, index)
	}
	near, checks := wide.IsNear(in), made.Within == 0
	scaled := func(r reg) reg {
		if near {
			return l.scaled(r, in.Imm)
		}
		return l.scaledWithinReach(r, in.Imm)
	}
	var step reg
	if made.Form == wide.Strided || made.Form == wide.Linear && checks {
		if step = l.step(in.B); index != wide.LongIndex {
			step = l.op(vcode.GExtS32, step, 0)
		}
		step = l.keep(scaled(step))
		step = l.keep(l.op(vcode.GAdd, l.step(in.A), step))
	}
	by = l.keep(scaled(by))
	moved := l.keep(l.op(vcode.GAdd, l.base(in.A), by))
	if checks {
		first := l.offsetIn(int64(p.Object), moved)
		if p.Object == 0 {
			first = l.op(vcode.GAdd, l.displacement(in.A, 0), by)
		}
		l.checkReach(l.keep(first))
		if made.Form != wide.Uniform {
			l.checkReach(l.op(vcode.GAdd, first, l.opI(vcode.GMul, step, width-1)))
		}
	}
	l.setCounting(in.D, made, moved, step)
}

// offsetIn returns where a pointer points to in an object that it is known to be in.
func (l *lowering) offsetIn(object int64, p reg) reg {
	return l.opI(vcode.GAdd, p, -object<<wide.OffsetBits)
}

// scaledWithinReach multiplies a number of elements by their size.
func (l *lowering) scaledWithinReach(r reg, size int64) reg {
	r = l.exiting(vcode.MulX, r, 0, size)
	l.checkReach(r)
	return r
}

// checkReach leaves what is not from -reach to reach - 1 to the interpreter.
func (l *lowering) checkReach(r reg) {
	over := l.opI(vcode.GShr, l.opI(vcode.GAdd, r, 1<<wide.ReachBits), wide.ReachBits+1)
	l.leaveIfI(vcode.Ne, over, 0)
}

func (l *lowering) addVaryingPointer(in *wide.Instruction, index int32) {
	p := l.kind(in.A)
	near, checks := wide.IsNear(in), l.madeKind(&l.state, in).Within == 0
	limit := uint64(1) << wide.ReachBits / uint64(max(in.Imm, 1))
	number, known := l.Known[in.B]
	moved, far := make([]reg, 2*l.parts), make([]reg, 2*l.parts)
	for i := range moved {
		var n, by reg
		if known && near {
			by = l.word64(uint64(wide.Indexed(index, number) * in.Imm))
		} else {
			if n = l.now(in.B, i); index != wide.LongIndex {
				n = l.extended(in.B, index, i)
			}
			by = l.keep(l.scaledLongs(l.keep(n), in.Imm))
		}
		v := l.now(in.A, i)
		moved[i] = l.keep(l.op(vcode.VAddQ, v, by))
		if !checks {
			continue
		}
		first := l.op(vcode.VAddQ, moved[i], l.word64(1<<wide.ReachBits-uint64(p.Object)<<wide.OffsetBits))
		if p.Object == 0 {
			first = l.opI(vcode.VSarQI, l.opI(vcode.VShlQI, v, 64-wide.OffsetBits), 64-wide.OffsetBits)
			first = l.op(vcode.VAddQ, l.op(vcode.VAddQ, first, by), l.word64(1<<wide.ReachBits))
		}
		far[i] = l.keep(l.compare(vcode.VCmpQ, vcode.GeU, first, l.word64(2<<wide.ReachBits)))
		if !near {
			p := l.compare(vcode.VCmpQ, vcode.GeU, l.op(vcode.VAddQ, n, l.word64(limit)), l.word64(2*limit))
			far[i] = l.keep(l.op(vcode.POr, far[i], p))
		}
	}
	if checks {
		l.leaveIfAny(l.joined(far))
	}
	old, blend := l.kind(in.D), l.blends(in)
	for i, v := range moved {
		l.setPart(in, blend, old, i, v)
	}
	l.finishLanes(in)
}

// joined makes predicates for words of those for longs.
func (l *lowering) joined(list []reg) []reg {
	words := make([]reg, len(list)/2)
	for i := range words {
		words[i] = l.keep(l.op(vcode.PJoin, list[2*i], list[2*i+1]))
	}
	return words
}

// finishLanes notes that the lanes of what an instruction makes are written.
func (l *lowering) finishLanes(in *wide.Instruction) {
	n := l.slotOf(in.D)
	l.cache.changed(n)
	l.forget(n, inLanes)
}
