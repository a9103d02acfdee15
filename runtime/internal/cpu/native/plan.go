package native

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// plan says how instructions are written: which wait in a queue to be written a part at a time, and where that is
// emptied. It also counts the program in groups, which are instructions that are written together, and says which
// registers live from group to group in registers of the machine.
type plan struct {
	how    []uint8
	groups []int32 // by instruction
	enters []int32 // by block: the group before its first instruction
	fixed  []fixedUnit
	spread []spread
}

// spread is a register whose lanes are made at the end of a block, for one that comes next.
type spread struct{ slot, group int32 }

type fixedUnit struct {
	unit  reg
	spans []vcode.Span
}

// How an instruction is written.
const (
	flushesBefore = 1 << iota // what is in the queue comes before it
	queues                    // it waits in the queue
	onBases                   // at once, on what is the same in all lanes, or counts up
)

// maxQueued bounds the queue.
const maxQueued = 24

// make makes the plan, and has hot registers fixed.
func (p *plan) make(l *lowering) {
	p.how, p.groups = make([]uint8, len(l.Code)), make([]int32, len(l.Code))
	p.enters = make([]int32, len(l.blocks))
	present := make([]uint8, len(l.blocks)*len(l.slots))
	depth := l.depths()
	weight := make([]float64, len(l.slots))
	group := int32(0)
	var s state
	var pending pendingSlots
	for i := range l.blocks {
		b := &l.blocks[i]
		if !b.reached {
			continue
		}
		group++
		p.enters[i] = group
		s.clone(&b.in)
		here := present[i*len(l.slots):][:len(l.slots)]
		for n := range here {
			if b.live.has(int32(n)) {
				here[n] |= repOf(l, int32(n), s.kinds[n])
			}
		}
		pending.clear()
		for pc := b.first; pc < b.end; pc++ {
			in := &l.Code[pc]
			how := pending.classify(l, &s, in, pc)
			p.how[pc] = how
			if how&flushesBefore != 0 || len(pending.slots) == 0 {
				group++
			}
			p.groups[pc] = group
			if how&flushesBefore != 0 || how&(queues|onBases) == 0 {
				pending.clear()
			}
			op := &operations[in.Op]
			if how&queues != 0 || op.access && op.d != none {
				pending.add(l, in)
			}
			for o := range op.operands(in) {
				weight[l.slotOf(o.at)] += depth[i]
			}
			if op.jumps {
				p.leads(l, &s, in, group, present)
			}
			l.analysis.step(&s, pc)
			for o := range op.results(in) {
				d := l.slotOf(o.at)
				weight[d] += depth[i]
				here[d] |= repOf(l, d, s.kinds[d])
			}
		}
		if l.leadsOn(i) || l.Code[b.end-1].Op == Barrier {
			p.markConverted(l, &s, l.blockAt[b.end]-1, group, present)
		}
	}
	if l.budget.step(len(l.Code) + len(present)/8) {
		p.fix(l, present, weight)
	}
}

// leads notes what an edge brings to the block that an instruction jumps to.
func (p *plan) leads(l *lowering, s *state, in *Instruction, group int32, present []uint8) {
	var other state
	other.clone(s)
	l.analysis.jump(&other, in)
	p.markConverted(l, &other, l.blockAt[in.Target]-1, group, present)
}

// markConverted makes registers present in a block that come there in another way than it has them.
func (p *plan) markConverted(l *lowering, s *state, to, group int32, present []uint8) {
	b := &l.blocks[to]
	there := present[int(to)*len(l.slots):][:len(l.slots)]
	for n := range there {
		if b.live.has(int32(n)) && s.kinds[n].form != b.in.kinds[n].form {
			there[n] |= repOf(l, int32(n), s.kinds[n])
			p.spread = append(p.spread, spread{int32(n), group})
		}
	}
}

// The ways in which units hold a register.
const (
	inBase = 1 << iota
	inStep
	inSplat
	inLanes
)

