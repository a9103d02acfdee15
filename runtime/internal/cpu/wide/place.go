package wide

// local returns by how much the lanes of a vector mostly count up, or false if that is unknown.
func (k Kind) local() (step int32, ok bool) {
	switch k.Form {
	case Uniform:
		return 0, true
	case Linear:
		return k.Step, true
	}
	return k.Step, k.Placed
}

// either is local for what is one of two.
func either(a, b Kind) (step int32, ok bool) {
	x, placed := a.local()
	y, ok := b.local()
	if ok = ok && placed && (x == y || x == 0 || y == 0); !ok {
		return 0, false
	}
	return x | y, true
}

// Apart returns how many bytes the lanes of a vector mostly are apart, from one to the next: those of a pointer that is
// moved by a number of elements. It reports false if that is unknown.
func Apart(pointer, index Kind, size int64) (bytes int32, ok bool) {
	p, placed := pointer.local()
	q, ok := index.local()
	return p + q*int32(size), ok && placed
}

// near are what makes floats, or integers of floats, that are mostly close to each other where their operands are.
var near = map[Op]bool{
	FloatFromInt: true, FloatFromUint: true, FloatToInt: true, FloatToUint: true, AddFloat: true, SubFloat: true,
	MulFloat: true, DivFloat: true, MinFloat: true, MaxFloat: true, MulAdd: true, Fma: true, Floor: true, Ceil: true,
	Trunc: true, Rint: true, Round: true,
}

// places returns by how much the lanes of a vector mostly count up in what an instruction makes, as far as that follows
// from where threads are.
func (x *Analysis) places(s *State, in *Instruction) (step int32, ok bool) {
	op := &Infos[in.Op]
	if op.A != Word && op.A != Long || op.D != Word && op.D != Long {
		return 0, false
	}
	a := x.KindOf(s, in.A)
	p, ok := a.local()
	switch {
	case !ok:
		return 0, false
	case in.Op == CopyWord || in.Op == CopyLong || in.Op == WidenInt || in.Op == WidenUint || in.Op == Narrow:
		return p, true
	case near[in.Op] && (op.B != Word || x.isPlaced(s, in.B)) && (op.C != Word || x.isPlaced(s, in.C)):
		return 0, true
	case in.Op == NegWord || in.Op == NotWord || in.Op == NegLong || in.Op == NotLong:
		return -p, true
	case op.B != Word && op.B != Long:
		return 0, false
	}
	b := x.KindOf(s, in.B)
	q, ok := b.local()
	number, known := x.Known[in.B]
	if !ok {
		return 0, false
	}
	switch in.Op {
	case AddWord, AddLong:
		return p + q, true
	case SubWord, SubLong:
		return p - q, true
	case AddPointerInt, AddPointerUint, AddPointerLong:
		return Apart(a, b, in.Imm)
	case MulWord, MulLong:
		if known {
			return p * int32(number), true
		}
	case ShlWord, ShlLong:
		if known {
			return p << (number & 31), true
		}
	case DivInt, DivUint, ShrInt, ShrUint:
		if q == 0 {
			return x.divided(p, in), true
		}
	case SelectWord, SelectLong, MinInt, MinUint, MaxInt, MaxUint:
		return either(a, b)
	case AndWord, OrWord, XorWord, ModInt, ModUint:
	default:
		return 0, false
	}
	return 0, p == 0 && q == 0
}

func (x *Analysis) isPlaced(s *State, r int32) bool {
	k := x.KindOf(s, r)
	_, ok := k.local()
	return ok
}

// divided returns a step divided by a number, which is taken for a large one where it is unknown.
func (x *Analysis) divided(step int32, in *Instruction) int32 {
	by, known := x.Known[in.B]
	switch n := int32(by); {
	case !known:
		return 0
	case in.Op == ShrInt || in.Op == ShrUint:
		return step >> (n & 31)
	case n > 0:
		return step / n
	}
	return 0
}
