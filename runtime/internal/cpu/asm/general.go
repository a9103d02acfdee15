package asm

// GR computes its first operand from itself and the second, or compares them.
type GR uint64

// Moves and arithmetic. MOVZX and MOVSX extend 8 bits (B) or 16 (W), MOVSXD 32.
const (
	MOVL    GR = 0x8b
	MOVQ    GR = w1 | 0x8b
	MOVZXB  GR = m0f | byteM | 0xb6
	MOVZXW  GR = m0f | 0xb7
	MOVSXBL GR = m0f | byteM | 0xbe
	MOVSXBQ GR = m0f | byteM | w1 | 0xbe
	MOVSXWL GR = m0f | 0xbf
	MOVSXWQ GR = m0f | w1 | 0xbf
	MOVSXD  GR = w1 | 0x63
	ADDL    GR = 0x03
	ADDQ    GR = w1 | 0x03
	ORL     GR = 0x0b
	ORQ     GR = w1 | 0x0b
	SBBQ    GR = w1 | 0x1b
	ANDL    GR = 0x23
	ANDQ    GR = w1 | 0x23
	SUBL    GR = 0x2b
	SUBQ    GR = w1 | 0x2b
	XORL    GR = 0x33
	XORQ    GR = w1 | 0x33
	CMPL    GR = 0x3b
	CMPQ    GR = w1 | 0x3b
	TESTL   GR = 0x85
	TESTQ   GR = w1 | 0x85
	IMULL   GR = m0f | 0xaf
	IMULQ   GR = m0f | w1 | 0xaf
	TZCNTL  GR = m0f | pF3 | 0xbc
	LZCNTL  GR = m0f | pF3 | 0xbd
	POPCNTL GR = m0f | pF3 | 0xb8
)

// Put appends an instruction that computes d from d and r.
func (op GR) Put(a *Assembler, d GP, r R) { a.encode(uint64(op), uint8(d), 0, ofR(r), 0, 0) }

// Move moves r, of 64 bits, to d on a condition.
func (a *Assembler) Move(c Condition, d GP, r R) {
	a.conditional(m0f|w1|0x40, c, uint8(d), ofR(r))
}

// MoveL moves r, of 32 bits, to d on a condition, with zeros above.
func (a *Assembler) MoveL(c Condition, d GP, r R) { a.conditional(m0f|0x40, c, uint8(d), ofR(r)) }

// Set sets the lowest 8 bits of r to 1 on a condition, and to 0 otherwise.
func (a *Assembler) Set(c Condition, r R) { a.conditional(m0f|byteM|0x90, c, 0, ofR(r)) }

func (a *Assembler) conditional(op uint64, c Condition, reg uint8, rm operand) {
	if c >= Always {
		a.fail(op, "has no such condition")
	}
	a.encode(op|uint64(c), reg, 0, rm, 0, 0)
}

// GM computes its first operand from an address.
type GM uint64

// LEAL and LEAQ compute the address itself.
const (
	LEAL GM = 0x8d
	LEAQ GM = w1 | 0x8d
)

// Put appends an instruction that computes d from m.
func (op GM) Put(a *Assembler, d GP, m Mem) { a.encode(uint64(op), uint8(d), 0, ofMem(m), 0, 0) }

// MG computes memory from itself and a register, or compares them.
type MG uint64

// Stores, and arithmetic of memory.
const (
	MOVB_ST MG = byteR | 0x88
	MOVW_ST MG = p66 | 0x89
	MOVL_ST MG = 0x89
	MOVQ_ST MG = w1 | 0x89
	ANDL_ST MG = 0x21

	CMPXCHGL_ST MG = m0f | 0xb1 // m becomes g where it is RAX, which becomes m
)

// Put appends an instruction that computes m from m and g.
func (op MG) Put(a *Assembler, m Mem, g GP) { a.encode(uint64(op), uint8(g), 0, ofMem(m), 0, 0) }

