package ir

import "math"

// What operations come to on constants, and what they do to one thread's operands: the meaning
// that all machines share. Bits are those of a constant: integers of 32 bits are in the lower half,
// a float has those of the float32, a bool is 0 or 1.

// Eval returns what an operation comes to. It reports false for one that is not known before the
// kernel runs, or traps.
func Eval(op Op, t Type, imm int64, operands ...uint64) (bits uint64, ok bool) {
	switch op {
	case OpSelect:
		if operands[0] != 0 {
			return operands[1], true
		}
		return operands[2], true
	case OpDiv, OpRem:
		if t != F32 && operands[1] == 0 {
			return 0, false
		}
	}
	if e := op.eval(t); e != nil {
		var list operandBits
		copy(list[:], operands)
		return e.apply(imm, list), true
	}
	return 0, false
}

// Function returns the meaning of an operation for one thread: a func of its operands, in order, as the Go types
// that fit them, with the instruction's Imm before them where the result depends on that. It is nil where an
// operation is more than a function of its operands.
func Function(op Op, t Type) any {
	if e := op.eval(t); e != nil {
		return e.fn
	}
	return nil
}

// eval returns the row of a type: its own, or of an integer without a sign either of those with one.
func (op Op) eval(t Type) *eval {
	rows := table[op].eval
	for i := range rows {
		if rows[i].on == t {
			return &rows[i].eval
		}
	}
	for i := range rows {
		if rows[i].on.Held() == t.Held() {
			return &rows[i].eval
		}
	}
	return nil
}

// evals are what an operation comes to, by the type that it takes.
type evals []struct {
	on Type
	eval
}

// eval is a function of operands and of their bits.
type eval struct {
	fn    any
	apply func(imm int64, operands operandBits) uint64
}

// operandBits are the bits of up to four operands: an array, so that folding allocates nothing.
type operandBits [4]uint64

// word is what a thread holds.
type word interface {
	bool | int32 | uint32 | int64 | uint64 | float32
}

// bitsOf and fromBits convert between a value and its bits.
func bitsOf[T word](v T) uint64 {
	switch v := any(v).(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int32:
		return uint64(uint32(v))
	case uint32:
		return uint64(v)
	case int64:
		return uint64(v)
	case uint64:
		return v
	case float32:
		return uint64(math.Float32bits(v))
	}
	panic("unreachable")
}

func fromBits[T word](bits uint64) T {
	var v T
	switch p := any(&v).(type) {
	case *bool:
		*p = bits != 0
	case *int32:
		*p = int32(bits)
	case *uint32:
		*p = uint32(bits)
	case *int64:
		*p = int64(bits)
	case *uint64:
		*p = bits
	case *float32:
		*p = math.Float32frombits(uint32(bits))
	}
	return v
}

func eval1[A, R word](fn func(A) R) eval {
	return eval{fn, func(_ int64, x operandBits) uint64 { return bitsOf(fn(fromBits[A](x[0]))) }}
}

func eval2[A, R word](fn func(a, b A) R) eval { return mixed2(fn) }

// mixed2 is eval2 for operands of two types.
func mixed2[A, B, R word](fn func(A, B) R) eval {
	return eval{fn, func(_ int64, x operandBits) uint64 { return bitsOf(fn(fromBits[A](x[0]), fromBits[B](x[1]))) }}
}

func eval3[A, R word](fn func(a, b, c A) R) eval {
	return eval{fn, func(_ int64, x operandBits) uint64 {
		return bitsOf(fn(fromBits[A](x[0]), fromBits[A](x[1]), fromBits[A](x[2])))
	}}
}

// wide1, wide2 and wide3 are for functions that must know the width of the type: Imm.

func wide1[A, R word](fn func(n int64, a A) R) eval {
	return eval{fn, func(n int64, x operandBits) uint64 { return bitsOf(fn(n, fromBits[A](x[0]))) }}
}

func wide2[A, R word](fn func(n int64, a, b A) R) eval {
	return eval{fn, func(n int64, x operandBits) uint64 { return bitsOf(fn(n, fromBits[A](x[0]), fromBits[A](x[1]))) }}
}

func wide3[A, R word](fn func(n int64, a, b, c A) R) eval {
	return eval{fn, func(n int64, x operandBits) uint64 {
		return bitsOf(fn(n, fromBits[A](x[0]), fromBits[A](x[1]), fromBits[A](x[2])))
	}}
}
