package wide

// Analysis is what is known of a program before it runs.
type Analysis struct {
	*Program
	Budget  *Budget
	Slots   []slot  // the registers and bools
	SlotAt  []int32 // by offset/8: the number of a slot plus one
	MaskAt  []int32 // by offset/8: the number of a construct's mask
	masks   int
	Known   map[int32]uint64 // the bits of registers that never change
	Blocks  []Block
	BlockAt []int32 // by instruction: the number of the block that it begins plus one
	entry   State
	Plain   []bool // of instructions: masked, but the active lanes are known to be those of the scope
}

// slot is a register, or a mask that is a bool.
type slot struct {
	At      int32
	Class   Class
	written bool // by an instruction
}

// Block is instructions that are executed one after the other. The first one may be where
// others lead to, and only the last one leads elsewhere.
type Block struct {
	First, End int32 // instructions
	Label      bool  // others than the one before lead here, or the interpreter does
	Entry      bool  // the interpreter does
	In         State // what is known at its beginning
	Reached    bool
	Live       Set // slots that are read from here on, before they are written

	Weight int32 // of the instructions before, where code that goes straight on may pause; else 0
}

// What bounds the work for a program.
const (
	maxState  = 1 << 20 // blocks times registers
	maxMasks  = 1 << 7  // of constructs
	maxVisits = 16      // of each block, about
)

// Analyse returns what is known of a program. If that is too much work it ends the budget.
func Analyse(p *Program, parts int, b *Budget) *Analysis {
	x := &Analysis{Program: p, Budget: b, masks: 1, Known: map[int32]uint64{}}
	if !b.Take(len(p.Code)*bytesOfInstruction + int(p.Size)) { // two tables by what is 8 bytes of the registers
		return x
	}
	x.SlotAt, x.MaskAt = make([]int32, p.Size/8+1), make([]int32, p.Size/8+1)
	x.BlockAt, x.Plain = make([]int32, len(p.Code)+1), make([]bool, len(p.Code))
	x.enumerate()
	x.divide(Stretch * 2 / int32(parts))
	size := len(x.Slots)*bytesOfKind + 2*x.masks + BytesOfBlock
	switch {
	case len(x.Blocks)*len(x.Slots) > maxState || x.masks > maxMasks:
		b.end(ErrTooLarge)
	case b.Take((len(x.Blocks)+4)*size) && b.Step(len(p.Code)):
		x.begin()
		x.settle()
		x.flow()
		x.liveness()
	}
	return x
}

// enumerate numbers the registers and masks of the program.
func (x *Analysis) enumerate() {
	for i := range x.Code {
		in := &x.Code[i]
		op := &Infos[in.Op]
		if op.Flow {
			for _, m := range op.masks(in) {
				x.mask(m)
			}
			if op.A == Mask {
				x.slot(in.A, Mask)
			}
			for _, m := range x.leaving(in) {
				x.mask(m)
			}
			continue
		}
		for o := range op.Operands(in) {
			x.slot(o.At, o.class)
		}
		for o := range op.Results(in) {
			x.Slots[x.slot(o.At, o.class)].written = true
		}
		if in.Masked {
			x.mask(in.Scope)
		}
	}
}

// leaving returns the masks that an instruction takes lanes from.
func (x *Analysis) leaving(in *Instruction) []int32 {
	if in.Op != Leave {
		return nil
	}
	return x.Leaves[in.Imm]
}

func (x *Analysis) slot(at int32, c Class) int32 {
	n := &x.SlotAt[at/8]
	if *n == 0 {
		x.Slots = append(x.Slots, slot{At: at, Class: c})
		*n = int32(len(x.Slots))
	}
	return *n - 1
}

// mask returns the number of a construct's mask.
func (x *Analysis) mask(at int32) int {
	n := &x.MaskAt[at/8]
	if *n == 0 {
		*n = int32(x.masks)
		x.masks++
	}
	return int(*n)
}