// RI computes its first operand from itself and a number, or compares them.
type RI uint64

// Arithmetic with numbers of 32 bits, which are extended with their sign.
const (
	ADDL_I  RI = short | d0 | 0x81
	ADDQ_I  RI = short | w1 | d0 | 0x81
	ORQ_I   RI = short | w1 | d1 | 0x81
	ANDL_I  RI = short | d4 | 0x81
	ANDQ_I  RI = short | w1 | d4 | 0x81
	SUBL_I  RI = short | d5 | 0x81
	SUBQ_I  RI = short | w1 | d5 | 0x81
	XORQ_I  RI = short | w1 | d6 | 0x81
	CMPL_I  RI = short | d7 | 0x81
	CMPQ_I  RI = short | w1 | d7 | 0x81
	TESTL_I RI = d0 | 0xf7
	TESTQ_I RI = w1 | d0 | 0xf7
)

// Put appends an instruction that computes r from r and i.
func (op RI) Put(a *Assembler, r R, i int32) {
	if op&short != 0 && i == int32(int8(i)) {
		a.encode(uint64(op)|2, 0, 0, ofR(r), int64(i), 1)
		return
	}
	a.encode(uint64(op), 0, 0, ofR(r), int64(i), 4)
}

// MI stores a number.
type MI uint64

// Stores of numbers. That of 64 bits is extended with its sign.
const (
	MOVL_I MI = d0 | 0xc7
	MOVQ_I MI = w1 | d0 | 0xc7
)

// Put appends an instruction that stores i in m.
func (op MI) Put(a *Assembler, m Mem, i int32) { a.encode(uint64(op), 0, 0, ofMem(m), int64(i), 4) }

// Number moves v to d, in as few bytes as it takes. It changes no flags.
func (a *Assembler) Number(d GP, v uint64) {
	switch {
	case v == uint64(uint32(v)):
		a.register(0xb8, d)
		a.word(int32(v))
	case int64(v) == int64(int32(v)):
		a.encode(uint64(MOVQ_I), 0, 0, ofGP(d), int64(v), 4)
	default:
		a.register(w1|0xb8, d)
		a.word(int32(v))
		a.word(int32(v >> 32))
	}
}

// register appends an instruction whose opcode names a register.
func (a *Assembler) register(op uint64, g GP) {
	if g > R15 {
		a.fail(op, "there is no such register")
	}
	if rex := 0x40 | bit(op/w1, 0)<<3 | bit(uint8(g), 3); rex != 0x40 {
		a.bytes = append(a.bytes, rex)
	}
	a.bytes = append(a.bytes, byte(op)|byte(g)&7)
}

// GRI computes its first operand from the second and a number.
type GRI uint64

// Multiplication by a number.
const (
	IMULL_I GRI = short | 0x69
	IMULQ_I GRI = short | w1 | 0x69
)

// Put appends an instruction that computes d from r and i.
func (op GRI) Put(a *Assembler, d GP, r R, i int32) {
	if i == int32(int8(i)) {
		a.encode(uint64(op)|2, uint8(d), 0, ofR(r), int64(i), 1)
		return
	}
	a.encode(uint64(op), uint8(d), 0, ofR(r), int64(i), 4)
}

// RB computes its first operand from itself and a number of a few bits.
type RB uint64

// Shifts, and tests of a bit, which go to Below.
const (
	ROLL_I RB = d0 | 0xc1
	SHLL_I RB = d4 | 0xc1
	SHLQ_I RB = w1 | d4 | 0xc1
	SHRL_I RB = d5 | 0xc1
	SHRQ_I RB = w1 | d5 | 0xc1
	SARL_I RB = d7 | 0xc1
	SARQ_I RB = w1 | d7 | 0xc1
)

// Put appends an instruction that computes r from r and i.
func (op RB) Put(a *Assembler, r R, i uint8) { a.encode(uint64(op), 0, 0, ofR(r), int64(i), 1) }

