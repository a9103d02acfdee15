package asm

// What instructions of a kind have in common: ps and pd work on floats of 32 and 64 bits, d and q
// on integers. The next two letters are the map of the opcode.
const (
	ps0f   = evex | l512 | m0f | b4
	pd0f   = evex | l512 | m0f | p66 | w1 | b8
	d0f    = evex | l512 | m0f | p66 | b4
	q0f    = evex | l512 | m0f | p66 | w1 | b8
	d38    = evex | l512 | m0f38 | p66 | b4
	q38    = evex | l512 | m0f38 | p66 | w1 | b8
	d3a    = evex | l512 | m0f3a | p66 | b4
	q3a    = evex | l512 | m0f3a | p66 | w1 | b8
	bw0f   = evex | l512 | m0f | p66 // bytes and words
	bw38   = evex | l512 | m0f38 | p66
	wide38 = bw38 | w1
	ss0f   = evex | m0f | pF3 | n4 // one element
	sd0f   = evex | m0f | pF2 | w1 | n8
	ss38   = evex | m0f38 | p66 | n4
	sd38   = evex | m0f38 | p66 | w1 | n8
	ss3a   = evex | m0f3a | p66 | n4
	sd3a   = evex | m0f3a | p66 | w1 | n8
	down   = evex | l512 | m0f38 | pF3 // integers become shorter
	up     = evex | l512 | m0f38 | p66 // or longer
)

// VVX computes its first operand from two others.
type VVX uint64

// Arithmetic of floats.
const (
	VADDPS    VVX = ps0f | 0x58
	VADDPD    VVX = pd0f | 0x58
	VADDSS    VVX = ss0f | 0x58
	VADDSD    VVX = sd0f | 0x58
	VMULPS    VVX = ps0f | 0x59
	VMULPD    VVX = pd0f | 0x59
	VMULSS    VVX = ss0f | 0x59
	VMULSD    VVX = sd0f | 0x59
	VSUBPS    VVX = ps0f | 0x5c
	VSUBPD    VVX = pd0f | 0x5c
	VSUBSS    VVX = ss0f | 0x5c
	VSUBSD    VVX = sd0f | 0x5c
	VMINPS    VVX = ps0f | 0x5d
	VMINPD    VVX = pd0f | 0x5d
	VMINSS    VVX = ss0f | 0x5d
	VMINSD    VVX = sd0f | 0x5d
	VDIVPS    VVX = ps0f | 0x5e
	VDIVPD    VVX = pd0f | 0x5e
	VDIVSS    VVX = ss0f | 0x5e
	VDIVSD    VVX = sd0f | 0x5e
	VMAXPS    VVX = ps0f | 0x5f
	VMAXPD    VVX = pd0f | 0x5f
	VMAXSS    VVX = ss0f | 0x5f
	VMAXSD    VVX = sd0f | 0x5f
	VSQRTSS   VVX = ss0f | 0x51
	VSQRTSD   VVX = sd0f | 0x51
	VSCALEFPS VVX = d38 | 0x2c
	VSCALEFPD VVX = q38 | 0x2c
	VSCALEFSS VVX = ss38 | 0x2d
	VSCALEFSD VVX = sd38 | 0x2d
	VCVTSS2SD VVX = ss0f | 0x5a
	VCVTSD2SS VVX = sd0f | 0x5a
)

