package asm

// Instructions that move between vectors, memory and other registers.

// VM loads its first operand from memory.
type VM uint64

// Loads of one element, with zeros after it, or of some for all places.
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

// Gathers. The letter after GATHER is the width of indexes, the last that of elements.
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

// VR moves from a general-purpose register or memory, with zeros after it.
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
