package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/arith"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// lanes is how the registers of a program are held before the instruction that is written. It reads and writes them: as
// numbers, as vectors of their lanes, or as predicates. Operations are functions of it.
type lanes struct {
	*writer
	x      *wide.Analysis
	layout *abi.Layout

	units      []unitsOf // by slot
	slotOfUnit []int32
	vectors    []bool // by slot: what is the same in all lanes is in a vector

	state wide.State // before the instruction that is written
	arith arith.Writer
	cache caches
}

func newLanes(w *writer, x *wide.Analysis, layout *abi.Layout) *lanes {
	l := &lanes{writer: w, x: x, layout: layout}
	l.arith = arith.Writer{Make: w.make, Keep: w.keep, Constant: l.constantIn, Traits: w.t}
	l.makeUnits()
	l.vectors = make([]bool, len(x.Slots))
	l.cache.slots, l.cache.changes = make([]slotCache, len(x.Slots)), make([]int32, len(x.Slots))
	return l
}

func (l *lanes) kind(at int32) wide.Kind { return l.x.KindOf(&l.state, at) }

func (l *lanes) classOf(at int32) wide.Class { return l.x.Slots[l.slotOf(at)].Class }

// keptKind returns what is known of what an instruction makes, when it is blended with what other lanes hold.
func (l *lanes) keptKind(s *wide.State, in *wide.Instruction, pc int32) wide.Kind {
	if in.Masked && !l.x.Plain[pc] && wide.Infos[in.Op].D != wide.Mask {
		return wide.Kind{Form: wide.Varying}
	}
	return l.madeKind(s, in)
}

// madeKind is keptKind before that.
func (l *lanes) madeKind(s *wide.State, in *wide.Instruction) wide.Kind {
	if r := wide.Infos[in.Op].Rule; r != nil {
		return r(l.x, s, in)
	}
	return wide.Kind{Form: wide.Varying}
}

// base returns the base of a register that is the same in all lanes, or counts up.
func (l *lanes) base(at int32) reg {
	if bits, ok := l.x.Known[at]; ok {
		return l.number(bits)
	}
	n := l.slotOf(at)
	if l.vectors[n] && l.kind(at).Form == wide.Uniform {
		return l.make(vcode.Instr{Op: vcode.GFromV32, A: l.units[n].splat})
	}
	return l.units[n].base
}

// step returns how much a register counts up from lane to lane, in 32 or 64 bits.
func (l *lanes) step(at int32) reg {
	if step, ok := l.kind(at).Counts(); ok {
		if l.classOf(at) == wide.Word {
			return l.number(uint64(uint32(step)))
		}
		return l.number(uint64(int64(step)))
	}
	return l.units[l.slotOf(at)].step
}

// bits returns the bits of a bool.
func (l *lanes) bits(at int32) reg {
	if bits, ok := l.x.Known[at]; ok {
		return l.number(uint64(uint32(bits)))
	}
	return l.units[l.slotOf(at)].base
}

// word32 and word64 return a number in all elements.
func (l *lanes) word32(v uint32) reg { return l.constantIn(vcode.VConst32, uint64(v)) }
func (l *lanes) word64(v uint64) reg { return l.constantIn(vcode.VConst64, v) }

func (l *lanes) constantIn(op vcode.Op, v uint64) reg {
	key := number{op, v}
	r, ok := l.cache.numbers[key]
	if !ok {
		r = l.keep(l.make(vcode.Instr{Op: op, Imm: int64(v)}))
		l.cache.numbers[key] = r
	}
	return r
}

// countingBy returns what a vector of the lanes counts up to: their number times step.
func (l *lanes) countingBy(part int, step int32, longs bool) reg {
	first := int64(part*l.t.Lanes) * int64(step)
	if longs {
		first /= 2
	}
	return l.countingFrom(first, step, longs)
}

// countingFrom returns numbers that count up by a step.
func (l *lanes) countingFrom(first int64, step int32, longs bool) reg {
	key := words{first, step, longs}
	r, ok := l.cache.words[key]
	if !ok {
		r = l.keep(l.make(vcode.Instr{Op: vcode.VWords, Words: vcode.CountingWords(first, step, longs)}))
		l.cache.words[key] = r
	}
	return r
}

// constantWords returns a vector of 16 words, or of the first of them.
func (l *lanes) constantWords(v []uint32) reg {
	key := [16]uint32(v)
	r, ok := l.cache.vectors[key]
	if !ok {
		r = l.keep(l.make(vcode.Instr{Op: vcode.VWords, Words: v}))
		l.cache.vectors[key] = r
	}
	return r
}

