package native

// analysis is what is known of a program before it runs.
type analysis struct {
	*Program
	layout   *Layout
	budget   *Budget
	slots    []slot  // the registers and bools
	slotAt   []int32 // by offset/8: the number of a slot plus one
	maskAt   []int32 // by offset/8: the number of a construct's mask
	masks    int
	constant map[int32]uint64
	blocks   []block
	blockAt  []int32 // by instruction: the number of the block that it begins plus one
	entry    state
	plain    []bool // of instructions: masked, but the active lanes are known to be those of the scope
}

// slot is a register, or a mask that is a bool.
type slot struct {
	at      int32
	class   class
	written bool // by an instruction
}

// block is instructions that are executed one after the other. The first one may be where
// others lead to, and only the last one leads elsewhere.
type block struct {
	first, end int32 // instructions
	label      bool  // others than the one before lead here, or the interpreter does
	entry      bool  // the interpreter does
	in         state // what is known at its beginning
	reached    bool
	live       bits // slots that are read from here on, before they are written

	weight int32 // of the instructions before, where code that goes straight on may pause; else 0
}

// What bounds the work for a program.
const (
	maxState  = 1 << 20 // blocks times registers
	maxMasks  = 1 << 7  // of constructs
	maxVisits = 16      // of each block, about
)

// analyse returns what is known of a program. Where that is too much work it ends the budget.
func analyse(p *Program, l *Layout, parts int, b *Budget) *analysis {
	x := &analysis{Program: p, layout: l, budget: b, masks: 1, constant: map[int32]uint64{}}
	if !b.take(len(p.Code)*bytesOfInstruction + int(p.Size)) { // two tables by what is 8 bytes of the registers
		return x
	}
	x.slotAt, x.maskAt = make([]int32, p.Size/8+1), make([]int32, p.Size/8+1)
	x.blockAt, x.plain = make([]int32, len(p.Code)+1), make([]bool, len(p.Code))
	x.enumerate()
	x.divide(stretch * 2 / int32(parts))
	known := len(x.slots)*bytesOfKind + 2*x.masks + bytesOfBlock
	switch {
	case len(x.blocks)*len(x.slots) > maxState || x.masks > maxMasks:
		b.end(ErrTooLarge)
	case b.take((len(x.blocks)+4)*known) && b.step(len(p.Code)):
		x.begin()
		x.settle()
		x.flow()
		x.liveness()
	}
	return x
}

// enumerate numbers the registers and masks of the program.
func (x *analysis) enumerate() {
	for i := range x.Code {
		in := &x.Code[i]
		op := &operations[in.Op]
		if op.flow {
			for _, m := range op.masks(in) {
				x.mask(m)
			}
			if op.a == mask {
				x.slot(in.A, mask)
			}
			for _, m := range x.leaving(in) {
				x.mask(m)
			}
			continue
		}
		for o := range op.operands(in) {
			x.slot(o.at, o.class)
		}
		for o := range op.results(in) {
			x.slots[x.slot(o.at, o.class)].written = true
		}
		if in.Masked {
			x.mask(in.Scope)
		}
	}
}

// leaving returns the masks that an instruction takes lanes from.
func (x *analysis) leaving(in *Instruction) []int32 {
	if in.Op != Leave {
		return nil
	}
	return x.Leaves[in.Imm]
}

func (x *analysis) slot(at int32, c class) int32 {
	n := &x.slotAt[at/8]
	if *n == 0 {
		x.slots = append(x.slots, slot{at: at, class: c})
		*n = int32(len(x.slots))
	}
	return *n - 1
}

// mask returns the number of a construct's mask.
func (x *analysis) mask(at int32) int {
	n := &x.maskAt[at/8]
	if *n == 0 {
		*n = int32(x.masks)
		x.masks++
	}
	return int(*n)
}

// divide finds the blocks. Code that goes straight on pauses after so many instructions, about.
func (x *analysis) divide(stretch int32) {
	starts, labels, entries := make([]bool, len(x.Code)+1), make([]bool, len(x.Code)+1), make([]bool, len(x.Code)+1)
	starts[0], labels[0], entries[0] = true, true, true
	for i := range x.Code {
		in := &x.Code[i]
		op := &operations[in.Op]
		if op.jumps || in.Op == Call {
			starts[in.Target], labels[in.Target] = true, true
		}
		if op.flow || op.foreign {
			starts[i+1] = true
		}
		switch {
		case op.foreign, in.Op == Barrier:
			labels[i+1], entries[i+1] = true, true
		case in.Op == Loop:
			entries[in.Target] = true
		}
		if in.Op == Call {
			entries[in.Target] = true
		}
	}
	since := int32(0) // the weight of what comes without a pause
	for i := range x.Code {
		pauses := since >= stretch && !starts[i] || since >= 2*stretch && !entries[i] && x.goesOnTo(i)
		if starts[i] || pauses {
			if n := len(x.blocks); n > 0 {
				x.blocks[n-1].end = int32(i)
			}
			b := block{first: int32(i), label: labels[i] || pauses, entry: entries[i] || pauses}
			if pauses {
				b.weight, since = since, 0
			}
			x.blocks = append(x.blocks, b)
			x.blockAt[i] = int32(len(x.blocks))
		}
		since += operations[x.Code[i].Op].weight()
	}
	x.blocks[len(x.blocks)-1].end = int32(len(x.Code))
}