// Multiplication and addition with one rounding. The numbers are those of the operands that
// are multiplied, and of the one that is added; the first is also the result.
const (
	VFMADD132PS  VVX = d38 | 0x98
	VFMADD132PD  VVX = q38 | 0x98
	VFMADD132SS  VVX = ss38 | 0x99
	VFMADD132SD  VVX = sd38 | 0x99
	VFMSUB132PS  VVX = d38 | 0x9a
	VFMSUB132PD  VVX = q38 | 0x9a
	VFMSUB132SS  VVX = ss38 | 0x9b
	VFMSUB132SD  VVX = sd38 | 0x9b
	VFNMADD132PS VVX = d38 | 0x9c
	VFNMADD132PD VVX = q38 | 0x9c
	VFNMADD132SS VVX = ss38 | 0x9d
	VFNMADD132SD VVX = sd38 | 0x9d
	VFNMSUB132PS VVX = d38 | 0x9e
	VFNMSUB132PD VVX = q38 | 0x9e
	VFMADD213PS  VVX = d38 | 0xa8
	VFMADD213PD  VVX = q38 | 0xa8
	VFMADD213SS  VVX = ss38 | 0xa9
	VFMADD213SD  VVX = sd38 | 0xa9
	VFMSUB213PS  VVX = d38 | 0xaa
	VFMSUB213PD  VVX = q38 | 0xaa
	VFMSUB213SS  VVX = ss38 | 0xab
	VFMSUB213SD  VVX = sd38 | 0xab
	VFNMADD213PS VVX = d38 | 0xac
	VFNMADD213PD VVX = q38 | 0xac
	VFNMADD213SS VVX = ss38 | 0xad
	VFNMADD213SD VVX = sd38 | 0xad
	VFNMSUB213PS VVX = d38 | 0xae
	VFNMSUB213PD VVX = q38 | 0xae
	VFMADD231PS  VVX = d38 | 0xb8
	VFMADD231PD  VVX = q38 | 0xb8
	VFMADD231SS  VVX = ss38 | 0xb9
	VFMADD231SD  VVX = sd38 | 0xb9
	VFMSUB231PS  VVX = d38 | 0xba
	VFMSUB231PD  VVX = q38 | 0xba
	VFMSUB231SS  VVX = ss38 | 0xbb
	VFMSUB231SD  VVX = sd38 | 0xbb
	VFNMADD231PS VVX = d38 | 0xbc
	VFNMADD231PD VVX = q38 | 0xbc
	VFNMADD231SS VVX = ss38 | 0xbd
	VFNMADD231SD VVX = sd38 | 0xbd
	VFNMSUB231PS VVX = d38 | 0xbe
	VFNMSUB231PD VVX = q38 | 0xbe
)

// Arithmetic of integers.
const (
	VPADDB   VVX = bw0f | 0xfc
	VPADDW   VVX = bw0f | 0xfd
	VPADDD   VVX = d0f | 0xfe
	VPADDQ   VVX = q0f | 0xd4
	VPSUBB   VVX = bw0f | 0xf8
	VPSUBW   VVX = bw0f | 0xf9
	VPSUBD   VVX = d0f | 0xfa
	VPSUBQ   VVX = q0f | 0xfb
	VPMULLW  VVX = bw0f | 0xd5
	VPMULLD  VVX = d38 | 0x40
	VPMULLQ  VVX = q38 | 0x40
	VPMULDQ  VVX = q38 | 0x28
	VPMULUDQ VVX = q0f | 0xf4
	VPMADDWD VVX = bw0f | 0xf5
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
	VANDPS   VVX = ps0f | 0x54
	VANDPD   VVX = pd0f | 0x54
	VANDNPS  VVX = ps0f | 0x55
	VANDNPD  VVX = pd0f | 0x55
	VORPS    VVX = ps0f | 0x56
	VORPD    VVX = pd0f | 0x56
	VXORPS   VVX = ps0f | 0x57
	VXORPD   VVX = pd0f | 0x57
	VPANDD   VVX = d0f | 0xdb
	VPANDQ   VVX = q0f | 0xdb
	VPANDND  VVX = d0f | 0xdf
	VPANDNQ  VVX = q0f | 0xdf
	VPORD    VVX = d0f | 0xeb
	VPORQ    VVX = q0f | 0xeb
	VPXORD   VVX = d0f | 0xef
	VPXORQ   VVX = q0f | 0xef
	VPSRLVW  VVX = wide38 | 0x10
	VPSRAVW  VVX = wide38 | 0x11
	VPSLLVW  VVX = wide38 | 0x12
	VPSRLVD  VVX = d38 | 0x45
	VPSRLVQ  VVX = q38 | 0x45
	VPSRAVD  VVX = d38 | 0x46
	VPSRAVQ  VVX = q38 | 0x46
	VPSLLVD  VVX = d38 | 0x47
	VPSLLVQ  VVX = q38 | 0x47
	VPRORVD  VVX = d38 | 0x14
	VPRORVQ  VVX = q38 | 0x14
	VPROLVD  VVX = d38 | 0x15
	VPROLVQ  VVX = q38 | 0x15
	VPSRLD_N VVX = bw0f | n16 | 0xd2
	VPSRLQ_N VVX = bw0f | w1 | n16 | 0xd3
	VPSRAD_N VVX = bw0f | n16 | 0xe2
	VPSRAQ_N VVX = bw0f | w1 | n16 | 0xe2
	VPSLLD_N VVX = bw0f | n16 | 0xf2
	VPSLLQ_N VVX = bw0f | w1 | n16 | 0xf3
)

