package ptx

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// writers are the operations that are more than a template.
var writers map[ir.Op]func(e *emitter, in *ir.Instr)

func init() {
	writers = map[ir.Op]func(e *emitter, in *ir.Instr){
		ir.OpInput: (*emitter).input, ir.OpConstant: (*emitter).constant, ir.OpDefined: (*emitter).constant,
		ir.OpUnset: (*emitter).unset, ir.OpAddress: (*emitter).addressOf,
		ir.OpMul: (*emitter).product, ir.OpShl: (*emitter).product, ir.OpShr: shiftRight,
		ir.OpMin: (*emitter).extreme, ir.OpMax: (*emitter).extreme, ir.OpClamp: (*emitter).extreme,
		ir.OpDiv: (*emitter).divide, ir.OpRem: (*emitter).divide, ir.OpSelect: (*emitter).choose,
		ir.OpEq: (*emitter).comparePointers, ir.OpNe: (*emitter).comparePointers, ir.OpLt: (*emitter).comparePointers,
		ir.OpLe: (*emitter).comparePointers,

		ir.OpMove: (*emitter).move, ir.OpDiff: (*emitter).difference, ir.OpBeside: (*emitter).beside,
		ir.OpPtrBits: (*emitter).pointerBits, ir.OpBitsPtr: (*emitter).pointerBits,

		ir.OpLoad: (*emitter).load, ir.OpStore: (*emitter).store, ir.OpCheck: (*emitter).checkOnly,
		ir.OpClear: (*emitter).clear, ir.OpAtomic: (*emitter).atomic, ir.OpExchange: (*emitter).exchange,

		ir.OpToFloat: (*emitter).toFloat, ir.OpBitsFloat: (*emitter).bitsFloat,
		ir.OpPick: (*emitter).pick, ir.OpCheckIndex: (*emitter).checkIndex,
		ir.OpFault: func(e *emitter, in *ir.Instr) {
			e.fault(e.siteAt(in, abi.Site{Kind: abi.FaultSite, Msg: in.Aux.(string)}))
		},

		ir.OpBarrier: (*emitter).barrier, ir.OpSimdBarrier: (*emitter).simdBarrier, ir.OpFence: (*emitter).fence,
		ir.OpMatrix: (*emitter).multiply, ir.OpMatrixLoad: (*emitter).matrixLoad, ir.OpMatrixStore: (*emitter).matrixStore,
		ir.OpDiagonal: (*emitter).diagonal,

		ir.OpCall:    func(e *emitter, in *ir.Instr) { e.routines.call(in) },
		ir.OpLog:     func(e *emitter, in *ir.Instr) { e.logs.log(in) },
		ir.OpFromMem: func(e *emitter, in *ir.Instr) { e.resources.fromMem(in) },
		ir.OpToMem:   func(e *emitter, in *ir.Instr) { e.resources.toMem(in) },

		ir.OpTexture: (*emitter).texture, ir.OpIsNull: (*emitter).isNull,
		ir.OpTextureFence: func(e *emitter, _ *ir.Instr) { e.Op("fence.acq_rel.gpu;") },
	}
	for op, f := range groupWriters {
		writers[op] = f
	}
}

// instruction writes an instruction that has no regions and does not end one.
func (e *emitter) instruction(in *ir.Instr) {
	if e.within[in] {
		return
	}
	if e.throughShown(in) {
		return
	}
	if e.IsSame(in) {
		e.regOf[in.Result()] = e.reg(in.Args[0])
		return
	}
	if e.linearly(in) || e.widely(in) {
		return
	}
	if f, ok := e.fused[in]; ok {
		e.fuse(in, f)
		return
	}
	if f := writers[in.Op]; f != nil {
		f(e, in)
		return
	}
	e.plain(in)
}

