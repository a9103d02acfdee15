package asm

// KVX compares vectors and makes a mask of it.
type KVX uint64

// Comparisons and tests of bits.
const (
	VPCMPEQD  KVX = d0f | 0x76
	VPTESTMB  KVX = bw38 | 0x26
	VPTESTMD  KVX = d38 | 0x27
	VPTESTMQ  KVX = q38 | 0x27
	VPTESTNMD KVX = d38&^p66 | pF3 | 0x27
)

// Put appends an instruction that makes d of x and y.
func (op KVX) Put(a *Assembler, d K, x V, y X) {
	a.encode(uint64(op), uint8(d), uint8(x), ofX(y), 0, 0)
}

// KVXI compares vectors as a number says, see [IntEQ], [FloatEQO] and others.
type KVXI uint64

// Comparisons.
const (
	VCMPPS  KVXI = ps0f | 0xc2
	VPCMPD  KVXI = d3a | 0x1f
	VPCMPUD KVXI = d3a | 0x1e
	VPCMPQ  KVXI = q3a | 0x1f
	VPCMPUQ KVXI = q3a | 0x1e
)

// What VPCMP compares. NLT is greater or equal, NLE is greater.
const (
	IntEQ = iota
	IntLT
	IntLE
	_
	IntNE
	IntNLT
	IntNLE
)

// What VCMP compares, without exceptions for quiet NaNs. The letter after is O where a NaN makes it
// false and U where it makes it true.
const (
	FloatEQO  = 0x00
	FloatLTO  = 0x11
	FloatLEO  = 0x12
	FloatUNO  = 0x03 // one is a NaN
	FloatNEU  = 0x04
	FloatNLTU = 0x15
	FloatNLEU = 0x16
	FloatORD  = 0x07 // neither is
	FloatEQU  = 0x08
	FloatNEO  = 0x0c
	FloatGEO  = 0x1d
	FloatGTO  = 0x1e
)

// Put appends an instruction that makes d of x and y as i says.
func (op KVXI) Put(a *Assembler, d K, x V, y X, i uint8) {
	a.encode(uint64(op), uint8(d), uint8(x), ofX(y), int64(i), 1)
}

// KXI makes a mask of a vector as a number says.
type KXI uint64

// Which floats are of some classes.
const (
	VFPCLASSPS KXI = d3a | 0x66
)

// Put appends an instruction that makes d of x as i says.
func (op KXI) Put(a *Assembler, d K, x X, i uint8) {
	a.encode(uint64(op), uint8(d), 0, ofX(x), int64(i), 1)
}

// The last letter of a mask's instruction is how many bits it works on: 8, 16, 32 or 64.
const (
	kb = vex | m0f | p66
	kw = vex | m0f
	kd = vex | m0f | p66 | w1
	kq = vex | m0f | w1
)

// KKK computes its first operand from two others.
type KKK uint64

// Logic of masks. KANDN is not x and y, and KUNPCK has y below x.
const (
	KANDW    KKK = kw | l256 | 0x41
	KANDNW   KKK = kw | l256 | 0x42
	KORW     KKK = kw | l256 | 0x45
	KXNORW   KKK = kw | l256 | 0x46
	KXNORQ   KKK = kq | l256 | 0x46
	KXORW    KKK = kw | l256 | 0x47
	KUNPCKBW KKK = kb | l256 | 0x4b
	KUNPCKWD KKK = kw | l256 | 0x4b
)

// Put appends an instruction that computes d from x and y.
func (op KKK) Put(a *Assembler, d, x, y K) { a.encode(uint64(op), uint8(d), uint8(x), ofK(y), 0, 0) }

// KK computes its first operand from the second, or compares them.
type KK uint64

// KORTEST sets Equal where both have no bit, and Below where they have all. KTEST sets Equal where they
// have none in common, and Below where the second has none that the first has not.
const (
	KNOTW    KK = kw | 0x44
	KORTESTB KK = kb | 0x98
	KORTESTW KK = kw | 0x98
)

// Put appends an instruction that computes d from x.
func (op KK) Put(a *Assembler, d, x K) { a.encode(uint64(op), uint8(d), 0, ofK(x), 0, 0) }

// KKI shifts a mask by a number.
type KKI uint64

// Shifts.
const (
	kshift = vex | m0f3a | p66

	KSHIFTRW KKI = kshift | w1 | 0x30
	KSHIFTRD KKI = kshift | 0x31
)

// Put appends an instruction that shifts x by i to d.
func (op KKI) Put(a *Assembler, d, x K, i uint8) {
	a.encode(uint64(op), uint8(d), 0, ofK(x), int64(i), 1)
}

// KW moves a mask or memory to a mask.
type KW uint64

// Moves to masks.
const (
	KMOVW KW = kw | 0x90
	KMOVD KW = kd | 0x90
)

// Put appends an instruction that moves w to d.
func (op KW) Put(a *Assembler, d K, w W) { a.encode(uint64(op), uint8(d), 0, ofW(w), 0, 0) }

// MK moves a mask to memory.
type MK uint64

// Moves to memory.
const (
	KMOVW_ST MK = kw | 0x91
	KMOVD_ST MK = kd | 0x91
)

// Put appends an instruction that moves k to m.
func (op MK) Put(a *Assembler, m Mem, k K) { a.encode(uint64(op), uint8(k), 0, ofMem(m), 0, 0) }

// KG moves a general-purpose register to a mask.
type KG uint64

// Moves from general-purpose registers.
const (
	KMOVW_G KG = kw | 0x92
	KMOVD_G KG = vex | m0f | pF2 | 0x92
)

// Put appends an instruction that moves g to d.
func (op KG) Put(a *Assembler, d K, g GP) { a.encode(uint64(op), uint8(d), 0, ofGP(g), 0, 0) }

// GK moves a mask to a general-purpose register, with zeros above.
type GK uint64

// Moves to general-purpose registers.
const (
	KMOVW_TOG GK = kw | 0x93
	KMOVD_TOG GK = vex | m0f | pF2 | 0x93
)

// Put appends an instruction that moves k to d.
func (op GK) Put(a *Assembler, d GP, k K) { a.encode(uint64(op), uint8(d), 0, ofK(k), 0, 0) }
