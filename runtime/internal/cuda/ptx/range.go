package ptx

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
)

// How great numbers may be: what shows that an access is within a variable, and that a division is a shift.

// anyWord is what an integer of 32 bits may be about which nothing is known.
const anyWord = uint64(math.MaxUint32)

// mostOf returns how great an integer of 32 bits may be, without its sign, whatever a thread computes.
func (e *emitter) mostOf(v ir.Value, depth int) uint64 {
	if n, ok := e.Bits(v); ok {
		return n & anyWord
	}
	if n, ok := e.below[v]; ok {
		return n
	}
	in := e.by[v]
	if in == nil || depth > 8 || in.Type.Held() != ir.I32 {
		return anyWord
	}
	of := func(i int) uint64 { return e.mostOf(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpInput:
		return e.mostOfInput(e.Inputs[in.Imm].Attribute)
	case ir.OpAdd:
		return min(of(0)+of(1), anyWord)
	case ir.OpMul:
		if high, low := bits.Mul64(of(0), of(1)); high == 0 {
			return min(low, anyWord)
		}
	case ir.OpAnd:
		return min(of(0), of(1))
	case ir.OpShr:
		if n, ok := e.Bits(in.Args[1]); ok && (in.Type == ir.U32 || of(0) <= math.MaxInt32) {
			return of(0) >> (n & 31)
		}
	case ir.OpDiv, ir.OpRem:
		n, ok := e.Bits(in.Args[1])
		if by := int32(n); !ok || by <= 0 || in.Type == ir.S32 && of(0) > math.MaxInt32 {
			return anyWord
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
		return max(e.mostOf(in.Args[1], depth+1), e.mostOf(in.Args[2], depth+1))
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
	return anyWord
}

// mostOfInput returns how great a number of a thread may be.
func (e *emitter) mostOfInput(attribute string) uint64 {
	last := uint64(e.Threads - 1)
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
	return anyWord
}

// notNegative reports whether an integer of 32 bits is the same number with and without its sign.
func (e *emitter) notNegative(v ir.Value) bool { return e.mostOf(v, 0) <= math.MaxInt32 }

// mostMoved returns how far from the beginning of its object a pointer leads at most, or false where it may lead before
// that.
func (e *emitter) mostMoved(v ir.Value, depth int) (uint64, bool) {
	in := e.by[v]
	switch {
	case in == nil || depth > 8:
		return 0, false
	case in.Op == ir.OpAddress:
		return 0, true
	case in.Op != ir.OpMove || in.Imm < 0 || in.Imm > math.MaxInt32:
		return 0, false
	}
	from, ok := e.mostMoved(in.Args[0], depth+1)
	by := e.mostOfLong(in.Args[1], 0)
	if in.Type.Bits() == 32 {
		by = e.mostOf(in.Args[1], 0)
	}
	if !ok || in.Type == ir.S32 && by > math.MaxInt32 || by > anyWord {
		return 0, false
	}
	return from + by*uint64(in.Imm), true
}

// mostOfLong is mostOf for an integer of 64 bits. What is greater than anyWord may be any number.
func (e *emitter) mostOfLong(v ir.Value, depth int) uint64 {
	const any = anyWord + 1
	if n, ok := e.Bits(v); ok {
		return min(n, any)
	}
	in := e.by[v]
	if in == nil || depth > 8 {
		return any
	}
	of := func(i int) uint64 { return e.mostOfLong(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpWiden:
		if most := e.mostOf(in.Args[0], depth+1); in.Type == ir.U32 || most <= math.MaxInt32 {
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
