package template

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
)

// The functions of the library on floats, as package fmath computes them, in the same order and mostly in doubles: so
// the results have the same bits as those of the CPU device. The tables are those of fmath.

// magic leaves the nearest integer in the lowest bits of a double that it is added to.
const magic = 0x1.8p52

var mathRows = map[ir.Op]string{
	ir.OpSqrt: "sqrt.rn.f32 {d}, {a};",
	ir.OpRsqrt: "cvt.f64.f32 {q1}, {a};\nsqrt.rn.f64 {q2}, {q1};\nrcp.rn.f64 {q3}, {q2};\n" +
		"cvt.rn.f32.f64 {d}, {q3};",
	ir.OpCeil:  "cvt.rpi.f32.f32 {d}, {a};",
	ir.OpFloor: "cvt.rmi.f32.f32 {d}, {a};",
	ir.OpTrunc: "cvt.rzi.f32.f32 {d}, {a};",
	ir.OpRint:  "cvt.rni.f32.f32 {d}, {a};",
	ir.OpFabs:  "abs.f32 {d}, {a};",
	ir.OpRound: "cvt.f64.f32 {q1}, {a};\ncopysign.f64 {q2}, {q1}, " + Double(0.5) + ";\nadd.rn.f64 {q1}, {q1}, {q2};\n" +
		"cvt.rzi.f64.f64 {q1}, {q1};\ncvt.rn.f32.f64 {d}, {q1};",
	ir.OpSign: "copysign.f32 {f1}, {a}, 0f3F800000;\nsetp.eq.f32 {p1}, {a}, 0f00000000;\n" +
		"selp.f32 {f1}, {a}, {f1}, {p1};\nsetp.nan.f32 {p2}, {a}, {a};\nselp.f32 {d}, 0f00000000, {f1}, {p2};",
	// what is below the least is 0 whatever its sign, and so is what is no number
	ir.OpSaturate: "setp.gt.f32 {p1}, {a}, 0f00000000;\nmin.f32 {f1}, {a}, 0f3F800000;\n" +
		"selp.f32 {d}, {f1}, 0f00000000, {p1};",
	ir.OpCopysign: "copysign.f32 {d}, {b}, {a};",
	ir.OpFdim: "sub.rn.f32 {f1}, {a}, {b};\nsetp.le.f32 {p1}, {a}, {b};\n" +
		"selp.f32 {d}, 0f00000000, {f1}, {p1};",
	ir.OpStep:      "setp.gt.f32 {p1}, {a}, {b};\nselp.f32 {d}, 0f00000000, 0f3F800000, {p1};",
	ir.OpModfWhole: "cvt.rzi.f32.f32 {d}, {a};",
	ir.OpModfFraction: "cvt.rzi.f32.f32 {f1}, {a};\nsub.rn.f32 {f2}, {a}, {f1};\nabs.f32 {f3}, {a};\n" +
		"setp.eq.f32 {p1}, {f3}, 0f7F800000;\nselp.f32 {f2}, 0f00000000, {f2}, {p1};\ncopysign.f32 {d}, {a}, {f2};",

	ir.OpExp: powerOf(&fmath.PowerOfE), ir.OpExp2: powerOf(&fmath.PowerOfTwo), ir.OpExp10: exponential(&fmath.ExpTen),
	ir.OpLogE: logarithm("loge"), ir.OpLog2: logarithm("log2"), ir.OpLog10: logarithm("log10"),
	ir.OpTanh: tanh(&fmath.TanhOf),
	ir.OpPow:  power(""),
	ir.OpPowr: power("r"),
}

// polynomial leaves the value of a polynomial of x in q7.
func polynomial(x string, p []float64) string {
	last := len(p) - 1
	s := "mov.f64 {q7}, " + Double(p[last]) + ";\n"
	for i := last - 1; i >= 0; i-- {
		s += "mul.rn.f64 {q7}, {q7}, " + x + ";\nadd.rn.f64 {q7}, {q7}, " + Double(p[i]) + ";\n"
	}
	return s
}

// split makes q5 2^(k/32) of the integer k next to q4, and q6 the rest of q4.
var split = "add.rn.f64 {q5}, {q4}, " + Double(magic) + `;
mov.b64 {l1}, {q5};
sub.rn.f64 {q5}, {q5}, ` + Double(magic) + `;
sub.rn.f64 {q6}, {q4}, {q5};
and.b64 {l2}, {l1}, 31;
shl.b64 {l2}, {l2}, 3;
mov.u64 {l3}, {exp2};
add.s64 {l3}, {l3}, {l2};
ld.global.b64 {l2}, [{l3}];
shl.b64 {l1}, {l1}, 47;
add.s64 {l2}, {l2}, {l1};
mov.b64 {q5}, {l2};
`

// limited brings q4 to the range of an exponential.
func limited(limit float64) string {
	return "min.f64 {q4}, {q4}, " + Double(limit) + ";\nmax.f64 {q4}, {q4}, " + Double(-limit) + ";\n"
}

