package native

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
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
	p.enters = make([]int32, len(l.Blocks))
	present := make([]uint8, len(l.Blocks)*len(l.Slots))
	depth := l.depths()
	weight := make([]float64, len(l.Slots))
	group := int32(0)
	var s wide.State
	var pending pendingSlots
	for i := range l.Blocks {
		b := &l.Blocks[i]
		if !b.Reached {
			continue
		}
		group++
		p.enters[i] = group
		s.Clone(&b.In)
		here := present[i*len(l.Slots):][:len(l.Slots)]
		for n := range here {
			if b.Live.Has(int32(n)) {
				here[n] |= repOf(l, int32(n), s.Kinds[n])
			}
		}
		pending.clear()
		for pc := b.First; pc < b.End; pc++ {
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
			if how&queues != 0 || op.Access && op.D != wide.None {
				pending.add(l, in)
			}
			for o := range op.Operands(in) {
				weight[l.slotOf(o.At)] += depth[i]
			}
			if op.Jumps {
				p.leads(l, &s, in, group, present)
			}
			l.Analysis.Step(&s, pc)
			for o := range op.Results(in) {
				d := l.slotOf(o.At)
				weight[d] += depth[i]
				here[d] |= repOf(l, d, s.Kinds[d])
			}
		}
		if l.leadsOn(i) || l.Code[b.End-1].Op == wide.Barrier {
			p.markConverted(l, &s, l.BlockAt[b.End]-1, group, present)
		}
	}
	if l.Budget.Step(len(l.Code) + len(present)/8) {
		p.fix(l, present, weight)
	}
}

// leads notes what an edge brings to the block that an instruction jumps to.
func (p *plan) leads(l *lowering, s *wide.State, in *wide.Instruction, group int32, present []uint8) {
	var other wide.State
	other.Clone(s)
	l.Analysis.Jump(&other, in)
	p.markConverted(l, &other, l.BlockAt[in.Target]-1, group, present)
}

