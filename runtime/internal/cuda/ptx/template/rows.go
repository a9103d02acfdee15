package template

import "github.com/metalgen/metalgen/internal/ir"

// row is an operation on operands of a type, as a template.
type row struct {
	on       ir.Type
	template string
}

// rows are the operations that are the same instructions wherever they stand. Sums and products of floats are rounded
// one by one, so that no compiler fuses them.
var rows = map[ir.Op][]row{
	ir.OpAdd: {{ir.I32, "add.s32 {d}, {a}, {b};"}, {ir.I64, "add.s64 {d}, {a}, {b};"},
		{ir.F32, "add.rn.f32 {d}, {a}, {b};"}},
	ir.OpSub: {{ir.I32, "sub.s32 {d}, {a}, {b};"}, {ir.I64, "sub.s64 {d}, {a}, {b};"},
		{ir.F32, "sub.rn.f32 {d}, {a}, {b};"}},
	ir.OpMul: {{ir.I32, "mul.lo.s32 {d}, {a}, {b};"}, {ir.I64, "mul.lo.s64 {d}, {a}, {b};"},
		{ir.F32, "mul.rn.f32 {d}, {a}, {b};"}},
	ir.OpDiv: {{ir.S32, "div.s32 {d}, {a}, {b};"}, {ir.U32, "div.u32 {d}, {a}, {b};"},
		{ir.S64, "div.s64 {d}, {a}, {b};"}, {ir.U64, "div.u64 {d}, {a}, {b};"}, {ir.F32, "div.rn.f32 {d}, {a}, {b};"}},
	ir.OpRem: {{ir.S32, "rem.s32 {d}, {a}, {b};"}, {ir.U32, "rem.u32 {d}, {a}, {b};"},
		{ir.S64, "rem.s64 {d}, {a}, {b};"}, {ir.U64, "rem.u64 {d}, {a}, {b};"}},
	ir.OpNeg: {{ir.I32, "neg.s32 {d}, {a};"}, {ir.I64, "neg.s64 {d}, {a};"}, {ir.F32, "neg.f32 {d}, {a};"}},
	ir.OpAnd: bitwise("and"), ir.OpOr: bitwise("or"), ir.OpXor: bitwise("xor"),
	// Where a condition says that the operand is zero, the driver's compiler makes zero of not.b32.
	ir.OpNot: {{ir.I32, "sub.s32 {d}, -1, {a};"}, {ir.I64, "sub.s64 {d}, -1, {a};"}, {ir.Bool, "not.pred {d}, {a};"}},
	ir.OpShl: {{ir.I32, "and.b32 {r1}, {b}, 31;\nshl.b32 {d}, {a}, {r1};"},
		{ir.I64, "and.b32 {r1}, {b}, 63;\nshl.b64 {d}, {a}, {r1};"}},
	ir.OpShr: {{ir.S32, "and.b32 {r1}, {b}, 31;\nshr.s32 {d}, {a}, {r1};"},
		{ir.U32, "and.b32 {r1}, {b}, 31;\nshr.u32 {d}, {a}, {r1};"},
		{ir.S64, "and.b32 {r1}, {b}, 63;\nshr.s64 {d}, {a}, {r1};"},
		{ir.U64, "and.b32 {r1}, {b}, 63;\nshr.u64 {d}, {a}, {r1};"}},
	ir.OpEq: {{ir.I32, "setp.eq.s32 {d}, {a}, {b};"}, {ir.I64, "setp.eq.s64 {d}, {a}, {b};"},
		{ir.F32, "setp.eq.f32 {d}, {a}, {b};"}, {ir.Bool, "xor.pred {p1}, {a}, {b};\nnot.pred {d}, {p1};"}},
	ir.OpNe: {{ir.I32, "setp.ne.s32 {d}, {a}, {b};"}, {ir.I64, "setp.ne.s64 {d}, {a}, {b};"},
		{ir.F32, "setp.neu.f32 {d}, {a}, {b};"}, {ir.Bool, "xor.pred {d}, {a}, {b};"}},
	ir.OpLt: compares("lt"), ir.OpLe: compares("le"),

	ir.OpRoundHalf:   {{ir.F32, "cvt.rn.f16.f32 {h1}, {a};\ncvt.f32.f16 {d}, {h1};"}},
	ir.OpRoundBFloat: {{ir.F32, roundBFloat + "shl.b32 {r5}, {r4}, 16;\nmov.b32 {d}, {r5};"}},
	ir.OpHalfBits:    {{ir.F32, "cvt.rn.f16.f32 {h1}, {a};\ncvt.u32.u16 {d}, {h1};"}},
	ir.OpBitsHalf:    {{ir.F32, "cvt.u16.u32 {h1}, {a};\ncvt.f32.f16 {d}, {h1};"}},
	ir.OpBFloatBits:  {{ir.F32, roundBFloat + "mov.b32 {d}, {r4};"}},
	ir.OpBitsBFloat:  {{ir.F32, "shl.b32 {r1}, {a}, 16;\nmov.b32 {d}, {r1};"}},
	ir.OpRoundOdd: {
		{ir.S32, "abs.s32 {r1}, {a};\n" + roundOdd32}, {ir.U32, "mov.b32 {r1}, {a};\n" + roundOdd32},
		{ir.S64, "abs.s64 {l1}, {a};\n" + roundOdd64}, {ir.U64, "mov.b64 {l1}, {a};\n" + roundOdd64}},
	ir.OpWiden:  {{ir.S32, "cvt.s64.s32 {d}, {a};"}, {ir.U32, "cvt.u64.u32 {d}, {a};"}},
	ir.OpNarrow: {{ir.I64, "cvt.u32.u64 {d}, {a};"}},
	ir.OpToFloat: {{ir.S32, "cvt.rn.f32.s32 {d}, {a};"}, {ir.U32, "cvt.rn.f32.u32 {d}, {a};"},
		{ir.S64, "cvt.rn.f32.s64 {d}, {a};"}, {ir.U64, "cvt.rn.f32.u64 {d}, {a};"}},
	ir.OpFromBool: {{ir.I32, "selp.b32 {d}, 1, 0, {a};"}, {ir.I64, "selp.b64 {d}, 1, 0, {a};"},
		{ir.F32, "selp.f32 {d}, 0f3F800000, 0f00000000, {a};"}},
	ir.OpToBool: {{ir.I32, "setp.ne.s32 {d}, {a}, 0;"}, {ir.I64, "setp.ne.s64 {d}, {a}, 0;"},
		{ir.F32, "setp.neu.f32 {d}, {a}, 0f00000000;"}},
	ir.OpFloatBits: {{ir.F32, "mov.b32 {d}, {a};"}},
	ir.OpBitsFloat: {{ir.F32, "mov.b32 {d}, {a};"}},

	ir.OpNestedPick: {{ir.Void,
		"max.s32 {r1}, {a}, -1;\nmin.s32 {r2}, {r1}, 65536;\nmad.lo.s32 {d}, {r2}, {n}, {b};"}},

	ir.OpMax:   extremes("max"),
	ir.OpMin:   extremes("min"),
	ir.OpFmax:  {{ir.F32, "max.f32 {d}, {a}, {b};"}},
	ir.OpFmin:  {{ir.F32, "min.f32 {d}, {a}, {b};"}},
	ir.OpClamp: clamps(),
	ir.OpAbsDiff: {{ir.S32, "max.s32 {r1}, {a}, {b};\nmin.s32 {r2}, {a}, {b};\nsub.s32 {d}, {r1}, {r2};"},
		{ir.U32, "max.u32 {r1}, {a}, {b};\nmin.u32 {r2}, {a}, {b};\nsub.s32 {d}, {r1}, {r2};"},
		{ir.S64, "max.s64 {l1}, {a}, {b};\nmin.s64 {l2}, {a}, {b};\nsub.s64 {d}, {l1}, {l2};"},
		{ir.U64, "max.u64 {l1}, {a}, {b};\nmin.u64 {l2}, {a}, {b};\nsub.s64 {d}, {l1}, {l2};"}},
	ir.OpHalfSum: {{ir.S32, halfSum("and", "add", "s32", "r")}, {ir.U32, halfSum("and", "add", "u32", "r")},
		{ir.S64, halfSum("and", "add", "s64", "l")}, {ir.U64, halfSum("and", "add", "u64", "l")}},
	ir.OpRoundedHalfSum: {{ir.S32, halfSum("or", "sub", "s32", "r")}, {ir.U32, halfSum("or", "sub", "u32", "r")},
		{ir.S64, halfSum("or", "sub", "s64", "l")}, {ir.U64, halfSum("or", "sub", "u64", "l")}},
	ir.OpMul24: {
		{ir.S32, "bfe.s32 {r1}, {a}, 0, 24;\nmov.b32 {r3}, {b};\nbfe.s32 {r2}, {r3}, 0, 24;\nmul.lo.s32 {d}, {r1}, {r2};"},
		{ir.U32, "and.b32 {r1}, {a}, 16777215;\nand.b32 {r2}, {b}, 16777215;\nmul.lo.u32 {d}, {r1}, {r2};"}},

	ir.OpIsFinite: {{ir.F32, "abs.f32 {f1}, {a};\nsetp.lt.f32 {d}, {f1}, 0f7F800000;"}},
	ir.OpIsInf:    {{ir.F32, "abs.f32 {f1}, {a};\nsetp.eq.f32 {d}, {f1}, 0f7F800000;"}},
	ir.OpIsNaN:    {{ir.F32, "setp.nan.f32 {d}, {a}, {a};"}},
	ir.OpSignBit:  {{ir.F32, "mov.b32 {r1}, {a};\nsetp.lt.s32 {d}, {r1}, 0;"}},
}

