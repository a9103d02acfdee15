package template

import "github.com/metalgen/metalgen/internal/ir"

// absolute leaves the absolute value in r1. The driver's compiler has a wrong range for a remainder of what abs.s32
// returns.
const absolute = "neg.s32 {r1}, {a};\nmax.s32 {r1}, {r1}, {a};\n"

// immRows are operations that depend on a number, such as the bits of an integer that is held in 32.
var immRows = map[ir.Op]func(t ir.Type, n int64) string{
	ir.OpWrap: func(t ir.Type, n int64) string { return "bfe." + t.String() + " {d}, {a}, 0, {n};" },

	ir.OpFromFloat: fromFloat,
	ir.OpFma:       fma,

	ir.OpAbs: func(t ir.Type, n int64) string {
		switch {
		case t == ir.F32:
			return "abs.f32 {d}, {a};"
		case t == ir.S64:
			return "abs.s64 {d}, {a};"
		case t == ir.S32 && n < 32:
			return absolute + "bfe.s32 {d}, {r1}, 0, {n};"
		case t == ir.S32:
			return absolute + "mov.b32 {d}, {r1};"
		}
		return "mov.b" + bitsName(t) + " {d}, {a};"
	},
	ir.OpAddSat: saturated("add"),
	ir.OpSubSat: saturated("sub"),
	ir.OpMulHigh: func(t ir.Type, n int64) string {
		if n < 32 {
			return "mul.lo.s32 {r1}, {a}, {b};\nshr." + t.String() + " {d}, {r1}, {n};"
		}
		return "mul.hi." + t.String() + " {d}, {a}, {b};"
	},
	ir.OpRotate: rotate,
	ir.OpClz: func(t ir.Type, n int64) string {
		if t.Bits() == 64 {
			return "clz.b64 {r1}, {a};\ncvt.u64.u32 {d}, {r1};"
		}
		return narrowed(t, n) + "clz.b32 {r2}, {r1};\nadd.s32 {r2}, {r2}, {n};\nsub.s32 {d}, {r2}, 32;"
	},
	ir.OpCtz: func(t ir.Type, _ int64) string {
		if t.Bits() == 64 {
			return "brev.b64 {l1}, {a};\nclz.b64 {r1}, {l1};\ncvt.u64.u32 {d}, {r1};"
		}
		return "brev.b32 {r1}, {a};\nclz.b32 {r2}, {r1};\nmin.s32 {d}, {r2}, {n};"
	},
	ir.OpPopcount: func(t ir.Type, n int64) string {
		if t.Bits() == 64 {
			return "popc.b64 {r1}, {a};\ncvt.u64.u32 {d}, {r1};"
		}
		return narrowed(t, n) + "popc.b32 {d}, {r1};"
	},
	ir.OpReverseBits: func(t ir.Type, n int64) string {
		if t.Bits() == 64 {
			return "brev.b64 {d}, {a};"
		}
		return "brev.b32 {r1}, {a};\nsub.s32 {r2}, 32, {n};\nshr." + t.String() + " {d}, {r1}, {r2};"
	},
	ir.OpExtractBits: func(t ir.Type, _ int64) string {
		return "min.u32 {r1}, {b}, 64;\nshr.u64 {l1}, {a}, {r1};\nmin.u32 {r2}, {c}, 64;\nsub.s32 {r3}, 64, {r2};\n" +
			"shl.b64 {l2}, {l1}, {r3};\nshr." + t.String() + " {l3}, {l2}, {r3};\nsetp.eq.u32 {p1}, {r2}, 0;\n" +
			"selp.b64 {d}, 0, {l3}, {p1};"
	},
}

func bitsName(t ir.Type) string {
	if t.Bits() == 64 {
		return "64"
	}
	return "32"
}

// narrowed leaves an integer of n bits in r1, without its sign.
func narrowed(ir.Type, int64) string { return "bfe.u32 {r1}, {a}, 0, {n};\n" }

// fromFloat rounds towards zero and keeps to the range. PTX makes the least integer of what is no number where the
// result has 64 bits.
func fromFloat(t ir.Type, n int64) string {
	switch {
	case t.Bits() == 64:
		return "cvt.rzi." + t.String() + ".f32 {l1}, {a};\nsetp.nan.f32 {p1}, {a}, {a};\nselp.b64 {d}, 0, {l1}, {p1};"
	case n == 32:
		return "cvt.rzi." + t.String() + ".f32 {d}, {a};"
	case t == ir.S32:
		return "cvt.rzi.s32.f32 {r1}, {a};\nmov.b32 {r2}, 1;\nshl.b32 {r2}, {r2}, {n};\nshr.s32 {r2}, {r2}, 1;\n" +
			"sub.s32 {r3}, {r2}, 1;\nneg.s32 {r2}, {r2};\nmax.s32 {r1}, {r1}, {r2};\nmin.s32 {d}, {r1}, {r3};"
	}
	return "cvt.rzi.s32.f32 {r1}, {a};\nmov.b32 {r2}, 1;\nshl.b32 {r2}, {r2}, {n};\nsub.s32 {r2}, {r2}, 1;\n" +
		"max.s32 {r1}, {r1}, 0;\nmin.s32 {d}, {r1}, {r2};"
}

