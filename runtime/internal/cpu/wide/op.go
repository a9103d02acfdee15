package wide

import "iter"

// Op is what an instruction does.
type Op uint8

// Flow, which changes the active lanes or what comes next.
const (
	Loop    Op = iota // to Target, backwards
	If                // D, B = active: those of lanes where A holds; none: to Target, where B = active
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
	RotateWord
	LeadingZeros
	MulHighInt
	MulHighUint

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
	HalfBits // as the lowest 16 bits of a word
	FloatOfHalf
	BFloatBits
	FloatOfBFloat
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
	Clear // all of the object that A points to, in all lanes

	// D is the word that A points to, which becomes B, or what is made of it and B: lane by lane. That of a Compare
	// has to be C.
	AtomicSwap
	AtomicAdd
	AtomicSub
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicMaxInt
	AtomicMaxUint
	AtomicMinInt
	AtomicMinUint
	AtomicCompare

	// Those on matrices have their operands in Matrices.
	MultiplyMatrices
	LoadMatrix
	LoadHalfMatrix
	LoadBFloatMatrix
	StoreMatrix
	StoreHalfMatrix
	StoreBFloatMatrix

	// Those on textures have their operands in Texels.
	ReadTexels
	WriteTexels

	Ops
)

// OnMatrices reports whether an operation works on matrices.
func (op Op) OnMatrices() bool { return op >= MultiplyMatrices && op <= StoreBFloatMatrix }

// OnTexels reports whether an operation works on a texture.
func (op Op) OnTexels() bool { return op == ReadTexels || op == WriteTexels }

// Bytes returns how many bytes an access has, or 0 for other operations.
func (op Op) Bytes() int32 {
	switch op {
	case LoadInt8, LoadUint8, LoadBool, Store8, StoreBool:
		return 1
	case LoadInt16, LoadUint16, LoadHalf, LoadBFloat, Store16, StoreHalf, StoreBFloat:
		return 2
	case Load32, Store32:
		return 4
	case Load64, Store64:
		return 8
	}
	return 0
}

// Class is how a value is held.
type Class uint8

const (
	None Class = iota
	Mask       // a bool: one bit a lane
	Word       // 32 bits
	Long       // 64 bits, and pointers
)

// Info is what is to be known of an Op.
type Info struct {
	D, A, B, C Class // what it takes, and what it makes
	Access     bool  // B is an index of kind C
	Stores     Class // it reads D
	Flow       bool
	Jumps      bool // to Target
	Ends       bool // what is after it is not next
	Foreign    bool
	heavy      int32                     // how many plain ones it takes as long as; 0 is one
	reads      func(*Matrices) []Operand // of one on matrices
	Rule       rule                      // nil for results that may be any
}

// Weight is how long an instruction takes, beside a plain one, about.
func (op *Info) Weight() int32 { return max(op.heavy, 1) }

// Operand is a register or a bool that an instruction reads.
type Operand struct {
	At    int32
	class Class
}

// Operands are what an instruction reads.
func (op *Info) Operands(in *Instruction) iter.Seq[Operand] {
	return func(yield func(Operand) bool) {
		if in.Operands != nil {
			in.Operands.Reads.Each(yield)
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
		b := op.B
		if op.Access && in.C != NoIndex {
			b = Word
			if in.C == LongIndex {
				b = Long
			}
		}
		for _, o := range [...]Operand{{in.A, op.A}, {in.B, b}, {in.C, op.C}, {in.D, op.Stores}} {
			if o.class != None && !yield(o) {
				return
			}
		}
	}
}

// Results are the registers that an instruction writes.
func (op *Info) Results(in *Instruction) iter.Seq[Operand] {
	return func(yield func(Operand) bool) {
		switch {
		case in.Operands != nil:
			in.Operands.Writes.Each(yield)
		case op.D == None || op.Flow:
		case in.Matrices != nil:
			_ = yield(Operand{in.Matrices.Z[0], op.D}) && yield(Operand{in.Matrices.Z[1], op.D})
		default:
			yield(Operand{in.D, op.D})
		}
	}
}

// ReadsAll reports whether an instruction may read any register.
func (op *Info) ReadsAll(in *Instruction) bool { return op.Foreign && in.Operands == nil }

// masks returns the masks of constructs that an instruction of the flow names.
func (op *Info) masks(in *Instruction) []int32 {
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
