package arm64

// The bits above an instruction's encoding: the arrangements that it has, and how it says which.
const (
	bytes8  = 1 << (32 + iota) // B8
	bytes16                    // and so on
	halves4
	halves8
	words2
	words4
	longs1
	longs2
	bySz // one bit tells S from D, or H from S

	anyBytes  = bytes8 | bytes16
	anyHalves = halves4 | halves8
	anyWords  = words2 | words4
	short     = anyBytes | anyHalves | anyWords // all but D
	every     = short | longs2
	everyone  = every | longs1
	floats    = bySz | anyWords | longs2
)

// arranged reports a mistake where an instruction does not have an arrangement.
func (a *Assembler) arranged(op uint64, t Arrangement) {
	if t > D2 || op>>(32+t)&1 == 0 {
		a.fail(op, "there is no such instruction for these elements")
	}
}

// divided returns the bits that say how registers are divided.
func (a *Assembler) divided(op uint64, t Arrangement) uint32 {
	a.arranged(op, t)
	bits := uint32(op) | t.whole()<<30
	switch {
	case op&bySz == 0:
		return bits | t.size()<<22
	case op&anyHalves != 0: // conversions between H and S, or S and D
		return bits | (t.size()-1)<<22
	}
	return bits | (t.size()-2)<<22
}

// VVV computes its first operand from two others, an element from those at the same place. MLA, MLS, FMLA, FMLS, BSL,
// BIT and BIF read it, too.
type VVV uint64

// Kinds of VVV, which have a number of each operation.
const (
	three      = 0x0e200400
	threeU     = 0x2e200400
	threeFloat = floats | three
	threeMinus = floats | 1<<23 | three
	threeUnder = floats | threeU
	threeAbove = floats | 1<<23 | threeU
	permuting  = every | 0x0e000800
	opcode     = 1 << 11
	permute    = 1 << 12
)

// Arithmetic of integers.
const (
	ADD  VVV = every | three | 0x10*opcode
	SUB  VVV = every | threeU | 0x10*opcode
	MUL  VVV = short | three | 0x13*opcode
	MLA  VVV = short | three | 0x12*opcode
	MLS  VVV = short | threeU | 0x12*opcode
	ADDP VVV = every | three | 0x17*opcode
	SMAX VVV = short | three | 0x0c*opcode
	UMAX VVV = short | threeU | 0x0c*opcode
	SMIN VVV = short | three | 0x0d*opcode
	UMIN VVV = short | threeU | 0x0d*opcode
)

// Shifts by the lowest 8 bits of each element of the last operand, to the right where that is negative.
const (
	SSHL VVV = every | three | 0x08*opcode
	USHL VVV = every | threeU | 0x08*opcode
)

// Comparisons. All bits are ones where they hold.
const (
	CMEQ  VVV = every | threeU | 0x11*opcode
	CMGT  VVV = every | three | 0x06*opcode
	CMGE  VVV = every | three | 0x07*opcode
	CMHI  VVV = every | threeU | 0x06*opcode
	CMHS  VVV = every | threeU | 0x07*opcode
	CMTST VVV = every | three | 0x11*opcode // some bit is set in both
	FCMEQ VVV = threeFloat | 0x1c*opcode
	FCMGE VVV = threeUnder | 0x1c*opcode
	FCMGT VVV = threeAbove | 0x1c*opcode
)

// Logic. BSL chooses from the others by the first operand, BIT and BIF take the second where the last one, or its
// complement, has ones.
const (
	AND VVV = anyBytes | three | 3*opcode
	BIC VVV = anyBytes | 1<<22 | three | 3*opcode
	ORR VVV = anyBytes | 2<<22 | three | 3*opcode
	EOR VVV = anyBytes | threeU | 3*opcode
	BSL VVV = anyBytes | 1<<22 | threeU | 3*opcode
	BIT VVV = anyBytes | 2<<22 | threeU | 3*opcode
	BIF VVV = anyBytes | 3<<22 | threeU | 3*opcode
)

// Arithmetic of floats. FMLA and FMLS round once.
const (
	FADD   VVV = threeFloat | 0x1a*opcode
	FSUB   VVV = threeMinus | 0x1a*opcode
	FMUL   VVV = threeUnder | 0x1b*opcode
	FDIV   VVV = threeUnder | 0x1f*opcode
	FMLA   VVV = threeFloat | 0x19*opcode
	FMLS   VVV = threeMinus | 0x19*opcode
	FMAX   VVV = threeFloat | 0x1e*opcode
	FMIN   VVV = threeMinus | 0x1e*opcode
	FMAXNM VVV = threeFloat | 0x18*opcode
	FMINNM VVV = threeMinus | 0x18*opcode
)

// Elements in another order: of even places, of odd ones, or by turns from both operands.
const (
	UZP1 VVV = permuting | 1*permute
	ZIP1 VVV = permuting | 3*permute
	UZP2 VVV = permuting | 5*permute
	ZIP2 VVV = permuting | 7*permute
)

// Put appends an instruction that computes d from n and m. Logic takes B8 and B16 only.
func (op VVV) Put(a *Assembler, t Arrangement, d, n, m V) {
	a.word(a.divided(uint64(op), t) | a.v(d) | a.v(n)<<5 | a.v(m)<<16)
}

// VVVL computes elements of its first operand that are twice as wide as those of the last, or of the others.
type VVVL uint64

// Kinds of VVVL.
const (
	different  = 0x0e200000
	differentU = 0x2e200000
	wide       = 1 << 12
)

// Sums and products. Those that end with L take both operands from halves of their registers, those that end with W the
// last one.
const (
	UMLAL VVVL = short | differentU | 8*wide
	SMULL VVVL = short | different | 12*wide
	UMULL VVVL = short | differentU | 12*wide
)

// Put appends an instruction that computes d from n and m, whose narrow elements t has; that of a whole register
// takes the upper half.
func (op VVVL) Put(a *Assembler, t Arrangement, d, n, m V) {
	a.word(a.divided(uint64(op), t) | a.v(d) | a.v(n)<<5 | a.v(m)<<16)
}

// VVVD adds sums of four products to words.
type VVVD uint64

// Dot products, of integers of 8 bits.
const (
	SDOT VVVD = anyWords | bySz | 0x0e809400
	UDOT VVVD = anyWords | bySz | 0x2e809400
)

// Put appends an instruction that adds to each word of d the products of the bytes of n and m at its place.
func (op VVVD) Put(a *Assembler, t Arrangement, d, n, m V) {
	a.word(a.divided(uint64(op), t) | a.v(d) | a.v(n)<<5 | a.v(m)<<16)
}
