package asm

// What instructions of a kind have in common: ps and pd work on floats of 32 and 64 bits, d and q
// on integers. The next two letters are the map of the opcode.
const (
	ps0f = evex | l512 | m0f | b4
	pd0f = evex | l512 | m0f | p66 | w1 | b8
	d0f  = evex | l512 | m0f | p66 | b4
	q0f  = evex | l512 | m0f | p66 | w1 | b8
	d38  = evex | l512 | m0f38 | p66 | b4
	q38  = evex | l512 | m0f38 | p66 | w1 | b8
	d3a  = evex | l512 | m0f3a | p66 | b4
	q3a  = evex | l512 | m0f3a | p66 | w1 | b8
	bw0f = evex | l512 | m0f | p66 // bytes and words
	bw38 = evex | l512 | m0f38 | p66
	down = evex | l512 | m0f38 | pF3 // integers become shorter
	up   = evex | l512 | m0f38 | p66 // or longer
)

// VVX computes its first operand from two others.
type VVX uint64

// Arithmetic of floats.
const (
	VADDPS VVX = ps0f | 0x58
	VADDPD VVX = pd0f | 0x58
	VMULPS VVX = ps0f | 0x59
	VMULPD VVX = pd0f | 0x59
	VSUBPS VVX = ps0f | 0x5c
	VSUBPD VVX = pd0f | 0x5c
	VMINPS VVX = ps0f | 0x5d
	VMINPD VVX = pd0f | 0x5d
	VDIVPS VVX = ps0f | 0x5e
	VDIVPD VVX = pd0f | 0x5e
	VMAXPS VVX = ps0f | 0x5f
	VMAXPD VVX = pd0f | 0x5f
)

// Multiplication and addition with one rounding. The numbers are those of the operands that
// are multiplied, and of the one that is added; the first is also the result.
const (
	VFMADD213PS VVX = d38 | 0xa8
	VFMADD231PS VVX = d38 | 0xb8

	// VSCALEFPS multiplies by 2 to the power of the largest integer that is not above an element.
	VSCALEFPS VVX = d38 | 0x2c
)

// Arithmetic of integers.
const (
	VPADDW   VVX = bw0f | 0xfd
	VPADDD   VVX = d0f | 0xfe
	VPADDQ   VVX = q0f | 0xd4
	VPSUBD   VVX = d0f | 0xfa
	VPSUBQ   VVX = q0f | 0xfb
	VPMULLD  VVX = d38 | 0x40
	VPMULLQ  VVX = q38 | 0x40
	VPMULDQ  VVX = q38 | 0x28
	VPMULUDQ VVX = q0f | 0xf4
	VPMINSD  VVX = d38 | 0x39
	VPMINSQ  VVX = q38 | 0x39
	VPMINUD  VVX = d38 | 0x3b
	VPMINUQ  VVX = q38 | 0x3b
	VPMAXSD  VVX = d38 | 0x3d
	VPMAXSQ  VVX = q38 | 0x3d
	VPMAXUD  VVX = d38 | 0x3f
	VPMAXUQ  VVX = q38 | 0x3f
)

// Bits.
const (
	VPANDD  VVX = d0f | 0xdb
	VPANDQ  VVX = q0f | 0xdb
	VPANDND VVX = d0f | 0xdf
	VPORD   VVX = d0f | 0xeb
	VPORQ   VVX = q0f | 0xeb
	VPXORD  VVX = d0f | 0xef
	VPXORQ  VVX = q0f | 0xef
	VPSRLVD VVX = d38 | 0x45
	VPSRLVQ VVX = q38 | 0x45
	VPSRAVD VVX = d38 | 0x46
	VPSRAVQ VVX = q38 | 0x46
	VPSLLVD VVX = d38 | 0x47
	VPSLLVQ VVX = q38 | 0x47
	VPROLVD VVX = d38 | 0x15
)

// Elements that change places, and those of two vectors by a mask.
const (
	VPBLENDMD  VVX = d38 | 0x64
	VPBLENDMQ  VVX = q38 | 0x64
	VPSHUFB    VVX = bw38
	VPERMB     VVX = bw38 | 0x8d
	VPERMI2B   VVX = bw38 | 0x75
	VPERMPS    VVX = d38 | from256 | 0x16
	VPERMPD    VVX = q38 | from256 | 0x16
	VPERMD     VVX = d38 | from256 | 0x36
	VPERMQ     VVX = q38 | from256 | 0x36
	VPERMI2D   VVX = d38 | 0x76
	VPERMI2PS  VVX = d38 | 0x77
	VPERMI2PD  VVX = q38 | 0x77
	VPERMT2D   VVX = d38 | 0x7e
	VPUNPCKLDQ VVX = d0f | 0x62
)

// Put appends an instruction that computes d from x and y.
func (op VVX) Put(a *Assembler, d, x V, y X) { a.encode(uint64(op), uint8(d), uint8(x), ofX(y), 0, 0) }

// VVXI computes its first operand from two others and a number.
type VVXI uint64

// What takes a number besides.
const (
	VSHUFPS      VVXI = ps0f | 0xc6
	VPTERNLOGD   VVXI = d3a | 0x25
	VFIXUPIMMPS  VVXI = d3a | 0x54
	VSHUFF32X4   VVXI = d3a | from256 | 0x23
	VSHUFF64X2   VVXI = q3a | from256 | 0x23
	VSHUFI32X4   VVXI = d3a | from256 | 0x43
	VSHUFI64X2   VVXI = q3a | from256 | 0x43
	VINSERTF32X4 VVXI = d3a&^b4 | n16 | from256 | 0x18
	VINSERTF64X4 VVXI = q3a&^b8 | n32 | only512 | 0x1a
	VINSERTI32X4 VVXI = d3a&^b4 | n16 | from256 | 0x38
	VINSERTI64X4 VVXI = q3a&^b8 | n32 | only512 | 0x3a
)

// Put appends an instruction that computes d from x, y and i.
func (op VVXI) Put(a *Assembler, d, x V, y X, i uint8) {
	a.encode(uint64(op), uint8(d), uint8(x), ofX(y), int64(i), 1)
}
