package arm64

import "encoding/binary"

// Instructions that refer to places. A distance has 14 bits in those that test a bit, 26 in those that always jump, and
// else 19; where that is not enough, [Assembler.Code] makes two instructions of one.

// Opcodes of sites.
const (
	opJump   = 0x14000000
	opJumpIf = 0x54000000
	opZero   = 0x34000000
	opBit    = 0x36000000
	opADR    = 0x10000000
	opADRP   = 0x90000000
	opposite = 1 << 24 // of opZero and opBit
)

// Jump jumps to l.
func (a *Assembler) Jump(l Label) { a.refer(opJump, a.At(l)) }

// JumpIf jumps to l on a condition.
func (a *Assembler) JumpIf(c Condition, l Label) {
	if c == AL {
		a.Jump(l)
		return
	}
	a.refer(opJumpIf|uint32(c), a.At(l))
}

// RL jumps if something is so of a register.
type RL uint64

// Jumps if a register is zero, or is not.
const (
	CBZ_W  RL = opZero
	CBZ_X  RL = x | opZero
	CBNZ_W RL = opZero | opposite
	CBNZ_X RL = x | opZero | opposite
)

// Put appends an instruction that jumps to l if it is so of n.
func (op RL) Put(a *Assembler, n R, l Label) { a.refer(uint32(op)|a.r(n), a.At(l)) }

// RIL jumps if something is so of a bit of a register.
type RIL uint64

// Jumps if a bit is zero, or is not.
const (
	TBZ  RIL = opBit
	TBNZ RIL = opBit | opposite
)

// Put appends an instruction that jumps to l if it is so of bit i of n.
func (op RIL) Put(a *Assembler, n R, i uint8, l Label) {
	if i > 63 {
		a.fail(uint64(op), "there are no such bits")
	}
	a.refer(uint32(op)|uint32(i>>5)<<31|uint32(i&31)<<19|a.r(n), a.At(l))
}

// Loads from a place, which may need X16.
type (
	RP uint64
	VP uint64
)

// The loads, of 32, 64 and 128 bits.
const (
	LDRP_W RP = 0x18000000
	LDRP_X RP = 0x58000000
	LDRP_S VP = 0x1c000000
	LDRP_D VP = 0x5c000000
	LDRP_Q VP = 0x9c000000
)

// Put appends an instruction that loads d from p.
func (op RP) Put(a *Assembler, d R, p Place) { a.refer(uint32(op)|a.r(d), p) }

// Put appends an instruction that loads d from p.
func (op VP) Put(a *Assembler, d V, p Place) { a.refer(uint32(op)|a.v(d), p) }

// Address makes d the address of p.
func (a *Assembler) Address(d R, p Place) { a.refer(opADR|a.r(d), p) }

// isAddress and so on report what a site is.
func isAddress(op uint32) bool { return op&0x9f000000 == opADR }
func isJump(op uint32) bool    { return op&0xfc000000 == opJump }
func isBit(op uint32) bool     { return op&0x7e000000 == opBit }
func isLoad(op uint32) bool    { return op&0x3b000000 == 0x18000000 }

// reachOf returns how many bytes forward a site does not reach any more.
func reachOf(op uint32) int {
	switch {
	case isJump(op):
		return 1 << 27
	case isBit(op):
		return 1 << 15
	}
	return 1 << 20
}

// join appends a site.
func (a *Assembler) join(code []byte, s *site) []byte {
	add := func(w uint32) { code = binary.LittleEndian.AppendUint32(code, w) }
	at, to := len(code), a.offset(s.to)
	d := uint32(int32(to - at))
	register := s.op & 31
	switch {
	case isJump(s.op):
		if s.far {
			a.fail(uint64(s.op), "does not reach so far")
		}
		add(s.op | d>>2&(1<<26-1))
	case isAddress(s.op) && s.far:
		add(page(at, to) | register)
		add(uint32(ADD_XI) | uint32(to)&0xfff<<10 | register<<5 | register)
	case isAddress(s.op):
		add(s.op | d&3<<29 | d>>2&(1<<19-1)<<5)
	case isLoad(s.op) && s.far:
		load, power := farLoads[s.op&^31].op, farLoads[s.op&^31].power
		add(page(at, to) | uint32(X16))
		add(load | uint32(to)&0xfff>>power<<10 | uint32(X16)<<5 | register)
	case s.far: // the opposite jumps over a jump
		over := uint32(opposite)
		if s.op&^(x|15) == opJumpIf {
			over = 1
		}
		add(s.op ^ over | 2<<5)
		add(opJump | uint32(int32(to-at-4))>>2&(1<<26-1))
	case isBit(s.op):
		add(s.op | d>>2&(1<<14-1)<<5)
	default:
		add(s.op | d>>2&(1<<19-1)<<5)
	}
	return code
}

// page returns what makes a register the address of the 4096 bytes in which a place is.
func page(at, to int) uint32 {
	d := uint32(int32(to>>12 - at>>12))
	return opADRP | d&3<<29 | d>>2&(1<<19-1)<<5
}

// farLoads are the loads at an address in a register, with the power of 2 that displacements count.
var farLoads = map[uint32]struct{ op, power uint32 }{
	uint32(LDRP_W): {uint32(LDR_W), 2}, uint32(LDRP_X): {uint32(LDR_X), 3},
	uint32(LDRP_S): {uint32(LDR_S), 2}, uint32(LDRP_D): {uint32(LDR_D), 3}, uint32(LDRP_Q): {uint32(LDR_Q), 4},
}
