package arm64

// x is the bit of instructions on 64 bits.
const x = 1 << 31

// RRR computes its first operand from two others.
type RRR uint64

// Arithmetic whose last operand may not be shifted.
const (
	UDIV_W  RRR = 0x1ac00800
	UDIV_X  RRR = x | UDIV_W
	SDIV_W  RRR = 0x1ac00c00
	SDIV_X  RRR = x | SDIV_W
	LSLV_W  RRR = 0x1ac02000
	LSLV_X  RRR = x | LSLV_W
	LSRV_W  RRR = 0x1ac02400
	LSRV_X  RRR = x | LSRV_W
	ASRV_W  RRR = 0x1ac02800
	ASRV_X  RRR = x | ASRV_W
	RORV_W  RRR = 0x1ac02c00
	SMULH_X RRR = 0x9b407c00
)

// Put appends an instruction that computes d from n and m.
func (op RRR) Put(a *Assembler, d, n, m R) { a.word(uint32(op) | a.r(d) | a.r(n)<<5 | a.r(m)<<16) }

// RRRS is an RRR whose last operand is shifted.
type RRRS uint64

// Sums and logic.
const (
	ADD_W  RRRS = 0x0b000000
	ADD_X  RRRS = x | ADD_W
	ADDS_W RRRS = 0x2b000000
	ADDS_X RRRS = x | ADDS_W
	SUB_W  RRRS = 0x4b000000
	SUB_X  RRRS = x | SUB_W
	SUBS_W RRRS = 0x6b000000
	SUBS_X RRRS = x | SUBS_W
	AND_W  RRRS = 0x0a000000
	AND_X  RRRS = x | AND_W
	BIC_W  RRRS = 0x0a200000
	BIC_X  RRRS = x | BIC_W
	ORR_W  RRRS = 0x2a000000
	ORR_X  RRRS = x | ORR_W
	ORN_W  RRRS = 0x2a200000
	EOR_W  RRRS = 0x4a000000
	EOR_X  RRRS = x | EOR_W
	EON_W  RRRS = 0x4a200000
	ANDS_W RRRS = 0x6a000000
	ANDS_X RRRS = x | ANDS_W
	BICS_W RRRS = 0x6a200000
)

// Put appends an instruction that computes d from n and m, which is shifted by i.
func (op RRRS) Put(a *Assembler, d, n, m R, s Shift, i uint8) {
	const logic = 1 << 24
	if op&x == 0 && i > 31 || i > 63 {
		a.fail(uint64(op), "shifts by more bits than there are")
	}
	if s == ROR && op&logic != 0 {
		a.fail(uint64(op), "does not rotate")
	}
	a.word(uint32(op) | a.r(d) | a.r(n)<<5 | a.r(m)<<16 | uint32(s)<<22 | uint32(i)<<10)
}

// Plain computes d from n and m.
func (a *Assembler) Plain(op RRRS, d, n, m R) { op.Put(a, d, n, m, LSL, 0) }

// Move moves n, of 64 bits, to d. Neither is SP.
func (a *Assembler) Move(d, n R) { a.Plain(ORR_X, d, ZR, n) }

// RRRX is an RRR whose last operand is extended; the others may be SP.
type RRRX uint64

// Sums.
const (
	ADD_XX RRRX = 0x8b200000
)

// Put appends an instruction that computes d from n and m, which is extended and then multiplied by a power of 2.
func (op RRRX) Put(a *Assembler, d, n, m R, e Extend, power uint8) {
	const setsFlags = 1 << 29
	to := a.sp
	if op&setsFlags != 0 {
		to = a.r
	}
	if power > 4 {
		a.fail(uint64(op), "multiplies by 16 at most")
	}
	a.word(uint32(op) | to(d) | a.sp(n)<<5 | a.r(m)<<16 | uint32(e)<<13 | uint32(power)<<10)
}

// RRI computes its first operand from another one and a number.
type RRI uint64

