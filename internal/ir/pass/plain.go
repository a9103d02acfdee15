package pass

import "github.com/metalgen/metalgen/internal/ir"

// plain has functions of integers computed by operations that every machine has in code: the bits that are set are
// counted by sums, and a rotation that is not of 32 bits is two shifts. See Options.Plain.
func plain(k *ir.Kernel, o *Options) {
	if !o.Plain {
		return
	}
	for in := range k.All() {
		if spelled[in.Op] != nil {
			p := &plainer{Writer: ir.NewWriter(k), replacement: newReplacement(k)}
			for body := range k.Bodies() {
				p.region(body)
			}
			return
		}
	}
}

type plainer struct {
	*ir.Writer
	replacement
}

func (p *plainer) region(r *ir.Region) {
	code := r.Code
	r.Code = make([]*ir.Instr, 0, len(code))
	for _, in := range code {
		p.in(in.Args)
		for _, inner := range in.Regions {
			p.region(inner)
		}
		if spell := spelled[in.Op]; spell != nil && in.Type != ir.F32 {
			p.At(p.Positions[in.Pos])
			p.In(r, func() {
				if v := spell(words{p.Writer, in.Type, in.Type.Held(), in.Imm}, in.Args); v != 0 {
					p.replacement[in.Result()] = v
				}
			})
			if p.replacement[in.Result()] != 0 {
				continue
			}
		}
		r.Code = append(r.Code, in)
	}
}

// words writes operations on integers of a type.
type words struct {
	*ir.Writer
	t    ir.Type // of operands: with its sign
	word ir.Type // I32 or I64
	bits int64   // of what is 32 bits in registers: 8, 16 or 32
}

func (w words) number(n int64) ir.Value             { return w.Known(w.word, uint64(n)) }
func (w words) op(op ir.Op, a, b ir.Value) ir.Value { return w.Op(op, w.word, a, b) }
func (w words) max(a, b ir.Value) ir.Value          { return w.Op(ir.OpMax, w.t, a, b) }
func (w words) min(a, b ir.Value) ir.Value          { return w.Op(ir.OpMin, w.t, a, b) }
func (w words) left(a ir.Value, n int64) ir.Value {
	return w.Op(ir.OpShl, w.word, a, w.Known(ir.I32, uint64(n)))
}
func (w words) right(t ir.Type, a ir.Value, n int64) ir.Value {
	return w.Op(ir.OpShr, t, a, w.Known(ir.I32, uint64(n)))
}

// unsigned is the type without a sign.
func (w words) unsigned() ir.Type {
	if w.word == ir.I64 {
		return ir.U64
	}
	return ir.U32
}

func (w words) signed() bool { return w.t == ir.S32 || w.t == ir.S64 }

// whole reports whether values fill their registers.
func (w words) whole() bool { return w.word == ir.I64 || w.bits == 32 }

// narrowed returns the bits of a value that count.
func (w words) narrowed(v ir.Value) ir.Value {
	if w.whole() {
		return v
	}
	return w.op(ir.OpAnd, v, w.number(1<<w.bits-1))
}

