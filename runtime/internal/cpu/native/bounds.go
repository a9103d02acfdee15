package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/wide"

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
	most, ok = b[in.A]
	number, known := x.Known[in.B]
	switch in.Op {
	case wide.LoadUint8, wide.WrapUchar:
		return 1<<8 - 1, true
	case wide.LoadUint16, wide.WrapUshort:
		return 1<<16 - 1, true
	case wide.CopyWord:
		return most, ok
	case wide.AndWord:
		if c := uint32(number); known && (!ok || c < most) {
			return c, true
		}
		return most, ok
	case wide.ShrUint:
		if !ok {
			most = 1<<32 - 1
		}
		return most >> (number & 31), known
	}
	return 0, false
}
