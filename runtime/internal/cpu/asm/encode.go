package asm

// The bits of an instruction's constant. The lowest eight are the opcode.
const (
	m0f = 1 << (8 + iota) // the map of the opcode
	m0f38
	p66 // the prefix that selects among the instructions of an opcode
	pF3
	vex // the class of the encoding; without either that of 1978
	evex
	w1    // the bit W: operands of 64 bits, most often
	byteR // the operand in the field reg has 8 bits
	byteM // so has that in rm
	n1    // memory has so many bytes, whatever the length of vectors
	n2
	n4
	n8
	n16
	n32
	half // memory, or the shorter operand, has a half of the vectors' bytes, and so on
	quarter
	eighth
	b4    // a broadcast takes 4 bytes
	b8    // or 8
	l256  // the length of vectors
	l512  //
	rmDst // the register that field vvvv names is the destination, and a digit stands in reg
	short // an immediate number of 8 bits extends to the operand's width, with 2 more in the opcode

	pF2   = p66 | pF3
	m0f3a = m0f | m0f38

	digitShift  = 33 // of /digit
	maskShift   = 36 // of the mask register
	masked      = 1 << 39
	zeroing     = 1 << 40
	needsMask   = 1 << 41
	from256     = 1 << 42 // there is none for shorter vectors
	only512     = 1 << 43
	lengths     = l256 | l512
	memoryBytes = n1 | n2 | n4 | n8 | n16 | n32
)

// The digit that extends an opcode.
const (
	d0 = iota << digitShift
	d1
	d2
	d3
	d4
	d5
	d6
	d7
)

// encode appends an instruction with operands in the fields reg, vvvv and rm, and a number of
// some bytes after them.
func (a *Assembler) encode(op uint64, reg, vvvv uint8, rm operand, imm int64, immBytes int) {
	if what := mistake(op, reg, vvvv, rm); what != "" {
		a.fail(op, what)
		return
	}
	reg |= uint8(op >> digitShift & 7)
	switch op & (vex | evex) {
	case 0:
		a.legacy(op, reg, rm)
	case vex:
		a.vex(op, reg, vvvv, rm)
	case evex:
		a.evex(op, reg, vvvv, rm)
	}
	a.rm(op, reg, rm, immBytes)
	for range immBytes {
		a.bytes = append(a.bytes, byte(imm))
		imm >>= 8
	}
}

// mistake returns what is wrong with operands, or nothing.
func mistake(op uint64, reg, vvvv uint8, rm operand) string {
	last, lastM := uint8(15), uint8(15) // of registers, and of those in the operand rm
	if op&evex != 0 {
		last = 31
	}
	if rm.vector {
		lastM = 31
	}
	switch m := rm.mem; {
	case max(reg, vvvv) > last || max(rm.reg, rm.index) > lastM || m.Base > R15:
		return "there is no such register"
	case op&masked != 0 && op>>maskShift&7 == 0:
		return "K0 is no mask"
	case op&only512 != 0 && op&l512 == 0 || op&from256 != 0 && op&lengths == 0:
		return "there is none for such short vectors"
	case op&needsMask != 0 && op&masked == 0:
		return "has no mask"
	case rm.broadcast && op&(b4|b8) == 0:
		return "cannot broadcast"
	case !rm.memory || m.target.kind != nowhere:
		return ""
	case m.Scale&(m.Scale-1) != 0 || m.Scale > 8 || rm.vector && m.Scale == 0:
		return "the scale is not 1, 2, 4 or 8"
	case m.Scale > 0 && !rm.vector && m.Index == RSP:
		return "RSP is no index"
	}
	return ""
}

// prefixes are the mandatory prefixes by their number.
var prefixes = [4]byte{0, 0x66, 0xf3, 0xf2}

func prefixOf(op uint64) uint64 { return op / p66 & 3 }

func mapOf(op uint64) uint64 { return op / m0f & 3 }

func bit[T uint8 | uint64](v T, n int) byte { return byte(v>>n) & 1 }

// extensions returns the bits that make the numbers in the fields rm and index longer.
func (o *operand) extensions() (b, x byte) {
	switch {
	case !o.memory && o.vector:
		return bit(o.reg, 3), bit(o.reg, 4)
	case !o.memory:
		return bit(o.reg, 3), 0
	case o.mem.target.kind != nowhere:
		return 0, 0
	case o.mem.Scale == 0:
		return bit(uint8(o.mem.Base), 3), 0
	}
	return bit(uint8(o.mem.Base), 3), bit(o.index, 3)
}

