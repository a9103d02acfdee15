package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func conversions(g *generator) {
	fromIntegers(g)
	toIntegers(g)
	narrowFloats(g)
	widths(g)
}

// convert writes a conversion between types of 32 bits.
func (g *generator) convert(field, to, from string, prepare func() func(x reg.VecVirtual)) {
	g.operation(field, "func(z *[32]"+to+", x *[32]"+from+")", func() {
		p := g.pointers("zx")
		do := prepare()
		g.each(4, func(_, at int) {
			x := g.load(p[1].Offset(at))
			do(x)
			g.VMOVUPS(x, p[0].Offset(at))
		})
	})
}

func fromIntegers(g *generator) {
	g.convert("int.Float", "float32", "int32", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) { g.VCVTDQ2PS(x, x) }
	})
	g.convert("uint.Float", "float32", "uint32", g.floatFromUint)
	if g.wide {
		g.floatFromLong("long.Float", g.VCVTQQ2PS)
		g.floatFromLong("ulong.Float", g.VCVTUQQ2PS)
	}
	// a field of bits, as a float
	for _, f := range []struct {
		field string
		shift func(n, x, z operand.Op)
	}{
		{"int.Field", func(n, x, z operand.Op) { g.VPSRAVD(n, x, z) }},
		{"uint.Field", func(n, x, z operand.Op) { g.VPSRLVD(n, x, z) }},
	} {
		element := elementOf(f.field)
		g.operation(f.field, "func(z *[32]float32, x *[32]"+element+", n *[32]uint32, ones "+element+")", func() {
			p := g.pointers("zxn")
			bound, ones := g.all32(31), g.vector()
			g.VBROADCASTSS(g.address("ones"), ones)
			g.each(4, func(_, at int) {
				x, n := g.load(p[1].Offset(at)), g.vector()
				g.VANDPS(p[2].Offset(at), bound, n)
				f.shift(n, x, x)
				g.VANDPS(ones, x, x)
				g.VCVTDQ2PS(x, x)
				g.VMOVUPS(x, p[0].Offset(at))
			})
		})
	}
}

// floatFromUint rounds once: AVX2 adds two halves, each of which is a float.
func (g *generator) floatFromUint() func(x reg.VecVirtual) {
	if g.wide {
		return func(x reg.VecVirtual) { g.VCVTUDQ2PS(x, x) }
	}
	low, scale := g.all32(0xffff), g.all32(0x47800000) // 2^16
	return func(x reg.VecVirtual) {
		y := g.vector()
		g.VPSRLD(operand.Imm(16), x, y)
		g.VPAND(low, x, x)
		g.VCVTDQ2PS(x, x)
		g.VCVTDQ2PS(y, y)
		g.VMULPS(scale, y, y)
		g.VADDPS(y, x, x)
	}
}

func (g *generator) floatFromLong(field string, convert func(...operand.Op)) {
	g.operation(field, "func(z *[32]float32, x *[32]"+elementOf(field)+")", func() {
		p := g.pointers("zx")
		g.each(8, func(_, at int) {
			h := g.half()
			convert(p[1].Offset(at), h)
			g.VMOVUPS(h, p[0].Offset(at/2))
		})
	})
}

// toIntegers truncate. What is out of range becomes the nearest integer, and NaN 0; the
// instructions make one number of all that.
func toIntegers(g *generator) {
	g.operation("float.Int", "func(z *[32]int32, x *[32]float32, low, high int32)", func() {
		p := g.pointers("zx")
		low, high := g.vector(), g.vector()
		g.VBROADCASTSS(g.address("low"), low)
		g.VBROADCASTSS(g.address("high"), high)
		limit, zero, most := g.all32(0x4f000000), g.all32(0), g.all32(1<<31-1) // 2^31
		g.each(4, func(_, at int) {
			x, z := g.load(p[1].Offset(at)), g.vector()
			g.VCVTTPS2DQ(x, z)
			g.choose(g.compareFloat(lessEqual, limit, x), most, z, z)
			g.choose(g.compareFloat(unordered, x, x), zero, z, z)
			g.VPMAXSD(low, z, z)
			g.VPMINSD(high, z, z)
			g.VMOVUPS(z, p[0].Offset(at))
		})
	})
	g.convert("float.Uint", "uint32", "float32", g.uintFromFloat)
	if !g.wide {
		return
	}
	for _, f := range []struct {
		field, element string
		limit          uint32
		most           uint64
		convert        func(...operand.Op)
	}{
		{"float.Long", "int64", 0x5f000000, 1<<63 - 1, g.VCVTTPS2QQ},
		{"float.Ulong", "uint64", 0x5f800000, 1<<64 - 1, g.VCVTTPS2UQQ},
	} {
		g.operation(f.field, "func(z *[32]"+f.element+", x *[32]float32)", func() {
			p := g.pointers("zx")
			zero, most, limit := g.YMM(), g.all64(f.most), g.YMM()
			g.VXORPS(zero, zero, zero)
			g.VPBROADCASTD(g.constant(operand.U32(f.limit)), limit)
			g.each(8, func(_, at int) {
				x, z := g.YMM(), g.vector()
				g.VMOVUPS(p[1].Offset(at/2), x)
				over := g.K()
				g.VCMPPS(lessEqual, x, limit, over)
				if f.element == "uint64" {
					g.VMAXPS(zero, x, x) // 0 of NaN
				} else {
					g.orZero(x)
				}
				f.convert(x, z)
				g.chooseDouble(over, most, z, z)
				g.VMOVUPS(z, p[0].Offset(at))
			})
		})
	}
}