// Sums with a number of 12 bits, which may be followed by 12 zeros, or logic with one of ones in a row that repeat.
const (
	ADD_WI  RRI = 0x11000000
	ADD_XI  RRI = x | ADD_WI
	ADDS_WI RRI = 0x31000000
	ADDS_XI RRI = x | ADDS_WI
	SUB_WI  RRI = 0x51000000
	SUB_XI  RRI = x | SUB_WI
	SUBS_WI RRI = 0x71000000
	SUBS_XI RRI = x | SUBS_WI
	AND_WI  RRI = 0x12000000
	AND_XI  RRI = x | AND_WI
	ORR_WI  RRI = 0x32000000
	ORR_XI  RRI = x | ORR_WI
	EOR_WI  RRI = 0x52000000
	EOR_XI  RRI = x | EOR_WI
	ANDS_WI RRI = 0x72000000
	ANDS_XI RRI = x | ANDS_WI
)

// logicByNumber reports whether the operation is of logic rather than a sum.
func (op RRI) logicByNumber() bool { return op>>24&0xf == 2 }

// setsFlags reports whether ZR is what SP is in those that do not.
func (op RRI) setsFlags() bool {
	if op.logicByNumber() {
		return op>>29&3 == 3
	}
	return op>>29&1 == 1
}

// Put appends an instruction that computes d from n and i.
func (op RRI) Put(a *Assembler, d, n R, i uint64) {
	bits, ok := op.number(i)
	if !ok {
		a.fail(uint64(op), "has no room for the number")
	}
	from, to := a.sp, a.sp
	if op.setsFlags() {
		to = a.r
	}
	if op.logicByNumber() {
		from = a.r
	}
	a.word(uint32(op) | to(d) | from(n)<<5 | bits)
}

// Takes reports whether an operation has room for a number.
func (op RRI) Takes(i uint64) bool {
	_, ok := op.number(i)
	return ok
}

func (op RRI) number(i uint64) (bits uint32, ok bool) {
	switch {
	case op.logicByNumber():
		return logical(i, op&x != 0)
	case i < 1<<12:
		return uint32(i) << 10, true
	case i < 1<<24 && i&(1<<12-1) == 0:
		return 1<<22 | uint32(i>>12)<<10, true
	}
	return 0, false
}

// RI moves 16 bits of a number to its first operand.
type RI uint64

// MOVZ makes the other bits 0, MOVK keeps them, and MOVN is the complement of MOVZ.
const (
	MOVN_W RI = 0x12800000
	MOVN_X RI = x | MOVN_W
	MOVZ_W RI = 0x52800000
	MOVZ_X RI = x | MOVZ_W
	MOVK_W RI = 0x72800000
	MOVK_X RI = x | MOVK_W
)

// Put appends an instruction that moves i to bits 16*quarter and up of d.
func (op RI) Put(a *Assembler, d R, i uint16, quarter uint8) {
	if quarter > 3 || op&x == 0 && quarter > 1 {
		a.fail(uint64(op), "there are no such bits")
	}
	a.word(uint32(op) | a.r(d) | uint32(i)<<5 | uint32(quarter)<<21)
}

// RRII moves some bits of an operand to the first one.
type RRII uint64

// Fields of bits. SBFM repeats the sign of what it moves, UBFM sets the other bits to 0, and BFM keeps them.
const (
	SBFM_W RRII = 0x13000000
	SBFM_X RRII = x | 1<<22 | SBFM_W
	BFM_W  RRII = 0x33000000
	UBFM_W RRII = 0x53000000
	UBFM_X RRII = x | 1<<22 | UBFM_W
)

// Put appends an instruction that moves bits of n to d: from first to last where first is not above that, else the
// bits up to last, to where a rotation by first takes them.
func (op RRII) Put(a *Assembler, d, n R, first, last uint8) {
	if max(first, last) > 63 || op&x == 0 && max(first, last) > 31 {
		a.fail(uint64(op), "there are no such bits")
	}
	a.word(uint32(op) | a.r(d) | a.r(n)<<5 | uint32(first)<<16 | uint32(last)<<10)
}

// ShiftX makes d n, of 64 bits, shifted by a number; ShiftW does it in 32 bits. Neither rotates.
func (a *Assembler) ShiftX(s Shift, d, n R, i uint8) { a.shifts(s, UBFM_X, SBFM_X, 64, d, n, i) }
func (a *Assembler) ShiftW(s Shift, d, n R, i uint8) { a.shifts(s, UBFM_W, SBFM_W, 32, d, n, i) }

