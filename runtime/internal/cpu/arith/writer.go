package arith

import "github.com/metalgen/metalgen/runtime/internal/cpu/vcode"

type reg = vcode.Reg

// Writer is what the code is written with.
type Writer struct {
	Make     func(in vcode.Instr) vcode.Reg          // appends an instruction, and returns what it makes
	Keep     func(r vcode.Reg) vcode.Reg             // notes that a register is read more than once, and returns it
	Constant func(make vcode.Op, v uint64) vcode.Reg // a number in all elements, by VConst32 or VConst64
	Traits   *vcode.Traits
	Once     bool // all elements will be the same, so halves of vectors may be left out
}

// Operands are what an operation works on.
type Operands struct {
	A, B, C vcode.Reg
	Imm     int64 // of the instruction
	Known   bool  // B is Number in all elements
	Number  uint64
	// Inverses are kept of a B that is the same in all lanes, for as long as it is: of an int and of a uint, or one of
	// 64 bits. They are nil for one that is not.
	Inverses *[2]vcode.Reg
}

func (w *Writer) op(op vcode.Op, a, b reg) reg { return w.Make(vcode.Instr{Op: op, A: a, B: b}) }

func (w *Writer) op3(op vcode.Op, a, b, c reg) reg {
	return w.Make(vcode.Instr{Op: op, A: a, B: b, C: c})
}

func (w *Writer) opI(op vcode.Op, a reg, i int64) reg {
	return w.Make(vcode.Instr{Op: op, A: a, Imm: i})
}

func (w *Writer) compare(op vcode.Op, c vcode.Cond, a, b reg) reg {
	return w.Make(vcode.Instr{Op: op, Cond: c, A: a, B: b})
}

// word and long return a number in all elements.
func (w *Writer) word(v uint32) reg { return w.Constant(vcode.VConst32, uint64(v)) }
func (w *Writer) long(v uint64) reg { return w.Constant(vcode.VConst64, v) }
