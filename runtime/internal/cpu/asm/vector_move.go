package asm

// Instructions that move between vectors, memory and other registers.

// VM loads its first operand from memory.
type VM uint64

// Loads of one element, with zeros after it, or of some for all places.
const (
	VBROADCASTF32X4 VM = up | n16 | from256 | 0x1a
	VBROADCASTF64X4 VM = up | w1 | n32 | only512 | 0x1b
	VBROADCASTI32X4 VM = up | n16 | from256 | 0x5a
	VBROADCASTI64X4 VM = up | w1 | n32 | only512 | 0x5b
)

// Put appends an instruction that loads d from m.
func (op VM) Put(a *Assembler, d V, m Mem) { a.encode(uint64(op), uint8(d), 0, ofMem(m), 0, 0) }

// VN gathers elements from memory, and takes them out of its mask.
type VN uint64

// Gathers. The letter after GATHER is the width of indexes, the last that of elements.
const (
	gather = evex | l512 | m0f38 | p66 | needsMask

	VPGATHERDD VN = gather | n4 | 0x90
	VPGATHERDQ VN = gather | w1 | n8 | 0x90
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
	VPBROADCASTD_G VG = up | 0x7c
	VPBROADCASTQ_G VG = up | w1 | 0x7c
)

// Put appends an instruction that fills d with g.
func (op VG) Put(a *Assembler, d V, g GP) { a.encode(uint64(op), uint8(d), 0, ofGP(g), 0, 0) }
