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
	sums   map[int32]int32 // by access: the register that its index is a sum of, which the code may read
	tiles  tiles
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
func (p *plan) make(l *lanes) {
	p.how, p.groups = make([]uint8, len(l.x.Code)), make([]int32, len(l.x.Code))
	p.enters, p.sums = make([]int32, len(l.x.Blocks)), map[int32]int32{}
	present := make([]uint8, len(l.x.Blocks)*len(l.x.Slots))
	depth := l.x.Depths()
	weight := make([]float64, len(l.x.Slots))
	p.tiles.loops = l.x.Loops()
	group := int32(0)
	var s wide.State
	var pending pendingSlots
	for i := range l.x.Blocks {
		b := &l.x.Blocks[i]
		if !b.Reached {
			continue
		}
		group++
		p.enters[i] = group
		s.Clone(&b.In)
		here := present[i*len(l.x.Slots):][:len(l.x.Slots)]
		for n := range here {
			if b.Live.Has(int32(n)) {
				here[n] |= repOf(l, int32(n), s.Kinds[n])
			}
		}
		pending.clear()
		sums := wide.Sums{}
		for pc := b.First; pc < b.End; pc++ {
			in := &l.x.Code[pc]
			if op := &wide.Infos[in.Op]; op.Access && p.tiles.loops[i] != nil {
				p.tiles.loops[i].Access(l.x, &s, in, vcode.TileBytes)
			}
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
			if how&queues != 0 || (op.Access || in.Texels != nil) && op.D != wide.None {
				pending.add(l, in)
			}
			for o := range op.Operands(in) {
				weight[l.slotOf(o.At)] += depth[i]
			}
			if op.Jumps {
				p.leads(l, &s, in, group, present)
			}
			if of, ok := sums[in.B]; ok && op.Access {
				p.sums[pc] = of.At
			}
			sums.Step(l.x, in)
			l.x.Step(&s, pc)
			for o := range op.Results(in) {
				d := l.slotOf(o.At)
				weight[d] += depth[i]
				here[d] |= repOf(l, d, s.Kinds[d])
			}
		}
		if l.x.LeadsOn(i) || l.x.Code[b.End-1].Op == wide.Barrier {
			p.markConverted(l, &s, l.x.BlockAt[b.End]-1, group, present)
		}
	}
	p.tiles.choose(l.x)
	if l.x.Budget.Step(len(l.x.Code) + len(present)/8) {
		p.fix(l, present, weight)
	}
}

// leads notes what an edge brings to the block that an instruction jumps to.
func (p *plan) leads(l *lanes, s *wide.State, in *wide.Instruction, group int32, present []uint8) {
	var other wide.State
	other.Clone(s)
	l.x.Jump(&other, in)
	p.markConverted(l, &other, l.x.BlockAt[in.Target]-1, group, present)
}

// markConverted makes registers present in a block that come there in another way than it has them.
func (p *plan) markConverted(l *lanes, s *wide.State, to, group int32, present []uint8) {
	b := &l.x.Blocks[to]
	there := present[int(to)*len(l.x.Slots):][:len(l.x.Slots)]
	for n := range there {
		if b.Live.Has(int32(n)) && s.Kinds[n].Form != b.In.Kinds[n].Form {
			there[n] |= repOf(l, int32(n), s.Kinds[n])
			p.spread = append(p.spread, spread{int32(n), group})
		}
	}
}

// chooseVectors finds which registers have what is the same in all lanes in a vector: those that mostly meet others
// there.
func chooseVectors(l *lanes) {
	score := make([]int, len(l.x.Slots))
	for pc := range l.x.Code {
		in := &l.x.Code[pc]
		op := &operations[in.Op]
		if op.Flow {
			continue
		}
		by := 0
		switch {
		case op.Access, in.Op == wide.ReadTexels:
			by = -4
		case op.Foreign, op.neutral:
		case op.scalar != nil:
			by = -1
		case op.lane != nil:
			by = 1
		}
		for o := range op.Operands(in) {
			switch {
			case op.Access && o.At == in.D:
				score[l.slotOf(o.At)]++
			default:
				score[l.slotOf(o.At)] += by
			}
		}
		if op.D == wide.Word && !op.Foreign && in.Matrices == nil && in.Texels == nil {
			if op.Access {
				by = 1
			}
			score[l.slotOf(in.D)] += by
		}
	}
	for n, s := range l.x.Slots {
		l.vectors[n] = s.Class == wide.Word && score[n] > 0
	}
}

