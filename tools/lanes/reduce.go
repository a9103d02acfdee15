package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reductions join all lanes in pairs: lanes that are half of the width apart, then a quarter of it, and so
// on. The vectors are as AVX2 has them for all processors.
func reductions(g *generator) {
	if g.wide {
		return
	}
	for _, f := range []struct {
		name, parameters string
		join             binary
	}{
		{"Sum", ", mask uint32", func(y operand.Op, x, z reg.VecVirtual) { g.VADDPS(y, x, z) }},
		{"Least", "", func(y operand.Op, x, z reg.VecVirtual) { g.VMOVAPS(g.lesser(x, y.(reg.VecVirtual), true), z) }},
		{"Greatest", "", func(y operand.Op, x, z reg.VecVirtual) { g.VMOVAPS(g.lesser(x, y.(reg.VecVirtual), false), z) }},
	} {
		g.operation("float."+f.name, "func(x *[32]float32"+f.parameters+") float32", func() {
			x := g.pointer("x")
			var v [4]reg.VecVirtual
			g.each(4, func(i, at int) { v[i] = g.load(x.Offset(at)) })
			if f.name == "Sum" { // 0 where no lane is active
				zero, choose := g.all32(0), g.chooser(4)
				for i := range v {
					choose(i, v[i], zero, v[i])
				}
			}
			f.join(v[2], v[0], v[0])
			f.join(v[3], v[1], v[1])
			f.join(v[1], v[0], v[0])
			other := g.vector()
			g.VPERM2F128(operand.U8(0x01), v[0], v[0], other)
			f.join(other, v[0], v[0])
			g.VSHUFPS(operand.U8(0x4e), v[0], v[0], other)
			f.join(other, v[0], v[0])
			g.VSHUFPS(operand.U8(0xb1), v[0], v[0], other)
			f.join(other, v[0], v[0])
			g.Store(v[0].AsX(), g.ReturnIndex(0))
		})
	}
}
