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

// VVX computes d from x and y.
func (a *Assembler) VVX(op VVX, d, x V, y X) { a.encode(uint64(op), uint8(d), uint8(x), ofX(y), 0, 0) }

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

// VVXI computes d from x, y and i.
func (a *Assembler) VVXI(op VVXI, d, x V, y X, i uint8) {
	a.encode(uint64(op), uint8(d), uint8(x), ofX(y), int64(i), 1)
}

// VX computes its first operand from the second.
type VX uint64

// Loads and moves.
const (
	VMOVUPS      VX = ps0f&^b4 | 0x10
	VMOVUPD      VX = pd0f&^b8 | 0x10
	VMOVAPS      VX = ps0f&^b4 | 0x28
	VMOVAPD      VX = pd0f&^b8 | 0x28
	VMOVDQU8     VX = bw0f | pF2 | 0x6f
	VMOVDQU16    VX = bw0f | pF2 | w1 | 0x6f
	VMOVDQU32    VX = evex | l512 | m0f | pF3 | 0x6f
	VMOVDQU64    VX = evex | l512 | m0f | pF3 | w1 | 0x6f
	VMOVDQA32    VX = bw0f | 0x6f
	VMOVDQA64    VX = bw0f | w1 | 0x6f
	VBROADCASTSS VX = up | n4 | 0x18
	VBROADCASTSD VX = up | w1 | n8 | from256 | 0x19
	VPBROADCASTB VX = up | n1 | 0x78
	VPBROADCASTW VX = up | n2 | 0x79
	VPBROADCASTD VX = up | n4 | 0x58
	VPBROADCASTQ VX = up | w1 | n8 | 0x59
	VMOVSLDUP    VX = evex | l512 | m0f | pF3 | 0x12
	VMOVSHDUP    VX = evex | l512 | m0f | pF3 | 0x16
)

// Functions of one operand. VPOPCNT is younger than the rest: the feature avx512_vpopcntdq.
const (
	VSQRTPS    VX = ps0f | 0x51
	VSQRTPD    VX = pd0f | 0x51
	VRCP14PS   VX = d38 | 0x4c
	VRCP14PD   VX = q38 | 0x4c
	VRSQRT14PS VX = d38 | 0x4e
	VRSQRT14PD VX = q38 | 0x4e
	VGETEXPPS  VX = d38 | 0x42
	VGETEXPPD  VX = q38 | 0x42
	VPABSD     VX = d38 | 0x1e
	VPABSQ     VX = q38 | 0x1f
	VPLZCNTD   VX = d38 | 0x44
	VPLZCNTQ   VX = q38 | 0x44
	VPOPCNTD   VX = d38 | 0x55
	VPOPCNTQ   VX = q38 | 0x55
)

// Conversions between floats, and between floats and integers. Those with TT truncate.
const (
	VCVTPH2PS   VX = up | half | 0x13
	VCVTPS2PD   VX = ps0f | half | 0x5a
	VCVTPD2PS   VX = pd0f | 0x5a
	VCVTDQ2PS   VX = ps0f | 0x5b
	VCVTUDQ2PS  VX = ps0f | pF2 | 0x7a
	VCVTPS2DQ   VX = ps0f | p66 | 0x5b
	VCVTPS2UDQ  VX = ps0f | 0x79
	VCVTTPS2DQ  VX = ps0f | pF3 | 0x5b
	VCVTTPS2UDQ VX = ps0f | 0x78
	VCVTDQ2PD   VX = ps0f | pF3 | half | 0xe6
	VCVTUDQ2PD  VX = ps0f | pF3 | half | 0x7a
	VCVTPD2DQ   VX = pd0f | pF2 | 0xe6
	VCVTPD2UDQ  VX = pd0f&^p66 | 0x79
	VCVTTPD2DQ  VX = pd0f | 0xe6
	VCVTTPD2UDQ VX = pd0f&^p66 | 0x78
	VCVTQQ2PS   VX = pd0f&^p66 | 0x5b
	VCVTUQQ2PS  VX = pd0f | pF2 | 0x7a
	VCVTQQ2PD   VX = pd0f&^p66 | pF3 | 0xe6
	VCVTUQQ2PD  VX = pd0f&^p66 | pF3 | 0x7a
	VCVTPD2QQ   VX = pd0f | 0x7b
	VCVTTPS2QQ  VX = ps0f | p66 | half | 0x7a
	VCVTTPS2UQQ VX = ps0f | p66 | half | 0x78
	VCVTTPD2QQ  VX = pd0f | 0x7a
	VCVTTPD2UQQ VX = pd0f | 0x78
)

