package template

import (
	"fmt"
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
)

func init() {
	for op, template := range map[ir.Op]string{
		ir.OpSin: "cvt.f64.f32 {q4}, {a};\n" + sine(&fmath.SinOf, "{L1}") + "cvt.rn.f32.f64 {d}, {q9};",
		ir.OpCos: "cvt.f64.f32 {q4}, {a};\n" + sine(&fmath.CosOf, "{L1}") + "cvt.rn.f32.f64 {d}, {q9};",
		ir.OpTan: "cvt.f64.f32 {q4}, {a};\n" + sine(&fmath.SinOf, "{L1}") + "mov.f64 {q10}, {q9};\ncvt.f64.f32 {q4}, {a};\n" +
			sine(&fmath.CosOf, "{L2}") + "div.rn.f64 {q9}, {q10}, {q9};\ncvt.rn.f32.f64 {d}, {q9};",
		ir.OpSinPi: sinePi(&fmath.SinOf) + "cvt.rn.f32.f64 {f1}, {q9};\nsetp.eq.f32 {p1}, {f1}, 0f00000000;\n" +
			"copysign.f32 {f2}, {a}, 0f00000000;\nselp.f32 {d}, {f2}, {f1}, {p1};",
		ir.OpCosPi: sinePi(&fmath.CosOf) + "add.rn.f64 {q9}, {q9}, " + Double(0) + ";\ncvt.rn.f32.f64 {f1}, {q9};\n" +
			evenCosine,
		ir.OpTanPi: tangentPi,
	} {
		mathRows[op] = template
	}
}

// sine leaves the sine or cosine of q4 in q9.
func sine(f *fmath.Sine, small string) string {
	half, back, quarter := "", "", ""
	if f.Half != 0 {
		half, back = "sub.rn.f64 {q1}, {q1}, "+Double(f.Half)+";\n", "add.rn.f64 {q1}, {q1}, "+Double(f.Half)+";\n"
		quarter = "add.s64 {l7}, {l7}, 4611686018427387904;\n"
	}
	near := "mul.rn.f64 {q1}, {q4}, " + Double(f.InvPi) + ";\n" + half +
		"add.rn.f64 {q1}, {q1}, " + Double(magic) + ";\nmov.b64 {l1}, {q1};\n" +
		fmt.Sprintf("xor.b64 {l1}, {l1}, %d;\n", int64(f.Flip)) + "shl.b64 {l1}, {l1}, 63;\n" +
		"sub.rn.f64 {q1}, {q1}, " + Double(magic) + ";\n" + back +
		"mul.rn.f64 {q2}, {q1}, " + Double(f.PiHigh) + ";\nsub.rn.f64 {q4}, {q4}, {q2};\n" +
		"mul.rn.f64 {q2}, {q1}, " + Double(f.PiLow) + ";\nsub.rn.f64 {q4}, {q4}, {q2};\n"
	sign := "and.b32 {r9}, {r8}, -2147483648;\n"
	if f.Half != 0 {
		sign = "mov.b32 {r9}, 0;\n"
	}
	limit := Float(f.Limit)
	return "mov.f64 {q8}, {q4};\n" + near + "abs.f32 {f8}, {a};\nsetp.le.f32 {p8}, {f8}, " + limit +
		";\n@{p8} bra " + small + ";\nmov.b32 {r8}, {a};\n" + far + quarter + sign + turned + small + ":\n" +
		"mul.rn.f64 {q3}, {q4}, {q4};\n" + polynomial("{q3}", f.P[:]) +
		"mul.rn.f64 {q9}, {q4}, {q7};\nmov.b64 {l2}, {q9};\nxor.b64 {l2}, {l2}, {l1};\nmov.b64 {q9}, {l2};\n"
}

// far leaves in l7 a number of more than 2^20, whose bits are in r8, as a part of two half turns, 2^64 of which are the
// whole. Of the digits of 2/pi only those matter that its own do not push beyond, and not more than 128.
const far = `bfe.u32 {r1}, {r8}, 23, 8;
sub.s32 {r1}, {r1}, 120;
shr.u32 {r2}, {r1}, 5;
and.b32 {r3}, {r1}, 31;
mul.lo.u32 {r2}, {r2}, 4;
cvt.u64.u32 {l3}, {r2};
mov.u64 {l4}, {2/pi};
add.s64 {l3}, {l3}, {l4};
ld.global.u32 {r4}, [{l3}];
ld.global.u32 {r5}, [{l3}+4];
ld.global.u32 {r6}, [{l3}+8];
ld.global.u32 {r7}, [{l3}+12];
ld.global.u32 {r10}, [{l3}+16];
shf.l.wrap.b32 {r4}, {r5}, {r4}, {r3};
shf.l.wrap.b32 {r5}, {r6}, {r5}, {r3};
shf.l.wrap.b32 {r6}, {r7}, {r6}, {r3};
shf.l.wrap.b32 {r7}, {r10}, {r7}, {r3};
mov.b64 {l5}, <{r5}, {r4}>;
mov.b64 {l6}, <{r7}, {r6}>;
and.b32 {r10}, {r8}, 8388607;
or.b32 {r10}, {r10}, 8388608;
cvt.u64.u32 {l8}, {r10};
mul.hi.u64 {l7}, {l8}, {l6};
mad.lo.s64 {l7}, {l8}, {l5}, {l7};
`

