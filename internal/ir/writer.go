package ir

import (
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Writer writes the instructions of a kernel, one after the other. What follows from constants becomes
// a constant at once.
type Writer struct {
	*Kernel
	region *Region
	pos    int32
	at     parser.Pos
	arena  []Instr
	values []Value
}

// NewWriter returns a writer that begins with the body of a kernel.
func NewWriter(k *Kernel) *Writer { return &Writer{Kernel: k, region: k.Body, pos: -1} }

// At makes what follows have a position.
func (w *Writer) At(pos parser.Pos) {
	if w.pos >= 0 && w.at == pos {
		return
	}
	w.at, w.pos = pos, -1
}

// Pos returns the position that instructions have at the moment.
func (w *Writer) Pos() parser.Pos { return w.at }

// In calls fill to write a region.
func (w *Writer) In(r *Region, fill func()) {
	outer := w.region
	w.region = r
	fill()
	w.region = outer
}

// Ended reports whether the region has its terminator: nothing can be executed after it.
func (w *Writer) Ended() bool {
	n := len(w.region.Code)
	return n > 0 && w.region.Code[n-1].Op.Info().Has(Terminates)
}

// Emit adds an instruction, with results of some types. Where the region has ended, nothing is added: then the
// results are zeros.
func (w *Writer) Emit(in Instr, results ...Type) *Instr {
	if len(w.arena) == 0 {
		w.arena = make([]Instr, 64)
	}
	p := &w.arena[0]
	w.arena = w.arena[1:]
	*p = in
	if w.Ended() {
		for _, t := range results {
			p.Results = append(p.Results, w.Known(t, 0))
		}
		return p
	}
	if w.pos < 0 {
		w.pos = int32(len(w.Positions))
		w.Positions = append(w.Positions, w.at)
	}
	p.Pos = w.pos
	if p.Results = w.List(len(results)); len(results) > 0 {
		for i, t := range results {
			p.Results[i] = w.NewValue(t)
		}
	}
	w.region.Code = append(w.region.Code, p)
	return p
}

// List returns a list of n values, cut off a larger one.
func (w *Writer) List(n int) []Value {
	if n > len(w.values) {
		w.values = make([]Value, 256+n)
	}
	list := w.values[:n:n]
	w.values = w.values[n:]
	return list
}

// Op adds an operation of one result and returns that, or a constant.
func (w *Writer) Op(op Op, t Type, args ...Value) Value { return w.OpImm(op, t, 0, args...) }

// OpImm is Op for one with an Imm.
func (w *Writer) OpImm(op Op, t Type, imm int64, args ...Value) Value {
	if v, ok := w.Fold(op, t, imm, args...); ok {
		return v
	}
	list := w.List(len(args))
	copy(list, args)
	return w.Emit(Instr{Op: op, Type: t, Imm: imm, Args: list}, op.Result(t)).Results[0]
}

// Fold returns the constant that an operation on constants comes to. It reports false where that is not known before
// the kernel runs.
func (k *Kernel) Fold(op Op, t Type, imm int64, args ...Value) (Value, bool) {
	if op == OpSelect {
		if c, ok := k.Bits(args[0]); ok {
			if c != 0 {
				return args[1], true
			}
			return args[2], true
		}
		return 0, false
	}
	var operands operandBits
	if len(args) == 0 || len(args) > len(operands) || len(table[op].eval) == 0 {
		return 0, false
	}
	for i, v := range args {
		bits, ok := k.Bits(v)
		if !ok {
			return 0, false
		}
		operands[i] = bits
	}
	bits, ok := Eval(op, t, imm, operands[:len(args)]...)
	if !ok {
		return 0, false
	}
	return k.Known(op.Result(t), bits), true
}

// Result returns the type of the only result of an operation that takes operands as t.
func (op Op) Result(t Type) Type {
	signature := table[op].Signature
	for i := range len(signature) - 1 {
		if signature[i] == ':' {
			return letterType(signature[i+1], t)
		}
	}
	return Void
}

// Operands returns the types of the operands of an operation on a type, those that may be left out included.
func (op Op) Operands(t Type) (list []Type) {
	signature, _, _ := strings.Cut(table[op].Signature, ":")
	for _, letter := range []byte(signature) {
		if letter != '?' {
			list = append(list, letterType(letter, t))
		}
	}
	return list
}

// letterType returns the type that a letter of a signature stands for, or Void for any.
func letterType(letter byte, t Type) Type {
	switch letter {
	case 'T':
		return t.Held()
	case 'b':
		return Bool
	case 'i':
		return I32
	case 'l':
		return I64
	case 'f':
		return F32
	case 'p':
		return Ptr
	}
	return Void
}
