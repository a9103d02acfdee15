package native

import (
	mathbits "math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// addPointer writes a pointer that is moved by a number of elements of Imm bytes. One that comes out too far from its
// object is for the interpreter.
func addPointer(index int32) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		if l.keptKind(&l.state, in, l.pc).Scalar() {
			addScalarPointer(l, in, index)
			return
		}
		addVaryingPointer(l, in, index)
	}
}

func addScalarPointer(l *lanes, in *wide.Instruction, index int32) {
	made, p, k := l.madeKind(&l.state, in), l.kind(in.A), l.kind(in.B)
	by := l.keep(widened(l, in.B, index))
	if index != wide.LongIndex && k.Form != wide.Uniform {
		leaveIfWraps(l, in.B, by, index)
	}
	near, checks := wide.IsNear(in), made.Within == 0
	scaled := func(r reg) reg {
		if near {
			return scaled(l, r, in.Imm)
		}
		return scaledWithinReach(l, r, in.Imm)
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
		first := offsetIn(l, int64(p.Object), moved)
		if p.Object == 0 {
			first = l.op(vcode.GAdd, displacement(l, in.A, 0), by)
		}
		checkReach(l, l.keep(first))
		if made.Form != wide.Uniform {
			checkReach(l, l.op(vcode.GAdd, first, l.opI(vcode.GMul, step, width-1)))
		}
	}
	l.setCounting(in.D, made, moved, step)
	if bits, ok := l.x.Known[in.A]; ok && wide.OffsetOf(bits) == 0 && int(by) >= l.alloc.Units() { // it stays as it is
		l.cache.of(l.slotOf(in.D)).away = by
	}
}

// offsetIn returns where a pointer points to in an object that it is known to be in.
func offsetIn(l *lanes, object int64, p reg) reg {
	return l.opI(vcode.GAdd, p, -object<<wide.OffsetBits)
}

// scaledWithinReach multiplies a number of elements by their size.
func scaledWithinReach(l *lanes, r reg, size int64) reg {
	r = l.exiting(vcode.MulX, r, 0, size)
	checkReach(l, r)
	return r
}

// checkReach leaves what is not from -reach to reach - 1 to the interpreter.
func checkReach(l *lanes, r reg) {
	over := l.opI(vcode.GShr, l.opI(vcode.GAdd, r, 1<<wide.ReachBits), wide.ReachBits+1)
	l.leaveIfI(vcode.Ne, over, 0)
}

func addVaryingPointer(l *lanes, in *wide.Instruction, index int32) {
	p := l.kind(in.A)
	near, checks := wide.IsNear(in), l.madeKind(&l.state, in).Within == 0
	limit := uint64(1) << wide.ReachBits / uint64(max(in.Imm, 1))
	number, known := l.x.Known[in.B]
	moved, far := make([]reg, 2*l.parts), make([]reg, 2*l.parts)
	for i := range moved {
		var n, by reg
		if known && near {
			by = l.word64(uint64(wide.Indexed(index, number) * in.Imm))
		} else {
			if n = l.now(in.B, i); index != wide.LongIndex {
				n = extendedPart(l, in.B, index, i)
			}
			by = l.keep(scaledLongs(l, l.keep(n), in.Imm))
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
		l.leaveIfAny(joined(l, far))
	}
	old, blend := l.kind(in.D), l.blends(in)
	for i, v := range moved {
		l.setPart(in, blend, old, i, v)
	}
	l.finishLanes(in)
}

// joined makes predicates for words of those for longs.
func joined(l *lanes, list []reg) []reg {
	words := make([]reg, len(list)/2)
	for i := range words {
		words[i] = l.keep(l.op(vcode.PJoin, list[2*i], list[2*i+1]))
	}
	return words
}

// finishLanes notes that the lanes of what an instruction makes are written.
func (l *lanes) finishLanes(in *wide.Instruction) {
	n := l.slotOf(in.D)
	l.cache.changed(n)
	l.forget(n, inLanes)
}

// displacement returns where a pointer points to in its object, and some bytes more.
func displacement(l *lanes, at int32, more int64) reg {
	if bits, ok := l.x.Known[at]; ok {
		return l.number(uint64(wide.OffsetOf(bits) + more))
	}
	if r := l.cache.of(l.slotOf(at)).away; r != 0 && more == 0 {
		return r
	} else if r != 0 {
		return l.opI(vcode.GAdd, r, more)
	}
	if object := l.kind(at).Object; object > 0 {
		return l.opI(vcode.GAdd, l.base(at), more-int64(object)<<wide.OffsetBits)
	}
	r := l.opI(vcode.GShl, l.base(at), 64-wide.OffsetBits)
	r = l.opI(vcode.GSar, r, 64-wide.OffsetBits)
	if more != 0 {
		r = l.opI(vcode.GAdd, r, more)
	}
	return r
}

// scaled returns a number times n.
func scaled(l *lanes, r reg, n int64) reg {
	switch {
	case n == 1:
		return r
	case n > 0 && n&(n-1) == 0:
		return l.opI(vcode.GShl, r, int64(mathbits.Len64(uint64(n))-1))
	}
	return l.opI(vcode.GMul, r, n)
}

// extendedPart returns a part of the lanes of words as longs.
func extendedPart(l *lanes, at, index int32, part int) reg {
	op := operation{signed: index == wide.IntIndex}
	return l.op(op.extends(part&1), l.now(at, part/2), 0)
}

func scaledLongs(l *lanes, v reg, n int64) reg {
	switch {
	case n == 1:
		return v
	case n > 0 && n&(n-1) == 0:
		return l.opI(vcode.VShlQI, v, int64(mathbits.Len64(uint64(n))-1))
	}
	return l.op(vcode.VMulQ, v, l.word64(uint64(n)))
}
