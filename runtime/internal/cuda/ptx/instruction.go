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

// arithmetic writes what a thread computes by itself.
type arithmetic struct {
	*text.Writer
	e *emitter
}

// writer writes an operation.
type writer func(e *emitter, in *ir.Instr)

func inAccesses(f func(*accesses, *ir.Instr)) writer {
	return func(e *emitter, in *ir.Instr) { f(&e.accesses, in) }
}

func inArithmetic(f func(*arithmetic, *ir.Instr)) writer {
	return func(e *emitter, in *ir.Instr) { f(&e.arithmetic, in) }
}

func inLanes(f func(*lanes, *ir.Instr)) writer {
	return func(e *emitter, in *ir.Instr) { f(&e.lanes, in) }
}

func inTextures(f func(*textures, *ir.Instr)) writer {
	return func(e *emitter, in *ir.Instr) { f(&e.textures, in) }
}

func inMatrices(f func(*matrices, *ir.Instr)) writer {
	return func(e *emitter, in *ir.Instr) { f(&e.matrices, in) }
}

func inPlaces(f func(*places, *ir.Instr)) writer {
	return func(e *emitter, in *ir.Instr) { f(&e.places, in) }
}

// writers are the operations that are more than a template.
var writers map[ir.Op]writer

func init() {
	writers = map[ir.Op]writer{
		ir.OpInput: (*emitter).input, ir.OpConstant: (*emitter).constant, ir.OpDefined: (*emitter).constant,
		ir.OpUnset: inArithmetic((*arithmetic).unset), ir.OpAddress: inArithmetic((*arithmetic).addressOf),
		ir.OpMul: inArithmetic((*arithmetic).product), ir.OpShl: inArithmetic((*arithmetic).product),
		ir.OpShr:    inArithmetic((*arithmetic).shiftRight),
		ir.OpMin:    inArithmetic((*arithmetic).extreme),
		ir.OpMax:    inArithmetic((*arithmetic).extreme),
		ir.OpClamp:  inArithmetic((*arithmetic).extreme),
		ir.OpDiv:    inArithmetic((*arithmetic).divide),
		ir.OpRem:    inArithmetic((*arithmetic).divide),
		ir.OpSelect: inArithmetic((*arithmetic).choose),
		ir.OpEq:     inArithmetic((*arithmetic).comparePointers),
		ir.OpNe:     inArithmetic((*arithmetic).comparePointers),
		ir.OpLt:     inArithmetic((*arithmetic).comparePointers),
		ir.OpLe:     inArithmetic((*arithmetic).comparePointers),

		ir.OpMove:    inArithmetic((*arithmetic).move),
		ir.OpDiff:    inPlaces((*places).difference),
		ir.OpBeside:  inPlaces((*places).beside),
		ir.OpPtrBits: inArithmetic((*arithmetic).pointerBits), ir.OpBitsPtr: inArithmetic((*arithmetic).pointerBits),

		ir.OpLoad:     inAccesses((*accesses).load),
		ir.OpStore:    inAccesses((*accesses).store),
		ir.OpCheck:    inAccesses((*accesses).checkOnly),
		ir.OpClear:    inAccesses((*accesses).clear),
		ir.OpAtomic:   inAccesses((*accesses).atomic),
		ir.OpExchange: inAccesses((*accesses).exchange),

		ir.OpToFloat: inArithmetic((*arithmetic).toFloat), ir.OpBitsFloat: inArithmetic((*arithmetic).bitsFloat),
		ir.OpPick: inArithmetic((*arithmetic).pick), ir.OpCheckIndex: inArithmetic((*arithmetic).checkIndex),
		ir.OpFault: func(e *emitter, in *ir.Instr) {
			e.faults.fault(e.faults.siteAt(in, abi.Site{Kind: abi.FaultSite, Msg: in.Aux.(string)}))
		},

		ir.OpBarrier:     inLanes((*lanes).barrier),
		ir.OpSimdBarrier: inLanes((*lanes).simdBarrier),
		ir.OpFence:       inLanes((*lanes).fence),
		ir.OpMatrix:      inMatrices((*matrices).multiply),
		ir.OpMatrixLoad:  inMatrices((*matrices).matrixLoad),
		ir.OpMatrixStore: inMatrices((*matrices).matrixStore),
		ir.OpDiagonal:    inMatrices((*matrices).diagonal),

		ir.OpCall:    func(e *emitter, in *ir.Instr) { e.routines.call(in) },
		ir.OpLog:     func(e *emitter, in *ir.Instr) { e.logs.log(in) },
		ir.OpFromMem: func(e *emitter, in *ir.Instr) { e.resources.fromMem(in) },
		ir.OpToMem:   func(e *emitter, in *ir.Instr) { e.resources.toMem(in) },

		ir.OpTexture: inTextures((*textures).texture), ir.OpIsNull: inTextures((*textures).isNull),
		ir.OpTextureFence: func(e *emitter, _ *ir.Instr) { e.out.Op("fence.acq_rel.gpu;") },
	}
	for op, f := range groupWriters {
		writers[op] = inLanes(f)
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
	if e.several.linearly(in) || e.arithmetic.widely(in) {
		return
	}
	if f, ok := e.fused[in]; ok {
		e.arithmetic.fuse(in, f)
		return
	}
	if f := writers[in.Op]; f != nil {
		f(e, in)
		return
	}
	e.arithmetic.plain(in)
}

// widely writes a product of numbers of 32 bits in 64, and what is added to one, as one instruction, and reports
// whether it is one.
func (o *arithmetic) widely(in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpMul && in.Type.Held() == ir.I64:
		if x, y, ok := o.e.Widened(in.Result()); ok {
			o.Op("mul.wide.u32 %s, %s, %s;", o.e.reg(in.Result()), o.e.reg(x), o.e.operand(y))
			return true
		}
	case in.Op == ir.OpAdd && in.Type.Held() == ir.I64:
		for i, v := range in.Args {
			if x, y, ok := o.e.Widened(v); ok {
				o.Op("mad.wide.u32 %s, %s, %s, %s;", o.e.reg(in.Result()), o.e.reg(x), o.e.operand(y), o.e.reg(in.Args[1-i]))
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
func (o *arithmetic) plain(in *ir.Instr) {
	text := template.Of(in.Op, in.Type, in.Imm, o.e.Fast)
	if text == "" {
		what, named := lacking[in.Op]
		if !named {
			what = "the function " + in.Op.String()
		}
		o.e.unsupported(o.e.Position(in), what)
	}
	o.Expand(text, o.e.reg(in.Result()), o.operands(in), in.Imm)
}

// operands returns what a template calls a, b and c.
func (o *arithmetic) operands(in *ir.Instr) []string {
	list := make([]string, len(in.Args))
	for i, v := range in.Args {
		if i == 0 {
			list[i] = o.e.reg(v)
		} else {
			list[i] = o.e.operand(v)
		}
	}
	return list
}

// unset writes a value that nothing has set.
func (o *arithmetic) unset(in *ir.Instr) {
	c := text.ClassOf(in.Type)
	o.Op("mov.%s %s, %s;", c.Type(), o.e.reg(in.Result()), text.Immediate(in.Type, 0))
}

func (o *arithmetic) addressOf(in *ir.Instr) { o.Op("mov.b64 %s, 0;", o.e.reg(in.Result())) }

// divide writes a division. One by an integer that may be 0 faults.
func (o *arithmetic) divide(in *ir.Instr) {
	if o.e.Effect(in)&ir.Traps != 0 {
		if o.e.noted != "" {
			o.e.several.note(fmt.Sprintf("eq.or.s%d", in.Type.Bits()), o.e.reg(in.Args[1]), "0")
		} else {
			zero := o.Test(fmt.Sprintf("eq.s%d", in.Type.Bits()), o.e.reg(in.Args[1]), "0")
			o.e.faults.faultIf(zero, o.e.faults.siteAt(in, abi.Site{Kind: abi.DivisionSite}), "", "")
		}
	}
	n, ok := o.e.Bits(in.Args[1])
	plain := in.Type == ir.U32 || in.Type == ir.U64 || in.Type == ir.S32 && int32(n) > 0 && o.e.NotNegative(in.Args[0])
	if ok && n&(n-1) == 0 && plain {
		shift := bits.TrailingZeros64(n)
		d, a := o.e.reg(in.Result()), o.e.reg(in.Args[0])
		if in.Op == ir.OpDiv {
			o.Op("shr.u%d %s, %s, %d;", in.Type.Bits(), d, a, shift)
		} else {
			o.Op("and.b%d %s, %s, %d;", in.Type.Bits(), d, a, int64(n-1))
		}
		return
	}
	o.plain(in)
}

func (o *arithmetic) choose(in *ir.Instr) {
	v := in.Result()
	p, d := o.e.reg(in.Args[0]), o.e.reg(v)
	x, y := o.operandAs(in.Args[1], v), o.operandAs(in.Args[2], v)
	if in.Type == ir.Bool {
		o.Expand("and.pred {p1}, {a}, {b};\nnot.pred {p2}, {a};\nand.pred {p3}, {p2}, {c};\nor.pred {d}, {p1}, {p3};",
			d, []string{p, x, y}, 0)
		return
	}
	o.Op("selp.%s %s, %s, %s, %s;", text.ClassOf(in.Type).Type(), d, x, y, p)
}

// operandAs returns an operand that is assigned to a value: a pointer is held as that value is.
func (o *arithmetic) operandAs(v, to ir.Value) string {
	if o.e.Type(v) == ir.Ptr {
		return o.e.places.as(v, o.e.Origins[to])
	}
	return o.e.operand(v)
}

func (o *arithmetic) comparePointers(in *ir.Instr) {
	if in.Type != ir.Ptr {
		o.plain(in)
		return
	}
	name := map[ir.Op]string{ir.OpEq: "eq", ir.OpNe: "ne", ir.OpLt: "lt", ir.OpLe: "le"}[in.Op]
	o.Op("setp.%s.u64 %s, %s, %s;", name, o.e.reg(in.Result()), o.e.places.full(in.Args[0]), o.e.places.full(in.Args[1]))
}

func (o *arithmetic) move(in *ir.Instr) {
	v := in.Result()
	from, index := in.Args[0], in.Args[1]
	at := o.e.places.as(from, o.e.Origins[v])
	if n, ok := o.e.Bits(index); ok {
		o.Op("add.s64 %s, %s, %d;", o.e.reg(v), at, facts.BytesOf(in.Type, n, in.Imm))
		return
	}
	moved := o.e.places.scaled(at, in.Type, index, in.Imm)
	if in.Type.Bits() == 64 && o.e.Origins[v] != facts.Unknown && o.e.MostOfLong(index, 0) > facts.AnyWord {
		// one that goes far does not come back
		far := o.Test("gt.s64", o.Make(text.Long, "abs.s64", moved), fmt.Sprint(facts.Reach-1))
		moved = o.Make(text.Long, "selp.b64", fmt.Sprint(facts.Lost), moved, far)
	}
	o.e.regOf[v] = o.scaledInto(o.e.regOf[v], moved)
}

// scaledInto makes a register that has been asked for before a value is known hold it.
func (o *arithmetic) scaledInto(want, have string) string {
	if want == "" {
		return have
	}
	o.Op("mov.b64 %s, %s;", want, have)
	return want
}

func (o *arithmetic) pointerBits(in *ir.Instr) {
	from := o.e.reg(in.Args[0])
	if o.e.Type(in.Args[0]) == ir.Ptr {
		from = o.e.places.full(in.Args[0])
	}
	o.Op("mov.b64 %s, %s;", o.e.reg(in.Result()), from)
}

// pick writes a choice of one of several values.
func (o *arithmetic) pick(in *ir.Instr) {
	number, parts, v := o.e.reg(in.Args[0]), in.Args[1:], in.Result()
	o.inRange(in, number, len(parts))
	d, c := o.e.reg(v), text.ClassOf(in.Type)
	held := o.Fresh(c)
	o.Op("mov.%s %s, %s;", c.Type(), held, o.operandAs(parts[0], v))
	for i, part := range parts[1:] {
		is := o.Fresh(text.Pred)
		o.Op("setp.eq.u32 %s, %s, %d;", is, number, i+1)
		if c == text.Pred {
			o.Expand("and.pred {p1}, {a}, {b};\nnot.pred {p2}, {a};\nand.pred {p3}, {p2}, {c};\nor.pred {d}, {p1}, {p3};",
				held, []string{is, o.operandAs(part, v), held}, 0)
			continue
		}
		o.Op("selp.%s %s, %s, %s, %s;", c.Type(), held, o.operandAs(part, v), held, is)
	}
	o.Op("mov.%s %s, %s;", c.Type(), d, held)
}

func (o *arithmetic) checkIndex(in *ir.Instr) { o.inRange(in, o.e.reg(in.Args[0]), int(in.Imm)) }

// inRange faults where a number is not that of one of several things.
func (o *arithmetic) inRange(in *ir.Instr, number string, limit int) {
	bad, at := o.Fresh(text.Pred), o.Fresh(text.Long)
	s := abi.Site{Kind: abi.ChoiceSite, Limit: limit}
	s.Parts, _ = in.Aux.(*ir.Parts)
	o.Op("cvt.s64.s32 %s, %s;", at, number)
	o.Op("setp.ge.u32 %s, %s, %d;", bad, number, limit)
	o.e.faults.faultIf(bad, o.e.faults.siteAt(in, s), at, "")
}
