package wide

// Sweep is a program for simd-groups that go the same way with all lanes, one after the other in a row of the grid: its
// code is straight, without what others do. What would be checked in each of them is checked in the first and the last,
// before any begins: where threads are grows by the same from each to the next, and so does all that Checks names, and
// what is inside at both ends is inside between them.
//
// That also holds of one index that wraps around, as long as an access moves by no more than 1<<29 bytes in all, beside
// that, and objects have no more than 1<<31: an index that has wrapped around in between is too far from the first one.
type Sweep struct {
	*Analysis
	Guards []Guard
	Checks []bool // by instruction: what guards and accesses depend on
	Rounds []bool // by instruction: what is stored depends on it
	Cost   int    // of a simd-group, as a Run counts
	Reach  int64  // by how many bytes an access moves at most where a builtin grows by 1, and an index by numbers
}

// Guard is a condition that holds in all lanes before an instruction.
type Guard struct{ PC, Mask int32 }

// What has more instructions, or a larger Reach, has no sweep.
const (
	maxSwept = 1 << 9
	maxReach = 1 << 12
)

// NewSweep returns the sweep of a program, or nil if it has none.
func NewSweep(p *Program, parts int, b *Budget) *Sweep {
	s := &Sweep{Reach: 1}
	straight := *p
	if p.Shares || len(p.Code) > maxSwept || !s.straighten(&straight) || !b.Take(len(straight.Code)*2) {
		return nil
	}
	s.Analysis = Analyse(&straight, parts, b)
	if b.Err() != nil || len(s.Blocks) != 1 {
		return nil
	}
	m := motions{Sweep: s, of: map[int32]motion{}, masks: map[int32]convex{}}
	if !m.follow() {
		return nil
	}
	s.findRounds()
	return s
}

// straighten makes a program that of a sweep: it leaves out what other lanes do.
func (s *Sweep) straighten(p *Program) bool {
	var code []Instruction
	for pc := int32(0); ; pc++ {
		in := p.Code[pc]
		op := &Infos[in.Op]
		switch {
		case in.Op == Stop:
			p.Code = append(code, in)
			return len(code) > 0
		case in.Op == If || in.Op == Test:
			s.Guards = append(s.Guards, Guard{int32(len(code)), in.A})
		case in.Op == Else && in.Target > pc:
			pc = in.Target - 1
		case in.Op == End:
		case op.Flow || op.Foreign || in.Operands != nil || in.Matrices != nil,
			in.Op == Clear, in.Op >= AtomicSwap && in.Op <= AtomicCompare:
			return false
		default:
			in.Masked = false
			code = append(code, in)
			s.Cost += int(op.Weight())
		}
	}
}

// findRounds finds what is stored, and what that depends on.
func (s *Sweep) findRounds() {
	s.Rounds = make([]bool, len(s.Code))
	needed := map[int32]bool{}
	for pc := len(s.Code) - 1; pc >= 0; pc-- {
		in := &s.Code[pc]
		op := &Infos[in.Op]
		s.Rounds[pc] = op.Stores != None || op.Flow
		for d := range op.Results(in) {
			s.Rounds[pc] = s.Rounds[pc] || needed[d.At]
			needed[d.At] = false
		}
		if !s.Rounds[pc] {
			continue
		}
		for o := range op.Operands(in) {
			needed[o.At] = true
		}
	}
}

// motion is how a number changes from a simd-group to the next one: it grows by up to reach where a builtin grows by 1,
// or stays as it is. That of a pointer is in bytes. One that is pure is so small that it never wraps around.
type motion struct {
	reach int64
	pure  bool
}

// convex says whether the simd-groups in which a bool holds in all lanes, or in none, come one after the other.
type convex struct{ all, none bool }

// motions are those of the registers, at a point of a sweep. What it has not is not known.
type motions struct {
	*Sweep
	of    map[int32]motion
	masks map[int32]convex
}

// follow finds what changes how. It reports false where checks at both ends are not enough.
func (m *motions) follow() bool {
	m.Checks = make([]bool, len(m.Code))
	for _, b := range m.Builtins {
		if n := m.SlotAt[b.At/8]; n != 0 && m.Slots[n-1].written {
			return false // each simd-group begins with what it was
		}
		if !b.Varies && (b.Step == 0 || b.Step == 1) {
			m.of[b.At] = motion{int64(b.Step), true}
		}
	}
	for _, at := range m.Uniform {
		m.of[at] = motion{pure: true}
	}
	for _, p := range m.Pointers {
		m.of[p.At] = motion{pure: true}
	}
	var s State
	s.Clone(&m.Blocks[0].In)
	guards := m.Guards
	for pc := range m.Code {
		for len(guards) > 0 && guards[0].PC == int32(pc) {
			if !m.masks[guards[0].Mask].all {
				return false
			}
			guards = guards[1:]
		}
		in := &m.Code[pc]
		op := &Infos[in.Op]
		if op.Access && !m.reaches(&s, in) || m.tells(in) {
			return false
		}
		made, ok := m.made(in)
		mask, whole := m.madeMask(in)
		for d := range op.Results(in) {
			delete(m.of, d.At)
			delete(m.masks, d.At)
		}
		switch {
		case ok && op.D != Mask:
			m.of[in.D] = made
		case whole && op.D == Mask:
			m.masks[in.D] = mask
		}
		m.Checks[pc] = ok || whole || op.Access
		m.Step(&s, int32(pc))
	}
	return m.Reach <= maxReach
}

