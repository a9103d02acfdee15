package ptx

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
)

// What Options.Fast permits, as Metal's compiler does unless it is told otherwise: a product and a sum that are rounded
// once, and functions within a few units of the last place.

// fastRows are functions in floats. 2^n is made of two factors, since it may be beyond a float where the result is not.
var fastRows = map[ir.Op]string{
	// x less as many times ln 2, in two parts, as there are halvings of it, and that in turns of 2
	ir.OpExp: limitedTo(-105, 89) + "mul.rn.f32 {f1}, {f6}, " + float(math.Log2E) + ";\ncvt.rni.f32.f32 {f1}, {f1};\n" +
		"fma.rn.f32 {f2}, {f1}, " + float(-6.93145752e-1) + ", {f6};\n" +
		"fma.rn.f32 {f2}, {f1}, " + float(-1.42860677e-6) + ", {f2};\n" +
		"mul.rn.f32 {f2}, {f2}, " + float(math.Log2E) + ";\n" + raised,
	ir.OpExp2:  limitedTo(-152, 130) + "cvt.rni.f32.f32 {f1}, {f6};\nsub.rn.f32 {f2}, {f6}, {f1};\n" + raised,
	ir.OpRsqrt: "rsqrt.approx.f32 {d}, {a};",
}

// limitedTo leaves an operand in f6, within a range beyond which the result is 0 or infinite.
func limitedTo(low, high float64) string {
	return "max.f32 {f6}, {a}, " + float(low) + ";\nmin.f32 {f6}, {f6}, " + float(high) + ";\n"
}

// raised is 2^(f1 + f2), of an integer and a fraction.
const raised = `ex2.approx.f32 {f3}, {f2};
cvt.rzi.s32.f32 {r1}, {f1};
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
setp.nan.f32 {p1}, {a}, {a};
selp.f32 {d}, {a}, {f1}, {p1};`

// findFused finds the products that are part of a sum, and of nothing else, in the same region.
func (e *emitter) findFused() {
	e.uses = make([]int, e.Values())
	for in := range e.All() {
		for _, v := range in.Args {
			e.uses[v]++
		}
	}
	var find func(r *ir.Region)
	find = func(r *ir.Region) {
		products := map[ir.Value]*ir.Instr{}
		for _, in := range r.Code {
			for _, inner := range in.Regions {
				find(inner)
			}
			switch {
			case in.Op == ir.OpMul && in.Type == ir.F32 && e.uses[in.Result()] == 1:
				products[in.Result()] = in
			case (in.Op == ir.OpAdd || in.Op == ir.OpSub) && in.Type == ir.F32:
				for i := 1; i >= 0; i-- {
					if product := products[in.Args[i]]; product != nil {
						e.fused[in], e.within[product] = fusedSum{product, i}, true
						break
					}
				}
			}
		}
	}
	for r := range e.Bodies() {
		find(r)
	}
}

// fusedSum is a sum or a difference with a product as an operand.
type fusedSum struct {
	product *ir.Instr
	operand int
}

// fuse writes a product and a sum as one instruction.
func (e *emitter) fuse(in *ir.Instr, f fusedSum) {
	x, y, z := e.reg(f.product.Args[0]), e.reg(f.product.Args[1]), e.reg(in.Args[1-f.operand])
	if in.Op == ir.OpSub && f.operand == 0 { // x*y - z
		z = e.make(floatClass, "neg.f32", z)
	} else if in.Op == ir.OpSub { // z - x*y
		x = e.make(floatClass, "neg.f32", x)
	}
	e.op("fma.rn.f32 %s, %s, %s, %s;", e.reg(in.Result()), x, y, z)
}