// orZero makes 0 of NaN.
func (g *generator) orZero(x reg.VecVirtual) {
	k := g.K()
	const ordered = operand.U8(7)
	g.VCMPPS(ordered, x, x, k)
	g.VMOVUPS_Z(x, k, x)
}

func (g *generator) uintFromFloat() func(x reg.VecVirtual) {
	zero := g.all32(0)
	if g.wide {
		return func(x reg.VecVirtual) {
			g.VMAXPS(zero, x, x) // 0 of NaN
			g.VCVTTPS2UDQ(x, x)
		}
	}
	half, limit, sign := g.all32(0x4f000000), g.all32(0x4f800000), g.all32(1<<31) // 2^31 and 2^32
	return func(x reg.VecVirtual) {
		g.VMAXPS(zero, x, x)
		high, over := g.compareFloat(lessEqual, half, x), g.compareFloat(lessEqual, limit, x)
		less, z := g.vector(), g.vector()
		g.VANDPS(high, half, less)
		g.VSUBPS(less, x, z)
		g.VCVTTPS2DQ(z, z)
		g.VANDPS(high, sign, less)
		g.VXORPS(less, z, z)
		g.VORPS(over, z, x)
	}
}

// narrowFloats are half and bfloat.
func narrowFloats(g *generator) {
	g.unary("float.RoundHalf", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) {
			h := g.half()
			g.VCVTPS2PH(operand.U8(0), x, h)
			g.VCVTPH2PS(h, x)
		}
	})
	g.unary("float.RoundBFloat", func() func(reg.VecVirtual) {
		round, upper := g.bfloat(), g.all32(0xffff0000)
		return func(x reg.VecVirtual) {
			round(x)
			g.VANDPS(upper, x, x)
		}
	})
	g.convert("float.HalfBits", "uint32", "float32", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) {
			h := g.half()
			g.VCVTPS2PH(operand.U8(0), x, h)
			g.VPMOVZXWD(h, x)
		}
	})
	g.convert("float.BFloatBits", "uint32", "float32", func() func(reg.VecVirtual) {
		round := g.bfloat()
		return func(x reg.VecVirtual) {
			round(x)
			g.VPSRLD(operand.Imm(16), x, x)
		}
	})
	g.convert("float.FromHalfBits", "float32", "uint32", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) { g.VCVTPH2PS(g.lower16(x), x) }
	})
	g.convert("float.FromBFloatBits", "float32", "uint32", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) { g.VPSLLD(operand.Imm(16), x, x) }
	})
}

// bfloat returns a function that rounds the upper 16 bits of floats to nearest, ties to even; the
// others may be anything afterwards. A NaN remains one.
func (g *generator) bfloat() func(x reg.VecVirtual) {
	less, one, quiet := g.all32(0x7fff), g.all32(1), g.all32(1<<22)
	return func(x reg.VecVirtual) {
		nan, kept, odd := g.compareFloat(unordered, x, x), g.vector(), g.vector()
		g.VORPS(quiet, x, kept)
		g.VPSRLD(operand.Imm(16), x, odd)
		g.VANDPS(one, odd, odd)
		g.VPADDD(less, x, x)
		g.VPADDD(odd, x, x)
		g.choose(nan, kept, x, x)
	}
}

// lower16 returns a register with the lower halves of words.
func (g *generator) lower16(x reg.VecVirtual) reg.Register {
	h := g.half()
	if g.wide {
		g.VPMOVDW(x, h)
		return h
	}
	y := g.vector()
	g.VPAND(g.all32(0xffff), x, y)
	g.VPACKUSDW(y, y, y)
	g.VPERMQ(operand.U8(0b1000), y, y)
	return y.AsX()
}

// widths are conversions between integers.
func widths(g *generator) {
	for _, f := range []struct {
		field  string
		extend func(...operand.Op)
	}{{"int.Long", g.VPMOVSXDQ}, {"uint.Long", g.VPMOVZXDQ}} {
		g.operation(f.field, "func(z *[32]int64, x *[32]"+elementOf(f.field)+")", func() {
			p := g.pointers("zx")
			g.each(8, func(_, at int) {
				v := g.vector()
				f.extend(p[1].Offset(at/2), v)
				g.VMOVUPS(v, p[0].Offset(at))
			})
		})
	}
	g.operation("narrow", "func(z *[32]uint32, x *[32]uint64)", func() {
		p := g.pointers("zx")
		g.each(4, func(_, at int) {
			low := g.load(p[1].Offset(2 * at))
			if g.wide {
				h := g.half()
				g.VPMOVQD(low, h)
				g.VMOVUPS(h, p[0].Offset(at))
				g.VPMOVQD(g.load(p[1].Offset(2*at+g.size())), h)
				g.VMOVUPS(h, p[0].Offset(at+g.size()/2))
				return
			}
			g.VSHUFPS(operand.U8(0x88), p[1].Offset(2*at+g.size()), low, low)
			g.VPERMQ(operand.U8(0xd8), low, low)
			g.VMOVUPS(low, p[0].Offset(at))
		})
	})
	for _, f := range []struct {
		field string
		bits  uint64
		back  func(...operand.Op)
	}{
		{"int.WrapByte", 24, g.VPSRAD},
		{"int.WrapShort", 16, g.VPSRAD},
		{"uint.WrapByte", 24, g.VPSRLD},
		{"uint.WrapShort", 16, g.VPSRLD},
	} {
		g.unary(f.field, func() func(reg.VecVirtual) {
			return func(x reg.VecVirtual) {
				g.VPSLLD(operand.Imm(f.bits), x, x)
				f.back(operand.Imm(f.bits), x, x)
			}
		})
	}
}