func bitwise(name string) []row {
	return []row{{ir.I32, name + ".b32 {d}, {a}, {b};"}, {ir.I64, name + ".b64 {d}, {a}, {b};"},
		{ir.Bool, name + ".pred {d}, {a}, {b};"}}
}

// onNumbers returns the rows of an instruction that all numbers have.
func onNumbers(make func(typ string) string) []row {
	return []row{{ir.S32, make("s32")}, {ir.U32, make("u32")}, {ir.S64, make("s64")}, {ir.U64, make("u64")},
		{ir.F32, make("f32")}}
}

func compares(name string) []row {
	return append(onNumbers(func(t string) string { return "setp." + name + "." + t + " {d}, {a}, {b};" }),
		row{ir.Ptr, "setp." + name + ".u64 {d}, {a}, {b};"})
}

func extremes(name string) []row {
	return onNumbers(func(t string) string { return name + "." + t + " {d}, {a}, {b};" })
}

func clamps() []row {
	own := map[string]string{"s32": "{r1}", "u32": "{r1}", "s64": "{l1}", "u64": "{l1}", "f32": "{f1}"}
	return onNumbers(func(t string) string {
		return "max." + t + " " + own[t] + ", {a}, {b};\nmin." + t + " {d}, " + own[t] + ", {c};"
	})
}