func repOf(l *lowering, n int32, k kind) uint8 {
	switch {
	case l.slots[n].class == mask:
		return inBase
	case k.form == varying || k.form == unreached:
		return inLanes
	case k.form == uniform && l.vectors[n]:
		return inSplat
	case k.form == strided:
		return inBase | inStep
	}
	return inBase
}

// depths returns how much what a block does is worth: more within loops.
func (l *lowering) depths() []float64 {
	weights := make([]float64, len(l.blocks))
	change := make([]int, len(l.blocks)+1)
	for i := range l.blocks {
		last := &l.Code[l.blocks[i].end-1]
		if last.Op == Loop {
			change[l.blockAt[last.Target]-1]++
			change[i+1]--
		}
	}
	depth := 0
	for i := range weights {
		depth += change[i]
		weights[i] = float64(int64(1) << (3 * min(depth, 6)))
	}
	return weights
}

// pendingSlots are registers that what is in the queue reads or writes.
type pendingSlots struct {
	slots  []int32
	queued int
}

func (q *pendingSlots) clear() { q.slots, q.queued = q.slots[:0], 0 }

func (q *pendingSlots) add(l *lowering, in *Instruction) {
	op := &operations[in.Op]
	for o := range op.operands(in) {
		q.slots = append(q.slots, l.slotOf(o.at))
	}
	q.slots = append(q.slots, l.slotOf(in.D))
	q.queued++
}

func (q *pendingSlots) has(n int32) bool {
	for _, s := range q.slots {
		if s == n {
			return true
		}
	}
	return false
}

// classify says how an instruction is written.
func (q *pendingSlots) classify(l *lowering, s *state, in *Instruction, pc int32) uint8 {
	op := &operations[in.Op]
	waiting := len(q.slots) > 0
	flush := func(how uint8) uint8 {
		if waiting {
			how |= flushesBefore
		}
		return how
	}
	if op.flow || op.foreign || op.lane == nil && op.scalar == nil {
		return flush(0)
	}
	kept := l.keptKind(s, in, pc)
	switch {
	case kept.scalar():
		if op.exits || op.check != nil || q.has(l.slotOf(in.D)) {
			return flush(onBases)
		}
		return onBases
	case op.lane == nil:
		return flush(0)
	case op.check != nil || q.queued >= maxQueued:
		return flush(queues)
	}
	return queues
}

// keptKind returns what is known of what an instruction makes, when it is blended with what other lanes hold.
func (l *lowering) keptKind(s *state, in *Instruction, pc int32) kind {
	if in.Masked && !l.plain[pc] && operations[in.Op].d != mask {
		return kind{form: varying}
	}
	return l.madeKind(s, in)
}

// madeKind is keptKind before that.
func (l *lowering) madeKind(s *state, in *Instruction) kind {
	if r := operations[in.Op].rule; r != nil {
		return r(l.analysis, s, in)
	}
	return kind{form: varying}
}

