package ptx

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// What the driver's compiler, 580.159, makes wrong code of. It is right where it does not see what numbers are made of,
// or sees another instruction.

// toFloat writes the conversion of an integer. The driver's compiler takes one without a sign for one with it where it
// sees that the number was extended with its sign from 8 or 16 bits: so it does not see that.
func (e *emitter) toFloat(in *ir.Instr) {
	v := in.Args[0]
	_, constant := e.Bits(v)
	if constant || in.Type != ir.U32 && in.Type != ir.U64 || in.Type == ir.U32 && e.NotNegative(v) {
		e.plain(in)
		return
	}
	e.Expand(template.Of(in.Op, in.Type, in.Imm, false), e.reg(in.Result()), []string{e.hidden(v)}, 0)
}

// bitsFloat writes a number whose bits are those of an integer. The driver's compiler takes the bits of a bool for 1.0.
func (e *emitter) bitsFloat(in *ir.Instr) {
	v := in.Args[0]
	if _, constant := e.Bits(v); constant || e.MostOf(v, 0) >= 1<<23 {
		e.plain(in)
		return
	}
	e.Op("mov.b32 %s, %s;", e.reg(in.Result()), e.hidden(v))
}

// hiddenZero returns a register with 0, which the driver's compiler does not know: no address has its highest bit set.
func (e *emitter) hiddenZero(c text.Class) string {
	record := e.parameter(abi.RecordField, 0, 0, "u64")
	long := e.Once("hidden zero", text.Long, func(r string) { e.First("shr.u64 %s, %s, 63;", r, record) })
	if c == text.Long {
		return long
	}
	return e.Once("hidden zero word", text.Word, func(r string) { e.First("cvt.u32.u64 %s, %s;", r, long) })
}

// hidden returns a register with the bits of an integer whose value the driver's compiler cannot know.
func (e *emitter) hidden(v ir.Value) string {
	c := text.ClassOf(e.Type(v))
	return e.Make(c, "or."+c.Type(), e.reg(v), e.hiddenZero(c))
}

// product writes a product. The driver's compiler makes one of a product of 64 bits by two constants, and loses what
// goes beyond 32 bits of these, also where something constant is added in between.
func (e *emitter) product(in *ir.Instr) {
	if !e.isScaled(in) || !e.comesOfScaled(in.Args[0], 0) {
		e.plain(in)
		return
	}
	operands := e.operands(in)
	operands[0] = e.hidden(in.Args[0])
	e.Expand(template.Of(in.Op, in.Type, in.Imm, false), e.reg(in.Result()), operands, in.Imm)
}

// isScaled reports whether an instruction multiplies 64 bits by a constant.
func (e *emitter) isScaled(in *ir.Instr) bool {
	if in.Op != ir.OpMul && in.Op != ir.OpShl || in.Type.Held() != ir.I64 {
		return false
	}
	_, constant := e.Bits(in.Args[1])
	return constant
}

// comesOfScaled reports whether a value is made by such an instruction, followed by nothing but sums with constants and
// negations.
func (e *emitter) comesOfScaled(v ir.Value, depth int) bool {
	in := e.By[v]
	if in == nil || depth > 8 {
		return false
	}
	if e.isScaled(in) {
		return true
	}
	switch in.Op {
	case ir.OpNeg, ir.OpNot:
		return e.comesOfScaled(in.Args[0], depth+1)
	case ir.OpAdd, ir.OpSub:
		for i, v := range in.Args {
			if _, constant := e.Bits(in.Args[1-i]); constant && e.comesOfScaled(v, depth+1) {
				return true
			}
		}
	}
	return false
}

// extreme writes the least or the greatest. The driver's compiler makes one instruction of two of these. It loses the
// sign of an operand that was negated, and takes an integer with a sign for one without.
func (e *emitter) extreme(in *ir.Instr) {
	if in.Type.Held() != ir.I32 {
		e.plain(in)
		return
	}
	operands := e.operands(in)
	for i, v := range in.Args {
		if e.isNegated(e.By[v]) || isExtreme(e.By[v]) && e.By[v].Type != in.Type {
			operands[i] = e.hidden(v)
		}
	}
	e.Expand(template.Of(in.Op, in.Type, in.Imm, false), e.reg(in.Result()), operands, in.Imm)
}

func isExtreme(in *ir.Instr) bool {
	return in != nil && (in.Op == ir.OpMin || in.Op == ir.OpMax || in.Op == ir.OpClamp)
}

// shiftRight writes a shift to the right. The driver's compiler takes the result for positive where it knows that the
// operand is negative, so such a number is shifted as one of 64 bits. Taking its upper bits by bfe.s32 is no way out:
// the compiler gets that wrong where the number of bits is not the same in all lanes.
func shiftRight(e *emitter, in *ir.Instr) {
	if in.Type != ir.S32 || !ofKnownSign(e, e.By[in.Args[0]]) {
		e.plain(in)
		return
	}
	e.Expand("and.b32 {r1}, {b}, 31;\ncvt.s64.s32 {l1}, {a};\nshr.s64 {l2}, {l1}, {r1};\ncvt.u32.u64 {d}, {l2};",
		e.reg(in.Result()), e.operands(in), 0)
}

// ofKnownSign reports whether the driver's compiler may see that what an instruction makes is negative.
func ofKnownSign(e *emitter, in *ir.Instr) bool {
	if in == nil {
		return false
	}
	switch in.Op {
	case ir.OpSelect, ir.OpMin, ir.OpMax, ir.OpClamp, ir.OpOr, ir.OpNeg, ir.OpNot:
		return true
	case ir.OpAdd, ir.OpSub:
		return slices.ContainsFunc(in.Args, func(v ir.Value) bool { _, constant := e.Bits(v); return constant })
	}
	return false
}

// isNegated reports whether an instruction changes the sign of an integer.
func (e *emitter) isNegated(in *ir.Instr) bool {
	if in == nil {
		return false
	}
	switch in.Op {
	case ir.OpNeg, ir.OpAbs:
		return true
	case ir.OpSub:
		n, constant := e.Bits(in.Args[0])
		return constant && n == 0
	case ir.OpMul:
		n, constant := e.Bits(in.Args[1])
		return constant && int32(n) == -1
	}
	return false
}

// vote writes which lanes of a mask have a condition. Where the driver's compiler does not know that all lanes are
// there, it may put predicates aside in a register that it then uses for something else, unless the lanes meet.
func vote(e *emitter, ballot, condition, mask string) {
	e.Op("vote.sync.ballot.b32 %s, %s, %s;", ballot, condition, mask)
	if !e.Whole {
		e.Op("bar.warp.sync %s;", mask)
	}
}
