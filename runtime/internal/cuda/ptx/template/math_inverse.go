package template

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
)

// The inverses of sines and tangents, and hyperbolic functions: in doubles, whose errors are far below what a float
// shows, so that results have the bits of the CPU device but where a number is just between two floats.

func init() {
	for op, template := range map[ir.Op]string{
		ir.OpAtan: sized + "mov.f64 {q4}, {q9};\n" + arctangent + signed,
		ir.OpAsin: sized + arcsine + signed,
		ir.OpAcos: sized + arcsine + "copysign.f64 {q4}, {q8}, {q4};\nsub.rn.f64 {q4}, " + Double(math.Pi/2) +
			", {q4};\n" + narrow + orNaN,
		ir.OpAtan2: arctangent2,
		ir.OpSinh: sized + exponentials + "sub.rn.f64 {q4}, {q4}, {q1};\nmul.rn.f64 {q4}, {q4}, " + Double(0.5) + ";\n" +
			"mul.rn.f64 {q6}, {q9}, {q9};\n" + series(1, 9, func(k int) float64 { return 1 / math.Gamma(float64(2*k+2)) }) +
			"mul.rn.f64 {q10}, {q9}, {q7};\n" + orSeries + signed,
		ir.OpCosh: sized + exponentials + "add.rn.f64 {q4}, {q4}, {q1};\nmul.rn.f64 {q4}, {q4}, " + Double(0.5) + ";\n" +
			narrow + orNaN,
		ir.OpAsinh: sized + "mul.rn.f64 {q1}, {q9}, {q9};\nadd.rn.f64 {q1}, {q1}, " + Double(1) +
			";\nsqrt.rn.f64 {q1}, {q1};\ndiv.rn.f64 {q5}, {q9}, {q1};\nadd.rn.f64 {q4}, {q9}, {q1};\n" + logOf("loge") +
			"mul.rn.f64 {q6}, {q5}, {q5};\n" + series(0.25, 14, odd) + "mul.rn.f64 {q10}, {q5}, {q7};\n" + orSeries +
			narrow + "abs.f32 {f2}, {a};\n" + orInfinity + "copysign.f32 {f1}, {a}, {f1};\n" + orNaN,
		ir.OpAcosh: sized + "sub.rn.f64 {q1}, {q8}, " + Double(1) + ";\nadd.rn.f64 {q2}, {q8}, " + Double(1) +
			";\nmul.rn.f64 {q1}, {q1}, {q2};\nsqrt.rn.f64 {q1}, {q1};\nadd.rn.f64 {q4}, {q8}, {q1};\n" + logOf("loge") +
			narrow + "mov.f32 {f2}, {a};\n" + orInfinity + "setp.lt.f32 {p3}, {a}, 0f3F800000;\n" + orNothing + orNaN,
		ir.OpAtanh: sized + "add.rn.f64 {q1}, {q9}, " + Double(1) + ";\nsub.rn.f64 {q2}, " + Double(1) +
			", {q9};\ndiv.rn.f64 {q4}, {q1}, {q2};\n" + logOf("loge") + "mul.rn.f64 {q4}, {q4}, " + Double(0.5) +
			";\nmul.rn.f64 {q6}, {q9}, {q9};\n" + series(0.25, 14, odd) + "mul.rn.f64 {q10}, {q9}, {q7};\n" + orSeries +
			narrow + "abs.f32 {f2}, {a};\nsetp.eq.f32 {p3}, {f2}, 0f3F800000;\nselp.f32 {f1}, 0f7F800000, {f1}, {p3};\n" +
			"copysign.f32 {f1}, {a}, {f1};\nsetp.gt.f32 {p3}, {f2}, 0f3F800000;\n" + orNothing + orNaN,
	} {
		mathRows[op] = template
	}
}

// sized leaves the operand in q8, and without its sign in q9.
const sized = "cvt.f64.f32 {q8}, {a};\nabs.f64 {q9}, {q8};\n"

// narrow makes q4 a float, f1.
const narrow = "cvt.rn.f32.f64 {f1}, {q4};\n"

// signed makes q4 the result, with the sign of the operand.
const signed = "copysign.f64 {q4}, {q8}, {q4};\n" + narrow + orNaN

