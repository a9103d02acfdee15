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

// Put appends an instruction that loads d from m.
func (op VM) Put(a *Assembler, d V, m Mem) { a.encode(uint64(op), uint8(d), 0, ofMem(m), 0, 0) }

// MV stores its second operand in memory.
type MV uint64

// Stores of one element.
const (
	VMOVSS_ST MV = ss0f | 0x11
	VMOVSD_ST MV = sd0f | 0x11
)

// Put appends an instruction that stores v in m.
func (op MV) Put(a *Assembler, m Mem, v V) { a.store(uint64(op), v, m, 0, 0) }

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

// Put appends an instruction that gathers d from m.
func (op VN) Put(a *Assembler, d V, m Vectored) {
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

// Put appends an instruction that scatters v to m.
func (op NV) Put(a *Assembler, m Vectored, v V) {
	a.encode(uint64(op), uint8(v), 0, ofVectored(m), 0, 0)
}

// VR moves from a general-purpose register or memory, with zeros after it.
type VR uint64

// Moves of one element.
const (
	VMOVD VR = bw0f&^l512 | n4 | 0x6e
	VMOVQ VR = bw0f&^l512 | w1 | n8 | 0x6e
)

// Put appends an instruction that moves r to d.
func (op VR) Put(a *Assembler, d V, r R) { a.encode(uint64(op), uint8(d), 0, ofR(r), 0, 0) }

// RV moves to a general-purpose register or memory.
type RV uint64

// Moves of the first element.
const (
	VMOVD_ST RV = bw0f&^l512 | n4 | 0x7e
	VMOVQ_ST RV = bw0f&^l512 | w1 | n8 | 0x7e
)

// Put appends an instruction that moves v to r.
func (op RV) Put(a *Assembler, r R, v V) { a.encode(uint64(op), uint8(v), 0, ofR(r), 0, 0) }

// VG fills its first operand with a general-purpose register.
type VG uint64

// Broadcasts.
const (
	VPBROADCASTB_G VG = up | 0x7a
	VPBROADCASTW_G VG = up | 0x7b
	VPBROADCASTD_G VG = up | 0x7c
	VPBROADCASTQ_G VG = up | w1 | 0x7c
)

// Put appends an instruction that fills d with g.
func (op VG) Put(a *Assembler, d V, g GP) { a.encode(uint64(op), uint8(d), 0, ofGP(g), 0, 0) }

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

// Put appends an instruction that computes d from x and r.
func (op VVR) Put(a *Assembler, d, x V, r R) { a.encode(uint64(op), uint8(d), uint8(x), ofR(r), 0, 0) }

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

// Put appends an instruction that computes d from x.
func (op GX) Put(a *Assembler, d GP, x X) { a.encode(uint64(op), uint8(d), 0, ofX(x), 0, 0) }

// RVI moves one of the first four elements, or of the first two.
type RVI uint64

// Moves of an element.
const (
	VPEXTRD RVI = d3a&^b4&^l512 | n4 | 0x16
	VPEXTRQ RVI = q3a&^b8&^l512 | n8 | 0x16
)

// Put appends an instruction that moves element i of v to r.
func (op RVI) Put(a *Assembler, r R, v V, i uint8) {
	a.encode(uint64(op), uint8(v), 0, ofR(r), int64(i), 1)
}

// VVRI replaces one of the first elements.
type VVRI uint64

// Moves to an element.
const (
	VPINSRD VVRI = d3a&^b4&^l512 | n4 | 0x22
	VPINSRQ VVRI = q3a&^b8&^l512 | n8 | 0x22
)

// Put appends an instruction that moves x to d, with r as element i.
func (op VVRI) Put(a *Assembler, d, x V, r R, i uint8) {
	a.encode(uint64(op), uint8(d), uint8(x), ofR(r), int64(i), 1)
}
