package arm64

// R is a general-purpose register.
type R uint8

// The general-purpose registers. X18 belongs to the system, X16 to [Assembler.Code], which reaches far with it.
const (
	X0 R = iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	X27
	X28
	X29
	X30
	ZR        // 0 where it is read, and nothing where it is written
	SP R = 63 // the stack
)

// V is a vector register. There are 32.
type V uint8

// The vector registers.
const (
	V0 V = iota
	V1
	V2
	V3
	V4
	V5
	V6
	V7
	V8
	V9
	V10
	V11
	V12
	V13
	V14
	V15
	V16
	V17
	V18
	V19
	V20
	V21
	V22
	V23
	V24
	V25
	V26
	V27
	V28
	V29
	V30
	V31
)

// Arrangement says how a vector register is divided: into how many elements, and of how many bits. Those that have
// only the lower half of the register set the other one to 0 where it is written.
type Arrangement uint8

// Arrangements. B are 8 bits, H 16, S 32 and D 64.
const (
	B8 Arrangement = iota
	B16
	H4
	H8
	S2
	S4
	D1
	D2
)

// size returns the bytes of an element, as a power of 2.
func (t Arrangement) size() uint32 { return uint32(t >> 1) }

// whole is 1 for an arrangement of the whole register.
func (t Arrangement) whole() uint32 { return uint32(t & 1) }

// Extend says how the second register of a sum or an address is extended or shifted.
type Extend uint8

// Extends. UXTX is the whole register.
const (
	UXTB Extend = iota
	UXTH
	UXTW
	UXTX
	SXTB
	SXTH
	SXTW
	SXTX
)

// Shift says how the last operand of an instruction is shifted.
type Shift uint8

// Shifts. ROR is for logical instructions only.
const (
	LSL Shift = iota
	LSR
	ASR
	ROR
)

// Condition is a condition of the flags, as the encoding numbers them.
type Condition uint8

// Conditions. HS, LO, HI and LS are of numbers without a sign.
const (
	EQ Condition = iota
	NE
	HS
	LO
	MI
	PL
	VS
	VC
	HI
	LS
	GE
	LT
	GT
	LE
	AL
)

// Not returns the opposite condition.
func (c Condition) Not() Condition { return c ^ 1 }

// Mem is memory at Base + Disp, or where Indexed is set at Base + the extended Index, which counts elements where
// Scaled is set.
type Mem struct {
	Base    R
	Disp    int32
	Index   R
	Extend  Extend
	Indexed bool
	Scaled  bool
}

// Plus returns the memory n bytes after m.
func (m Mem) Plus(n int32) Mem {
	m.Disp += n
	return m
}
