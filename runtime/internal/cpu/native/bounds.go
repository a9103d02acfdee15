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
	greatest := uint64(1<<32 - 1)
	switch in.Op {
	case wide.LoadUint8, wide.WrapUchar:
		greatest = 1<<8 - 1
	case wide.LoadUint16, wide.WrapUshort:
		greatest = 1<<16 - 1
	case wide.CopyWord:
		greatest = of(in.A)
	case wide.AndWord, wide.MinUint:
		greatest = min(of(in.A), of(in.B))
	case wide.OrWord, wide.XorWord:
		greatest = 1<<bits.Len64(of(in.A)|of(in.B)) - 1
	case wide.MaxUint, wide.SelectWord:
		greatest = max(of(in.A), of(in.B))
	case wide.AddWord:
		greatest = of(in.A) + of(in.B)
	case wide.MulWord:
		greatest = of(in.A) * of(in.B)
	case wide.ShlWord:
		if by, known := x.Known[in.B]; known {
			greatest = of(in.A) << (by & 31)
		}
	case wide.ShrUint:
		if by, known := x.Known[in.B]; known {
			greatest = of(in.A) >> (by & 31)
		}
	}
	return uint32(greatest), greatest < 1<<32-1
}