// splat returns the base of a register in all elements, of 64 bits where the register has those.
func (l *lanes) splat(at int32, k wide.Kind) reg {
	n := l.slotOf(at)
	longs := l.x.Slots[n].Class == wide.Long
	if bits, ok := l.x.Known[at]; ok {
		if longs {
			return l.word64(bits)
		}
		return l.word32(uint32(bits))
	}
	if l.vectors[n] && k.Form == wide.Uniform {
		return l.units[n].splat
	}
	c := l.cache.of(n)
	if c.splat == 0 {
		op := vcode.VSplat32
		if longs {
			op = vcode.VSplat64
		}
		c.splat = l.keep(l.make(vcode.Instr{Op: op, A: l.units[n].base}))
	}
	return c.splat
}

// lane returns a vector of the lanes of a register that is known to be of kind k.
func (l *lanes) lane(at int32, k wide.Kind, part int) reg {
	n := l.slotOf(at)
	longs := l.x.Slots[n].Class == wide.Long
	switch k.Form {
	case wide.Varying, wide.Unreached:
		return l.units[n].lanes + reg(part)
	case wide.Uniform:
		return l.splat(at, k)
	}
	c := l.cache.of(n)
	if r := c.lanes[part]; r != 0 {
		return r
	}
	add, multiply, splat := vcode.VAdd, vcode.VMul, vcode.VSplat32
	if longs {
		add, multiply, splat = vcode.VAddQ, vcode.VMulQ, vcode.VSplat64
	}
	counts := reg(0)
	if k.Form == wide.Strided {
		by := l.make(vcode.Instr{Op: splat, A: l.units[n].step})
		counts = l.op(multiply, l.countingBy(part, 1, longs), by)
	} else {
		counts = l.countingBy(part, k.Step, longs)
	}
	c.lanes[part] = l.keep(l.op(add, l.splat(at, k), counts))
	return c.lanes[part]
}

// now is lane, as it is known before the instruction.
func (l *lanes) now(at int32, part int) reg { return l.lane(at, l.kind(at), part) }

// all returns all vectors of the lanes of a register.
func (l *lanes) all(at int32) []reg {
	list := make([]reg, l.partsOf(l.classOf(at)))
	for i := range list {
		list[i] = l.now(at, i)
	}
	return list
}

// pred returns the predicate of a bool for a part of the lanes.
func (l *lanes) pred(at int32, part int) reg {
	c := l.cache.of(l.slotOf(at))
	if c.preds[part] == 0 {
		c.preds[part] = l.keep(l.make(vcode.Instr{Op: vcode.PFromBits, A: l.bits(at), Imm: int64(part)}))
	}
	return c.preds[part]
}

// active returns the predicate of the active lanes of a part.
func (l *lanes) active(part int) reg {
	p := &l.cache.actives[part]
	if *p == 0 {
		*p = l.keep(l.make(vcode.Instr{Op: vcode.PFromBits, A: vcode.Active, Imm: int64(part)}))
	}
	return *p
}

// activeLongs is active for elements of 64 bits.
func (l *lanes) activeLongs(part int) reg { return l.op(half(part), l.active(part/2), 0) }

// half returns what makes a predicate one for elements of 64 bits.
func half(part int) vcode.Op {
	if part&1 != 0 {
		return vcode.PHi
	}
	return vcode.PLo
}

// forget notes that a register is about to be held in another way than before.
func (l *lanes) forget(n int32, now uint8) {
	if l.x.Slots[n].Class == wide.Mask {
		return
	}
	l.repsIn(n, repOf(l, n, l.state.Kinds[n])&^now, func(u reg) { l.emit(vcode.Instr{Op: vcode.Forget, D: u}) })
}

// setBase makes r the base of a register, which is the same in all lanes or counts up by a step that is known.
func (l *lanes) setBase(at int32, r reg) {
	n := l.slotOf(at)
	l.cache.changed(n)
	if l.vectors[n] {
		l.forget(n, inSplat)
		l.move(l.units[n].splat, l.op(vcode.VSplat32, r, 0))
		return
	}
	l.move(l.units[n].base, r)
	l.forget(n, inBase)
}

// setCounting makes r the base of a register that counts up, by step if that is not known.
func (l *lanes) setCounting(at int32, made wide.Kind, r, step reg) {
	if made.Form == wide.Uniform {
		l.setBase(at, r)
		return
	}
	n := l.slotOf(at)
	l.cache.changed(n)
	l.move(l.units[n].base, r)
	if made.Form == wide.Strided {
		l.move(l.units[n].step, step)
	}
	l.forget(n, inBase|inStep)
}

