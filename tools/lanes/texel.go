package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// texels convert texels of four components, and weigh them.
func texels(g *generator) {
	unorms(g)
	between(g)
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

// between writes what samplers do.
func between(g *generator) {
	g.blend("texel.Blend", "32", lanes)
	g.blend("texel.BlendWide", "64", 2*lanes)
	const locate = "func(texel *[32]int32, part *[32]float64, x *[32]float32, scale, shift float64, offset int32) " +
		"(least, last int32, reach uint32)"
	g.operation("texel.Locate", locate, func() {
		texel, part, x := g.pointer("texel"), g.pointer("part"), g.pointer("x")
		scale, shift := g.vector(), g.vector()
		g.VBROADCASTSD(g.address("scale"), scale)
		g.VBROADCASTSD(g.address("shift"), shift)
		offset, magnitude := g.half(), g.half()
		g.VBROADCASTSS(g.address("offset"), offset)
		g.VPBROADCASTD(g.constant(operand.U32(1<<31-1)), magnitude)
		ends := []struct {
			name  string
			begin uint32
			do    func(...operand.Op)
			v     reg.VecVirtual
		}{
			{"least", 1<<31 - 1, g.VPMINSD, g.half()}, {"last", 1 << 31, g.VPMAXSD, g.half()},
			{"reach", 0, g.VPMAXUD, g.half()},
		}
		for _, e := range ends {
			g.VPBROADCASTD(g.constant(operand.U32(e.begin)), e.v)
		}
		for at := 0; at < lanes; at += g.size() / 8 {
			c, u, floor, i := g.half(), g.vector(), g.vector(), g.half()
			g.VMOVUPS(x.Offset(4*at), c)
			g.VCVTPS2PD(c, u)
			g.VMULPD(scale, u, u)
			g.VSUBPD(shift, u, u)
			const down = operand.U8(9)
			if g.wide {
				g.VRNDSCALEPD(down, u, floor)
				g.VCVTTPD2DQ(floor, i)
			} else {
				g.VROUNDPD(down, u, floor)
				g.VCVTTPD2DQY(floor, i)
			}
			g.VSUBPD(floor, u, u)
			g.VMOVUPS(u, part.Offset(8*at))
			g.VPADDD(offset, i, i)
			g.VMOVUPS(i, texel.Offset(4*at))
			g.VANDPS(magnitude, c, c)
			for k, e := range ends {
				e.do([]reg.VecVirtual{i, i, c}[k], e.v, e.v)
			}
		}
		for _, e := range ends {
			g.Store(g.reduced(e.v, e.do), g.Return(e.name))
		}
	})
	g.operation("texel.Reach", "func(x *[32]float32) uint32", func() {
		x, magnitude, reach := g.pointer("x"), g.half(), g.half()
		g.VPBROADCASTD(g.constant(operand.U32(1<<31-1)), magnitude)
		g.VXORPS(reach, reach, reach)
		for at := 0; at < 4*lanes; at += g.size() / 2 {
			v := g.half()
			g.VANDPS(x.Offset(at), magnitude, v)
			g.VPMAXUD(v, reach, reach)
		}
		g.Store(g.reduced(reach, g.VPMAXUD), g.ReturnIndex(0))
	})
}

// blend is for rows of so many texels.
func (g *generator) blend(name, length string, texels int) {
	signature := "func(z *[32]float32, upper, lower *[" + length + "]float32, left, right *[32]int32, first int32, " +
		"x *[32]float64, y float64)"
	g.operation(name, signature, func() {
		z, x, index := g.pointer("z"), g.pointer("x"), []operand.Mem{g.pointer("left"), g.pointer("right")}
		pick := g.picker(texels, g.pointer("upper"), g.pointer("lower"))
		first, most, one := g.vector(), g.all32(uint32(texels-1)), g.all64(0x3ff0000000000000)
		y, notY := g.vector(), g.vector()
		g.VBROADCASTSS(g.address("first"), first)
		g.VBROADCASTSD(g.address("y"), y)
		g.VSUBPD(y, one, notY)
		g.each(4, func(_, at int) {
			var corners []reg.VecVirtual // upper left, upper right, lower left, lower right
			for row := range 2 {
				for _, side := range index {
					i := g.load(side.Offset(at))
					g.VPSUBD(first, i, i)
					g.VANDPS(most, i, i)
					corners = append(corners, pick(row, i))
				}
			}
			for half := range 2 {
				px, notX, sum := g.load(x.Offset(2*at+half*g.size())), g.vector(), g.vector()
				g.VSUBPD(px, one, notX)
				g.VXORPS(sum, sum, sum)
				for i, corner := range corners {
					v, w := g.vector(), g.vector()
					g.VMULPD([]reg.VecVirtual{notY, y}[i/2], []reg.VecVirtual{notX, px}[i%2], w)
					g.VCVTPS2PD(g.halfOf(corner, half), v)
					g.VMULPD(w, v, v)
					g.VADDPD(v, sum, sum)
				}
				g.storeDouble(sum, z.Offset(at+half*g.size()/2))
			}
		})
	})
}

// picker returns a function that takes lanes of one of some rows of so many texels by their indexes.
func (g *generator) picker(texels int, rows ...operand.Mem) func(row int, index reg.VecVirtual) reg.VecVirtual {
	if g.wide {
		tables := make([][]reg.VecVirtual, len(rows))
		for i, row := range rows {
			for at := 0; at < 4*texels; at += g.size() {
				tables[i] = append(tables[i], g.load(row.Offset(at)))
			}
		}
		second := g.all32(lanes)
		return func(row int, index reg.VecVirtual) reg.VecVirtual {
			t, upper, v := tables[row], g.K(), g.vector()
			if len(t) == 2 {
				g.VPERMI2PS(t[1], t[0], index)
				return index
			}
			g.VPTESTMD(second, index, upper)
			g.VMOVUPS(index, v)
			g.VPERMI2PS(t[1], t[0], index)
			g.VPERMI2PS(t[3], t[2], v)
			g.choose(upper, v, index, index)
			return index
		}
	}
	return func(row int, index reg.VecVirtual) reg.VecVirtual {
		all, v := g.vector(), g.vector()
		g.VPCMPEQD(all, all, all)
		g.VXORPS(v, v, v)
		g.VGATHERDPS(all, operand.Mem{Base: rows[row].Base, Index: index, Scale: 4}, v)
		return v
	}
}

// halfOf returns the lower or the upper half of a register.
func (g *generator) halfOf(v reg.VecVirtual, half int) reg.Register {
	switch {
	case half == 0 && g.wide:
		return v.AsY()
	case half == 0:
		return v.AsX()
	}
	h := g.half()
	if g.wide {
		g.VEXTRACTF64X4(operand.U8(1), v, h)
	} else {
		g.VEXTRACTF128(operand.U8(1), v, h)
	}
	return h
}

// reduced combines all elements of half a register.
func (g *generator) reduced(v reg.VecVirtual, do func(...operand.Op)) reg.Register {
	x := g.XMM()
	if g.wide {
		g.VEXTRACTI128(operand.U8(1), v, x)
		do(v.AsX(), x, x)
	} else {
		g.VMOVUPS(v, x)
	}
	for _, swap := range []operand.U8{0x4e, 0xb1} {
		other := g.XMM()
		g.VPSHUFD(swap, x, other)
		do(other, x, x)
	}
	r := g.GP32()
	g.VMOVD(x, r)
	return r
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

// across makes rows of 8 texels: register i has texel i and in its upper half texel i+4; and the other way
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