// widely writes a product of numbers of 32 bits in 64, and what is added to one, as one instruction, and reports
// whether it is one.
func (e *emitter) widely(in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpMul && in.Type.Held() == ir.I64:
		if x, y, ok := e.Widened(in.Result()); ok {
			e.Op("mul.wide.u32 %s, %s, %s;", e.reg(in.Result()), e.reg(x), e.operand(y))
			return true
		}
	case in.Op == ir.OpAdd && in.Type.Held() == ir.I64:
		for i, v := range in.Args {
			if x, y, ok := e.Widened(v); ok {
				e.Op("mad.wide.u32 %s, %s, %s, %s;", e.reg(in.Result()), e.reg(x), e.operand(y), e.reg(in.Args[1-i]))
				return true
			}
		}
	}
	return false
}

// lacking are what messages call operations that are not written yet.
var lacking = map[ir.Op]string{
	ir.OpFma: "fma of bfloat",
}

// plain writes an operation that has a template.
func (e *emitter) plain(in *ir.Instr) {
	text := template.Of(in.Op, in.Type, in.Imm, e.Fast)
	if text == "" {
		what, named := lacking[in.Op]
		if !named {
			what = "the function " + in.Op.String()
		}
		e.unsupported(e.Position(in), what)
	}
	e.Expand(text, e.reg(in.Result()), e.operands(in), in.Imm)
}

// operands returns what a template calls a, b and c.
func (e *emitter) operands(in *ir.Instr) []string {
	list := make([]string, len(in.Args))
	for i, v := range in.Args {
		if i == 0 {
			list[i] = e.reg(v)
		} else {
			list[i] = e.operand(v)
		}
	}
	return list
}

// unset writes a value that nothing has set.
func (e *emitter) unset(in *ir.Instr) {
	c := text.ClassOf(in.Type)
	e.Op("mov.%s %s, %s;", c.Type(), e.reg(in.Result()), text.Immediate(in.Type, 0))
}

func (e *emitter) addressOf(in *ir.Instr) { e.Op("mov.b64 %s, 0;", e.reg(in.Result())) }

// divide writes a division. One by an integer that may be 0 faults.
func (e *emitter) divide(in *ir.Instr) {
	if e.Effect(in)&ir.Traps != 0 {
		if e.noted != "" {
			e.note(fmt.Sprintf("eq.or.s%d", in.Type.Bits()), e.reg(in.Args[1]), "0")
		} else {
			zero := e.Test(fmt.Sprintf("eq.s%d", in.Type.Bits()), e.reg(in.Args[1]), "0")
			e.faultIf(zero, e.siteAt(in, abi.Site{Kind: abi.DivisionSite}), "", "")
		}
	}
	n, ok := e.Bits(in.Args[1])
	plain := in.Type == ir.U32 || in.Type == ir.U64 || in.Type == ir.S32 && int32(n) > 0 && e.NotNegative(in.Args[0])
	if ok && n&(n-1) == 0 && plain {
		shift := bits.TrailingZeros64(n)
		d, a := e.reg(in.Result()), e.reg(in.Args[0])
		if in.Op == ir.OpDiv {
			e.Op("shr.u%d %s, %s, %d;", in.Type.Bits(), d, a, shift)
		} else {
			e.Op("and.b%d %s, %s, %d;", in.Type.Bits(), d, a, int64(n-1))
		}
		return
	}
	e.plain(in)
}

func (e *emitter) choose(in *ir.Instr) {
	v := in.Result()
	p, d := e.reg(in.Args[0]), e.reg(v)
	x, y := e.operandAs(in.Args[1], v), e.operandAs(in.Args[2], v)
	if in.Type == ir.Bool {
		e.Expand("and.pred {p1}, {a}, {b};\nnot.pred {p2}, {a};\nand.pred {p3}, {p2}, {c};\nor.pred {d}, {p1}, {p3};",
			d, []string{p, x, y}, 0)
		return
	}
	e.Op("selp.%s %s, %s, %s, %s;", text.ClassOf(in.Type).Type(), d, x, y, p)
}

