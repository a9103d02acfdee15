package native

import "iter"

// Op is what an instruction does.
type Op uint8

// Flow, which changes the active lanes or what comes next.
const (
	Loop    Op = iota // to Target, backwards
	If                // D, B = active: those of lanes where A holds; none: to Target
	Else              // those of D where A does not hold; none: to Target
	End               // active = D; none: to Target
	Enter             // D, B = active
	Test              // active lanes of B where A holds; none: to Target
	Next              // active = B; none: to Target
	Case              // B gains the lanes of D where A holds, active = B; none: to Target
	Switch            // D = active, B = none
	Leave             // the active lanes leave the masks of Leaves[Imm]; to Target
	Barrier           // wait
	Stop              // the end

	// Foreign instructions are those that only the interpreter knows. Those without Operands read what they want and
	// write nothing.
	Foreign
	Call   // goes to Target, and comes back with all registers changed
	Return // from there

	CopyWord
	CopyLong
	CopyMask
	MoveMask // in the active lanes
	SelectWord
	SelectLong
	SelectMask
	MaskNone
	MaskAnd
	MaskOr
	MaskXor
	MaskNot
	MaskEqual

	AddWord
	SubWord
	MulWord
	NegWord
	NotWord
	AndWord
	OrWord
	XorWord
	ShlWord
	ShrInt
	ShrUint
	DivInt
	DivUint
	ModInt
	ModUint
	MinInt
	MinUint
	MaxInt
	MaxUint

	AddLong
	SubLong
	MulLong
	NegLong
	NotLong
	AndLong
	OrLong
	XorLong
	ShlLong
	ShrLong
	ShrUlong
	DivLong
	DivUlong
	ModLong
	ModUlong
	MinLong
	MinUlong
	MaxLong
	MaxUlong

	AddFloat
	SubFloat
	MulFloat
	DivFloat
	NegFloat
	AbsFloat
	MinFloat
	MaxFloat
	MulAdd
	MulSub
	SubMul
	Fma
	Sqrt
	Rsqrt
	Exp
	Exp2
	Exp10
	Log
	Log2
	Log10
	Sin
	Cos
	Tan
	Tanh
	Pow
	Powr
	Floor
	Ceil
	Trunc
	Rint
	Round
	Fract
	Saturate
	Sign
	ClampFloat
	Step
	Fdim
	Copysign

	EqualWord
	NotEqualWord
	LessInt
	LessUint
	LessEqualInt
	LessEqualUint
	EqualLong
	NotEqualLong
	LessLong
	LessUlong
	LessEqualLong
	LessEqualUlong
	EqualFloat
	NotEqualFloat
	LessFloat
	LessEqualFloat
	IsNaN
	IsInf
	IsFinite
	IsNegative

	WidenInt
	WidenUint
	Narrow
	FloatFromInt
	FloatFromUint
	FloatToInt
	FloatToUint
	WrapChar
	WrapUchar
	WrapShort
	WrapUshort
	RoundHalf
	RoundBFloat
	WordIsNotZero
	LongIsNotZero
	FloatIsNotZero
	WordOfBool
	LongOfBool
	FloatOfBool
	PlainBits
	FieldInt
	FieldUint

	// Of all active lanes.
	SumFloat
	SumWord
	MaxOfFloats
	MinOfFloats
	MaxOfInts
	MinOfInts
	MaxOfUints
	MinOfUints
	AndOfWords
	OrOfWords
	XorOfWords
	Shuffle
	ShuffleDown
	ShuffleUp
	ShuffleXor
	RotateDown
	RotateUp
	FirstWord
	AnyMask
	AllMask
	ActiveLanes
	Ballot

	AddPointerInt
	AddPointerUint
	AddPointerLong

	Load32
	LoadInt8
	LoadUint8
	LoadInt16
	LoadUint16
	LoadHalf
	LoadBFloat
	Load64
	LoadBool
	Store32
	Store8
	Store16
	StoreHalf
	StoreBFloat
	Store64
	StoreBool

	// Those on matrices have their operands in Matrices.
	MultiplyMatrices
	LoadMatrix
	LoadHalfMatrix
	LoadBFloatMatrix
	StoreMatrix
	StoreHalfMatrix
	StoreBFloatMatrix

	ops
)

// OnMatrices reports whether an operation works on matrices.
func (op Op) OnMatrices() bool { return op >= MultiplyMatrices && op <= StoreBFloatMatrix }

// class is how a value is held.
type class uint8

const (
	none class = iota
	mask       // a bool: one bit a lane
	word       // 32 bits
	long       // 64 bits, and pointers
)

// operation is what is to be known of an Op.
type operation struct {
	d, a, b, c class // what it takes, and what it makes
	access     bool  // B is an index of kind C
	stores     class // it reads D
	flow       bool
	jumps      bool // to Target
	ends       bool // what is after it is not next
	foreign    bool
	heavy      int32                     // how many plain ones it takes as long as; 0 is one
	reads      func(*Matrices) []operand // of one on matrices
	rule       rule                      // nil for results that may be any

	// How it is written: a vector at a time, or on the bases of registers that are the same in all lanes or count up,
	// or all at once.
	lane   laneFunc
	scalar scalarFunc
	emit   scalarFunc

	check   scalarFunc // what comes before lane, and may leave for the interpreter
	exits   bool       // so may scalar
	signed  bool       // of words it makes longs with their sign
	joins   bool       // it makes words of longs, in place of lane
	neutral bool       // it has no wish for where its operands are
}

// weight is how long an instruction takes, beside a plain one, about.
func (op *operation) weight() int32 { return max(op.heavy, 1) }

// operand is a register or a bool that an instruction reads.
type operand struct {
	at    int32
	class class
}

// operands are what an instruction reads.
func (op *operation) operands(in *Instruction) iter.Seq[operand] {
	return func(yield func(operand) bool) {
		if in.Operands != nil {
			in.Operands.Reads.each(yield)
			return
		}
		if in.Matrices != nil {
			for _, o := range op.reads(in.Matrices) {
				if !yield(o) {
					return
				}
			}
			return
		}
		b := op.b
		if op.access && in.C != NoIndex {
			b = word
			if in.C == LongIndex {
				b = long
			}
		}
		for _, o := range [...]operand{{in.A, op.a}, {in.B, b}, {in.C, op.c}, {in.D, op.stores}} {
			if o.class != none && !yield(o) {
				return
			}
		}
	}
}

// results are the registers that an instruction writes.
func (op *operation) results(in *Instruction) iter.Seq[operand] {
	return func(yield func(operand) bool) {
		switch {
		case in.Operands != nil:
			in.Operands.Writes.each(yield)
		case op.d == none || op.flow:
		case in.Matrices != nil:
			_ = yield(operand{in.Matrices.Z[0], op.d}) && yield(operand{in.Matrices.Z[1], op.d})
		default:
			yield(operand{in.D, op.d})
		}
	}
}

// readsAll reports whether an instruction may read any register.
func (op *operation) readsAll(in *Instruction) bool { return op.foreign && in.Operands == nil }

// masks returns the masks of constructs that an instruction of the flow names.
func (op *operation) masks(in *Instruction) []int32 {
	switch in.Op {
	case If, Else, Enter, Case, Switch:
		return []int32{in.D, in.B}
	case End:
		return []int32{in.D}
	case Test, Next:
		return []int32{in.B}
	}
	return nil
}
