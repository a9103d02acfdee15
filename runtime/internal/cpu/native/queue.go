package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// queued is an instruction that waits to be written a part of the lanes at a time, with others. So what one makes of a
// part is still in a register when the next one reads it, also where a vector holds few lanes. Nothing in the queue
// leaves for the interpreter, and nothing stores.
type queued struct {
	in    *wide.Instruction
	op    *operation
	kinds [3]wide.Kind // of A, B and C
	old   wide.Kind    // of D
	blend bool         // D keeps what it holds in lanes that are not active
	// part makes a part of what the instruction makes, in place of op: of a long register two vectors.
	part func(part int) [2]reg
}

// queue is what waits.
type queue struct {
	lanes *lanes
	chain *wide.Chain
	list  []queued
}

func (w *queue) add(in *wide.Instruction, op *operation) {
	q := queued{in: in, op: op}
	q.note(w.lanes)
	w.list = append(w.list, q)
}

// addPart has a function make the parts of what an instruction makes.
func (w *queue) addPart(in *wide.Instruction, part func(part int) [2]reg) {
	q := queued{in: in, op: &operations[in.Op], part: part}
	q.note(w.lanes)
	w.list = append(w.list, q)
}

// note keeps what is known of the operands now.
func (q *queued) note(l *lanes) {
	of := func(at int32, c wide.Class) wide.Kind {
		if c != wide.Word && c != wide.Long {
			return wide.Kind{Form: wide.Varying}
		}
		return l.kind(at)
	}
	if q.part == nil {
		q.kinds = [3]wide.Kind{of(q.in.A, q.op.A), of(q.in.B, q.op.B), of(q.in.C, q.op.C)}
	}
	q.old, q.blend = of(q.in.D, q.op.D), l.blends(q.in)
}

// flush writes what waits, before an instruction. The interpreter never goes on within the queue, but it may do so at
// that instruction. Those on bases that came after the last one in the queue are written already, so what they have
// made is read from there on.
func (w *queue) flush(next int32) {
	if len(w.list) == 0 {
		return
	}
	l := w.lanes
	pc := l.pc
	l.pc = next - 1
	for part := range l.parts {
		for i := range w.list {
			w.list[i].write(l, part)
		}
	}
	for i := range w.list {
		w.list[i].finish(l, w.chain)
	}
	w.list = w.list[:0]
	l.pc = pc
}

// write writes an instruction for a part.
func (q *queued) write(l *lanes, part int) {
	n := l.slotOf(q.in.D)
	switch {
	case q.part != nil:
		made := q.part(part)
		if q.op.D == wide.Mask {
			l.cache.of(n).preds[part] = l.keep(made[0])
			return
		}
		if q.op.D == wide.Long {
			l.setPart(q.in, q.blend, q.old, 2*part, made[0])
			l.setPart(q.in, q.blend, q.old, 2*part+1, made[1])
			return
		}
		l.setPart(q.in, q.blend, q.old, part, made[0])
	case q.op.D == wide.Long:
		for h := range 2 {
			l.setPart(q.in, q.blend, q.old, 2*part+h, q.compute(l, part, h))
		}
	case q.op.D == wide.Mask && q.op.A == wide.Long:
		low := l.keep(q.compute(l, part, 0))
		l.cache.of(n).preds[part] = l.keep(l.op(vcode.PJoin, low, q.compute(l, part, 1)))
	case q.op.D == wide.Mask:
		l.cache.of(n).preds[part] = l.keep(q.compute(l, part, 0))
	default:
		l.setPart(q.in, q.blend, q.old, part, q.compute(l, part, 0))
	}
}

// finish is what is to be done when all parts are written: bools have their bits in one register.
func (q *queued) finish(l *lanes, c *wide.Chain) {
	n := l.slotOf(q.in.D)
	if q.op.D != wide.Mask {
		l.cache.changed(n)
		if old := repOf(l, n, q.old); old != inLanes {
			l.repsIn(n, old, func(u reg) { l.emit(vcode.Instr{Op: vcode.Forget, D: u}) })
		}
		return
	}
	if !c.Needed(n, l.pc+1) {
		return
	}
	args := make([]reg, l.parts)
	copy(args, l.cache.of(n).preds[:])
	l.move(l.units[n].base, l.make(vcode.Instr{Op: vcode.PToBits, Args: args}))
}

// compute writes the operation of an instruction for a part of the lanes, or for half of one where elements have 64
// bits.
func (q *queued) compute(l *lanes, part, h int) reg {
	in, op := q.in, q.op
	if op.joins {
		return l.op(vcode.VNarrow, l.lane(in.A, q.kinds[0], 2*part), l.lane(in.A, q.kinds[0], 2*part+1))
	}
	longs := op.D == wide.Long || op.A == wide.Long
	arg := func(i int, at int32, c wide.Class) reg {
		switch c {
		case wide.Mask:
			p := l.pred(at, part)
			if longs {
				p = l.op(half(h), p, 0)
			}
			return p
		case wide.Word:
			v := l.lane(at, q.kinds[i], part)
			if longs {
				v = l.op(op.extends(h), v, 0)
			}
			return v
		case wide.Long:
			return l.lane(at, q.kinds[i], 2*part+h)
		}
		return 0
	}
	o := l.operands(in, arg(0, in.A, op.A), arg(1, in.B, op.B), arg(2, in.C, op.C))
	if (op.B == wide.Word || op.B == wide.Long) && q.kinds[1].Form == wide.Uniform {
		o.Inverses = &l.cache.of(l.slotOf(in.B)).inverses
	}
	return op.lane(&l.arith, o)
}

// extends returns what makes longs of the lower or the upper half of words.
func (op *operation) extends(h int) vcode.Op {
	switch {
	case op.signed && h == 0:
		return vcode.VExtLoS
	case op.signed:
		return vcode.VExtHiS
	case h == 0:
		return vcode.VExtLoU
	}
	return vcode.VExtHiU
}

// computeOnBases writes an operation on what is the same in all lanes, or counts up.
func computeOnBases(l *lanes, in *wide.Instruction, op *operation) {
	if op.scalar != nil && (op.lane == nil || op.D != wide.Word || !l.vectors[l.slotOf(in.D)]) {
		op.scalar(l, in)
		return
	}
	if made := l.madeKind(&l.state, in); made.Form != wide.Uniform {
		op.scalar(l, in)
		return
	}
	l.arith.Once = true
	l.leaveRare(in, op)
	arg := func(at int32, c wide.Class) reg {
		switch c {
		case wide.Mask:
			return l.pred(at, 0)
		case wide.Word, wide.Long:
			v := l.splat(at, l.kind(at))
			if c == wide.Word && (op.D == wide.Long || op.A == wide.Long) {
				v = l.op(op.extends(0), v, 0)
			}
			return v
		}
		return 0
	}
	var v reg
	if op.joins {
		x := l.splat(in.A, l.kind(in.A))
		v = l.op(vcode.VNarrow, x, x)
	} else {
		v = op.lane(&l.arith, l.operands(in, arg(in.A, op.A), arg(in.B, op.B), arg(in.C, op.C)))
	}
	l.arith.Once = false
	if op.D == wide.Mask {
		l.setBits(in.D, l.op(vcode.PFirst, v, 0))
		return
	}
	l.setSplat(in.D, v)
}