// spelled are the functions by their operations. Each returns what one comes to, or 0 where it stays as it is.
var spelled = map[ir.Op]func(w words, x []ir.Value) ir.Value{
	ir.OpClamp: func(w words, x []ir.Value) ir.Value { return w.min(w.max(x[0], x[1]), x[2]) },
	ir.OpAbs: func(w words, x []ir.Value) ir.Value {
		switch {
		case !w.signed():
			return x[0]
		case !w.whole():
			return 0
		}
		return w.max(x[0], w.Op(ir.OpNeg, w.word, x[0]))
	},
	ir.OpAbsDiff: func(w words, x []ir.Value) ir.Value { return w.op(ir.OpSub, w.max(x[0], x[1]), w.min(x[0], x[1])) },
	ir.OpHalfSum: func(w words, x []ir.Value) ir.Value {
		return w.op(ir.OpAdd, w.op(ir.OpAnd, x[0], x[1]), w.right(w.t, w.op(ir.OpXor, x[0], x[1]), 1))
	},
	ir.OpRoundedHalfSum: func(w words, x []ir.Value) ir.Value {
		return w.op(ir.OpSub, w.op(ir.OpOr, x[0], x[1]), w.right(w.t, w.op(ir.OpXor, x[0], x[1]), 1))
	},
	ir.OpMulHigh: mulHigh,
	ir.OpMul24: func(w words, x []ir.Value) ir.Value {
		if w.signed() {
			return w.op(ir.OpMul, w.right(w.t, w.left(x[0], 8), 8), w.right(w.t, w.left(x[1], 8), 8))
		}
		return w.op(ir.OpMul, w.op(ir.OpAnd, x[0], w.number(0xFFFFFF)), w.op(ir.OpAnd, x[1], w.number(0xFFFFFF)))
	},
	ir.OpFromFloat: func(w words, x []ir.Value) ir.Value {
		if w.whole() {
			return 0
		}
		least, most := int64(0), int64(1)<<w.bits-1
		if w.signed() {
			least, most = -1<<(w.bits-1), 1<<(w.bits-1)-1
		}
		v := w.OpImm(ir.OpFromFloat, ir.S32, 32, x[0])
		v = w.Op(ir.OpMax, ir.S32, v, w.Known(ir.I32, uint64(uint32(least))))
		return w.Op(ir.OpMin, ir.S32, v, w.Known(ir.I32, uint64(uint32(most))))
	},
	ir.OpNestedPick: func(w words, x []ir.Value) ir.Value {
		n := w.Known(ir.I32, uint64(uint32(w.bits)))
		part := w.Op(ir.OpMin, ir.S32, w.Op(ir.OpMax, ir.S32, x[0], w.Known(ir.I32, 1<<32-1)), w.Known(ir.I32, 1<<16))
		return w.Op(ir.OpAdd, ir.I32, w.Op(ir.OpMul, ir.I32, part, n), x[1])
	},
	ir.OpRotate:   rotate,
	ir.OpPopcount: func(w words, x []ir.Value) ir.Value { return w.ones(w.narrowed(x[0])) },
	ir.OpClz: func(w words, x []ir.Value) ir.Value {
		switch {
		case w.word == ir.I32 && w.whole():
			return 0
		case w.word == ir.I32:
			return w.op(ir.OpSub, w.OpImm(ir.OpClz, ir.U32, 32, w.narrowed(x[0])), w.number(32-w.bits))
		}
		const all = 64
		v := x[0]
		for by := int64(1); by < all; by *= 2 { // all bits after the first
			v = w.op(ir.OpOr, v, w.right(w.unsigned(), v, by))
		}
		return w.op(ir.OpSub, w.number(all), w.ones(v))
	},
	ir.OpCtz: func(w words, x []ir.Value) ir.Value {
		n := w.ones(w.op(ir.OpAnd, w.Op(ir.OpNot, w.word, x[0]), w.op(ir.OpSub, x[0], w.number(1))))
		if w.whole() {
			return n
		}
		return w.min(n, w.number(w.bits))
	},
}

func mulHigh(w words, x []ir.Value) ir.Value {
	if w.whole() {
		return 0
	}
	return w.right(w.t, w.op(ir.OpMul, x[0], x[1]), w.bits)
}

func rotate(w words, x []ir.Value) ir.Value {
	if w.word == ir.I32 && w.whole() {
		return 0
	}
	v, by := w.narrowed(x[0]), x[1]
	if w.word == ir.I64 {
		by = w.Op(ir.OpNarrow, ir.I64, by)
	}
	back := w.Op(ir.OpNeg, ir.I32, by) // shifts count modulo the width
	if !w.whole() {
		by = w.op(ir.OpAnd, by, w.number(w.bits-1))
		back = w.op(ir.OpSub, w.number(w.bits), by)
	}
	return w.op(ir.OpOr, w.op(ir.OpShl, v, by), w.Op(ir.OpShr, w.unsigned(), v, back))
}

// ones returns how many bits are set: of pairs, of fours, of bytes, and their sum in the uppermost byte.
func (w words) ones(v ir.Value) ir.Value {
	pairs, fours, bytes, each := int64(0x5555555555555555), int64(0x3333333333333333), int64(0x0f0f0f0f0f0f0f0f),
		int64(0x0101010101010101)
	last := int64(24)
	if w.word == ir.I64 {
		last = 56
	}
	u := w.unsigned()
	v = w.op(ir.OpSub, v, w.op(ir.OpAnd, w.right(u, v, 1), w.number(pairs)))
	v = w.op(ir.OpAdd, w.op(ir.OpAnd, v, w.number(fours)), w.op(ir.OpAnd, w.right(u, v, 2), w.number(fours)))
	v = w.op(ir.OpAnd, w.op(ir.OpAdd, v, w.right(u, v, 4)), w.number(bytes))
	return w.right(u, w.op(ir.OpMul, v, w.number(each)), last)
}