// motion returns that of a register.
func (m *motions) motion(at int32) (motion, bool) {
	if _, ok := m.Known[at]; ok {
		return motion{pure: true}, true
	}
	v, ok := m.of[at]
	return v, ok
}

// note notes a motion that must not be too large.
func (m *motions) note(i motion) { m.Reach = max(m.Reach, i.reach) }

// tells reports whether an instruction takes a pointer for anything else than an address that an index has moved which
// may wrap around: what is checked of accesses does not say that it has not.
func (m *motions) tells(in *Instruction) bool {
	op := &Infos[in.Op]
	address := op.Access || in.Op == CopyLong || in.Op >= AddPointerInt && in.Op <= AddPointerLong
	for o := range op.Operands(in) {
		if v, ok := m.of[o.At]; ok && !v.pure && o.class == Long && (o.At != in.A || !address || op.Stores == Long) {
			return true
		}
	}
	return false
}

// reaches reports whether an access is inside between two places where it is.
func (m *motions) reaches(s *State, in *Instruction) bool {
	p, ok := m.motion(in.A)
	k := AccessKind(m.Analysis, s, in)
	n := int(m.KindOf(s, in.A).Object)
	if !ok || n <= 0 || n >= len(m.Objects) || m.Objects[n].Striped || m.Objects[n].Own {
		return false
	}
	if in.C != NoIndex {
		i, ok := m.motion(in.B)
		if !ok || !p.pure && !i.pure {
			return false
		}
		p.reach += i.reach * int64(in.Target)
	}
	m.note(p)
	if Infos[in.Op].Stores != None {
		return k.Form == Linear && !m.Objects[n].Constant
	}
	return k.Form == Linear || k.Form == Uniform
}

// made returns the motion of what an instruction makes.
func (m *motions) made(in *Instruction) (motion, bool) {
	op := &Infos[in.Op]
	if op.Access || op.D != Word && op.D != Long || op.Rule == nil {
		return motion{}, false
	}
	still := true
	for o := range op.Operands(in) {
		if o.class == Mask {
			still = still && m.isKnown(o.At)
			continue
		}
		v, ok := m.motion(o.At)
		if !ok || v.reach > maxReach {
			return motion{}, false
		}
		still = still && v.reach == 0
	}
	if still {
		return motion{pure: true}, in.Op < SumFloat || in.Op > Ballot
	}
	a, _ := m.motion(in.A)
	b, _ := m.motion(in.B)
	number, known := m.Known[in.B]
	switch in.Op {
	case CopyWord, CopyLong:
		return a, true
	case WidenInt, WidenUint:
		m.note(a)
		return a, a.pure
	case AddWord:
		return motion{a.reach + b.reach, a.pure && b.pure && a.reach > 0 && b.reach > 0}, true
	case SubWord:
		return motion{reach: a.reach + b.reach}, true
	case ShlWord:
		return motion{a.reach << (number & 31), a.pure}, known && number&31 < 12
	case MulWord:
		if !known {
			a, number, known = b, m.Known[in.A], m.isKnown(in.A)
		}
		return motion{a.reach * int64(number), a.pure}, known && number > 0 && number < maxReach
	case AddPointerInt, AddPointerUint, AddPointerLong:
		m.note(b)
		return motion{a.reach + b.reach*in.Imm, a.pure && b.pure}, (a.pure || b.pure) && uint64(in.Imm) < maxReach
	}
	return motion{}, false
}

// isKnown reports whether a register never changes.
func (m *motions) isKnown(at int32) bool {
	_, ok := m.Known[at]
	return ok
}

// madeMask returns when a bool that an instruction makes holds.
func (m *motions) madeMask(in *Instruction) (convex, bool) {
	switch in.Op {
	case LessInt, LessUint, LessEqualInt, LessEqualUint:
		a, ok := m.motion(in.A)
		b, both := m.motion(in.B)
		m.note(a)
		m.note(b)
		return convex{true, true}, ok && both && a.pure && b.pure && (a.reach == 0 || b.reach == 0)
	case CopyMask:
		a, ok := m.masks[in.A]
		return a, ok
	case MaskNot:
		a, ok := m.masks[in.A]
		return convex{a.none, a.all}, ok
	case MaskAnd, MaskOr:
		a, ok := m.masks[in.A]
		b, both := m.masks[in.B]
		if in.Op == MaskAnd {
			return convex{all: a.all && b.all}, ok && both
		}
		return convex{none: a.none && b.none}, ok && both
	}
	return convex{}, false
}
