package wide

// rule returns what is known of the result of an instruction.
type rule func(x *Analysis, s *State, in *Instruction) Kind

// together is for operations that do the same in each lane: what goes in the same in all
// lanes comes out so.
func together(x *Analysis, s *State, in *Instruction) Kind {
	for o := range Infos[in.Op].Operands(in) {
		if x.KindOf(s, o.At).Form != Uniform {
			return Kind{Form: Varying}
		}
	}
	return Kind{Form: Uniform}
}

// chosen is for choices between two.
func chosen(x *Analysis, s *State, in *Instruction) Kind {
	k := together(x, s, in)
	both := meet(x.KindOf(s, in.A), x.KindOf(s, in.B))
	k.Object, k.Within = both.Object, both.Within
	return k
}

// everywhere is for results that are the same in all lanes whatever goes in.
func everywhere(*Analysis, *State, *Instruction) Kind { return Kind{Form: Uniform} }

// same is for copies.
func same(x *Analysis, s *State, in *Instruction) Kind { return x.KindOf(s, in.A) }

// converted is for conversions to more bits, and to fewer.
func converted(x *Analysis, s *State, in *Instruction) Kind {
	k := x.KindOf(s, in.A)
	k.Object, k.Within = 0, 0
	return k
}

// Sum is for a + b*by.
func Sum(a, b Kind, by int64) Kind {
	if stepA, ok := a.Counts(); ok {
		if stepB, ok := b.Counts(); ok && (stepB == 0 || by == int64(int32(by))) {
			return countingWide(int64(stepA) + int64(stepB)*by)
		}
	}
	if a.Scalar() && b.Scalar() {
		return Kind{Form: Strided}
	}
	return Kind{Form: Varying}
}

// AccessKind returns what is known of where the lanes of an access are.
func AccessKind(x *Analysis, s *State, in *Instruction) Kind {
	p, index := x.KindOf(s, in.A), Kind{Form: Uniform}
	if in.C != NoIndex {
		index = x.KindOf(s, in.B)
	}
	return Sum(p, index, int64(in.Target))
}

// countingWide is counting for a step that may be too large.
func countingWide(step int64) Kind {
	if int64(int32(step)) != step {
		return Kind{Form: Varying}
	}
	return counting(int32(step))
}

func added(x *Analysis, s *State, in *Instruction) Kind {
	return Sum(x.KindOf(s, in.A), x.KindOf(s, in.B), 1)
}

func subtracted(x *Analysis, s *State, in *Instruction) Kind {
	return Sum(x.KindOf(s, in.A), x.KindOf(s, in.B), -1)
}

func moved(x *Analysis, s *State, in *Instruction) Kind {
	a := x.KindOf(s, in.A)
	k := Sum(a, x.KindOf(s, in.B), in.Imm)
	k.Object, k.Within = a.Object, movedWithin(a, in)
	return k
}

func multiplied(x *Analysis, s *State, in *Instruction) Kind {
	a, b := x.KindOf(s, in.A), x.KindOf(s, in.B)
	number, known := x.Known[in.B]
	if b.Form != Uniform {
		a, b = b, a
		number, known = x.Known[in.A]
	}
	switch {
	case b.Form != Uniform || a.Form == Varying:
		return Kind{Form: Varying}
	case a.Form == Uniform:
		return Kind{Form: Uniform}
	case a.Form == Linear && known:
		n := int64(number)
		if x.Slots[x.SlotAt[in.D/8]-1].Class == Word {
			return counting(a.Step * int32(number))
		}
		if n != int64(int32(n)) {
			return Kind{Form: Strided}
		}
		return countingWide(int64(a.Step) * n)
	}
	return Kind{Form: Strided}
}

func shifted(x *Analysis, s *State, in *Instruction) Kind {
	a, b := x.KindOf(s, in.A), x.KindOf(s, in.B)
	switch n, known := x.Known[in.B]; {
	case a.Form == Uniform && b.Form == Uniform:
		return Kind{Form: Uniform}
	case a.Form == Linear && known && x.Slots[x.SlotAt[in.D/8]-1].Class == Word:
		return counting(a.Step << (n & 31))
	case a.Form == Linear && known && n&63 < 31:
		return countingWide(int64(a.Step) << (n & 63))
	}
	return Kind{Form: Varying}
}

// quotient is for division by a number, and shifts to the right. What counts up by a multiple of the divisor counts up
// by the quotient, from lane to lane, as long as it does not wrap around.
func quotient(x *Analysis, s *State, in *Instruction) Kind {
	a := x.KindOf(s, in.A)
	if by, known := x.Known[in.B]; known && a.Form == Linear {
		n := int64(uint32(by))
		if in.Op != DivUint {
			n = 1 << (n & 31)
		}
		if n != 0 && int64(a.Step)%n == 0 {
			return counting(int32(int64(a.Step) / n))
		}
	}
	return together(x, s, in)
}

func negated(x *Analysis, s *State, in *Instruction) Kind {
	k := x.KindOf(s, in.A)
	step, ok := k.Counts()
	switch {
	case !ok:
		return Kind{Form: Varying}
	case x.Slots[x.SlotAt[in.D/8]-1].Class == Word:
		return counting(-step)
	}
	return countingWide(-int64(step))
}

// loaded is for loads: from one address comes one value.
func loaded(x *Analysis, s *State, in *Instruction) Kind {
	p := x.KindOf(s, in.A)
	if o := int(p.Object); o == 0 || o >= len(x.Objects) || x.Objects[o].Striped {
		return Kind{Form: Varying}
	}
	if p.Form != Uniform || in.C != NoIndex && x.KindOf(s, in.B).Form != Uniform {
		return Kind{Form: Varying}
	}
	return Kind{Form: Uniform}
}

// moves is the rule of shuffles, and broadcasts that of those where all lanes may read the same.
func moves(x *Analysis, s *State, in *Instruction) Kind {
	if x.KindOf(s, in.A).Form == Uniform {
		return Kind{Form: Uniform}
	}
	return Kind{Form: Varying}
}

func broadcasts(x *Analysis, s *State, in *Instruction) Kind {
	if x.KindOf(s, in.B).Form == Uniform {
		return Kind{Form: Uniform}
	}
	return moves(x, s, in)
}