// divide finds the blocks. Code that goes straight on pauses after so many instructions, about.
func (x *Analysis) divide(most int32) {
	starts, labels, entries := make([]bool, len(x.Code)+1), make([]bool, len(x.Code)+1), make([]bool, len(x.Code)+1)
	starts[0], labels[0], entries[0] = true, true, true
	for i := range x.Code {
		in := &x.Code[i]
		op := &Infos[in.Op]
		if op.Jumps || in.Op == Call {
			starts[in.Target], labels[in.Target] = true, true
		}
		if op.Flow || op.Foreign {
			starts[i+1] = true
		}
		switch {
		case op.Foreign, in.Op == Barrier:
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
		pauses := since >= most && !starts[i] || since >= 2*most && !entries[i] && x.goesOnTo(i)
		if starts[i] || pauses {
			if n := len(x.Blocks); n > 0 {
				x.Blocks[n-1].End = int32(i)
			}
			b := Block{First: int32(i), Label: labels[i] || pauses, Entry: entries[i] || pauses}
			if pauses {
				b.Weight, since = since, 0
			}
			x.Blocks = append(x.Blocks, b)
			x.BlockAt[i] = int32(len(x.Blocks))
		}
		since += Infos[x.Code[i].Op].Weight()
	}
	x.Blocks[len(x.Blocks)-1].End = int32(len(x.Code))
}

// Stretch is what code that goes straight on comes to, about, between two places where it may pause, where a simd-group
// is two vectors; where it is more of them they are closer. It is a part of the budget of a Run.
const Stretch = 1 << 11

// goesOnTo reports whether the instruction before one leads to it, in the code itself.
func (x *Analysis) goesOnTo(i int) bool {
	op := &Infos[x.Code[i-1].Op]
	return !op.Ends && !op.Foreign && x.Code[i-1].Op != Barrier
}

// BlockOf returns the block that begins with an instruction.
func (x *Analysis) BlockOf(pc int32) *Block { return &x.Blocks[x.BlockAt[pc]-1] }

// begin finds what is known before the first instruction.
func (x *Analysis) begin() {
	s := &x.entry
	s.Kinds, s.same = make([]Kind, len(x.Slots)), make([]int16, x.masks)
	for i := range s.Kinds {
		s.Kinds[i].Form = Varying
	}
	for i := range s.same {
		s.same[i] = int16(i)
	}
	if n := x.MaskAt[x.Alive/8]; n != 0 {
		s.same[n] = s.same[0]
	}
	know := func(at int32, k Kind) {
		if n := x.SlotAt[at/8]; n != 0 {
			s.Kinds[n-1] = k
		}
	}
	for _, c := range x.Constants {
		x.Known[c.At] = c.Bits
		know(c.At, pointing(c.Bits))
	}
	for _, at := range x.Uniform {
		know(at, Kind{Form: Uniform})
	}
	for _, p := range x.Pointers {
		if n := x.SlotAt[p.At/8]; n == 0 || !x.Slots[n-1].written {
			x.Known[p.At] = uint64(p.Object) << OffsetBits
		}
		know(p.At, pointing(uint64(p.Object)<<OffsetBits))
	}
	for _, b := range x.Builtins {
		if b.Varies {
			know(b.At, Kind{Form: Varying, Step: b.Step, Placed: b.Placed})
		} else {
			know(b.At, counting(b.Step))
		}
	}
}

// settle makes indexes that are numbers part of an Imm.
func (x *Analysis) settle() {
	const most = 1 << 30
	for i := range x.Code {
		in := &x.Code[i]
		if !Infos[in.Op].Access || in.C == NoIndex {
			continue
		}
		bits, ok := x.Known[in.B]
		n := Indexed(in.C, bits)
		if ok && n > -most && n < most && int64(in.Target) < most {
			in.Imm += n * int64(in.Target)
			in.B, in.C, in.Target = 0, NoIndex, 0
		}
	}
}

// Indexed returns the number of an index.
func Indexed(index int32, bits uint64) int64 {
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
func (x *Analysis) flow() {
	work := []int32{0}
	x.Blocks[0].In.Clone(&x.entry)
	x.Blocks[0].Reached = true
	queued := make([]bool, len(x.Blocks))
	var s, other State
	reach := func(to int32, with *State) {
		n := x.BlockAt[to] - 1
		b := &x.Blocks[n]
		if !b.Reached {
			b.Reached = true
			b.In.Clone(with)
		} else if !b.In.join(with) {
			return
		}
		if !queued[n] {
			queued[n] = true
			work = append(work, n)
		}
	}
	for visits := 0; len(work) > 0; visits++ {
		if visits > maxVisits*len(x.Blocks) {
			x.Budget.end(ErrTooLarge)
		}
		n := work[len(work)-1]
		work = work[:len(work)-1]
		queued[n] = false
		b := &x.Blocks[n]
		if !x.Budget.Step(len(x.Slots) + x.masks*x.masks + int(b.End-b.First)) {
			return
		}
		s.Clone(&b.In)
		for pc := b.First; pc < b.End; pc++ {
			in := &x.Code[pc]
			op := &Infos[in.Op]
			if op.Jumps {
				other.Clone(&s)
				x.Jump(&other, in)
				reach(in.Target, &other)
			}
			x.Step(&s, pc)
			if in.Op == Call {
				reach(in.Target, &s)
			}
			if op.Ends {
				break
			}
			if pc == b.End-1 {
				reach(pc+1, &s)
			}
		}
	}
	for i := range x.Blocks {
		b := &x.Blocks[i]
		if !b.Reached {
			continue
		}
		s.Clone(&b.In)
		for pc := b.First; pc < b.End; pc++ {
			in := &x.Code[pc]
			x.Plain[pc] = in.Masked && x.isPlain(&s, in)
			x.Step(&s, pc)
		}
	}
}

// isPlain reports whether the active lanes are those of the scope of what is assigned.
func (x *Analysis) isPlain(s *State, in *Instruction) bool { return x.IsActive(s, in.Scope) }

// IsActive reports whether the mask of a construct is that of the active lanes.
func (x *Analysis) IsActive(s *State, at int32) bool { return s.same[0] == s.same[x.mask(at)] }

// KindOf returns what is known of a register.
func (x *Analysis) KindOf(s *State, at int32) Kind { return s.Kinds[x.SlotAt[at/8]-1] }

// Step changes what is known before an instruction to what is known after it, where it
// does not jump.
func (x *Analysis) Step(s *State, pc int32) {
	in := &x.Code[pc]
	op := &Infos[in.Op]
	if op.Flow {
		x.pass(s, in)
		return
	}
	if in.Op == Call {
		x.forget(s)
	}
	k := Kind{Form: Varying}
	switch {
	case op.Rule != nil:
		k = op.Rule(x, s, in)
	case in.Operands != nil && in.Operands.Together:
		k.Form = Uniform
		for o := range op.Operands(in) {
			k = meet(k, Kind{Form: x.KindOf(s, o.At).Form})
		}
	}
	if k.Form == Varying {
		k.Step, k.Placed = x.places(s, in)
	}
	for o := range op.Results(in) {
		d := &s.Kinds[x.SlotAt[o.At/8]-1]
		if in.Masked && !x.isPlain(s, in) {
			both := meet(*d, k)
			step, placed := either(*d, k)
			k = Kind{Form: Varying, Object: both.Object, Step: step, Placed: placed, Within: both.Within}
		}
		*d = k
	}
}

// forget drops all that is known but for what is never written: the next threadgroup expects that as it was, since an
// interpreter sets builtins that stay the same only once.
func (x *Analysis) forget(s *State) {
	for i, slot := range x.Slots {
		if slot.written {
			s.Kinds[i] = Kind{Form: Varying}
		}
	}
	for i := range s.same {
		s.same[i] = int16(i)
	}
}

// uniformMask reports whether a condition is the same for all lanes.
func (x *Analysis) uniformMask(s *State, at int32) bool { return x.KindOf(s, at).Form == Uniform }

// pass is step for what changes the active lanes.
func (x *Analysis) pass(s *State, in *Instruction) {
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
func (x *Analysis) divert(s *State, in *Instruction, b int, all int16) {
	if x.uniformMask(s, in.A) {
		s.same[b] = all
	} else {
		s.apart(b)
	}
	s.same[0] = s.same[b]
}

// Jump is step for where an instruction jumps.
func (x *Analysis) Jump(s *State, in *Instruction) {
	same := s.same
	switch in.Op {
	case If:
		same[x.mask(in.D)], same[x.mask(in.B)] = same[0], same[0]
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

// ConstantOf returns the number in a register that never changes, or -1.
func (x *Analysis) ConstantOf(at int32) int64 {
	if v, ok := x.Known[at]; ok {
		return int64(v)
	}
	return -1
}