func (a *Assembler) shifts(s Shift, plain, signed RRII, bits uint8, d, n R, i uint8) {
	switch {
	case i >= bits:
		a.fail(uint64(plain), "shifts by more bits than there are")
	case s == LSL:
		plain.Put(a, d, n, (bits-i)%bits, bits-1-i)
	case s == LSR:
		plain.Put(a, d, n, i, bits-1)
	case s == ASR:
		signed.Put(a, d, n, i, bits-1)
	default:
		a.fail(uint64(plain), "does not rotate")
	}
}

// RRRI joins two operands and takes bits of that.
type RRRI uint64

// Extracts. With the same register twice they rotate.
const (
	EXTR_W RRRI = 0x13800000
)

// Put appends an instruction that makes d the bits from i on of m, with n above it.
func (op RRRI) Put(a *Assembler, d, n, m R, i uint8) {
	if i > 63 || op&x == 0 && i > 31 {
		a.fail(uint64(op), "there are no such bits")
	}
	a.word(uint32(op) | a.r(d) | a.r(n)<<5 | a.r(m)<<16 | uint32(i)<<10)
}

// RR computes its first operand from another one.
type RR uint64

// Functions of bits.
const (
	RBIT_W RR = 0x5ac00000
	CLZ_W  RR = 0x5ac01000
	CLS_W  RR = 0x5ac01400
)

// Put appends an instruction that computes d from n.
func (op RR) Put(a *Assembler, d, n R) { a.word(uint32(op) | a.r(d) | a.r(n)<<5) }

// RRRR computes its first operand from three others.
type RRRR uint64

// Products that are added to the last operand, or subtracted from it. L multiplies 32 bits to 64.
const (
	MADD_W RRRR = 0x1b000000
	MADD_X RRRR = x | MADD_W
	MSUB_W RRRR = 0x1b008000
	MSUB_X RRRR = x | MSUB_W
)

// Put appends an instruction that computes d from the product of n and m, and p.
func (op RRRR) Put(a *Assembler, d, n, m, p R) {
	a.word(uint32(op) | a.r(d) | a.r(n)<<5 | a.r(m)<<16 | a.r(p)<<10)
}

// RRRC makes its first operand one of two others, by a condition.
type RRRC uint64

// Selections. What is not the first of the two may be changed: C adds 1, V complements, and G negates.
const (
	CSEL_W  RRRC = 0x1a800000
	CSEL_X  RRRC = x | CSEL_W
	CSINC_W RRRC = 0x1a800400
	CSINV_W RRRC = 0x5a800000
	CSNEG_W RRRC = 0x5a800400
)

// Put appends an instruction that makes d n where the condition holds, and otherwise what becomes of m.
func (op RRRC) Put(a *Assembler, d, n, m R, c Condition) {
	a.word(uint32(op) | a.r(d) | a.r(n)<<5 | a.r(m)<<16 | uint32(c)<<12)
}

// RRIC compares where a condition holds.
type RRIC uint64

// Comparisons, the second with a number.
const (
	CCMP_W RRIC = 0x7a400000
)

// Put appends an instruction that compares n with m where the condition holds, and else sets the flags: N is 8, Z is
// 4, C is 2 and V is 1.
func (op RRIC) Put(a *Assembler, n, m R, flags uint8, c Condition) {
	a.word(uint32(op) | a.r(n)<<5 | a.r(m)<<16 | uint32(c)<<12 | uint32(flags&15))
}

// O takes nothing.
type O uint64

// DMB orders all accesses to memory before it and those after it.
const (
	NOP O = 0xd503201f
	DMB O = 0xd5033bbf
)

// Put appends op.
func (op O) Put(a *Assembler) { a.word(uint32(op)) }

// Stop ends the process.
func (a *Assembler) Stop() { a.word(trap) }

// ROp jumps to an address in a register.
type ROp uint64

// Jumps.
const (
	BR  ROp = 0xd61f0000
	BLR ROp = 0xd63f0000
	RET ROp = 0xd65f0000
)

// Put appends an instruction that jumps to n.
func (op ROp) Put(a *Assembler, n R) { a.word(uint32(op) | a.r(n)<<5) }