// halfSum is the half of a sum that may not fit: of what both have in common and what only one has.
func halfSum(common, join, typ, own string) string {
	bits := "b" + typ[1:]
	return common + "." + bits + " {" + own + "1}, {a}, {b};\nxor." + bits + " {" + own + "2}, {a}, {b};\nshr." + typ +
		" {" + own + "3}, {" + own + "2}, 1;\n" + join + ".s" + typ[1:] + " {d}, {" + own + "1}, {" + own + "3};"
}

// roundBFloat leaves the upper half of a float in r4, rounded to the nearest, ties to even. A NaN stays one.
const roundBFloat = `mov.b32 {r1}, {a};
bfe.u32 {r2}, {r1}, 16, 1;
add.u32 {r3}, {r1}, 32767;
add.u32 {r3}, {r3}, {r2};
or.b32 {r2}, {r1}, 4194304;
setp.nan.f32 {p1}, {a}, {a};
selp.b32 {r3}, {r2}, {r3}, {p1};
shr.u32 {r4}, {r3}, 16;
`

// roundOdd32 and roundOdd64 drop the bits of a number whose size is in r1 or l1 that a float has no room for. The last
// one that stays becomes 1 where others than 0 are dropped.
const (
	roundOdd32 = `clz.b32 {r2}, {r1};
sub.s32 {r2}, 8, {r2};
max.s32 {r2}, {r2}, 0;
mov.b32 {r3}, 1;
shl.b32 {r3}, {r3}, {r2};
sub.s32 {r4}, {r3}, 1;
and.b32 {r5}, {a}, {r4};
not.b32 {r4}, {r4};
and.b32 {r4}, {a}, {r4};
or.b32 {r4}, {r4}, {r3};
setp.eq.s32 {p1}, {r5}, 0;
selp.b32 {d}, {a}, {r4}, {p1};`
	roundOdd64 = `clz.b64 {r2}, {l1};
sub.s32 {r2}, 40, {r2};
max.s32 {r2}, {r2}, 0;
mov.b64 {l3}, 1;
shl.b64 {l3}, {l3}, {r2};
sub.s64 {l4}, {l3}, 1;
and.b64 {l5}, {a}, {l4};
not.b64 {l4}, {l4};
and.b64 {l4}, {a}, {l4};
or.b64 {l4}, {l4}, {l3};
setp.eq.s64 {p1}, {l5}, 0;
selp.b64 {d}, {a}, {l4}, {p1};`
)

// templateOf returns the template of an operation on a type, "" where there is none.
func templateOf(list []row, t ir.Type) string {
	for _, r := range list {
		if r.on == t {
			return r.template
		}
	}
	for _, r := range list {
		if r.on.Held() == t.Held() {
			return r.template
		}
	}
	return ""
}