// Integers that become longer.
const (
	VPMOVSXBW VX = up | half | 0x20
	VPMOVSXBD VX = up | quarter | 0x21
	VPMOVSXBQ VX = up | eighth | 0x22
	VPMOVSXWD VX = up | half | 0x23
	VPMOVSXWQ VX = up | quarter | 0x24
	VPMOVSXDQ VX = up | half | 0x25
	VPMOVZXBW VX = up | half | 0x30
	VPMOVZXBD VX = up | quarter | 0x31
	VPMOVZXBQ VX = up | eighth | 0x32
	VPMOVZXWD VX = up | half | 0x33
	VPMOVZXWQ VX = up | quarter | 0x34
	VPMOVZXDQ VX = up | half | 0x35
)

// VX computes d from x.
func (a *Assembler) VX(op VX, d V, x X) { a.encode(uint64(op), uint8(d), 0, ofX(x), 0, 0) }

// VXI computes its first operand from the second and a number.
type VXI uint64

// Shifts by a number, and others with one.
const (
	VPSRLW      VXI = bw0f | rmDst | d2 | 0x71
	VPSRAW      VXI = bw0f | rmDst | d4 | 0x71
	VPSLLW      VXI = bw0f | rmDst | d6 | 0x71
	VPRORD      VXI = d0f | rmDst | d0 | 0x72
	VPRORQ      VXI = q0f | rmDst | d0 | 0x72
	VPROLD      VXI = d0f | rmDst | d1 | 0x72
	VPROLQ      VXI = q0f | rmDst | d1 | 0x72
	VPSRLD      VXI = d0f | rmDst | d2 | 0x72
	VPSRAD      VXI = d0f | rmDst | d4 | 0x72
	VPSRAQ      VXI = q0f | rmDst | d4 | 0x72
	VPSLLD      VXI = d0f | rmDst | d6 | 0x72
	VPSRLQ      VXI = q0f | rmDst | d2 | 0x73
	VPSLLQ      VXI = q0f | rmDst | d6 | 0x73
	VPSHUFD     VXI = d0f | 0x70
	VPERMILPS_I VXI = d3a | 0x04
	VPERMQ_I    VXI = q3a | from256
	VPERMPD_I   VXI = q3a | from256 | 0x01
	VRNDSCALEPS VXI = d3a | 0x08
	VRNDSCALEPD VXI = q3a | 0x09
	VGETMANTPS  VXI = d3a | 0x26
	VGETMANTPD  VXI = q3a | 0x26
	VREDUCEPS   VXI = d3a | 0x56
	VREDUCEPD   VXI = q3a | 0x56
)

// VXI computes d from x and i.
func (a *Assembler) VXI(op VXI, d V, x X, i uint8) {
	reg, vvvv := uint8(d), uint8(0)
	if op&rmDst != 0 {
		reg, vvvv = 0, reg
	}
	a.encode(uint64(op), reg, vvvv, ofX(x), int64(i), 1)
}

// XV stores its second operand in the first.
type XV uint64

// Stores, and integers that become shorter.
const (
	VMOVUPS_ST   XV = XV(VMOVUPS) + 1
	VMOVUPD_ST   XV = XV(VMOVUPD) + 1
	VMOVAPS_ST   XV = XV(VMOVAPS) + 1
	VMOVDQU8_ST  XV = XV(VMOVDQU8) | 0x7f
	VMOVDQU16_ST XV = XV(VMOVDQU16) | 0x7f
	VMOVDQU32_ST XV = XV(VMOVDQU32) | 0x7f
	VMOVDQU64_ST XV = XV(VMOVDQU64) | 0x7f
	VPMOVWB      XV = down | half | 0x30
	VPMOVDB      XV = down | quarter | 0x31
	VPMOVQB      XV = down | eighth | 0x32
	VPMOVDW      XV = down | half | 0x33
	VPMOVQW      XV = down | quarter | 0x34
	VPMOVQD      XV = down | half | 0x35
	VPMOVSWB     XV = down | half | 0x20
	VPMOVSDB     XV = down | quarter | 0x21
	VPMOVSDW     XV = down | half | 0x23
	VPMOVSQD     XV = down | half | 0x25
	VPMOVUSWB    XV = down | half | 0x10
	VPMOVUSDB    XV = down | quarter | 0x11
	VPMOVUSDW    XV = down | half | 0x13
	VPMOVUSQD    XV = down | half | 0x15
)