// markConverted makes registers present in a block that come there in another way than it has them.
func (p *plan) markConverted(l *lowering, s *wide.State, to, group int32, present []uint8) {
	b := &l.Blocks[to]
	there := present[int(to)*len(l.Slots):][:len(l.Slots)]
	for n := range there {
		if b.Live.Has(int32(n)) && s.Kinds[n].Form != b.In.Kinds[n].Form {
			there[n] |= repOf(l, int32(n), s.Kinds[n])
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

func repOf(l *lowering, n int32, k wide.Kind) uint8 {
	switch {
	case l.Slots[n].Class == wide.Mask:
		return inBase
	case k.Form == wide.Varying || k.Form == wide.Unreached:
		return inLanes
	case k.Form == wide.Uniform && l.vectors[n]:
		return inSplat
	case k.Form == wide.Strided:
		return inBase | inStep
	}
	return inBase
}

// depths returns how much what a block does is worth: more within loops.
func (l *lowering) depths() []float64 {
	weights := make([]float64, len(l.Blocks))
	change := make([]int, len(l.Blocks)+1)
	for i := range l.Blocks {
		last := &l.Code[l.Blocks[i].End-1]
		if last.Op == wide.Loop {
			change[l.BlockAt[last.Target]-1]++
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

func (q *pendingSlots) add(l *lowering, in *wide.Instruction) {
	op := &operations[in.Op]
	for o := range op.Operands(in) {
		q.slots = append(q.slots, l.slotOf(o.At))
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
func (q *pendingSlots) classify(l *lowering, s *wide.State, in *wide.Instruction, pc int32) uint8 {
	op := &operations[in.Op]
	waiting := len(q.slots) > 0
	flush := func(how uint8) uint8 {
		if waiting {
			how |= flushesBefore
		}
		return how
	}
	if op.Flow || op.Foreign || op.lane == nil && op.scalar == nil {
		return flush(0)
	}
	kept := l.keptKind(s, in, pc)
	switch {
	case kept.Scalar():
		leaves := op.exits || op.wraps && kept.Form != wide.Uniform
		if leaves || op.check != nil || q.has(l.slotOf(in.D)) {
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
func (l *lowering) keptKind(s *wide.State, in *wide.Instruction, pc int32) wide.Kind {
	if in.Masked && !l.Plain[pc] && operations[in.Op].D != wide.Mask {
		return wide.Kind{Form: wide.Varying}
	}
	return l.madeKind(s, in)
}

// madeKind is keptKind before that.
func (l *lowering) madeKind(s *wide.State, in *wide.Instruction) wide.Kind {
	if r := operations[in.Op].Rule; r != nil {
		return r(l.Analysis, s, in)
	}
	return wide.Kind{Form: wide.Varying}
}

// fix gives hot registers that live across blocks registers of the machine.
func (p *plan) fix(l *lowering, present []uint8, weight []float64) {
	crosses := make(wide.Set, (len(l.Slots)+63)/64)
	for i := range l.Blocks {
		if b := &l.Blocks[i]; b.Reached && b.Label {
			crosses.Join(b.Live)
		}
	}
	spans := map[reg][]vcode.Span{}
	now := make(wide.Set, len(crosses))
	until := make([]int32, len(l.Slots))
	for i := range l.Blocks {
		b := &l.Blocks[i]
		if !b.Reached || !l.Budget.Step(len(l.Slots)) {
			continue
		}
		here := present[i*len(l.Slots):][:len(l.Slots)]
		end := func(n, from int32) {
			l.repsIn(n, here[n], func(u reg) { spans[u] = append(spans[u], vcode.Span{From: from, To: until[n]}) })
		}
		clear(now)
		if i+1 < len(l.Blocks) && !operations[l.Code[b.End-1].Op].Ends {
			now.Join(l.Blocks[l.BlockAt[b.End]-1].Live)
		}
		last := p.groups[b.End-1]
		for n := range until {
			if until[n] = -1; now.Has(int32(n)) && crosses.Has(int32(n)) {
				until[n] = last
			}
		}
		for pc := b.End - 1; pc >= b.First; pc-- {
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
	ways := make([]uint8, len(l.Slots))
	for i, w := range present {
		ways[i%len(ways)] |= w
	}
	for u, s := range spans {
		n := l.slotOfUnit[u]
		if both := uint8(inBase | inSplat); ways[n]&both == both && (u == l.units[n].base || u == l.units[n].splat) {
			continue // these have the same home
		}
		at := l.Slots[n].At
		_, never := l.Known[at]
		if never || weight[n] < 8 || l.Slots[n].Class == wide.Mask && l.MaskAt[at/8] != 0 {
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
func (p *plan) spansBefore(l *lowering, pc int32, until []int32, crosses wide.Set, end func(n, from int32)) {
	in := &l.Code[pc]
	op := &operations[in.Op]
	g := p.groups[pc]
	if op.Jumps {
		live := l.Blocks[l.BlockAt[in.Target]-1].Live
		for n := range until {
			if until[n] < 0 && live.Has(int32(n)) && crosses.Has(int32(n)) {
				until[n] = g
			}
		}
	}
	for o := range op.Results(in) {
		d := l.slotOf(o.At)
		if !crosses.Has(d) {
			continue
		}
		if until[d] < 0 {
			until[d] = g
		}
		if !in.Masked || l.Plain[pc] {
			end(d, g)
			until[d] = -1
		}
	}
	for o := range op.Operands(in) {
		if d := l.slotOf(o.At); until[d] < 0 && crosses.Has(d) {
			until[d] = g
		}
	}
	if op.ReadsAll(in) { // it reads what it wants
		for n := range until {
			if until[n] < 0 && crosses.Has(int32(n)) {
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
		for i := range l.partsOf(l.Slots[n].Class) {
			f(u.lanes + reg(i))
		}
	}
}

// fixedIn returns the units that have registers of their own somewhere in some blocks.
func (p *plan) fixedIn(l *lowering, first, last int) (list []reg) {
	from, to := p.enters[first], p.groups[l.Blocks[last].End-1]
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