func (a *Assembler) legacy(op uint64, reg uint8, rm operand) {
	if p := prefixes[prefixOf(op)]; p != 0 {
		a.bytes = append(a.bytes, p)
	}
	b, x := rm.extensions()
	rex := 0x40 | bit(op/w1, 0)<<3 | bit(reg, 3)<<2 | x<<1 | b
	// without the prefix, 4 to 7 are other registers of 8 bits
	bytes := op&byteR != 0 && reg >= 4 || op&byteM != 0 && !rm.memory && rm.reg >= 4
	if rex != 0x40 || bytes {
		a.bytes = append(a.bytes, rex)
	}
	switch mapOf(op) {
	case 1:
		a.bytes = append(a.bytes, 0x0f)
	case 2:
		a.bytes = append(a.bytes, 0x0f, 0x38)
	case 3:
		a.bytes = append(a.bytes, 0x0f, 0x3a)
	}
	a.bytes = append(a.bytes, byte(op))
}

func (a *Assembler) vex(op uint64, reg, vvvv uint8, rm operand) {
	b, x := rm.extensions()
	w, r := bit(op/w1, 0), bit(reg, 3)
	last := ^vvvv&15<<3 | bit(op/l256, 0)<<2 | byte(prefixOf(op))
	if b|x|w == 0 && mapOf(op) == 1 {
		a.bytes = append(a.bytes, 0xc5, (r^1)<<7|last, byte(op))
		return
	}
	a.bytes = append(a.bytes, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|byte(mapOf(op)), w<<7|last, byte(op))
}

func (a *Assembler) evex(op uint64, reg, vvvv uint8, rm operand) {
	b, x := rm.extensions()
	high := bit(vvvv, 4)
	if rm.memory && rm.vector {
		high = bit(rm.index, 4)
	}
	broadcast := byte(0)
	if rm.broadcast {
		broadcast = 1
	}
	a.bytes = append(a.bytes, 0x62,
		(bit(reg, 3)^1)<<7|(x^1)<<6|(b^1)<<5|(bit(reg, 4)^1)<<4|byte(mapOf(op)),
		bit(op/w1, 0)<<7|^vvvv&15<<3|1<<2|byte(prefixOf(op)),
		bit(op/zeroing, 0)<<7|byte(op/l256&3)<<5|broadcast<<4|(high^1)<<3|byte(op>>maskShift&7),
		byte(op))
}

// rm appends the operand of the fields mod and rm.
func (a *Assembler) rm(op uint64, reg uint8, o operand, immBytes int) {
	reg = reg & 7 << 3
	m := o.mem
	switch {
	case !o.memory:
		a.bytes = append(a.bytes, 0xc0|reg|o.reg&7)
		return
	case m.target.kind != nowhere:
		a.bytes = append(a.bytes, reg|5)
		a.refer(m.target, m.Disp, immBytes)
		return
	}
	base := uint8(m.Base) & 7
	disp, mod := m.Disp, byte(0)
	unit := int32(1)
	if op&evex != 0 {
		unit = unitOf(op, o.broadcast)
	}
	switch {
	case disp == 0 && base != 5: // of RBP and R13 there is no form without
	case disp%unit == 0 && disp/unit == int32(int8(disp/unit)):
		disp, mod = disp/unit, 0x40
	default:
		mod = 0x80
	}
	switch {
	case m.Scale > 0:
		log := [9]byte{2: 1, 4: 2, 8: 3}[m.Scale]
		a.bytes = append(a.bytes, mod|reg|4, log<<6|o.index&7<<3|base)
	case base == 4: // RSP and R12 stand for an index
		a.bytes = append(a.bytes, mod|reg|4, 4<<3|4)
	default:
		a.bytes = append(a.bytes, mod|reg|base)
	}
	switch mod {
	case 0x40:
		a.bytes = append(a.bytes, byte(disp))
	case 0x80:
		a.word(disp)
	}
}

// unitOf returns the number of bytes that a displacement of 8 bits counts.
func unitOf(op uint64, broadcast bool) int32 {
	length := int32(16) << (op / l256 & 3)
	switch {
	case broadcast && op&b4 != 0:
		return 4
	case broadcast:
		return 8
	case op&memoryBytes != 0:
		return int32(op & memoryBytes / n1)
	case op&half != 0:
		return length / 2
	case op&quarter != 0:
		return length / 4
	case op&eighth != 0:
		return length / 8
	}
	return length
}
