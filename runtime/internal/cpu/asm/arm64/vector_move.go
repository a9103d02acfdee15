package arm64

// place returns the field that names an element: its size and number.
func (a *Assembler) place(t Arrangement, i uint8) uint32 {
	if uint32(i)<<t.size() > 15 {
		a.fail(0, "there is no such element")
	}
	return (uint32(i)<<1 | 1) << t.size()
}

// Dup makes all elements of d element i of n.
func (a *Assembler) Dup(t Arrangement, d, n V, i uint8) {
	a.arranged(every, t)
	a.word(0x0e000400 | t.whole()<<30 | a.place(t, i)<<16 | a.v(d) | a.v(n)<<5)
}

// DupR makes all elements of d what is in n.
func (a *Assembler) DupR(t Arrangement, d V, n R) {
	a.arranged(every, t)
	a.word(0x0e000c00 | t.whole()<<30 | a.place(t, 0)<<16 | a.v(d) | a.r(n)<<5)
}

// Insert makes element i of d element j of n, and keeps the others.
func (a *Assembler) Insert(t Arrangement, d V, i uint8, n V, j uint8) {
	a.place(t, j)
	a.word(0x6e000400 | a.place(t, i)<<16 | uint32(j)<<t.size()<<11 | a.v(d) | a.v(n)<<5)
}

// InsertR makes element i of d what is in n, and keeps the others.
func (a *Assembler) InsertR(t Arrangement, d V, i uint8, n R) {
	a.word(0x4e001c00 | a.place(t, i)<<16 | a.v(d) | a.r(n)<<5)
}

// Element makes d element i of n, with zeros above.
func (a *Assembler) Element(t Arrangement, d R, n V, i uint8) {
	q := uint32(0)
	if t >= D1 {
		q = 1
	}
	a.word(0x0e003c00 | q<<30 | a.place(t, i)<<16 | a.r(d) | a.v(n)<<5)
}

// ElementSigned makes d, of 64 bits, element i of n with its sign above. The elements have 32 bits at most.
func (a *Assembler) ElementSigned(t Arrangement, d R, n V, i uint8) {
	a.arranged(short, t)
	a.word(0x4e002c00 | a.place(t, i)<<16 | a.r(d) | a.v(n)<<5)
}

// RV moves the lowest element of a vector register to a general-purpose one, VR moves it back, with zeros above.
type (
	RV uint64
	VR uint64
)

// Moves of 32 and of 64 bits.
const (
	FMOV_WS RV = 0x1e260000
	FMOV_XD RV = 0x9e660000
	FMOV_SW VR = 0x1e270000
)

// Put appends an instruction that moves n to d.
func (op RV) Put(a *Assembler, d R, n V) { a.word(uint32(op) | a.r(d) | a.v(n)<<5) }

// Put appends an instruction that moves n to d.
func (op VR) Put(a *Assembler, d V, n R) { a.word(uint32(op) | a.v(d) | a.r(n)<<5) }

// VTV looks up bytes.
type VTV uint64

// TBL makes those 0 that are beyond the table, TBX keeps what is there.
const (
	TBL VTV = anyBytes | 0x0e000000
	TBX VTV = anyBytes | 0x0e001000
)

// Put appends an instruction that makes each byte of d that of the table at the number in m. The table is count
// registers from n on.
func (op VTV) Put(a *Assembler, t Arrangement, d, n V, count uint8, m V) {
	a.arranged(uint64(op), t)
	if count < 1 || count > 4 {
		a.fail(uint64(op), "a table has 1 to 4 registers")
	}
	a.word(uint32(op) | t.whole()<<30 | uint32(count-1)<<13 | a.v(d) | a.v(n)<<5 | a.v(m)<<16)
}

// Extract makes d the bytes from i on of n, with m after it: as many as t has, B8 or B16.
func (a *Assembler) Extract(t Arrangement, d, n, m V, i uint8) {
	a.arranged(anyBytes, t)
	if uint32(i) >= 8<<t.whole() {
		a.fail(anyBytes, "there is no such element")
	}
	a.word(0x2e000000 | t.whole()<<30 | uint32(i)<<11 | a.v(d) | a.v(n)<<5 | a.v(m)<<16)
}

// VI makes a vector register a number, or changes it by one.
type VI uint64

// The bits above the encoding of a VI: by how many bytes its number may be shifted.
const (
	byOne   = 1 << 32
	byThree = 3 << 32
	ones    = 1 << 34 // by one or two, and ones come in
	bytesBy = byThree
)

// Numbers of 8 bits, in all elements. H and S may shift them to the left by bytes; SM does so by one or two, with ones
// after them. MVNI complements that. ORR and BIC take it together with what is there. MOVI_D has 8 ones for each bit.
// FMOV_SI and FMOV_DI are floats of a sign, three bits of exponent and four of mantissa.
const (
	MOVI_B  VI = 0x4f00e400
	MOVI_H  VI = byOne | 0x4f008400
	MVNI_H  VI = byOne | 0x6f008400
	MOVI_S  VI = byThree | 0x4f000400
	MVNI_S  VI = byThree | 0x6f000400
	MOVI_SM VI = ones | 0x4f00c400
	MVNI_SM VI = ones | 0x6f00c400
	ORR_SI  VI = byThree | 0x4f001400
	BIC_SI  VI = byThree | 0x6f001400
	MOVI_D  VI = 0x6f00e400
	FMOV_SI VI = 0x4f00f400
	FMOV_DI VI = 0x6f00f400
)

// Put appends an instruction that makes d, all of it, what i says when it is shifted by so many bytes.
func (op VI) Put(a *Assembler, d V, i, shift uint8) {
	w := uint32(op) | uint32(i>>5)<<16 | uint32(i&31)<<5 | a.v(d)
	switch most := uint8(op & bytesBy >> 32); {
	case op&ones != 0 && (shift == 1 || shift == 2):
		w |= uint32(shift-1) << 12
	case op&ones == 0 && shift <= most:
		w |= uint32(shift) << 13
	default:
		a.fail(uint64(op), "does not shift so far")
	}
	a.word(w)
}