// raise leaves the power of a base to q4 in q4.
func raise(f *fmath.Exponential) string {
	return limited(f.Limit) + "mul.rn.f64 {q4}, {q4}, " + Double(f.Scale) + ";\n" + split + polynomial("{q6}", f.P[:]) +
		"mul.rn.f64 {q6}, {q5}, {q6};\nmul.rn.f64 {q6}, {q6}, {q7};\nadd.rn.f64 {q4}, {q5}, {q6};\n"
}

// orNaN makes the result the operand where that is no number.
const orNaN = "setp.nan.f32 {p1}, {a}, {a};\nselp.f32 {d}, {a}, {f1}, {p1};"

func exponential(f *fmath.Exponential) string {
	return "cvt.f64.f32 {q4}, {a};\n" + raise(f) + "cvt.rn.f32.f64 {f1}, {q4};\n" + orNaN
}

// powerOf is a power in floats.
func powerOf(f *fmath.Power) string {
	s := limitedTo(f.Low, f.High) + "fma.rn.f32 {f1}, {f6}, " + Float(f.Log) + ", " + Float(0x1.8p23) +
		";\nsub.rn.f32 {f1}, {f1}, " + Float(0x1.8p23) + ";\n"
	for _, part := range f.Whole {
		s += "fma.rn.f32 {f6}, {f1}, " + Float(part) + ", {f6};\n"
	}
	last := len(f.P) - 1
	s += "mov.f32 {f3}, " + Float(f.P[last]) + ";\n"
	for i := last - 1; i >= 0; i-- {
		s += "fma.rn.f32 {f3}, {f3}, {f6}, " + Float(f.P[i]) + ";\n"
	}
	return s + "fma.rn.f32 {f3}, {f3}, {f6}, " + Float(1) + ";\n" + scaled + orNaN
}

func tanh(f *fmath.Tangent) string {
	return "cvt.f64.f32 {q4}, {a};\n" + limited(f.Limit) + "mul.rn.f64 {q4}, {q4}, " + Double(f.Scale) + ";\n" + split +
		polynomial("{q6}", f.P[:]) + "mul.rn.f64 {q6}, {q5}, {q6};\nmul.rn.f64 {q6}, {q6}, {q7};\n" +
		"sub.rn.f64 {q5}, {q5}, " + Double(1) + ";\nadd.rn.f64 {q5}, {q5}, {q6};\nadd.rn.f64 {q6}, {q5}, " + Double(2) +
		";\ndiv.rn.f64 {q4}, {q5}, {q6};\ncvt.rn.f32.f64 {f1}, {q4};\nabs.f32 {f2}, {a};\nsetp.lt.f32 {p2}, {f2}, " +
		Float(f.Tiny) + ";\nselp.f32 {f1}, {a}, {f1}, {p2};\n" + orNaN
}

var logarithms = map[string]*fmath.Logarithm{"loge": fmath.LogE, "log2": fmath.LogTwo, "log10": fmath.LogTen}

// logOf leaves the logarithm of q4, where that is positive and finite, in q4. Its table has pairs.
func logOf(name string) string {
	f := logarithms[name]
	s := `mov.b64 {l1}, {q4};
sub.s64 {l2}, {l1}, 4604438037777088512;
and.b64 {l3}, {l2}, -4503599627370496;
sub.s64 {l1}, {l1}, {l3};
mov.b64 {q4}, {l1};
shr.s64 {l3}, {l2}, 52;
cvt.rn.f64.s64 {q1}, {l3};
shr.u64 {l2}, {l2}, 47;
and.b64 {l2}, {l2}, 31;
shl.b64 {l2}, {l2}, 4;
mov.u64 {l3}, {` + name + `};
add.s64 {l3}, {l3}, {l2};
ld.global.f64 {q2}, [{l3}];
ld.global.f64 {q3}, [{l3}+8];
mul.rn.f64 {q4}, {q4}, {q2};
sub.rn.f64 {q4}, {q4}, ` + Double(1) + ";\n"
	s += times("{q1}", f.Scale) + "add.rn.f64 {q1}, {q1}, {q3};\n" + polynomial("{q4}", f.P[:]) +
		"mul.rn.f64 {q2}, {q4}, {q4};\nmul.rn.f64 {q2}, {q2}, {q7};\n" + times("{q4}", f.Lead) +
		"add.rn.f64 {q4}, {q4}, {q2};\nadd.rn.f64 {q4}, {q1}, {q4};\n" + times("{q4}", f.Times)
	return s
}

func times(r string, by float64) string {
	if by == 1 {
		return ""
	}
	return "mul.rn.f64 " + r + ", " + r + ", " + Double(by) + ";\n"
}

func logarithm(name string) string {
	return "cvt.f64.f32 {q4}, {a};\n" + logOf(name) + `cvt.rn.f32.f64 {f1}, {q4};
setp.eq.f32 {p2}, {a}, 0f7F800000;
selp.f32 {f1}, {a}, {f1}, {p2};
setp.eq.f32 {p3}, {a}, 0f00000000;
selp.f32 {f1}, 0fFF800000, {f1}, {p3};
setp.lt.f32 {p4}, {a}, 0f00000000;
selp.f32 {f1}, 0f7FC00000, {f1}, {p4};
` + orNaN
}