// fma is that of the type that n says. Of halves the sum is rounded to odd on the way, so that it is rounded once.
func fma(_ ir.Type, n int64) string {
	switch n {
	case ir.OfHalf:
		return "cvt.rn.f16.f32 {h1}, {a};\nmov.f32 {f1}, {b};\ncvt.rn.f16.f32 {h2}, {f1};\nmov.f32 {f2}, {c};\n" +
			"cvt.rn.f16.f32 {h3}, {f2};\nfma.rn.f16 {h4}, {h1}, {h2}, {h3};\ncvt.f32.f16 {d}, {h4};"
	case ir.OfBFloat:
		return ""
	}
	return "fma.rn.f32 {d}, {a}, {b}, {c};"
}

func rotate(t ir.Type, n int64) string {
	switch {
	case t.Bits() == 64:
		return "cvt.u32.u64 {r1}, {b};\nand.b32 {r1}, {r1}, 63;\nshl.b64 {l1}, {a}, {r1};\nsub.s32 {r2}, 64, {r1};\n" +
			"shr.u64 {l2}, {a}, {r2};\nor.b64 {d}, {l1}, {l2};"
	case n == 32:
		return "and.b32 {r1}, {b}, 31;\nshf.l.wrap.b32 {d}, {a}, {a}, {r1};"
	}
	back := "mov.b32 {d}, {r5};"
	if t == ir.S32 {
		back = "bfe.s32 {d}, {r5}, 0, {n};"
	}
	return narrowed(t, n) + "sub.s32 {r2}, {n}, 1;\nand.b32 {r2}, {b}, {r2};\nshl.b32 {r3}, {r1}, {r2};\n" +
		"sub.s32 {r4}, {n}, {r2};\nshr.u32 {r4}, {r1}, {r4};\nor.b32 {r5}, {r3}, {r4};\nbfe.u32 {r5}, {r5}, 0, {n};\n" + back
}

// saturated is a sum or a difference that stays within the range of n bits.
func saturated(op string) func(t ir.Type, n int64) string {
	return func(t ir.Type, n int64) string {
		switch {
		case t == ir.U64 && op == "sub" || t == ir.U32 && op == "sub":
			own := map[ir.Type]string{ir.U64: "{l1}", ir.U32: "{r1}"}[t]
			return "min." + t.String() + " " + own + ", {a}, {b};\nsub.s" + bitsName(t) + " {d}, {a}, " + own + ";"
		case t == ir.U64:
			return "add.s64 {l1}, {a}, {b};\nsetp.lt.u64 {p1}, {l1}, {a};\nselp.b64 {d}, -1, {l1}, {p1};"
		case t == ir.S64:
			other := "xor.b64 {l2}, {a}, {l1};\nxor.b64 {l3}, {b}, {l1};\n"
			if op == "sub" {
				other = "xor.b64 {l2}, {a}, {b};\nxor.b64 {l3}, {a}, {l1};\n"
			}
			return op + ".s64 {l1}, {a}, {b};\n" + other + "and.b64 {l2}, {l2}, {l3};\nshr.s64 {l3}, {a}, 63;\n" +
				"xor.b64 {l3}, {l3}, 9223372036854775807;\nsetp.lt.s64 {p1}, {l2}, 0;\nselp.b64 {d}, {l3}, {l1}, {p1};"
		}
		low, high := "mov.b64 {l5}, 0;\n", "mov.b64 {l4}, 1;\nshl.b64 {l4}, {l4}, {n};\nsub.s64 {l4}, {l4}, 1;\n"
		if t == ir.S32 {
			high = "mov.b64 {l4}, 1;\nshl.b64 {l4}, {l4}, {n};\nshr.u64 {l4}, {l4}, 1;\n"
			low = "neg.s64 {l5}, {l4};\nsub.s64 {l4}, {l4}, 1;\n"
		}
		return "cvt." + wide(t) + "." + t.String() + " {l1}, {a};\nmov.b32 {r1}, {b};\ncvt." + wide(t) + "." + t.String() +
			" {l2}, {r1};\n" + op + ".s64 {l3}, {l1}, {l2};\n" + high + low +
			"min.s64 {l3}, {l3}, {l4};\nmax.s64 {l3}, {l3}, {l5};\ncvt.u32.u64 {d}, {l3};"
	}
}

func wide(t ir.Type) string { return t.String()[:1] + "64" }
