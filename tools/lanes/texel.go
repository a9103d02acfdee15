package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// texels convert texels of four components, and weigh them.
func texels(g *generator) {
	unorms(g)
	g.operation("texel.FromHalf", "func(x, y, z, w *[32]float32, texels *[256]byte)", func() {
		rows, from := g.pointers("xyzw"), g.pointer("texels")
		for at := 0; at < lanes; at += 8 {
			var pairs [4]reg.VecVirtual
			for i := range pairs {
				pairs[i] = g.YMM()
				g.VCVTPH2PS(from.Offset(8*at+16*i), pairs[i])
			}
			g.store(rows, 4*at, g.across(g.apart(pairs)))
		}
	})
	g.operation("texel.ToHalf", "func(texels *[256]byte, x, y, z, w *[32]float32)", func() {
		to, rows := g.pointer("texels"), g.pointers("xyzw")
		for at := 0; at < lanes; at += 8 {
			for i, pair := range g.together(g.across(g.fetch(rows, 4*at))) {
				const toNearest = operand.U8(0)
				g.VCVTPS2PH(toNearest, pair, to.Offset(8*at+16*i))
			}
		}
	})
	g.operation("texel.FromWords", "func(x, y, z, w *[32]uint32, texels *[512]byte)", func() {
		rows, from := g.pointers("xyzw"), g.pointer("texels")
		for at := 0; at < lanes; at += 8 {
			var t [4]reg.VecVirtual
			for i := range t {
				t[i] = g.YMM()
				g.VBROADCASTF128(from.Offset(16*(at+i)), t[i])
				g.VINSERTF128(operand.U8(1), from.Offset(16*(at+i+4)), t[i], t[i])
			}
			g.store(rows, 4*at, g.across(t))
		}
	})
	g.operation("texel.ToWords", "func(texels *[512]byte, x, y, z, w *[32]uint32)", func() {
		to, rows := g.pointer("texels"), g.pointers("xyzw")
		for at := 0; at < lanes; at += 8 {
			for i, t := range g.across(g.fetch(rows, 4*at)) {
				g.VMOVUPS(t.AsX(), to.Offset(16*(at+i)))
				g.VEXTRACTF128(operand.U8(1), t, to.Offset(16*(at+i+4)))
			}
		}
	})
	g.operation("texel.Weigh", "func(z, a, b, c, d *[32]float32, weights *[128]float64)", func() {
		z, texels, weights := g.pointer("z"), g.pointers("abcd"), g.pointer("weights")
		for at := 0; at < lanes; at += g.size() / 8 {
			sum := g.vector()
			g.VXORPS(sum, sum, sum)
			for i, texel := range texels {
				v := g.vector()
				g.VCVTPS2PD(texel.Offset(4*at), v)
				g.VMULPD(weights.Offset(8*(lanes*i+at)), v, v)
				g.VADDPD(v, sum, sum)
			}
			g.storeDouble(sum, z.Offset(4*at))
		}
	})
}

func (g *generator) store(rows []operand.Mem, at int, v [4]reg.VecVirtual) {
	for i, row := range rows {
		g.VMOVUPS(v[i], row.Offset(at))
	}
}

// fetch returns 8 lanes of four rows.
func (g *generator) fetch(rows []operand.Mem, at int) (v [4]reg.VecVirtual) {
	for i, row := range rows {
		v[i] = g.YMM()
		g.VMOVUPS(row.Offset(at), v[i])
	}
	return v
}

// across makes rows of 8 texels, of which register i has texel i and in its upper half texel i+4; and the other way
// round.
func (g *generator) across(t [4]reg.VecVirtual) (rows [4]reg.VecVirtual) {
	var half [4]reg.VecVirtual
	for i := range half {
		half[i], rows[i] = g.YMM(), g.YMM()
	}
	g.VUNPCKLPS(t[1], t[0], half[0])
	g.VUNPCKHPS(t[1], t[0], half[1])
	g.VUNPCKLPS(t[3], t[2], half[2])
	g.VUNPCKHPS(t[3], t[2], half[3])
	g.VUNPCKLPD(half[2], half[0], rows[0])
	g.VUNPCKHPD(half[2], half[0], rows[1])
	g.VUNPCKLPD(half[3], half[1], rows[2])
	g.VUNPCKHPD(half[3], half[1], rows[3])
	return rows
}

// apart makes what across wants of registers that have two texels beside each other, and together does the reverse.

func (g *generator) apart(pairs [4]reg.VecVirtual) [4]reg.VecVirtual {
	a, b := g.halves(pairs[0], pairs[2])
	c, d := g.halves(pairs[1], pairs[3])
	return [4]reg.VecVirtual{a, b, c, d}
}

func (g *generator) together(t [4]reg.VecVirtual) [4]reg.VecVirtual {
	a, c := g.halves(t[0], t[1])
	b, d := g.halves(t[2], t[3])
	return [4]reg.VecVirtual{a, b, c, d}
}

// halves returns the lower halves of two registers, and the upper ones.
func (g *generator) halves(x, y reg.VecVirtual) (lower, upper reg.VecVirtual) {
	lower, upper = g.YMM(), g.YMM()
	g.VPERM2F128(operand.U8(0x20), y, x, lower)
	g.VPERM2F128(operand.U8(0x31), y, x, upper)
	return lower, upper
}

// unorms convert between fractions and bytes.
func unorms(g *generator) {
	g.operation("texel.FromUnorm", "func(x, y, z, w *[32]float32, texels *[128]byte)", func() {
		rows, from := g.pointers("xyzw"), g.pointer("texels")
		// The nearest floats to 1/255 and to what is left of it. With both, results are correctly rounded.
		low, upper, lower := g.all32(0xff), g.all32(0x3b808081), g.all32(0xaf7efeff)
		g.each(4, func(_, at int) {
			texel := g.load(from.Offset(at))
			for i, row := range rows {
				v, rest := g.vector(), g.vector()
				switch i {
				case 0:
					g.VANDPS(low, texel, v)
				case 3:
					g.VPSRLD(operand.U8(24), texel, v)
				default:
					g.VPSRLD(operand.U8(8*i), texel, v)
					g.VANDPS(low, v, v)
				}
				g.VCVTDQ2PS(v, v)
				g.VMULPS(lower, v, rest)
				g.VFMADD213PS(rest, upper, v)
				g.VMOVUPS(v, row.Offset(at))
			}
		})
	})
	g.operation("texel.ToUnorm", "func(texels *[128]byte, x, y, z, w *[32]float32)", func() {
		to, rows := g.pointer("texels"), g.pointers("xyzw")
		// A float of 2^23 has no bits for fractions, so the fused addition rounds the exact product to an integer.
		zero, one, top, units := g.all32(0), g.all32(0x3f800000), g.all32(0x437f0000), g.all32(0x4b000000)
		low := g.all32(0xff)
		g.each(4, func(_, at int) {
			texel := g.vector()
			for i, row := range rows {
				v := g.load(row.Offset(at))
				g.VMAXPS(zero, v, v) // 0 of NaN
				g.VMINPS(one, v, v)
				g.VFMADD213PS(units, top, v)
				switch i {
				case 0:
					g.VANDPS(low, v, texel)
					continue
				case 3:
					g.VPSLLD(operand.U8(24), v, v)
				default:
					g.VANDPS(low, v, v)
					g.VPSLLD(operand.U8(8*i), v, v)
				}
				g.VORPS(v, texel, texel)
			}
			g.VMOVUPS(texel, to.Offset(at))
		})
	})
}