// stretch is what code that goes straight on comes to, about, between two places where it may pause, where a simd-group
// is two vectors; where it is more of them they are closer. It is a part of the budget of a Run.
const stretch = 1 << 11

// goesOnTo reports whether the instruction before one leads to it, in the code itself.
func (x *analysis) goesOnTo(i int) bool {
	op := &operations[x.Code[i-1].Op]
	return !op.ends && !op.foreign && x.Code[i-1].Op != Barrier
}

// blockOf returns the block that begins with an instruction.
func (x *analysis) blockOf(pc int32) *block { return &x.blocks[x.blockAt[pc]-1] }

// begin finds what is known before the first instruction.
func (x *analysis) begin() {
	s := &x.entry
	s.kinds, s.same = make([]kind, len(x.slots)), make([]int16, x.masks)
	for i := range s.kinds {
		s.kinds[i].form = varying
	}
	for i := range s.same {
		s.same[i] = int16(i)
	}
	if n := x.maskAt[x.Alive/8]; n != 0 {
		s.same[n] = s.same[0]
	}
	know := func(at int32, k kind) {
		if n := x.slotAt[at/8]; n != 0 {
			s.kinds[n-1] = k
		}
	}
	for _, c := range x.Constants {
		x.constant[c.At] = c.Bits
		know(c.At, kind{form: uniform, object: objectOf(c.Bits)})
	}
	for _, at := range x.Uniform {
		know(at, kind{form: uniform})
	}
	for _, p := range x.Pointers {
		if n := x.slotAt[p.At/8]; n == 0 || !x.slots[n-1].written {
			x.constant[p.At] = uint64(p.Object) << offsetBits
		}
		know(p.At, kind{form: uniform, object: int16(p.Object)})
	}
	for _, b := range x.Builtins {
		if b.Varies {
			know(b.At, kind{form: varying, step: b.Step, placed: b.Placed})
		} else {
			know(b.At, counting(b.Step))
		}
	}
}

// settle makes indexes that are numbers part of an Imm.
func (x *analysis) settle() {
	const most = 1 << 30
	for i := range x.Code {
		in := &x.Code[i]
		if !operations[in.Op].access || in.C == NoIndex {
			continue
		}
		bits, ok := x.constant[in.B]
		n := indexed(in.C, bits)
		if ok && n > -most && n < most && int64(in.Target) < most {
			in.Imm += n * int64(in.Target)
			in.B, in.C, in.Target = 0, NoIndex, 0
		}
	}
}

// indexed returns the number of an index.
func indexed(index int32, bits uint64) int64 {
	switch index {
	case IntIndex:
		return int64(int32(bits))
	case UintIndex:
		return int64(uint32(bits))
	}
	return int64(bits)
}

// flow finds what is known at the beginning of each block: it follows all paths until
// nothing changes.
func (x *analysis) flow() {
	work := []int32{0}
	x.blocks[0].in.clone(&x.entry)
	x.blocks[0].reached = true
	queued := make([]bool, len(x.blocks))
	var s, other state
	reach := func(to int32, with *state) {
		n := x.blockAt[to] - 1
		b := &x.blocks[n]
		if !b.reached {
			b.reached = true
			b.in.clone(with)
		} else if !b.in.join(with) {
			return
		}
		if !queued[n] {
			queued[n] = true
			work = append(work, n)
		}
	}
	for visits := 0; len(work) > 0; visits++ {
		if visits > maxVisits*len(x.blocks) {
			x.budget.end(ErrTooLarge)
		}
		n := work[len(work)-1]
		work = work[:len(work)-1]
		queued[n] = false
		b := &x.blocks[n]
		if !x.budget.step(len(x.slots) + x.masks*x.masks + int(b.end-b.first)) {
			return
		}
		s.clone(&b.in)
		for pc := b.first; pc < b.end; pc++ {
			in := &x.Code[pc]
			op := &operations[in.Op]
			if op.jumps {
				other.clone(&s)
				x.jump(&other, in)
				reach(in.Target, &other)
			}
			x.step(&s, pc)
			if in.Op == Call {
				reach(in.Target, &s)
			}
			if op.ends {
				break
			}
			if pc == b.end-1 {
				reach(pc+1, &s)
			}
		}
	}
	for i := range x.blocks {
		b := &x.blocks[i]
		if !b.reached {
			continue
		}
		s.clone(&b.in)
		for pc := b.first; pc < b.end; pc++ {
			in := &x.Code[pc]
			x.plain[pc] = in.Masked && x.isPlain(&s, in)
			x.step(&s, pc)
		}
	}
}

