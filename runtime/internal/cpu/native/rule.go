package native

// rule returns what is known of the result of an instruction.
type rule func(x *analysis, s *state, in *Instruction) kind

// together is for operations that do the same in each lane: what goes in the same in all
// lanes comes out so.
func together(x *analysis, s *state, in *Instruction) kind {
	for o := range operations[in.Op].operands(in) {
		if x.kindOf(s, o.at).form != uniform {
			return kind{form: varying}
		}
	}
	return kind{form: uniform}
}

// chosen is for choices between two.
func chosen(x *analysis, s *state, in *Instruction) kind {
	k := together(x, s, in)
	k.object = meet(x.kindOf(s, in.A), x.kindOf(s, in.B)).object
	return k
}

// everywhere is for results that are the same in all lanes whatever goes in.
func everywhere(*analysis, *state, *Instruction) kind { return kind{form: uniform} }

// same is for copies.
func same(x *analysis, s *state, in *Instruction) kind { return x.kindOf(s, in.A) }

// converted is for conversions to more bits, and to fewer.
func converted(x *analysis, s *state, in *Instruction) kind {
	k := x.kindOf(s, in.A)
	k.object = 0
	return k
}

// sum is for a + b*by.
func sum(a, b kind, by int64) kind {
	if stepA, ok := a.counts(); ok {
		if stepB, ok := b.counts(); ok && (stepB == 0 || by == int64(int32(by))) {
			return countingWide(int64(stepA) + int64(stepB)*by)
		}
	}
	if a.scalar() && b.scalar() {
		return kind{form: strided}
	}
	return kind{form: varying}
}

// countingWide is counting for a step that may be too large.
func countingWide(step int64) kind {
	if int64(int32(step)) != step {
		return kind{form: varying}
	}
	return counting(int32(step))
}

func added(x *analysis, s *state, in *Instruction) kind {
	return sum(x.kindOf(s, in.A), x.kindOf(s, in.B), 1)
}

func subtracted(x *analysis, s *state, in *Instruction) kind {
	return sum(x.kindOf(s, in.A), x.kindOf(s, in.B), -1)
}

func moved(x *analysis, s *state, in *Instruction) kind {
	a := x.kindOf(s, in.A)
	k := sum(a, x.kindOf(s, in.B), in.Imm)
	k.object = a.object
	return k
}

func multiplied(x *analysis, s *state, in *Instruction) kind {
	a, b := x.kindOf(s, in.A), x.kindOf(s, in.B)
	number, known := x.constant[in.B]
	if b.form != uniform {
		a, b = b, a
		number, known = x.constant[in.A]
	}
	switch {
	case b.form != uniform || a.form == varying:
		return kind{form: varying}
	case a.form == uniform:
		return kind{form: uniform}
	case a.form == linear && known:
		n := int64(number)
		if x.slots[x.slotAt[in.D/8]-1].class == word {
			return counting(a.step * int32(number))
		}
		if n != int64(int32(n)) {
			return kind{form: strided}
		}
		return countingWide(int64(a.step) * n)
	}
	return kind{form: strided}
}

func shifted(x *analysis, s *state, in *Instruction) kind {
	a, b := x.kindOf(s, in.A), x.kindOf(s, in.B)
	switch n, known := x.constant[in.B]; {
	case a.form == uniform && b.form == uniform:
		return kind{form: uniform}
	case a.form == linear && known && x.slots[x.slotAt[in.D/8]-1].class == word:
		return counting(a.step << (n & 31))
	case a.form == linear && known && n&63 < 31:
		return countingWide(int64(a.step) << (n & 63))
	}
	return kind{form: varying}
}

func negated(x *analysis, s *state, in *Instruction) kind {
	k := x.kindOf(s, in.A)
	step, ok := k.counts()
	switch {
	case !ok:
		return kind{form: varying}
	case x.slots[x.slotAt[in.D/8]-1].class == word:
		return counting(-step)
	}
	return countingWide(-int64(step))
}

// loaded is for loads: from one address comes one value.
func loaded(x *analysis, s *state, in *Instruction) kind {
	p := x.kindOf(s, in.A)
	if o := int(p.object); o == 0 || o >= len(x.Objects) || x.Objects[o].Striped {
		return kind{form: varying}
	}
	if p.form != uniform || in.C != NoIndex && x.kindOf(s, in.B).form != uniform {
		return kind{form: varying}
	}
	return kind{form: uniform}
}
