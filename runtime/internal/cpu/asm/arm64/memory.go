package arm64

// RM loads a general-purpose register, or stores it.
type RM uint64

// Loads and stores. B, H and SW are 8, 16 and 32 bits that a load extends, with an S before it by their sign, to the
// width at the end.
const (
	STR_B   RM = 0x39000000
	LDR_B   RM = 0x39400000
	LDRSB_W RM = 0x39c00000
	STR_H   RM = 0x79000000
	LDR_H   RM = 0x79400000
	LDRSH_W RM = 0x79c00000
	STR_W   RM = 0xb9000000
	LDR_W   RM = 0xb9400000
	STR_X   RM = 0xf9000000
	LDR_X   RM = 0xf9400000
)

// Put appends an instruction that loads or stores r at m.
func (op RM) Put(a *Assembler, r R, m Mem) { a.access(uint32(op), a.r(r), m) }

// VM loads a vector register, with zeros above, or stores it.
type VM uint64

// Loads and stores of the lowest 8, 16, 32 or 64 bits, or all 128.
const (
	STR_S VM = 0xbd000000
	LDR_S VM = 0xbd400000
	STR_D VM = 0xfd000000
	LDR_D VM = 0xfd400000
	STR_Q VM = 0x3d800000
	LDR_Q VM = 0x3dc00000
)

// Put appends an instruction that loads or stores v at m.
func (op VM) Put(a *Assembler, v V, m Mem) { a.access(uint32(op), a.v(v), m) }

// powerOf returns the bytes that an instruction loads or stores, as a power of 2.
func powerOf(op uint32) uint32 {
	const vector, whole = 1 << 26, 1 << 23
	if op&(vector|whole) == vector|whole {
		return 4
	}
	return op >> 30
}

// Reaches reports whether a load or store of 1<<power bytes has room for a displacement.
func Reaches(disp int32, power uint32) bool {
	return disp >= -256 && disp < 256 || disp >= 0 && disp&(1<<power-1) == 0 && disp>>power < 1<<12
}

// access appends a load or a store.
func (a *Assembler) access(op uint32, r uint32, m Mem) {
	const scaled = 1 << 24 // the displacement is, and has no sign
	power := powerOf(op)
	op |= r | a.sp(m.Base)<<5
	switch {
	case m.Indexed:
		s := uint32(0)
		if m.Scaled {
			s = 1
		}
		if m.Disp != 0 || m.Extend&^4 < UXTW {
			a.fail(uint64(op), "is no such memory")
		}
		a.word(op&^scaled | 0x200800 | a.r(m.Index)<<16 | uint32(m.Extend)<<13 | s<<12)
	case m.Disp >= 0 && m.Disp&(1<<power-1) == 0 && m.Disp>>power < 1<<12:
		a.word(op | uint32(m.Disp)>>power<<10)
	case m.Disp >= -256 && m.Disp < 256:
		a.word(op&^scaled | uint32(m.Disp)&0x1ff<<12)
	default:
		a.fail(uint64(op), "does not reach so far")
	}
}

// VVM loads or stores two vector registers that are next to each other.
type VVM uint64

// Pairs.
const (
	STP_Q VVM = 0xad000000
	LDP_Q VVM = 0xad400000
)

// Put appends an instruction that loads or stores v and w at m, which has no index.
func (op VVM) Put(a *Assembler, v, w V, m Mem) {
	a.pair(uint32(op), a.v(v), a.v(w), m, 2+uint32(op>>30))
}

// ReachesPair is Reaches for a pair.
func ReachesPair(disp int32, power uint32) bool {
	n := disp >> power
	return n<<power == disp && n >= -64 && n < 64
}

func (a *Assembler) pair(op, r, s uint32, m Mem, power uint32) {
	if m.Indexed || !ReachesPair(m.Disp, power) {
		a.fail(uint64(op), "does not reach so far")
	}
	a.word(op | r | s<<10 | a.sp(m.Base)<<5 | uint32(m.Disp>>power)&0x7f<<15)
}

// EM loads an element of a vector register and keeps the others, or stores one.
type EM uint64

// The loads and stores of an element.
const (
	ST1_E EM = 0x0d000000
	LD1_E EM = 0x0d400000
)

// Put appends an instruction that loads or stores element i of v, of the size that the arrangement has, at the
// address in n.
func (op EM) Put(a *Assembler, t Arrangement, v V, i uint8, n R) {
	size := t.size()
	at := uint32(i) << size
	if at > 15 {
		a.fail(uint64(op), "there is no such element")
	}
	w := uint32(op) | a.v(v) | a.sp(n)<<5 | at>>3<<30 | size<<14
	switch size {
	case 3:
		w = w&^(3<<14) | 2<<14 | 1<<10
	default:
		w |= at & 7 << 10
	}
	a.word(w)
}

// VN loads or stores some vector registers, which follow each other, at an address in a register.
type VN uint64

// LD1R loads an element to all. LD2 and so on, and ST2, have the first elements of all registers next to each other,
// then the second ones; the number at the end is that of registers.
const (
	LD1R VN = everyone | 0x0d40c000
	LD2  VN = everyone | 0x0c408000
	ST2  VN = everyone | 0x0c008000
)

// Put appends an instruction that loads or stores v and those after it at the address in n.
func (op VN) Put(a *Assembler, t Arrangement, v V, n R) {
	a.arranged(uint64(op), t)
	a.word(uint32(op) | t.whole()<<30 | t.size()<<10 | a.v(v) | a.sp(n)<<5)
}

// RRN changes memory at an address in its last operand as one step, in order with all others before and after it.
type RRN uint64

// Atomic operations. LD ones make the second operand what was there; CAS compares that with the first, which then is
// what was there, and stores the second.
const (
	LDADDAL_W  RRN = 0xb8e00000
	LDCLRAL_W  RRN = 0xb8e01000
	LDEORAL_W  RRN = 0xb8e02000
	LDSETAL_W  RRN = 0xb8e03000
	LDSMAXAL_W RRN = 0xb8e04000
	LDSMINAL_W RRN = 0xb8e05000
	LDUMAXAL_W RRN = 0xb8e06000
	LDUMINAL_W RRN = 0xb8e07000
	SWPAL_W    RRN = 0xb8e08000
	CASAL_W    RRN = 0x88e0fc00
	STLXR_W    RRN = 0x8800fc00 // the first operand becomes 0 where the second was stored, since it was loaded by LDAXR
)

// Put appends an instruction that does it with s, and t, at the address in n.
func (op RRN) Put(a *Assembler, s, t, n R) { a.word(uint32(op) | a.r(s)<<16 | a.r(t) | a.sp(n)<<5) }

// RN loads or stores at an address in its last operand, in order with other such accesses.
type RN uint64

// LDAXR also begins what STLXR ends.
const (
	LDAR_W  RN = 0x88dffc00
	STLR_W  RN = 0x889ffc00
	LDAXR_W RN = 0x885ffc00
)

// Put appends an instruction that loads or stores t at the address in n.
func (op RN) Put(a *Assembler, t, n R) { a.word(uint32(op) | a.r(t) | a.sp(n)<<5) }
