package facts

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
)

// How great numbers may be: what shows that an access is within a variable, and that a division is a shift.

// AnyWord is what an integer of 32 bits may be about which nothing is known.
const AnyWord = uint64(math.MaxUint32)

// MostOf returns how great an integer of 32 bits may be, without its sign, whatever a thread computes.
func (f *Facts) MostOf(v ir.Value, depth int) uint64 {
	if n, ok := f.Bits(v); ok {
		return n & AnyWord
	}
	if n, ok := f.Below[v]; ok {
		return n
	}
	in := f.By[v]
	if in == nil || depth > 8 || in.Type.Held() != ir.I32 {
		return AnyWord
	}
	of := func(i int) uint64 { return f.MostOf(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpInput:
		return f.mostOfInput(f.Inputs[in.Imm].Attribute)
	case ir.OpAdd:
		return min(of(0)+of(1), AnyWord)
	case ir.OpMul:
		if high, low := bits.Mul64(of(0), of(1)); high == 0 {
			return min(low, AnyWord)
		}
	case ir.OpAnd:
		return min(of(0), of(1))
	case ir.OpShr:
		if n, ok := f.Bits(in.Args[1]); ok && (in.Type == ir.U32 || of(0) <= math.MaxInt32) {
			return of(0) >> (n & 31)
		}
	case ir.OpDiv, ir.OpRem:
		n, ok := f.Bits(in.Args[1])
		if by := int32(n); !ok || by <= 0 || in.Type == ir.S32 && of(0) > math.MaxInt32 {
			return AnyWord
		}
		if in.Op == ir.OpDiv {
			return of(0) / n
		}
		return min(of(0), n-1)
	case ir.OpMin:
		if in.Type == ir.U32 || max(of(0), of(1)) <= math.MaxInt32 {
			return min(of(0), of(1))
		}
	case ir.OpSelect:
		return max(f.MostOf(in.Args[1], depth+1), f.MostOf(in.Args[2], depth+1))
	case ir.OpFromBool:
		return 1
	case ir.OpLoad:
		switch in.Aux.(*ir.Access).Kind {
		case ir.Uint8:
			return math.MaxUint8
		case ir.Uint16:
			return math.MaxUint16
		}
	}
	return AnyWord
}

// mostOfInput returns how great a number of a thread may be.
func (f *Facts) mostOfInput(attribute string) uint64 {
	last := uint64(f.threads - 1)
	switch attribute {
	case "thread_index_in_threadgroup", "thread_position_in_threadgroup":
		return last
	case "threads_per_threadgroup", "dispatch_threads_per_threadgroup":
		return last + 1
	case "thread_index_in_simdgroup":
		return 31
	case "simdgroup_index_in_threadgroup":
		return last / 32
	case "thread_index_in_quadgroup":
		return 3
	case "quadgroup_index_in_threadgroup":
		return last / 4
	}
	return AnyWord
}

// NotNegative reports whether an integer of 32 bits is the same number with and without its sign.
func (f *Facts) NotNegative(v ir.Value) bool { return f.MostOf(v, 0) <= math.MaxInt32 }

// MostMoved returns how far from the beginning of its object a pointer leads at most, or false where it may lead before
// that.
func (f *Facts) MostMoved(v ir.Value, depth int) (uint64, bool) {
	in := f.By[v]
	switch {
	case in == nil || depth > 8:
		return 0, false
	case in.Op == ir.OpAddress:
		return 0, true
	case in.Op != ir.OpMove || in.Imm < 0 || in.Imm > math.MaxInt32:
		return 0, false
	}
	from, ok := f.MostMoved(in.Args[0], depth+1)
	by := f.MostOfLong(in.Args[1], 0)
	if in.Type.Bits() == 32 {
		by = f.MostOf(in.Args[1], 0)
	}
	if !ok || in.Type == ir.S32 && by > math.MaxInt32 || by > AnyWord {
		return 0, false
	}
	return from + by*uint64(in.Imm), true
}

// MostOfLong is mostOf for an integer of 64 bits. What is greater than anyWord may be any number.
func (f *Facts) MostOfLong(v ir.Value, depth int) uint64 {
	const any = AnyWord + 1
	if n, ok := f.Bits(v); ok {
		return min(n, any)
	}
	in := f.By[v]
	if in == nil || depth > 8 {
		return any
	}
	of := func(i int) uint64 { return f.MostOfLong(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpWiden:
		if most := f.MostOf(in.Args[0], depth+1); in.Type == ir.U32 || most <= math.MaxInt32 {
			return most
		}
	case ir.OpAdd:
		return min(of(0)+of(1), any)
	case ir.OpMul:
		if high, low := bits.Mul64(of(0), of(1)); high == 0 {
			return min(low, any)
		}
	}
	return any
}

// Widened returns the factors of a product of two integers of 32 bits without a sign, in 64 bits.
func (f *Facts) Widened(v ir.Value) (x, y ir.Value, ok bool) {
	in := f.By[v]
	if in == nil || in.Op != ir.OpMul || in.Type.Held() != ir.I64 {
		return 0, 0, false
	}
	a, b := f.By[in.Args[0]], f.By[in.Args[1]]
	if a == nil || b == nil || a.Op != ir.OpWiden || b.Op != ir.OpWiden || a.Type != ir.U32 || b.Type != ir.U32 {
		return 0, 0, false
	}
	return a.Args[0], b.Args[0], true
}