// fix gives hot registers that live across blocks registers of the machine.
func (p *plan) fix(l *lowering, present []uint8, weight []float64) {
	crosses := make(bits, (len(l.slots)+63)/64)
	for i := range l.blocks {
		if b := &l.blocks[i]; b.reached && b.label {
			crosses.join(b.live)
		}
	}
	spans := map[reg][]vcode.Span{}
	now := make(bits, len(crosses))
	until := make([]int32, len(l.slots))
	for i := range l.blocks {
		b := &l.blocks[i]
		if !b.reached || !l.budget.step(len(l.slots)) {
			continue
		}
		here := present[i*len(l.slots):][:len(l.slots)]
		end := func(n, from int32) {
			l.repsIn(n, here[n], func(u reg) { spans[u] = append(spans[u], vcode.Span{From: from, To: until[n]}) })
		}
		clear(now)
		if i+1 < len(l.blocks) && !operations[l.Code[b.end-1].Op].ends {
			now.join(l.blocks[l.blockAt[b.end]-1].live)
		}
		last := p.groups[b.end-1]
		for n := range until {
			if until[n] = -1; now.has(int32(n)) && crosses.has(int32(n)) {
				until[n] = last
			}
		}
		for pc := b.end - 1; pc >= b.first; pc-- {
			p.spansBefore(l, pc, until, crosses, end)
		}
		for n := range until {
			if until[n] >= 0 {
				end(int32(n), p.enters[i])
			}
		}
	}
	for _, s := range p.spread {
		l.repsIn(s.slot, inLanes, func(u reg) {
			if spans[u] != nil {
				spans[u] = append(spans[u], vcode.Span{From: s.group, To: s.group})
			}
		})
	}
	var list []vcode.Candidate
	ways := make([]uint8, len(l.slots))
	for i, w := range present {
		ways[i%len(ways)] |= w
	}
	for u, s := range spans {
		n := l.slotOfUnit[u]
		if both := uint8(inBase | inSplat); ways[n]&both == both && (u == l.units[n].base || u == l.units[n].splat) {
			continue // these have the same home
		}
		at := l.slots[n].at
		_, never := l.constant[at]
		if never || weight[n] < 8 || l.slots[n].class == mask && l.maskAt[at/8] != 0 {
			continue
		}
		list = append(list, vcode.Candidate{Unit: u, Weight: weight[n], Spans: vcode.Joined(s)})
	}
	slices.SortFunc(list, func(a, b vcode.Candidate) int { return cmp.Compare(a.Unit, b.Unit) }) // the same each time
	vcode.Fix(l.alloc, list)
	for _, c := range list {
		if l.alloc.Fixed(c.Unit) != 0 {
			p.fixed = append(p.fixed, fixedUnit{c.Unit, c.Spans})
		}
	}
}

// spansBefore changes until when registers are live to what that is before an instruction. A range that begins is told
// to end.
func (p *plan) spansBefore(l *lowering, pc int32, until []int32, crosses bits, end func(n, from int32)) {
	in := &l.Code[pc]
	op := &operations[in.Op]
	g := p.groups[pc]
	if op.jumps {
		live := l.blocks[l.blockAt[in.Target]-1].live
		for n := range until {
			if until[n] < 0 && live.has(int32(n)) && crosses.has(int32(n)) {
				until[n] = g
			}
		}
	}
	for o := range op.results(in) {
		d := l.slotOf(o.at)
		if !crosses.has(d) {
			continue
		}
		if until[d] < 0 {
			until[d] = g
		}
		if !in.Masked || l.plain[pc] {
			end(d, g)
			until[d] = -1
		}
	}
	for o := range op.operands(in) {
		if d := l.slotOf(o.at); until[d] < 0 && crosses.has(d) {
			until[d] = g
		}
	}
	if op.readsAll(in) { // it reads what it wants
		for n := range until {
			if until[n] < 0 && crosses.has(int32(n)) {
				until[n] = g
			}
		}
	}
}

// repsIn calls f with the units that hold a register in some ways.
func (l *lowering) repsIn(n int32, ways uint8, f func(reg)) {
	u := &l.units[n]
	if ways&inBase != 0 {
		f(u.base)
	}
	if ways&inStep != 0 {
		f(u.step)
	}
	if ways&inSplat != 0 {
		f(u.splat)
	}
	if ways&inLanes != 0 {
		for i := range l.partsOf(l.slots[n].class) {
			f(u.lanes + reg(i))
		}
	}
}

// fixedIn returns the units that have registers of their own somewhere in some blocks.
func (p *plan) fixedIn(l *lowering, first, last int) (list []reg) {
	from, to := p.enters[first], p.groups[l.blocks[last].end-1]
	return p.fixedBetween(from, to)
}

func (p *plan) fixedBetween(from, to int32) (list []reg) {
	for i := range p.fixed {
		for _, s := range p.fixed[i].spans {
			if s.From <= to && s.To >= from {
				list = append(list, p.fixed[i].unit)
				break
			}
		}
	}
	return list
}
