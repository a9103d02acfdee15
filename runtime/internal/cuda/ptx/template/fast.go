package template

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
)

// fastRows are functions in floats.
var fastRows = map[ir.Op]string{
	// x less as many times ln 2, in two parts, as there are halvings of it, and that in turns of 2
	ir.OpExp: limitedTo(-105, 89) + "mul.rn.f32 {f1}, {f6}, " + Float(math.Log2E) + ";\ncvt.rni.f32.f32 {f1}, {f1};\n" +
		"fma.rn.f32 {f2}, {f1}, " + Float(-6.93145752e-1) + ", {f6};\n" +
		"fma.rn.f32 {f2}, {f1}, " + Float(-1.42860677e-6) + ", {f2};\n" +
		"mul.rn.f32 {f2}, {f2}, " + Float(math.Log2E) + ";\n" + raised,
	ir.OpExp2:  limitedTo(-152, 130) + "cvt.rni.f32.f32 {f1}, {f6};\nsub.rn.f32 {f2}, {f6}, {f1};\n" + raised,
	ir.OpRsqrt: "rsqrt.approx.f32 {d}, {a};",
}

// limitedTo leaves an operand in f6, within a range beyond which the result is 0 or infinite.
func limitedTo(low, high float64) string {
	return "max.f32 {f6}, {a}, " + Float(low) + ";\nmin.f32 {f6}, {f6}, " + Float(high) + ";\n"
}

// raised is 2^(f1 + f2), of an integer and a fraction.
const raised = "ex2.approx.f32 {f3}, {f2};\n" + scaled + orNaN

// scaled leaves f3 times 2^n of the integer n in f1 there. It takes two factors: 2^n may be beyond a float where the
// result is not.
const scaled = `cvt.rzi.s32.f32 {r1}, {f1};
shr.s32 {r2}, {r1}, 1;
sub.s32 {r1}, {r1}, {r2};
shl.b32 {r2}, {r2}, 23;
shl.b32 {r1}, {r1}, 23;
add.s32 {r2}, {r2}, 1065353216;
add.s32 {r1}, {r1}, 1065353216;
mov.b32 {f4}, {r2};
mov.b32 {f5}, {r1};
mul.rn.f32 {f3}, {f3}, {f4};
mul.rn.f32 {f1}, {f3}, {f5};
`