// operandAs returns an operand that is assigned to a value: a pointer is held as that value is.
func (e *emitter) operandAs(v, to ir.Value) string {
	if e.Type(v) == ir.Ptr {
		return e.as(v, e.Origins[to])
	}
	return e.operand(v)
}

func (e *emitter) comparePointers(in *ir.Instr) {
	if in.Type != ir.Ptr {
		e.plain(in)
		return
	}
	name := map[ir.Op]string{ir.OpEq: "eq", ir.OpNe: "ne", ir.OpLt: "lt", ir.OpLe: "le"}[in.Op]
	e.Op("setp.%s.u64 %s, %s, %s;", name, e.reg(in.Result()), e.full(in.Args[0]), e.full(in.Args[1]))
}

func (e *emitter) move(in *ir.Instr) {
	v := in.Result()
	from, index := in.Args[0], in.Args[1]
	at := e.as(from, e.Origins[v])
	if n, ok := e.Bits(index); ok {
		e.Op("add.s64 %s, %s, %d;", e.reg(v), at, facts.BytesOf(in.Type, n, in.Imm))
		return
	}
	moved := e.scaled(at, in.Type, index, in.Imm)
	if in.Type.Bits() == 64 && e.Origins[v] != facts.Unknown && e.MostOfLong(index, 0) > facts.AnyWord {
		// one that goes far does not come back
		far := e.Test("gt.s64", e.Make(text.Long, "abs.s64", moved), fmt.Sprint(facts.Reach-1))
		moved = e.Make(text.Long, "selp.b64", fmt.Sprint(facts.Lost), moved, far)
	}
	e.regOf[v] = e.scaledInto(e.regOf[v], moved)
}

// scaledInto makes a register that has been asked for before a value is known hold it.
func (e *emitter) scaledInto(want, have string) string {
	if want == "" {
		return have
	}
	e.Op("mov.b64 %s, %s;", want, have)
	return want
}

func (e *emitter) pointerBits(in *ir.Instr) {
	from := e.reg(in.Args[0])
	if e.Type(in.Args[0]) == ir.Ptr {
		from = e.full(in.Args[0])
	}
	e.Op("mov.b64 %s, %s;", e.reg(in.Result()), from)
}

// pick writes a choice of one of several values.
func (e *emitter) pick(in *ir.Instr) {
	number, parts, v := e.reg(in.Args[0]), in.Args[1:], in.Result()
	e.inRange(in, number, len(parts))
	d, c := e.reg(v), text.ClassOf(in.Type)
	held := e.Fresh(c)
	e.Op("mov.%s %s, %s;", c.Type(), held, e.operandAs(parts[0], v))
	for i, part := range parts[1:] {
		is := e.Fresh(text.Pred)
		e.Op("setp.eq.u32 %s, %s, %d;", is, number, i+1)
		if c == text.Pred {
			e.Expand("and.pred {p1}, {a}, {b};\nnot.pred {p2}, {a};\nand.pred {p3}, {p2}, {c};\nor.pred {d}, {p1}, {p3};",
				held, []string{is, e.operandAs(part, v), held}, 0)
			continue
		}
		e.Op("selp.%s %s, %s, %s, %s;", c.Type(), held, e.operandAs(part, v), held, is)
	}
	e.Op("mov.%s %s, %s;", c.Type(), d, held)
}

func (e *emitter) checkIndex(in *ir.Instr) { e.inRange(in, e.reg(in.Args[0]), int(in.Imm)) }

// inRange faults where a number is not that of one of several things.
func (e *emitter) inRange(in *ir.Instr, number string, limit int) {
	bad, at := e.Fresh(text.Pred), e.Fresh(text.Long)
	s := abi.Site{Kind: abi.ChoiceSite, Limit: limit}
	s.Parts, _ = in.Aux.(*ir.Parts)
	e.Op("cvt.s64.s32 %s, %s;", at, number)
	e.Op("setp.ge.u32 %s, %s, %d;", bad, number, limit)
	e.faultIf(bad, e.siteAt(in, s), at, "")
}