// XV stores v in d.
func (a *Assembler) XV(op XV, d X, v V) { a.store(uint64(op), v, d, 0, 0) }

// XVI stores in its first operand what it computes from the second and a number.
type XVI uint64

// Parts of vectors.
const (
	VCVTPS2PH     XVI = d3a&^b4 | half | 0x1d
	VEXTRACTF32X4 XVI = d3a&^b4 | n16 | from256 | 0x19
	VEXTRACTF64X4 XVI = q3a&^b8 | n32 | only512 | 0x1b
	VEXTRACTI32X4 XVI = d3a&^b4 | n16 | from256 | 0x39
	VEXTRACTI64X4 XVI = q3a&^b8 | n32 | only512 | 0x3b
)

// XVI stores in d what it computes from v and i.
func (a *Assembler) XVI(op XVI, d X, v V, i uint8) { a.store(uint64(op), v, d, int64(i), 1) }

func (a *Assembler) store(op uint64, v V, d X, imm int64, immBytes int) {
	o := ofX(d)
	if o.memory && op&zeroing != 0 {
		a.fail(op, "memory is not set to zero by a mask")
	}
	a.encode(op, uint8(v), 0, o, imm, immBytes)
}

// VXF compares first elements, and sets the flags as for numbers without a sign.
type VXF uint64

// Comparisons. Parity says that one is a NaN.
const (
	VUCOMISS VXF = evex | m0f | n4 | 0x2e
	VUCOMISD VXF = evex | m0f | p66 | w1 | n8 | 0x2e
)

// VXF compares v with x.
func (a *Assembler) VXF(op VXF, v V, x X) { a.encode(uint64(op), uint8(v), 0, ofX(x), 0, 0) }

// VM loads its first operand from memory.
type VM uint64

// Loads of one element, with zeros behind it, or of some for all places.
const (
	VMOVSS          VM = ss0f | 0x10
	VMOVSD          VM = sd0f | 0x10
	VBROADCASTF32X4 VM = up | n16 | from256 | 0x1a
	VBROADCASTF64X4 VM = up | w1 | n32 | only512 | 0x1b
	VBROADCASTI32X4 VM = up | n16 | from256 | 0x5a
	VBROADCASTI64X4 VM = up | w1 | n32 | only512 | 0x5b
)

// VM loads d from m.
func (a *Assembler) VM(op VM, d V, m Mem) { a.encode(uint64(op), uint8(d), 0, ofMem(m), 0, 0) }

// MV stores its second operand in memory.
type MV uint64

// Stores of one element.
const (
	VMOVSS_ST MV = ss0f | 0x11
	VMOVSD_ST MV = sd0f | 0x11
)

// MV stores v in m.
func (a *Assembler) MV(op MV, m Mem, v V) { a.store(uint64(op), v, m, 0, 0) }

// VN gathers elements from memory, and takes them out of its mask.
type VN uint64

// Gathers. The letter behind GATHER is the width of indexes, the last that of elements.
const (
	gather = evex | l512 | m0f38 | p66 | needsMask

	VPGATHERDD VN = gather | n4 | 0x90
	VPGATHERDQ VN = gather | w1 | n8 | 0x90
	VPGATHERQD VN = gather | n4 | 0x91
	VPGATHERQQ VN = gather | w1 | n8 | 0x91
	VGATHERDPS VN = gather | n4 | 0x92
	VGATHERDPD VN = gather | w1 | n8 | 0x92
	VGATHERQPS VN = gather | n4 | 0x93
	VGATHERQPD VN = gather | w1 | n8 | 0x93
)

// VN gathers d from m.
func (a *Assembler) VN(op VN, d V, m Vectored) {
	if d == m.Index {
		a.fail(uint64(op), "gathers into its index")
	}
	a.encode(uint64(op), uint8(d), 0, ofVectored(m), 0, 0)
}

// NV scatters elements to memory, and takes them out of its mask.
type NV uint64

// Scatters.
const (
	VPSCATTERDD NV = gather | n4 | 0xa0
	VPSCATTERDQ NV = gather | w1 | n8 | 0xa0
	VPSCATTERQD NV = gather | n4 | 0xa1
	VPSCATTERQQ NV = gather | w1 | n8 | 0xa1
	VSCATTERDPS NV = gather | n4 | 0xa2
	VSCATTERDPD NV = gather | w1 | n8 | 0xa2
)