// pendingSlots are registers that what is in the queue reads or writes.
type pendingSlots struct {
	slots  []int32
	queued int
}

func (q *pendingSlots) clear() { q.slots, q.queued = q.slots[:0], 0 }

func (q *pendingSlots) add(l *lanes, in *wide.Instruction) {
	op := &operations[in.Op]
	for o := range op.Operands(in) {
		q.slots = append(q.slots, l.slotOf(o.At))
	}
	for o := range op.Results(in) {
		q.slots = append(q.slots, l.slotOf(o.At))
	}
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
func (q *pendingSlots) classify(l *lanes, s *wide.State, in *wide.Instruction, pc int32) uint8 {
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
	case kept.Scalar() || comparesCounting(l, s, in, pc):
		leaves := op.exits || op.wraps && kept.Form != wide.Uniform
		if leaves || op.rare != nil || q.has(l.slotOf(in.D)) {
			return flush(onBases)
		}
		return onBases
	case op.lane == nil:
		return flush(0)
	case op.rare != nil || q.queued >= maxQueued:
		return flush(queues)
	}
	return queues
}

// fix gives hot registers that live across blocks registers of the machine.
func (p *plan) fix(l *lanes, present []uint8, weight []float64) {
	crosses := make(wide.Set, (len(l.x.Slots)+63)/64)
	for i := range l.x.Blocks {
		if b := &l.x.Blocks[i]; b.Reached && b.Label {
			crosses.Join(b.Live)
		}
	}
	spans := map[reg][]vcode.Span{}
	now := make(wide.Set, len(crosses))
	until := make([]int32, len(l.x.Slots))
	for i := range l.x.Blocks {
		b := &l.x.Blocks[i]
		if !b.Reached || !l.x.Budget.Step(len(l.x.Slots)) {
			continue
		}
		here := present[i*len(l.x.Slots):][:len(l.x.Slots)]
		end := func(n, from int32) {
			l.repsIn(n, here[n], func(u reg) { spans[u] = append(spans[u], vcode.Span{From: from, To: until[n]}) })
		}
		clear(now)
		if i+1 < len(l.x.Blocks) && !operations[l.x.Code[b.End-1].Op].Ends {
			now.Join(l.x.Blocks[l.x.BlockAt[b.End]-1].Live)
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
	ways := make([]uint8, len(l.x.Slots))
	for i, w := range present {
		ways[i%len(ways)] |= w
	}
	for u, s := range spans {
		n := l.slotOfUnit[u]
		if both := uint8(inBase | inSplat); ways[n]&both == both && (u == l.units[n].base || u == l.units[n].splat) {
			continue // these have the same home
		}
		at := l.x.Slots[n].At
		_, never := l.x.Known[at]
		if never || weight[n] < 8 || l.x.Slots[n].Class == wide.Mask && l.x.MaskAt[at/8] != 0 {
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
func (p *plan) spansBefore(l *lanes, pc int32, until []int32, crosses wide.Set, end func(n, from int32)) {
	in := &l.x.Code[pc]
	op := &operations[in.Op]
	g := p.groups[pc]
	read := func(n int32) {
		if until[n] < 0 && crosses.Has(n) {
			until[n] = g
		}
	}
	if op.Jumps {
		live := l.x.Blocks[l.x.BlockAt[in.Target]-1].Live
		for n := range int32(len(until)) {
			if live.Has(n) {
				read(n)
			}
		}
	}
	for o := range op.Results(in) {
		d := l.slotOf(o.At)
		read(d)
		if crosses.Has(d) && (!in.Masked || l.x.Plain[pc]) {
			end(d, g)
			until[d] = -1
		}
	}
	for o := range op.Operands(in) {
		read(l.slotOf(o.At))
	}
	if at, ok := p.sums[pc]; ok {
		read(l.slotOf(at))
	}
	if op.ReadsAll(in) { // it reads what it wants
		for n := range int32(len(until)) {
			read(n)
		}
	}
}

// fixedIn returns the units that have registers of their own somewhere in some blocks.
func (p *plan) fixedIn(x *wide.Analysis, first, last int) (list []reg) {
	from, to := p.enters[first], p.groups[x.Blocks[last].End-1]
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
