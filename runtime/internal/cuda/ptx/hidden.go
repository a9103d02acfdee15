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
func (o *arithmetic) toFloat(in *ir.Instr) {
	v := in.Args[0]
	_, constant := o.e.Bits(v)
	if constant || in.Type != ir.U32 && in.Type != ir.U64 || in.Type == ir.U32 && o.e.NotNegative(v) {
		o.plain(in)
		return
	}
	o.Expand(template.Of(in.Op, in.Type, in.Imm, false), o.e.reg(in.Result()), []string{o.hidden(v)}, 0)
}

// bitsFloat writes a number whose bits are those of an integer. The driver's compiler takes the bits of a bool for 1.0.
func (o *arithmetic) bitsFloat(in *ir.Instr) {
	v := in.Args[0]
	if _, constant := o.e.Bits(v); constant || o.e.MostOf(v, 0) >= 1<<23 {
		o.plain(in)
		return
	}
	o.Op("mov.b32 %s, %s;", o.e.reg(in.Result()), o.hidden(v))
}

// hiddenZero returns a register with 0, which the driver's compiler does not know: no address has its highest bit set.
func (o *arithmetic) hiddenZero(c text.Class) string {
	record := o.e.parameter(abi.RecordField, 0, 0, "u64")
	long := o.Once("hidden zero", text.Long, func(r string) { o.First("shr.u64 %s, %s, 63;", r, record) })
	if c == text.Long {
		return long
	}
	return o.Once("hidden zero word", text.Word, func(r string) { o.First("cvt.u32.u64 %s, %s;", r, long) })
}

// hidden returns a register with the bits of an integer whose value the driver's compiler cannot know.
func (o *arithmetic) hidden(v ir.Value) string {
	c := text.ClassOf(o.e.Type(v))
	return o.Make(c, "or."+c.Type(), o.e.reg(v), o.hiddenZero(c))
}

// product writes a product. The driver's compiler makes one of a product of 64 bits by two constants, and loses what
// goes beyond 32 bits of these, also where something constant is added in between.
func (o *arithmetic) product(in *ir.Instr) {
	if !o.isScaled(in) || !o.comesOfScaled(in.Args[0], 0) {
		o.plain(in)
		return
	}
	operands := o.operands(in)
	operands[0] = o.hidden(in.Args[0])
	o.Expand(template.Of(in.Op, in.Type, in.Imm, false), o.e.reg(in.Result()), operands, in.Imm)
}

// isScaled reports whether an instruction multiplies 64 bits by a constant.
func (o *arithmetic) isScaled(in *ir.Instr) bool {
	if in.Op != ir.OpMul && in.Op != ir.OpShl || in.Type.Held() != ir.I64 {
		return false
	}
	_, constant := o.e.Bits(in.Args[1])
	return constant
}

// comesOfScaled reports whether a value is made by such an instruction, followed by nothing but sums with constants and
// negations.
func (o *arithmetic) comesOfScaled(v ir.Value, depth int) bool {
	in := o.e.By[v]
	if in == nil || depth > 8 {
		return false
	}
	if o.isScaled(in) {
		return true
	}
	switch in.Op {
	case ir.OpNeg, ir.OpNot:
		return o.comesOfScaled(in.Args[0], depth+1)
	case ir.OpAdd, ir.OpSub:
		for i, v := range in.Args {
			if _, constant := o.e.Bits(in.Args[1-i]); constant && o.comesOfScaled(v, depth+1) {
				return true
			}
		}
	}
	return false
}

// extreme writes the least or the greatest. The driver's compiler makes one instruction of two of these. It loses the
// sign of an operand that was negated, and takes an integer with a sign for one without.
func (o *arithmetic) extreme(in *ir.Instr) {
	if in.Type.Held() != ir.I32 {
		o.plain(in)
		return
	}
	operands := o.operands(in)
	for i, v := range in.Args {
		if o.isNegated(o.e.By[v]) || isExtreme(o.e.By[v]) && o.e.By[v].Type != in.Type {
			operands[i] = o.hidden(v)
		}
	}
	o.Expand(template.Of(in.Op, in.Type, in.Imm, false), o.e.reg(in.Result()), operands, in.Imm)
}

func isExtreme(in *ir.Instr) bool {
	return in != nil && (in.Op == ir.OpMin || in.Op == ir.OpMax || in.Op == ir.OpClamp)
}

// shiftRight writes a shift to the right. The driver's compiler takes the result for positive where it knows that the
// operand is negative, so such a number is shifted as one of 64 bits. Taking its upper bits by bfe.s32 is no way out:
// the compiler gets that wrong where the number of bits is not the same in all lanes.
func (o *arithmetic) shiftRight(in *ir.Instr) {
	if in.Type != ir.S32 || !o.ofKnownSign(o.e.By[in.Args[0]]) {
		o.plain(in)
		return
	}
	o.Expand("and.b32 {r1}, {b}, 31;\ncvt.s64.s32 {l1}, {a};\nshr.s64 {l2}, {l1}, {r1};\ncvt.u32.u64 {d}, {l2};",
		o.e.reg(in.Result()), o.operands(in), 0)
}

// ofKnownSign reports whether the driver's compiler may see that what an instruction makes is negative.
func (o *arithmetic) ofKnownSign(in *ir.Instr) bool {
	if in == nil {
		return false
	}
	switch in.Op {
	case ir.OpSelect, ir.OpMin, ir.OpMax, ir.OpClamp, ir.OpOr, ir.OpNeg, ir.OpNot:
		return true
	case ir.OpAdd, ir.OpSub:
		return slices.ContainsFunc(in.Args, func(v ir.Value) bool { _, constant := o.e.Bits(v); return constant })
	}
	return false
}

// isNegated reports whether an instruction changes the sign of an integer.
func (o *arithmetic) isNegated(in *ir.Instr) bool {
	if in == nil {
		return false
	}
	switch in.Op {
	case ir.OpNeg, ir.OpAbs:
		return true
	case ir.OpSub:
		n, constant := o.e.Bits(in.Args[0])
		return constant && n == 0
	case ir.OpMul:
		n, constant := o.e.Bits(in.Args[1])
		return constant && int32(n) == -1
	}
	return false
}

// vote writes which lanes of a mask have a condition. Where the driver's compiler does not know that all lanes are
// there, it may put predicates aside in a register that it then uses for something else, unless the lanes meet.
func (f *flow) vote(ballot, condition, mask string) {
	f.Op("vote.sync.ballot.b32 %s, %s, %s;", ballot, condition, mask)
	if !f.e.Whole {
		f.Op("bar.warp.sync %s;", mask)
	}
}