// isPlain reports whether the active lanes are those of the scope of what is assigned.
func (x *analysis) isPlain(s *state, in *Instruction) bool {
	return s.same[0] == s.same[x.mask(in.Scope)]
}

// kindOf returns what is known of a register.
func (x *analysis) kindOf(s *state, at int32) kind { return s.kinds[x.slotAt[at/8]-1] }

// step changes what is known before an instruction to what is known after it, where it
// does not jump.
func (x *analysis) step(s *state, pc int32) {
	in := &x.Code[pc]
	op := &operations[in.Op]
	if op.flow {
		x.pass(s, in)
		return
	}
	if in.Op == Call {
		x.forget(s)
	}
	k := kind{form: varying}
	switch {
	case op.rule != nil:
		k = op.rule(x, s, in)
	case in.Operands != nil && in.Operands.Together:
		k.form = uniform
		for o := range op.operands(in) {
			k = meet(k, kind{form: x.kindOf(s, o.at).form})
		}
	}
	if k.form == varying {
		k.step, k.placed = x.places(s, in)
	}
	for o := range op.results(in) {
		d := &s.kinds[x.slotAt[o.at/8]-1]
		if in.Masked && !x.isPlain(s, in) {
			object := meet(*d, k).object
			step, placed := either(*d, k)
			k = kind{form: varying, object: object, step: step, placed: placed}
		}
		*d = k
	}
}

// places returns by how much the lanes of a vector mostly count up in what an instruction makes, as far as that follows
// from where threads are.
func (x *analysis) places(s *state, in *Instruction) (step int32, ok bool) {
	if in.Op != CopyWord && in.Op != SelectWord && (in.Op < AddWord || in.Op > MaxUint) {
		return 0, false
	}
	a := x.kindOf(s, in.A)
	p, ok := a.local()
	if in.Op == CopyWord || !ok {
		return p, ok
	}
	if in.Op == NegWord || in.Op == NotWord {
		return -p, true
	}
	b := x.kindOf(s, in.B)
	q, ok := b.local()
	number, known := x.constant[in.B]
	switch {
	case !ok:
		return 0, false
	case in.Op == AddWord:
		return p + q, true
	case in.Op == SubWord:
		return p - q, true
	case in.Op == MulWord && known:
		return p * int32(number), true
	case in.Op == ShlWord && known:
		return p << (number & 31), true
	case in.Op == SelectWord || in.Op >= MinInt && in.Op <= MaxUint:
		return either(a, b)
	}
	return 0, p == 0 && q == 0
}

// forget leaves nothing known but of what is never written. That has to be as the next threadgroup expects it, too: an
// interpreter sets builtins that stay the same only once.
func (x *analysis) forget(s *state) {
	for i, slot := range x.slots {
		if slot.written {
			s.kinds[i] = kind{form: varying}
		}
	}
	for i := range s.same {
		s.same[i] = int16(i)
	}
}

// uniformMask reports whether a condition is the same for all lanes.
func (x *analysis) uniformMask(s *state, at int32) bool { return x.kindOf(s, at).form == uniform }

// pass is step for what changes the active lanes.
func (x *analysis) pass(s *state, in *Instruction) {
	same := s.same
	switch in.Op {
	case If:
		same[x.mask(in.D)] = same[0]
		x.divert(s, in, x.mask(in.B), same[0])
	case Else:
		x.divert(s, in, x.mask(in.B), same[x.mask(in.D)])
	case Test:
		x.divert(s, in, x.mask(in.B), same[x.mask(in.B)])
	case End:
		same[0] = same[x.mask(in.D)]
	case Enter:
		same[x.mask(in.D)], same[x.mask(in.B)] = same[0], same[0]
	case Next:
		same[0] = same[x.mask(in.B)]
	case Switch:
		same[x.mask(in.D)] = same[0]
		s.apart(x.mask(in.B))
	case Case:
		s.apart(x.mask(in.B))
		same[0] = same[x.mask(in.B)]
	}
}

// divert makes the active lanes those of mask b: lanes like those numbered all for which a
// condition holds.
func (x *analysis) divert(s *state, in *Instruction, b int, all int16) {
	if x.uniformMask(s, in.A) {
		s.same[b] = all
	} else {
		s.apart(b)
	}
	s.same[0] = s.same[b]
}

// jump is step for where an instruction jumps.
func (x *analysis) jump(s *state, in *Instruction) {
	same := s.same
	switch in.Op {
	case If:
		same[x.mask(in.D)] = same[0]
		s.apart(x.mask(in.B))
	case Else, Test, Case:
		s.apart(x.mask(in.B))
	case End:
		same[0] = same[x.mask(in.D)]
	case Next:
		same[0] = same[x.mask(in.B)]
	case Leave:
		masks := make([]int, 0, 8)
		for _, m := range x.Leaves[in.Imm] {
			masks = append(masks, x.mask(m))
		}
		s.leave(masks)
		s.apart(0)
	}
}
