package native

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// bounds says which registers are no more than a number, without a sign, at a point of a block.
type bounds map[int32]uint32

// step notes what an instruction does. What it makes may be blended with what other lanes hold.
func (b bounds) step(x *wide.Analysis, in *wide.Instruction, blends bool) {
	most, ok := b.made(x, in)
	for made := range wide.Infos[in.Op].Results(in) {
		delete(b, made.At)
	}
	if ok && !blends && len(b) < maxAhead {
		b[in.D] = most
	}
}

// made returns the bound of what an instruction makes.
func (b bounds) made(x *wide.Analysis, in *wide.Instruction) (most uint32, ok bool) {
	of := func(r int32) uint64 {
		if c, known := x.Known[r]; known {
			return uint64(uint32(c))
		} else if most, ok := b[r]; ok {
			return uint64(most)
		}
		return 1<<32 - 1
	}
	sum := uint64(1<<32 - 1)
	switch in.Op {
	case wide.LoadUint8, wide.WrapUchar:
		sum = 1<<8 - 1
	case wide.LoadUint16, wide.WrapUshort:
		sum = 1<<16 - 1
	case wide.CopyWord:
		sum = of(in.A)
	case wide.AndWord, wide.MinUint:
		sum = min(of(in.A), of(in.B))
	case wide.OrWord, wide.XorWord:
		sum = 1<<bits.Len64(of(in.A)|of(in.B)) - 1
	case wide.MaxUint, wide.SelectWord:
		sum = max(of(in.A), of(in.B))
	case wide.AddWord:
		sum = of(in.A) + of(in.B)
	case wide.MulWord:
		sum = of(in.A) * of(in.B)
	case wide.ShlWord, wide.ShrUint:
		by, known := x.Known[in.B]
		if !known {
			return 0, false
		}
		if sum = of(in.A) >> (by & 31); in.Op == wide.ShlWord {
			sum = of(in.A) << (by & 31)
		}
	default:
		return 0, false
	}
	return uint32(sum), sum < 1<<32-1
}