// power is pow, or powr.
func power(kind string) string {
	s := `abs.f32 {f2}, {a};
mov.f32 {f3}, {b};
cvt.f64.f32 {q4}, {f2};
` + logOf("log2") + `cvt.f64.f32 {q8}, {f3};
mul.rn.f64 {q4}, {q8}, {q4};
` + raise(&fmath.ExpTwo) + "cvt.rn.f32.f64 {f1}, {q4};\n" + powers
	if kind == "r" {
		s += powrEnd
	} else {
		s += powEnd
	}
	return s
}

// powers leaves in f1 what pow is of the sizes of its operands, where one of them is 0 or infinite too.
const powers = `abs.f32 {f4}, {f3};
setp.lt.f32 {p1}, {f3}, 0f00000000;
selp.f32 {f5}, 0f7F800000, 0f00000000, {p1};
selp.f32 {f6}, 0f00000000, 0f7F800000, {p1};
setp.eq.f32 {p2}, {f2}, 0f00000000;
selp.f32 {f1}, {f5}, {f1}, {p2};
setp.eq.f32 {p2}, {f2}, 0f7F800000;
selp.f32 {f1}, {f6}, {f1}, {p2};
setp.eq.f32 {p3}, {f4}, 0f7F800000;
setp.gt.f32 {p4}, {f2}, 0f3F800000;
selp.f32 {f7}, {f6}, {f5}, {p4};
selp.f32 {f1}, {f7}, {f1}, {p3};
setp.eq.f32 {p2}, {f2}, 0f3F800000;
selp.f32 {f1}, 0f3F800000, {f1}, {p2};
`

// powEnd has the signs and the NaNs, as C has them.
const powEnd = `cvt.rzi.f32.f32 {f8}, {f3};
setp.eq.f32 {p5}, {f8}, {f3};
mul.rn.f32 {f9}, {f3}, 0f3F000000;
cvt.rzi.f32.f32 {f8}, {f9};
setp.neu.f32 {p6}, {f8}, {f9};
and.pred {p6}, {p5}, {p6};
setp.lt.f32 {p7}, {f4}, 0f7F800000;
and.pred {p6}, {p6}, {p7};
mov.b32 {r1}, {a};
setp.lt.s32 {p8}, {r1}, 0;
and.pred {p6}, {p6}, {p8};
neg.f32 {f8}, {f1};
selp.f32 {f1}, {f8}, {f1}, {p6};
setp.lt.f32 {p7}, {a}, 0f00000000;
not.pred {p5}, {p5};
and.pred {p7}, {p7}, {p5};
setp.lt.f32 {p8}, {f2}, 0f7F800000;
and.pred {p7}, {p7}, {p8};
selp.f32 {f1}, 0f7FC00000, {f1}, {p7};
setp.nan.f32 {p7}, {a}, {f3};
selp.f32 {f1}, 0f7FC00000, {f1}, {p7};
setp.eq.f32 {p7}, {a}, 0f3F800000;
selp.f32 {f1}, 0f3F800000, {f1}, {p7};
setp.eq.f32 {p7}, {f3}, 0f00000000;
selp.f32 {d}, 0f3F800000, {f1}, {p7};`

// powrEnd has what powr has no value for.
const powrEnd = `setp.eq.f32 {p5}, {f3}, 0f00000000;
selp.f32 {f1}, 0f3F800000, {f1}, {p5};
setp.eq.f32 {p6}, {f2}, 0f00000000;
setp.eq.f32 {p7}, {f2}, 0f7F800000;
or.pred {p6}, {p6}, {p7};
and.pred {p6}, {p6}, {p5};
selp.f32 {f1}, 0f7FC00000, {f1}, {p6};
setp.eq.f32 {p6}, {a}, 0f3F800000;
setp.eq.f32 {p7}, {f4}, 0f7F800000;
and.pred {p6}, {p6}, {p7};
selp.f32 {f1}, 0f7FC00000, {f1}, {p6};
setp.nan.f32 {p7}, {a}, {f3};
selp.f32 {f1}, 0f7FC00000, {f1}, {p7};
setp.lt.f32 {p7}, {a}, 0f00000000;
selp.f32 {d}, 0f7FC00000, {f1}, {p7};`

// Table returns a table of fmath that a template names: the type of its elements, and the elements.
func Table(name string) (typ string, list []string) {
	if f := logarithms[name]; f != nil {
		for i := range f.Inverse {
			list = append(list, Double(f.Inverse[i]), Double(f.Log[i]))
		}
		return "f64", list
	}
	if name == "2/pi" {
		for _, word := range twoByPi {
			list = append(list, fmt.Sprint(word))
		}
		return "b32", list
	}
	for _, bits := range fmath.Exp2Table {
		list = append(list, fmt.Sprint(bits))
	}
	return "b64", list
}