// RO computes its operand from itself and registers that it does not name: RCX counts shifts,
// RDX and RAX hold products and dividends.
type RO uint64

// What takes one operand.
const (
	NOTL  RO = d2 | 0xf7
	NOTQ  RO = w1 | d2 | 0xf7
	NEGL  RO = d3 | 0xf7
	NEGQ  RO = w1 | d3 | 0xf7
	DIVL  RO = d6 | 0xf7
	DIVQ  RO = w1 | d6 | 0xf7
	IDIVL RO = d7 | 0xf7
	IDIVQ RO = w1 | d7 | 0xf7
	DECQ  RO = w1 | d1 | 0xff
	CALL  RO = d2 | 0xff
	JMP   RO = d4 | 0xff
)

// Put appends an instruction that computes r, or goes there.
func (op RO) Put(a *Assembler, r R) { a.encode(uint64(op), 0, 0, ofR(r), 0, 0) }

// M has one operand, in memory.
type M uint64

// PREFETCHT0 has the line be read soon.
const PREFETCHT0 M = m0f | d1 | 0x18

// Put appends op for what is at m.
func (op M) Put(a *Assembler, m Mem) { a.encode(uint64(op), 0, 0, ofMem(m), 0, 0) }

// GRG computes its first operand from two others, and changes no flags.
type GRG uint64

// Shifts by a register, and BZHI, which keeps so many bits.
const (
	SHLXL GRG = vex | m0f38 | p66 | 0xf7
	SHLXQ GRG = vex | m0f38 | p66 | w1 | 0xf7
	SARXL GRG = vex | m0f38 | pF3 | 0xf7
	SARXQ GRG = vex | m0f38 | pF3 | w1 | 0xf7
	SHRXL GRG = vex | m0f38 | pF2 | 0xf7
	SHRXQ GRG = vex | m0f38 | pF2 | w1 | 0xf7
)

// Put appends an instruction that computes d from r and g.
func (op GRG) Put(a *Assembler, d GP, r R, g GP) {
	a.encode(uint64(op), uint8(d), uint8(g), ofR(r), 0, 0)
}

// GGR computes its first operand from two others.
type GGR uint64

// ANDN is not x and y. MULX multiplies RDX by y, to x and d, which is the upper half.
const (
	ANDNL GGR = vex | m0f38 | 0xf2
	ANDNQ GGR = vex | m0f38 | w1 | 0xf2
)

// Put appends an instruction that computes d from x and y.
func (op GGR) Put(a *Assembler, d, x GP, y R) { a.encode(uint64(op), uint8(d), uint8(x), ofR(y), 0, 0) }

// DR computes its first operand from the second.
type DR uint64

// BLSR takes the lowest bit away, BLSI all others.
const (
	BLSRL DR = vex | m0f38 | d1 | 0xf3
)

// Put appends an instruction that computes d from r.
func (op DR) Put(a *Assembler, d GP, r R) { a.encode(uint64(op), 0, uint8(d), ofR(r), 0, 0) }

// G keeps a register on the stack.
type G uint64

// The stack.
const (
	PUSH G = 0x50
)

// Put appends an instruction that keeps g.
func (op G) Put(a *Assembler, g GP) { a.register(uint64(op), g) }

// O has no operands.
type O uint64

// CDQ and CQO extend the sign of RAX to RDX. CPUID says of the processor what RAX and RCX ask for.
const (
	RET        O = 0xc3
	CDQ        O = 0x99
	CQO        O = w1 | 0x99
	UD2        O = m0f | 0x0b
	CPUID      O = m0f | 0xa2
	VZEROUPPER O = vex | m0f | 0x77
	LOCK       O = 0xf0 // of the next instruction
)

// Put appends op.
func (op O) Put(a *Assembler) {
	switch {
	case op&vex != 0:
		a.vex(uint64(op), 0, 0, operand{})
	default:
		a.legacy(uint64(op), 0, operand{})
	}
}
