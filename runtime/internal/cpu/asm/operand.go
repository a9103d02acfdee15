package asm

// GP is a general-purpose register.
type GP uint8

// The general-purpose registers.
const (
	RAX GP = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// V is a vector register: an instruction uses 128, 256 or 512 bits of it. There are 32.
type V uint8

// The vector registers.
const (
	Z0 V = iota
	Z1
	Z2
	Z3
	Z4
	Z5
	Z6
	Z7
	Z8
	Z9
	Z10
	Z11
	Z12
	Z13
	Z14
	Z15
	Z16
	Z17
	Z18
	Z19
	Z20
	Z21
	Z22
	Z23
	Z24
	Z25
	Z26
	Z27
	Z28
	Z29
	Z30
	Z31
)

// K is a mask register.
type K uint8

// The mask registers. K0 cannot mask an instruction.
const (
	K0 K = iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// Mem is memory at Base + Index*Scale + Disp. Without a Scale there is no index.
type Mem struct {
	Base, Index GP
	Scale       uint8
	Disp        int32

	target target // what it is instead of all that, relative to the instruction
}

// Vectored is memory at Base + Index*Scale + Disp for each element of Index.
type Vectored struct {
	Base  GP
	Index V
	Scale uint8
	Disp  int32
}

// Broadcast is memory of one element, which an instruction takes for each of its elements.
type Broadcast struct{ mem Mem }

// Broadcast returns the element at m for all elements of a vector.
func (m Mem) Broadcast() Broadcast { return Broadcast{m} }

// Plus returns the memory that is n bytes after m.
func (m Mem) Plus(n int32) Mem {
	m.Disp += n
	return m
}

type (
	// X is a [V], [Mem] or [Broadcast].
	X interface{ x() }
	// R is a [GP] or [Mem].
	R interface{ r() }
	// W is a [K] or [Mem].
	W interface{ w() }
)

func (V) x()         {}
func (Mem) x()       {}
func (Broadcast) x() {}
func (GP) r()        {}
func (Mem) r()       {}
func (K) w()         {}
func (Mem) w()       {}

// operand is what the field rm of an instruction names: a register, or memory.
type operand struct {
	memory    bool
	vector    bool // the register, or the index, is a vector register
	broadcast bool
	reg       uint8
	mem       Mem
	index     uint8 // of memory with a scale
}

func ofX(x X) operand {
	switch x := x.(type) {
	case V:
		return operand{reg: uint8(x), vector: true}
	case Mem:
		return ofMem(x)
	case Broadcast:
		o := ofMem(x.mem)
		o.broadcast = true
		return o
	}
	return operand{memory: true, mem: Mem{Scale: badScale}}
}

func ofR(r R) operand {
	switch r := r.(type) {
	case GP:
		return ofGP(r)
	case Mem:
		return ofMem(r)
	}
	return operand{memory: true, mem: Mem{Scale: badScale}}
}

func ofW(w W) operand {
	switch w := w.(type) {
	case K:
		return ofK(w)
	case Mem:
		return ofMem(w)
	}
	return operand{memory: true, mem: Mem{Scale: badScale}}
}

// badScale makes a nil operand a mistake.
const badScale = 3

func ofGP(r GP) operand { return operand{reg: uint8(r)} }

func ofK(k K) operand { return operand{reg: uint8(k)} }

func ofMem(m Mem) operand { return operand{memory: true, mem: m, index: uint8(m.Index)} }

func ofVectored(m Vectored) operand {
	return operand{
		memory: true, vector: true, index: uint8(m.Index),
		mem: Mem{Base: m.Base, Scale: m.Scale, Disp: m.Disp},
	}
}
