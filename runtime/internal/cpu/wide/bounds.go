package wide

import "math/bits"

// Bounds says which registers are no more than a number, without a sign, at a point of a block.
type Bounds map[int32]uint32

// Step notes what an instruction does. What it makes may be blended with what other lanes hold.
func (b Bounds) Step(x *Analysis, in *Instruction, blends bool) {
	most, ok := b.made(x, in)
	for made := range Infos[in.Op].Results(in) {
		delete(b, made.At)
	}
	if ok && !blends && len(b) < MaxKnown {
		b[in.D] = most
	}
}

// made returns the bound of what an instruction makes.
func (b Bounds) made(x *Analysis, in *Instruction) (most uint32, ok bool) {
	of := func(r int32) uint64 {
		if c, known := x.Known[r]; known {
			return uint64(uint32(c))
		} else if most, ok := b[r]; ok {
			return uint64(most)
		}
		return 1<<32 - 1
	}
	greatest := uint64(1<<32 - 1)
	switch in.Op {
	case LoadUint8, WrapUchar:
		greatest = 1<<8 - 1
	case LoadUint16, WrapUshort:
		greatest = 1<<16 - 1
	case CopyWord:
		greatest = of(in.A)
	case AndWord, MinUint:
		greatest = min(of(in.A), of(in.B))
	case OrWord, XorWord:
		greatest = 1<<bits.Len64(of(in.A)|of(in.B)) - 1
	case MaxUint, SelectWord:
		greatest = max(of(in.A), of(in.B))
	case AddWord:
		greatest = of(in.A) + of(in.B)
	case MulWord:
		greatest = of(in.A) * of(in.B)
	case ShlWord:
		if by, known := x.Known[in.B]; known {
			greatest = of(in.A) << (by & 31)
		}
	case ShrUint:
		if by, known := x.Known[in.B]; known {
			greatest = of(in.A) >> (by & 31)
		}
	}
	return uint32(greatest), greatest < 1<<32-1
}