// turned makes of that the rest of the nearest half turn in q4, and its sign in l1. What is no number stays none.
const turned = `shl.b64 {l9}, {l7}, 1;
xor.b64 {l1}, {l7}, {l9};
and.b64 {l1}, {l1}, -9223372036854775808;
cvt.u64.u32 {l10}, {r9};
shl.b64 {l10}, {l10}, 32;
xor.b64 {l1}, {l1}, {l10};
cvt.rn.f64.s64 {q4}, {l9};
mul.rn.f64 {q4}, {q4}, ` + piBy64 + `;
sub.rn.f64 {q8}, {q8}, {q8};
add.rn.f64 {q4}, {q4}, {q8};
`

// piBy64 is pi, divided by 2^64.
const piBy64 = "0d3C0921FB54442D18"

// sinePi leaves the sine or cosine of a half turns in q9.
func sinePi(f *fmath.Sine) string {
	half, back := "", ""
	if f.Half != 0 {
		half, back = "sub.rn.f64 {q1}, {q4}, "+Double(f.Half)+";\n", "add.rn.f64 {q1}, {q1}, "+Double(f.Half)+";\n"
	} else {
		half = "mov.f64 {q1}, {q4};\n"
	}
	return "cvt.f64.f32 {q4}, {a};\n" + half + "add.rn.f64 {q1}, {q1}, " + Double(magic) + ";\nmov.b64 {l1}, {q1};\n" +
		fmt.Sprintf("xor.b64 {l1}, {l1}, %d;\n", int64(f.Flip)) + "shl.b64 {l1}, {l1}, 63;\nsub.rn.f64 {q1}, {q1}, " +
		Double(magic) + ";\n" + back + "sub.rn.f64 {q4}, {q4}, {q1};\nmul.rn.f64 {q4}, {q4}, " + Double(math.Pi) +
		";\nmul.rn.f64 {q3}, {q4}, {q4};\n" + polynomial("{q3}", f.P[:]) +
		"mul.rn.f64 {q9}, {q4}, {q7};\nmov.b64 {l2}, {q9};\nxor.b64 {l2}, {l2}, {l1};\nmov.b64 {q9}, {l2};\n"
}

// evenCosine is 1 for numbers that are even integers because they have no other digits.
const evenCosine = `abs.f32 {f2}, {a};
setp.ge.f32 {p1}, {f2}, 0f4B800000;
setp.lt.f32 {p2}, {f2}, 0f7F800000;
and.pred {p1}, {p1}, {p2};
selp.f32 {d}, 0f3F800000, {f1}, {p1};`

// tangentPi has zeros and infinities with the signs of C23, F.10.1.14.
var tangentPi = sinePi(&fmath.SinOf) + "mov.f64 {q10}, {q9};\n" + sinePi(&fmath.CosOf) + `div.rn.f64 {q8}, {q10}, {q9};
cvt.rn.f32.f64 {f1}, {q8};
cvt.rmi.f32.f32 {f2}, {a};
mul.rn.f32 {f3}, {f2}, 0f3F000000;
cvt.rmi.f32.f32 {f3}, {f3};
add.rn.f32 {f3}, {f3}, {f3};
setp.eq.f32 {p1}, {f2}, {f3};
selp.f32 {f4}, 0f7F800000, 0fFF800000, {p1};
setp.eq.f64 {p2}, {q9}, ` + Double(0) + `;
selp.f32 {f1}, {f4}, {f1}, {p2};
copysign.f32 {f5}, {a}, 0f00000000;
neg.f32 {f6}, {f5};
selp.f32 {f5}, {f5}, {f6}, {p1};
setp.eq.f64 {p3}, {q10}, ` + Double(0) + `;
selp.f32 {d}, {f5}, {f1}, {p3};`

// twoByPi are the digits of 2/pi, after 32 zeros.
var twoByPi = [...]uint32{0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
	0xdebbc561, 0xb7246e3a}