// setSplat makes v, the same in all elements, the value of a register.
func (l *lanes) setSplat(at int32, v reg) {
	n := l.slotOf(at)
	l.cache.changed(n)
	switch {
	case l.vectors[n]:
		l.move(l.units[n].splat, v)
		l.forget(n, inSplat)
	case l.x.Slots[n].Class == wide.Long:
		l.move(l.units[n].base, l.op(vcode.GFromV64, v, 0))
		l.forget(n, inBase)
	default:
		l.move(l.units[n].base, l.op(vcode.GFromV32, v, 0))
		l.forget(n, inBase)
	}
}

// setBits makes r the bits of a bool.
func (l *lanes) setBits(at int32, r reg) {
	n := l.slotOf(at)
	l.cache.changed(n)
	l.move(l.units[n].base, r)
}

// setWhole makes what is the same in all lanes the value of a register, blended with what other lanes hold: r is a
// number, or v a vector.
func (l *lanes) setWhole(in *wide.Instruction, r, v reg) {
	if kept := l.keptKind(&l.state, in, l.pc); kept.Scalar() {
		if v != 0 {
			l.setSplat(in.D, v)
		} else {
			l.setBase(in.D, r)
		}
		return
	}
	if v == 0 {
		op := vcode.VSplat32
		if l.classOf(in.D) == wide.Long {
			op = vcode.VSplat64
		}
		v = l.keep(l.op(op, r, 0))
	}
	l.keep(v)
	for i := range l.partsOf(l.classOf(in.D)) {
		l.setPart(in, l.blends(in), l.kind(in.D), i, v)
	}
	l.forget(l.slotOf(in.D), inLanes)
}

// setPart makes v a vector of the lanes of what an instruction writes. Before it, that was of kind old, which lanes
// that are not active keep where blend is set.
func (l *lanes) setPart(in *wide.Instruction, blend bool, old wide.Kind, part int, v reg) {
	if blend {
		if l.classOf(in.D) == wide.Long {
			v = l.op3(vcode.VBlendQ, v, l.lane(in.D, old, part), l.activeLongs(part))
		} else {
			v = l.op3(vcode.VBlend, v, l.lane(in.D, old, part), l.active(part))
		}
	}
	l.move(l.units[l.slotOf(in.D)].lanes+reg(part), v)
}

// blends reports whether the instruction leaves other lanes as they are than the active ones.
func (l *lanes) blends(in *wide.Instruction) bool { return in.Masked && !l.x.Plain[l.pc] }

// leaveIfAny leaves where a predicate of an active lane holds, of some that are parts of all lanes. Where Once is set
// it is the same in all lanes.
func (l *lanes) leaveIfAny(list []reg) {
	for i, p := range list {
		if !l.arith.Once {
			list[i] = l.keep(l.op(vcode.PAnd, p, l.active(i)))
		}
	}
	l.leaveIfAnyOf(list)
}

// leaveIfAnyOf is leaveIfAny for predicates that hold in active lanes alone.
func (l *lanes) leaveIfAnyOf(list []reg) {
	any := list[0]
	for _, p := range list[1:] {
		any = l.op(vcode.POr, any, p)
	}
	l.emit(vcode.Instr{Op: vcode.BranchAny, A: any, Exit: l.exit()})
}

// operands returns what an operation works on.
func (l *lanes) operands(in *wide.Instruction, a, b, c reg) *arith.Operands {
	o := &arith.Operands{A: a, B: b, C: c, Imm: in.Imm}
	if wide.Infos[in.Op].B != wide.None {
		o.Number, o.Known = l.x.Known[in.B]
	}
	return o
}

// leaveRare leaves to the interpreter what only it computes.
func (l *lanes) leaveRare(in *wide.Instruction, op *operation) {
	if op.rare == nil {
		return
	}
	of := func(part int) reg {
		var b reg
		if op.B != wide.None {
			b = l.now(in.B, part)
		}
		return l.keep(op.rare(&l.arith, l.operands(in, l.now(in.A, part), b, 0)))
	}
	longs := op.A == wide.Long
	var list []reg
	for i := range l.parts {
		at := i
		if longs {
			at = 2 * i
		}
		p := of(at)
		if p == vcode.None {
			return
		}
		if longs {
			p = l.keep(l.op(vcode.PJoin, p, of(at+1)))
		}
		list = append(list, p)
		if l.arith.Once {
			break
		}
	}
	l.leaveIfAny(list)
}

// give1 is give for an instruction within a block. What it makes is held as it would be.
func give1(l *lanes, in *wide.Instruction) {
	l.give()
	op := &wide.Infos[in.Op]
	for o := range op.Results(in) {
		l.cache.changed(l.slotOf(o.At))
	}
}