// orInfinity makes the result infinite where f2 is.
const orInfinity = "setp.eq.f32 {p3}, {f2}, 0f7F800000;\nselp.f32 {f1}, {f2}, {f1}, {p3};\n"

// orNothing makes the result no number where p3 holds.
const orNothing = "selp.f32 {f1}, 0f7FC00000, {f1}, {p3};\n"

// series leaves in q7 a power series of q6, with so many terms, and in p2 whether the operand is in its range.
func series(below float64, terms int, of func(k int) float64) string {
	p := make([]float64, terms)
	for k := range p {
		p[k] = of(k)
	}
	return polynomial("{q6}", p) + "setp.lt.f64 {p2}, {q9}, " + Double(below) + ";\n"
}

// orSeries makes q4 what a series gave where the operand is in its range.
const orSeries = "selp.f64 {q4}, {q10}, {q4}, {p2};\n"

// odd are the factors of the inverse hyperbolic tangent's series; that of the tangent has them with changing signs.
func odd(k int) float64 { return 1 / float64(2*k+1) }

// exponentials leaves the exponential of q9 in q4, and its inverse in q1.
var exponentials = "mov.f64 {q4}, {q9};\n" + raise(&fmath.ExpE) + "rcp.rn.f64 {q1}, {q4};\n"

// arctangent makes q4, which is not negative, its arctangent: that of a number of at most tan(pi/8).
var arctangent = "setp.gt.f64 {p1}, {q4}, " + Double(1) + ";\nrcp.rn.f64 {q5}, {q4};\n" +
	"selp.f64 {q4}, {q5}, {q4}, {p1};\nsetp.gt.f64 {p2}, {q4}, " + Double(math.Sqrt2-1) + ";\n" +
	"sub.rn.f64 {q5}, {q4}, " + Double(1) + ";\nadd.rn.f64 {q6}, {q4}, " + Double(1) + ";\n" +
	"div.rn.f64 {q5}, {q5}, {q6};\nselp.f64 {q4}, {q5}, {q4}, {p2};\nmul.rn.f64 {q6}, {q4}, {q4};\n" +
	polynomial("{q6}", arctangents()) + "mul.rn.f64 {q4}, {q4}, {q7};\nadd.rn.f64 {q5}, {q4}, " + Double(math.Pi/4) +
	";\nselp.f64 {q4}, {q5}, {q4}, {p2};\nsub.rn.f64 {q5}, " + Double(math.Pi/2) + ", {q4};\n" +
	"selp.f64 {q4}, {q5}, {q4}, {p1};\n"

func arctangents() []float64 {
	p := make([]float64, 20)
	for k := range p {
		p[k] = odd(k)
		if k%2 == 1 {
			p[k] = -p[k]
		}
	}
	return p
}

// arcsine leaves the arcsine of q9 in q4.
var arcsine = "sub.rn.f64 {q2}, " + Double(1) + ", {q9};\nadd.rn.f64 {q3}, {q9}, " + Double(1) + ";\n" +
	"mul.rn.f64 {q2}, {q2}, {q3};\nsqrt.rn.f64 {q2}, {q2};\ndiv.rn.f64 {q4}, {q9}, {q2};\n" + arctangent

// arctangent2 is that of a quotient, with the signs of C23, F.10.1.4.
var arctangent2 = "mov.f32 {f3}, {b};\n" + sized + "cvt.f64.f32 {q2}, {f3};\nabs.f64 {q2}, {q2};\n" +
	"div.rn.f64 {q4}, {q9}, {q2};\nsetp.eq.f64 {p3}, {q9}, {q2};\nselp.f64 {q4}, " + Double(1) + ", {q4}, {p3};\n" +
	"setp.eq.f64 {p3}, {q9}, " + Double(0) + ";\nselp.f64 {q4}, " + Double(0) + ", {q4}, {p3};\n" + arctangent +
	"sub.rn.f64 {q5}, " + Double(math.Pi) + ", {q4};\nmov.b32 {r1}, {f3};\nsetp.lt.s32 {p3}, {r1}, 0;\n" +
	"selp.f64 {q4}, {q5}, {q4}, {p3};\ncopysign.f64 {q4}, {q8}, {q4};\n" + narrow +
	"setp.nan.f32 {p3}, {a}, {f3};\nselp.f32 {d}, 0f7FC00000, {f1}, {p3};"