// NV scatters v to m.
func (a *Assembler) NV(op NV, m Vectored, v V) {
	a.encode(uint64(op), uint8(v), 0, ofVectored(m), 0, 0)
}

// VR moves from a general-purpose register or memory, with zeros behind it.
type VR uint64

// Moves of one element.
const (
	VMOVD VR = bw0f&^l512 | n4 | 0x6e
	VMOVQ VR = bw0f&^l512 | w1 | n8 | 0x6e
)

// VR moves r to d.
func (a *Assembler) VR(op VR, d V, r R) { a.encode(uint64(op), uint8(d), 0, ofR(r), 0, 0) }

// RV moves to a general-purpose register or memory.
type RV uint64

// Moves of the first element.
const (
	VMOVD_ST RV = bw0f&^l512 | n4 | 0x7e
	VMOVQ_ST RV = bw0f&^l512 | w1 | n8 | 0x7e
)

// RV moves v to r.
func (a *Assembler) RV(op RV, r R, v V) { a.encode(uint64(op), uint8(v), 0, ofR(r), 0, 0) }

// VG fills its first operand with a general-purpose register.
type VG uint64

// Broadcasts.
const (
	VPBROADCASTB_G VG = up | 0x7a
	VPBROADCASTW_G VG = up | 0x7b
	VPBROADCASTD_G VG = up | 0x7c
	VPBROADCASTQ_G VG = up | w1 | 0x7c
)

// VG fills d with g.
func (a *Assembler) VG(op VG, d V, g GP) { a.encode(uint64(op), uint8(d), 0, ofGP(g), 0, 0) }

// VVR computes the first element from an integer, the others are those of the second operand.
type VVR uint64

// Conversions of one element.
const (
	VCVTSI2SSL  VVR = ss0f | 0x2a
	VCVTSI2SSQ  VVR = ss0f&^n4 | w1 | n8 | 0x2a
	VCVTUSI2SSL VVR = ss0f | 0x7b
	VCVTUSI2SSQ VVR = ss0f&^n4 | w1 | n8 | 0x7b
	VCVTSI2SDL  VVR = sd0f&^n8&^w1 | n4 | 0x2a
	VCVTSI2SDQ  VVR = sd0f | 0x2a
	VCVTUSI2SDL VVR = sd0f&^n8&^w1 | n4 | 0x7b
	VCVTUSI2SDQ VVR = sd0f | 0x7b
)

// VVR computes d from x and r.
func (a *Assembler) VVR(op VVR, d, x V, r R) { a.encode(uint64(op), uint8(d), uint8(x), ofR(r), 0, 0) }

// GX computes an integer from the first element.
type GX uint64

// Conversions that truncate.
const (
	VCVTTSS2SIL  GX = ss0f | 0x2c
	VCVTTSS2SIQ  GX = ss0f | w1 | 0x2c
	VCVTTSS2USIL GX = ss0f | 0x78
	VCVTTSS2USIQ GX = ss0f | w1 | 0x78
	VCVTTSD2SIL  GX = sd0f&^w1 | 0x2c
	VCVTTSD2SIQ  GX = sd0f | 0x2c
	VCVTTSD2USIL GX = sd0f&^w1 | 0x78
	VCVTTSD2USIQ GX = sd0f | 0x78
)

// GX computes d from x.
func (a *Assembler) GX(op GX, d GP, x X) { a.encode(uint64(op), uint8(d), 0, ofX(x), 0, 0) }

// RVI moves one of the first four elements, or of the first two.
type RVI uint64

// Moves of an element.
const (
	VPEXTRD RVI = d3a&^b4&^l512 | n4 | 0x16
	VPEXTRQ RVI = q3a&^b8&^l512 | n8 | 0x16
)

// RVI moves element i of v to r.
func (a *Assembler) RVI(op RVI, r R, v V, i uint8) {
	a.encode(uint64(op), uint8(v), 0, ofR(r), int64(i), 1)
}

// VVRI replaces one of the first elements.
type VVRI uint64

// Moves to an element.
const (
	VPINSRD VVRI = d3a&^b4&^l512 | n4 | 0x22
	VPINSRQ VVRI = q3a&^b8&^l512 | n8 | 0x22
)

// VVRI moves x to d, with r as element i.
func (a *Assembler) VVRI(op VVRI, d, x V, r R, i uint8) {
	a.encode(uint64(op), uint8(d), uint8(x), ofR(r), int64(i), 1)
}
