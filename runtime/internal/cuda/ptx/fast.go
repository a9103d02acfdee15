package ptx

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// What Options.Fast permits, as Metal's compiler does unless it is told otherwise: a product and a sum that are rounded
// once. Package template has the functions.

// findFused finds the products that are part of a sum, and of nothing else, in the same region.
func (o *arithmetic) findFused() {
	o.e.uses = make([]int, o.e.Values())
	for in := range o.e.All() {
		for _, v := range in.Args {
			o.e.uses[v]++
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
			case in.Op == ir.OpMul && in.Type == ir.F32 && o.e.uses[in.Result()] == 1:
				products[in.Result()] = in
			case (in.Op == ir.OpAdd || in.Op == ir.OpSub) && in.Type == ir.F32:
				for i := 1; i >= 0; i-- {
					if product := products[in.Args[i]]; product != nil {
						o.e.fused[in], o.e.within[product] = fusedSum{product, i}, true
						break
					}
				}
			}
		}
	}
	for r := range o.e.Bodies() {
		find(r)
	}
}

// fusedSum is a sum or a difference with a product as an operand.
type fusedSum struct {
	product *ir.Instr
	operand int
}

// fuse writes a product and a sum as one instruction.
func (o *arithmetic) fuse(in *ir.Instr, f fusedSum) {
	x, y, z := o.e.reg(f.product.Args[0]), o.e.reg(f.product.Args[1]), o.e.reg(in.Args[1-f.operand])
	if in.Op == ir.OpSub && f.operand == 0 { // x*y - z
		z = o.Make(text.Float, "neg.f32", z)
	} else if in.Op == ir.OpSub { // z - x*y
		x = o.Make(text.Float, "neg.f32", x)
	}
	o.Op("fma.rn.f32 %s, %s, %s, %s;", o.e.reg(in.Result()), x, y, z)
}
