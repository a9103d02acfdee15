package asm

// Instructions of vectors with one operand.

// VX computes its first operand from the second.
type VX uint64

// Loads and moves.
const (
	VMOVUPS      VX = ps0f&^b4 | 0x10
	VMOVUPD      VX = pd0f&^b8 | 0x10
	VMOVAPS      VX = ps0f&^b4 | 0x28
	VMOVDQU8     VX = bw0f | pF2 | 0x6f
	VMOVDQU16    VX = bw0f | pF2 | w1 | 0x6f
	VMOVDQU32    VX = evex | l512 | m0f | pF3 | 0x6f
	VMOVDQU64    VX = evex | l512 | m0f | pF3 | w1 | 0x6f
	VBROADCASTSS VX = up | n4 | 0x18
	VBROADCASTSD VX = up | w1 | n8 | from256 | 0x19
	VPBROADCASTD VX = up | n4 | 0x58
	VPBROADCASTQ VX = up | w1 | n8 | 0x59
)

// Functions of one operand. VPOPCNT is younger than the rest: the feature avx512_vpopcntdq.
const (
	VSQRTPS  VX = ps0f | 0x51
	VSQRTPD  VX = pd0f | 0x51
	VPLZCNTD VX = d38 | 0x44
	VPOPCNTD VX = d38 | 0x55
)

// Conversions between floats, and between floats and integers. Those with TT truncate.
const (
	VCVTPH2PS   VX = up | half | 0x13
	VCVTPS2PD   VX = ps0f | half | 0x5a
	VCVTPD2PS   VX = pd0f | 0x5a
	VCVTDQ2PS   VX = ps0f | 0x5b
	VCVTUDQ2PS  VX = ps0f | pF2 | 0x7a
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
)

// Integers that become longer.
const (
	VPMOVSXBD VX = up | quarter | 0x21
	VPMOVSXWD VX = up | half | 0x23
	VPMOVSXDQ VX = up | half | 0x25
	VPMOVZXBD VX = up | quarter | 0x31
	VPMOVZXWD VX = up | half | 0x33
	VPMOVZXDQ VX = up | half | 0x35
)

// Put appends an instruction that computes d from x.
func (op VX) Put(a *Assembler, d V, x X) { a.encode(uint64(op), uint8(d), 0, ofX(x), 0, 0) }

// VXI computes its first operand from the second and a number.
type VXI uint64

// Shifts by a number, and others with one.
const (
	VPROLD      VXI = d0f | rmDst | d1 | 0x72
	VPSRLD      VXI = d0f | rmDst | d2 | 0x72
	VPSRAD      VXI = d0f | rmDst | d4 | 0x72
	VPSRAQ      VXI = q0f | rmDst | d4 | 0x72
	VPSLLD      VXI = d0f | rmDst | d6 | 0x72
	VPSRLQ      VXI = q0f | rmDst | d2 | 0x73
	VPSLLQ      VXI = q0f | rmDst | d6 | 0x73
	VPSHUFD     VXI = d0f | 0x70
	VPERMQ_I    VXI = q3a | from256
	VPERMPD_I   VXI = q3a | from256 | 0x01
	VRNDSCALEPS VXI = d3a | 0x08
	VRNDSCALEPD VXI = q3a | 0x09
)

// Put appends an instruction that computes d from x and i.
func (op VXI) Put(a *Assembler, d V, x X, i uint8) {
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
	VMOVDQU8_ST  XV = XV(VMOVDQU8) | 0x7f
	VMOVDQU32_ST XV = XV(VMOVDQU32) | 0x7f
	VPMOVDB      XV = down | quarter | 0x31
	VPMOVDW      XV = down | half | 0x33
	VPMOVQD      XV = down | half | 0x35
)

// Put appends an instruction that stores v in d.
func (op XV) Put(a *Assembler, d X, v V) { a.store(uint64(op), v, d, 0, 0) }

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

// Put appends an instruction that stores in d what it computes from v and i.
func (op XVI) Put(a *Assembler, d X, v V, i uint8) { a.store(uint64(op), v, d, int64(i), 1) }

func (a *Assembler) store(op uint64, v V, d X, imm int64, immBytes int) {
	o := ofX(d)
	if o.memory && op&zeroing != 0 {
		a.fail(op, "memory is not set to zero by a mask")
	}
	a.encode(op, uint8(v), 0, o, imm, immBytes)
}
