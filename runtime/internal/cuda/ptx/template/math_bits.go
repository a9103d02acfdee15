package template

import "github.com/metalgen/metalgen/internal/ir"

// Functions that look at the digits and the exponent of a float.

func init() {
	for op, template := range map[ir.Op]string{
		// 2^n is made in doubles, where the product is exact
		ir.OpLdexp: `max.s32 {r1}, {b}, -300;
min.s32 {r1}, {r1}, 300;
add.s32 {r1}, {r1}, 1023;
cvt.u64.u32 {l1}, {r1};
shl.b64 {l1}, {l1}, 52;
mov.b64 {q1}, {l1};
cvt.f64.f32 {q2}, {a};
mul.rn.f64 {q2}, {q2}, {q1};
cvt.rn.f32.f64 {d}, {q2};`,
		ir.OpFrexpFraction: split2 + `and.b64 {l2}, {l1}, -9218868437227405313;
or.b64 {l2}, {l2}, 4602678819172646912;
mov.b64 {q2}, {l2};
cvt.rn.f32.f64 {f1}, {q2};
selp.f32 {d}, {a}, {f1}, {p1};`,
		ir.OpFrexpExponent: split2 + "selp.b32 {d}, 0, {r1}, {p1};",
		ir.OpIlogb: split2 + `sub.s32 {r2}, {r1}, 1;
selp.b32 {r2}, -2147483648, {r2}, {p1};
setp.eq.f32 {p2}, {f9}, 0f7F800000;
selp.b32 {d}, 2147483647, {r2}, {p2};`,
		ir.OpFmod: fmod,
	} {
		mathRows[op] = template
	}
	immRows[ir.OpFract] = fract
	immRows[ir.OpNextafter] = nextafter
}

// split2 leaves the bits of a, as a double, in l1, the exponent of a fraction from 1/2 to 1 in r1, the size in f9,
// and in p1 whether there is no such fraction: of 0, of infinities and of what is no number.
const split2 = `cvt.f64.f32 {q1}, {a};
mov.b64 {l1}, {q1};
shr.u64 {l3}, {l1}, 52;
cvt.u32.u64 {r1}, {l3};
and.b32 {r1}, {r1}, 2047;
sub.s32 {r1}, {r1}, 1022;
abs.f32 {f9}, {a};
setp.lt.f32 {p2}, {f9}, 0f7F800000;
setp.gt.f32 {p3}, {f9}, 0f00000000;
and.pred {p2}, {p2}, {p3};
not.pred {p1}, {p2};
`

// fract is below 1: the greatest number of the type below it where rounding would make it 1.
func fract(_ ir.Type, n int64) string {
	below := map[int64]string{ir.OfHalf: "0f3F7FE000", ir.OfBFloat: "0f3F7F0000"}[n]
	if below == "" {
		below = "0f3F7FFFFF"
	}
	return "cvt.rmi.f32.f32 {f1}, {a};\nsub.rn.f32 {f2}, {a}, {f1};\nsetp.gt.f32 {p1}, {f2}, " + below +
		";\nselp.f32 {f2}, " + below + ", {f2}, {p1};\nabs.f32 {f3}, {a};\nsetp.eq.f32 {p2}, {f3}, 0f7F800000;\n" +
		"selp.f32 {d}, 0f00000000, {f2}, {p2};"
}

// nextafter moves the bits of a float by one; those of other types are not written yet.
func nextafter(_ ir.Type, n int64) string {
	if n != ir.OfFloat {
		return ""
	}
	return `mov.f32 {f1}, {b};
mov.b32 {r1}, {a};
mov.b32 {r2}, {f1};
setp.gt.f32 {p1}, {f1}, {a};
setp.gt.f32 {p2}, {a}, 0f00000000;
xor.pred {p3}, {p1}, {p2};
selp.b32 {r3}, -1, 1, {p3};
add.s32 {r3}, {r1}, {r3};
and.b32 {r4}, {r2}, -2147483648;
or.b32 {r4}, {r4}, 1;
setp.eq.f32 {p4}, {a}, 0f00000000;
selp.b32 {r3}, {r4}, {r3}, {p4};
setp.eq.f32 {p5}, {a}, {f1};
selp.b32 {r3}, {r2}, {r3}, {p5};
mov.b32 {f2}, {r3};
add.rn.f32 {f3}, {a}, {f1};
setp.nan.f32 {p6}, {a}, {f1};
selp.f32 {d}, {f3}, {f2}, {p6};`
}

// fmod divides the digits as integers, as many of the difference of the exponents at a time as a long has room for.
const fmod = `mov.f32 {f1}, {b};
abs.f32 {f2}, {a};
abs.f32 {f3}, {f1};
mov.b32 {r1}, {f2};
mov.b32 {r2}, {f3};
shr.u32 {r3}, {r1}, 23;
max.u32 {r3}, {r3}, 1;
shr.u32 {r4}, {r2}, 23;
max.u32 {r4}, {r4}, 1;
and.b32 {r5}, {r1}, 8388607;
setp.ge.u32 {p1}, {r1}, 8388608;
selp.b32 {r6}, 8388608, 0, {p1};
or.b32 {r5}, {r5}, {r6};
and.b32 {r7}, {r2}, 8388607;
setp.ge.u32 {p1}, {r2}, 8388608;
selp.b32 {r6}, 8388608, 0, {p1};
or.b32 {r7}, {r7}, {r6};
max.u32 {r7}, {r7}, 1;
cvt.u64.u32 {l1}, {r5};
cvt.u64.u32 {l2}, {r7};
rem.u64 {l1}, {l1}, {l2};
sub.s32 {r8}, {r3}, {r4};
{L1}:
setp.le.s32 {p2}, {r8}, 0;
@{p2} bra {L2};
min.s32 {r9}, {r8}, 40;
shl.b64 {l1}, {l1}, {r9};
rem.u64 {l1}, {l1}, {l2};
sub.s32 {r8}, {r8}, 40;
bra {L1};
{L2}:
cvt.rn.f64.s64 {q1}, {l1};
add.s32 {r9}, {r4}, 873;
cvt.u64.u32 {l3}, {r9};
shl.b64 {l3}, {l3}, 52;
mov.b64 {q2}, {l3};
mul.rn.f64 {q1}, {q1}, {q2};
cvt.rn.f32.f64 {f4}, {q1};
copysign.f32 {f4}, {a}, {f4};
setp.lt.f32 {p3}, {f2}, {f3};
selp.f32 {f4}, {a}, {f4}, {p3};
setp.lt.f32 {p4}, {f2}, 0f7F800000;
setp.le.f32 {p5}, {f3}, 0f7F800000;
and.pred {p4}, {p4}, {p5};
setp.gt.f32 {p6}, {f3}, 0f00000000;
and.pred {p4}, {p4}, {p6};
selp.f32 {d}, {f4}, 0f7FC00000, {p4};`