// Elements that change places, and those of two vectors by a mask.
const (
	VBLENDMPS  VVX = d38 | 0x65
	VBLENDMPD  VVX = q38 | 0x65
	VPBLENDMB  VVX = bw38 | 0x66
	VPBLENDMW  VVX = wide38 | 0x66
	VPBLENDMD  VVX = d38 | 0x64
	VPBLENDMQ  VVX = q38 | 0x64
	VPSHUFB    VVX = bw38
	VPERMILPS  VVX = d38 | 0x0c
	VPERMPS    VVX = d38 | from256 | 0x16
	VPERMPD    VVX = q38 | from256 | 0x16
	VPERMD     VVX = d38 | from256 | 0x36
	VPERMQ     VVX = q38 | from256 | 0x36
	VPERMW     VVX = wide38 | 0x8d
	VPERMI2D   VVX = d38 | 0x76
	VPERMI2Q   VVX = q38 | 0x76
	VPERMI2PS  VVX = d38 | 0x77
	VPERMI2PD  VVX = q38 | 0x77
	VPERMT2D   VVX = d38 | 0x7e
	VPERMT2Q   VVX = q38 | 0x7e
	VPERMT2PS  VVX = d38 | 0x7f
	VPERMT2PD  VVX = q38 | 0x7f
	VUNPCKLPS  VVX = ps0f | 0x14
	VUNPCKLPD  VVX = pd0f | 0x14
	VUNPCKHPS  VVX = ps0f | 0x15
	VUNPCKHPD  VVX = pd0f | 0x15
	VPUNPCKLBW VVX = bw0f | 0x60
	VPUNPCKLWD VVX = bw0f | 0x61
	VPUNPCKLDQ VVX = d0f | 0x62
	VPUNPCKHBW VVX = bw0f | 0x68
	VPUNPCKHWD VVX = bw0f | 0x69
	VPUNPCKHDQ VVX = d0f | 0x6a
)

// Put appends an instruction that computes d from x and y.
func (op VVX) Put(a *Assembler, d, x V, y X) { a.encode(uint64(op), uint8(d), uint8(x), ofX(y), 0, 0) }

// VVXI computes its first operand from two others and a number.
type VVXI uint64

// What takes a number besides.
const (
	VSHUFPS      VVXI = ps0f | 0xc6
	VSHUFPD      VVXI = pd0f | 0xc6
	VALIGND      VVXI = d3a | 0x03
	VALIGNQ      VVXI = q3a | 0x03
	VPALIGNR     VVXI = bw0f&^m0f | m0f3a | 0x0f
	VPTERNLOGD   VVXI = d3a | 0x25
	VPTERNLOGQ   VVXI = q3a | 0x25
	VRANGEPS     VVXI = d3a | 0x50
	VRANGEPD     VVXI = q3a | 0x50
	VFIXUPIMMPS  VVXI = d3a | 0x54
	VFIXUPIMMPD  VVXI = q3a | 0x54
	VRNDSCALESS  VVXI = ss3a | 0x0a
	VRNDSCALESD  VVXI = sd3a | 0x0b
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
