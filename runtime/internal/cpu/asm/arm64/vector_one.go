package arm64

// VV computes its first operand from another one, an element from that at the same place.
type VV uint64

// Kinds of VV.
const (
	two       = 0x0e200800
	twoU      = 0x2e200800
	twoFloat  = floats | two
	twoHigh   = floats | 1<<23 | two
	twoFloatU = floats | twoU
	twoHighU  = floats | 1<<23 | twoU
)

// Functions of integers and bits. REV64, REV32 and REV16 reverse the elements of so many bits.
const (
	REV64 VV = short | two
	REV32 VV = anyBytes | anyHalves | twoU
	REV16 VV = anyBytes | two | 1*wide
	CLZ   VV = short | twoU | 4*wide
	CNT   VV = anyBytes | two | 5*wide
	NOT   VV = anyBytes | twoU | 5*wide
	NEG   VV = every | twoU | 11*wide
)

// Functions of floats. FRINT and FCVT round to integers: N to the nearest, ties to even, A ties away from 0, M down, P
// up, Z to 0.
const (
	FSQRT  VV = twoHighU | 31*wide
	FRINTN VV = twoFloat | 24*wide
	FRINTM VV = twoFloat | 25*wide
	FRINTP VV = twoHigh | 24*wide
	FRINTZ VV = twoHigh | 25*wide
	FCVTZS VV = twoHigh | 27*wide
	FCVTZU VV = twoHighU | 27*wide
	SCVTF  VV = twoFloat | 29*wide
	UCVTF  VV = twoFloatU | 29*wide
)

// Put appends an instruction that computes d from n.
func (op VV) Put(a *Assembler, t Arrangement, d, n V) {
	a.word(a.divided(uint64(op), t) | a.v(d) | a.v(n)<<5)
}

// Copy makes d n.
func (a *Assembler) Copy(d, n V) {
	if d != n {
		ORR.Put(a, B16, d, n, n)
	}
}

// VVN is a VV whose elements are narrower, or wider, than those of the other operand.
type VVN uint64

// Those that narrow, SQ and UQ by saturation. FCVTXN rounds to odd, so that rounding once more is right.
const (
	XTN    VVN = short | two | 18*wide
	FCVTN  VVN = bySz | anyHalves | anyWords | two | 22*wide
	FCVTXN VVN = bySz | anyWords | 1<<22 | twoU | 22*wide
)

// Those that widen, and sums of neighbours.
const (
	FCVTL  VVN = bySz | anyHalves | anyWords | two | 23*wide
	UADDLP VVN = short | twoU | 2*wide
)

// Put appends an instruction that computes d from n. The arrangement is that of the narrow elements; where these are
// half a register, that of the whole one names its upper half, while a narrowing instruction keeps the other.
func (op VVN) Put(a *Assembler, t Arrangement, d, n V) {
	a.word(a.divided(uint64(op), t) | a.v(d) | a.v(n)<<5)
}

// VA joins all elements of a register.
type VA uint64

// Reductions. SADDLV and UADDLV are of twice as many bits.
const (
	SADDLV VA = anyBytes | anyHalves | words4 | 0x0e303800
	UADDLV VA = anyBytes | anyHalves | words4 | 0x2e303800
	ADDV   VA = anyBytes | anyHalves | words4 | 0x0e31b800
)

// Put appends an instruction that makes the first element of d, and zeros after it, from all of n.
func (op VA) Put(a *Assembler, t Arrangement, d, n V) {
	a.word(a.divided(uint64(op), t) | a.v(d) | a.v(n)<<5)
}

// VVI shifts by a number: to the left, or to the right.
type (
	VVI  uint64
	VVIR uint64
)

// Shifts. SLI and SRI keep the bits that they shift nothing to, SSRA and USRA add to what is there.
const (
	SHL  VVI  = every | 0x0f005400
	SLI  VVI  = every | 0x2f005400
	SSHR VVIR = every | 0x0f000400
	USHR VVIR = every | 0x2f000400
	SSRA VVIR = every | 0x0f001400
	USRA VVIR = every | 0x2f001400
	SRI  VVIR = every | 0x2f004400
)

// Shifts that widen, or narrow as a VVN does.
const (
	SSHLL VVI = short | 0x0f00a400
	USHLL VVI = short | 0x2f00a400
)

// Put appends an instruction that shifts n by i bits to the left.
func (op VVI) Put(a *Assembler, t Arrangement, d, n V, i uint8) {
	bits := uint32(8) << t.size()
	if uint32(i) >= bits {
		a.fail(uint64(op), "shifts by more bits than there are")
	}
	a.shifted(uint64(op), t, d, n, bits+uint32(i))
}

// Put appends an instruction that shifts n by i bits, 1 at least, to the right.
func (op VVIR) Put(a *Assembler, t Arrangement, d, n V, i uint8) {
	bits := uint32(8) << t.size()
	if i == 0 || uint32(i) > bits {
		a.fail(uint64(op), "shifts by no bit, or more than there are")
	}
	a.shifted(uint64(op), t, d, n, 2*bits-uint32(i))
}

func (a *Assembler) shifted(op uint64, t Arrangement, d, n V, i uint32) {
	a.arranged(op, t)
	a.word(uint32(op) | t.whole()<<30 | i<<16 | a.v(d) | a.v(n)<<5)
}
