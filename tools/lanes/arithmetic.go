package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// binary is an operator on two vectors; y may be in memory.
type binary func(y operand.Op, x, z reg.VecVirtual)

func arithmetic(g *generator) {
	for _, f := range []struct {
		fields string
		do     binary
	}{
		{"float.Add", func(y operand.Op, x, z reg.VecVirtual) { g.VADDPS(y, x, z) }},
		{"float.Sub", func(y operand.Op, x, z reg.VecVirtual) { g.VSUBPS(y, x, z) }},
		{"float.Mul", func(y operand.Op, x, z reg.VecVirtual) { g.VMULPS(y, x, z) }},
		{"float.Div", func(y operand.Op, x, z reg.VecVirtual) { g.VDIVPS(y, x, z) }},
		{"int.Add uint.Add", func(y operand.Op, x, z reg.VecVirtual) { g.VPADDD(y, x, z) }},
		{"int.Sub uint.Sub", func(y operand.Op, x, z reg.VecVirtual) { g.VPSUBD(y, x, z) }},
		{"int.Mul uint.Mul", func(y operand.Op, x, z reg.VecVirtual) { g.VPMULLD(y, x, z) }},
		{"int.And uint.And", func(y operand.Op, x, z reg.VecVirtual) { g.VANDPS(y, x, z) }},
		{"int.Or uint.Or", func(y operand.Op, x, z reg.VecVirtual) { g.VORPS(y, x, z) }},
		{"int.Xor uint.Xor", func(y operand.Op, x, z reg.VecVirtual) { g.VXORPS(y, x, z) }},
		{"int.Min", func(y operand.Op, x, z reg.VecVirtual) { g.VPMINSD(y, x, z) }},
		{"int.Max", func(y operand.Op, x, z reg.VecVirtual) { g.VPMAXSD(y, x, z) }},
		{"uint.Min", func(y operand.Op, x, z reg.VecVirtual) { g.VPMINUD(y, x, z) }},
		{"uint.Max", func(y operand.Op, x, z reg.VecVirtual) { g.VPMAXUD(y, x, z) }},
		{"long.Add ulong.Add", func(y operand.Op, x, z reg.VecVirtual) { g.VPADDQ(y, x, z) }},
		{"long.Sub ulong.Sub", func(y operand.Op, x, z reg.VecVirtual) { g.VPSUBQ(y, x, z) }},
		{"long.Mul ulong.Mul", g.mulLong()},
		{"long.And ulong.And", func(y operand.Op, x, z reg.VecVirtual) { g.VANDPS(y, x, z) }},
		{"long.Or ulong.Or", func(y operand.Op, x, z reg.VecVirtual) { g.VORPS(y, x, z) }},
		{"long.Xor ulong.Xor", func(y operand.Op, x, z reg.VecVirtual) { g.VXORPS(y, x, z) }},
	} {
		element := elementOf(f.fields)
		g.operation(f.fields, "func(z, x, y *[32]"+element+")", func() {
			p := g.pointers("zxy")
			g.each(bytesOf(element), func(_, at int) {
				v := g.load(p[1].Offset(at))
				f.do(p[2].Offset(at), v, v)
				g.VMOVUPS(v, p[0].Offset(at))
			})
		})
	}
	shifts(g)
	lesser(g)
	fused(g)
	signs(g)
	roundings(g)
	roots(g)
}

func bytesOf(element string) int {
	if element == "int64" || element == "uint64" {
		return 8
	}
	return 4
}

// mulLong multiplies modulo 2^64. AVX2 has products of the lower halves only.
func (g *generator) mulLong() binary {
	if g.wide {
		return func(y operand.Op, x, z reg.VecVirtual) { g.VPMULLQ(y, x, z) }
	}
	return func(y operand.Op, x, z reg.VecVirtual) {
		high, other := g.vector(), g.vector()
		g.VPSRLQ(operand.Imm(32), x, high)
		g.VPMULUDQ(y, high, high)
		g.VMOVUPS(y, other)
		low := g.vector()
		g.VPMULUDQ(other, x, low)
		g.VPSRLQ(operand.Imm(32), other, other)
		g.VPMULUDQ(other, x, other)
		g.VPADDQ(other, high, high)
		g.VPSLLQ(operand.Imm(32), high, high)
		g.VPADDQ(high, low, z)
	}
}

// shifts take their counts modulo the width.
func shifts(g *generator) {
	for _, f := range []struct {
		fields string
		do     func(n, x reg.VecVirtual)
	}{
		{"int.Shl uint.Shl", func(n, x reg.VecVirtual) { g.VPSLLVD(n, x, x) }},
		{"int.Shr", func(n, x reg.VecVirtual) { g.VPSRAVD(n, x, x) }},
		{"uint.Shr", func(n, x reg.VecVirtual) { g.VPSRLVD(n, x, x) }},
		{"long.Shl ulong.Shl", func(n, x reg.VecVirtual) { g.VPSLLVQ(n, x, x) }},
		{"long.Shr", g.shrLong},
		{"ulong.Shr", func(n, x reg.VecVirtual) { g.VPSRLVQ(n, x, x) }},
	} {
		element := elementOf(f.fields)
		g.operation(f.fields, "func(z, x *[32]"+element+", n *[32]uint32)", func() {
			p := g.pointers("zxn")
			bytes := bytesOf(element)
			bound := g.all32(uint32(8*bytes - 1))
			if bytes == 8 {
				bound = g.all64(uint64(8*bytes - 1))
			}
			g.each(bytes, func(_, at int) {
				n := g.vector()
				if bytes == 4 {
					g.VANDPS(p[2].Offset(at), bound, n)
				} else {
					g.VPMOVZXDQ(p[2].Offset(at/2), n)
					g.VANDPS(bound, n, n)
				}
				x := g.load(p[1].Offset(at))
				f.do(n, x)
				g.VMOVUPS(x, p[0].Offset(at))
			})
		})
	}
}

// shrLong shifts to the right with the sign.
func (g *generator) shrLong(n, x reg.VecVirtual) {
	if g.wide {
		g.VPSRAVQ(n, x, x)
		return
	}
	sign := g.all64(1 << 63)
	g.VPSRLVQ(n, sign, sign)
	g.VPSRLVQ(n, x, x)
	g.VPXOR(sign, x, x)
	g.VPSUBQ(sign, x, x)
}

// lesser are min and max of floats: of a number and a NaN it is the number, and -0 is less than 0.
func lesser(g *generator) {
	for _, f := range []struct {
		field string
		less  bool
	}{{"float.Min", true}, {"float.Max", false}} {
		g.operation(f.field, "func(z, x, y *[32]float32)", func() {
			p := g.pointers("zxy")
			g.each(4, func(_, at int) {
				x, y := g.load(p[1].Offset(at)), g.load(p[2].Offset(at))
				g.VMOVUPS(g.lesser(x, y, f.less), p[0].Offset(at))
			})
		})
	}
	g.operation("float.Clamp", "func(z, x, l, h *[32]float32)", func() {
		p := g.pointers("zxlh")
		g.each(4, func(_, at int) {
			v := g.lesser(g.load(p[1].Offset(at)), g.load(p[2].Offset(at)), false)
			g.VMOVUPS(g.lesser(v, g.load(p[3].Offset(at)), true), p[0].Offset(at))
		})
	})
}

// lesser returns a register with the lesser of x and y, or the greater. It is x where that is less or
// y is NaN, else y; of two zeros the sign bits are joined.
func (g *generator) lesser(x, y reg.VecVirtual, less bool) reg.VecVirtual {
	z := g.vector()
	if less {
		g.VORPS(x, y, z)
	} else {
		g.VANDPS(x, y, z)
	}
	a, b := y, x
	if less {
		a, b = x, y
	}
	g.choose(g.compareFloat(equals, x, y), z, y, z)
	g.choose(g.compareFloat(lessThan, a, b), x, z, z)
	g.choose(g.compareFloat(unordered, y, y), x, z, z)
	return z
}

// fused are fma, and the sums of a product that is rounded before.
func fused(g *generator) {
	for _, f := range []struct {
		field string
		do    func(x, y, w reg.VecVirtual) // to x
	}{
		{"float.Fma", func(x, y, w reg.VecVirtual) { g.VFMADD213PS(w, y, x) }},
		{"float.MulAdd", func(x, y, w reg.VecVirtual) { g.VMULPS(y, x, x); g.VADDPS(w, x, x) }},
		{"float.MulSub", func(x, y, w reg.VecVirtual) { g.VMULPS(y, x, x); g.VSUBPS(w, x, x) }},
		{"float.SubMul", func(x, y, w reg.VecVirtual) { g.VMULPS(y, x, x); g.VSUBPS(x, w, x) }},
	} {
		g.operation(f.field, "func(z, x, y, w *[32]float32)", func() {
			p := g.pointers("zxyw")
			g.each(4, func(_, at int) {
				x := g.load(p[1].Offset(at))
				f.do(x, g.load(p[2].Offset(at)), g.load(p[3].Offset(at)))
				g.VMOVUPS(x, p[0].Offset(at))
			})
		})
	}
}

// unary writes a function of one operand.
func (g *generator) unary(fields string, prepare func() func(x reg.VecVirtual)) {
	element := elementOf(fields)
	g.operation(fields, "func(z, x *[32]"+element+")", func() {
		p := g.pointers("zx")
		do := prepare()
		g.each(bytesOf(element), func(_, at int) {
			x := g.load(p[1].Offset(at))
			do(x)
			g.VMOVUPS(x, p[0].Offset(at))
		})
	})
}

// signs are what negates, clamps and takes the absolute value.
func signs(g *generator) {
	g.unary("float.Neg", func() func(reg.VecVirtual) {
		sign := g.all32(1 << 31)
		return func(x reg.VecVirtual) { g.VXORPS(sign, x, x) }
	})
	g.unary("float.Abs", func() func(reg.VecVirtual) {
		rest := g.all32(1<<31 - 1)
		return func(x reg.VecVirtual) { g.VANDPS(rest, x, x) }
	})
	for _, f := range []struct {
		fields string
		from   uint32
		do     func(...operand.Op)
	}{
		{"int.Neg uint.Neg", 0, g.VPSUBD},
		{"long.Neg ulong.Neg", 0, g.VPSUBQ},
		{"int.Not uint.Not", 1<<32 - 1, g.VXORPS},
		{"long.Not ulong.Not", 1<<32 - 1, g.VXORPS},
	} {
		g.unary(f.fields, func() func(reg.VecVirtual) {
			from := g.all32(f.from)
			return func(x reg.VecVirtual) { f.do(x, from, x) }
		})
	}
	for _, f := range []struct {
		field    string
		max, min func(...operand.Op)
	}{{"int", g.VPMAXSD, g.VPMINSD}, {"uint", g.VPMAXUD, g.VPMINUD}} {
		g.operation(f.field+".Clamp", "func(z, x, l, h *[32]"+elements[f.field]+")", func() {
			p := g.pointers("zxlh")
			g.each(4, func(_, at int) {
				x := g.load(p[1].Offset(at))
				f.max(p[2].Offset(at), x, x)
				f.min(p[3].Offset(at), x, x)
				g.VMOVUPS(x, p[0].Offset(at))
			})
		})
	}
	g.unary("int.Abs", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) { g.VPABSD(x, x) }
	})
}

// Ways to make integers of floats, as floats.
const (
	toNearest = iota
	toFloor
	toCeil
	toTrunc
)

func (g *generator) round(how int, x, z reg.VecVirtual) {
	const quiet = 8 // no exception where the result is inexact
	if g.wide {
		g.VRNDSCALEPS(operand.U8(how|quiet), x, z)
	} else {
		g.VROUNDPS(operand.U8(how|quiet), x, z)
	}
}

func roundings(g *generator) {
	for how, name := range []string{"Rint", "Floor", "Ceil", "Trunc"} {
		g.unary("float."+name, func() func(reg.VecVirtual) {
			return func(x reg.VecVirtual) { g.round(how, x, x) }
		})
	}
	// Halves go away from zero: what is dropped is exact.
	g.unary("float.Round", func() func(reg.VecVirtual) {
		half, one, sign, rest := g.all32(0x3f000000), g.all32(0x3f800000), g.all32(1<<31), g.all32(1<<31-1)
		return func(x reg.VecVirtual) {
			whole, step, zero := g.vector(), g.vector(), g.vector()
			g.round(toTrunc, x, whole)
			g.VANDPS(sign, x, zero)
			g.VORPS(one, zero, step)
			g.VSUBPS(whole, x, x)
			g.VANDPS(rest, x, x)
			g.choose(g.compareFloat(lessEqual, half, x), step, zero, step)
			g.VADDPS(step, whole, x)
		}
	})
	// It is below 1, and 0 of infinities.
	g.unary("float.Fract", func() func(reg.VecVirtual) {
		most, zero, infinite, rest := g.all32(0x3f7fffff), g.all32(0), g.all32(0x7f800000), g.all32(1<<31-1)
		return func(x reg.VecVirtual) {
			part, size := g.vector(), g.vector()
			g.round(toFloor, x, part)
			g.VSUBPS(part, x, part)
			g.VMINPS(part, most, part)
			g.VANDPS(rest, x, size)
			g.choose(g.compareFloat(equals, size, infinite), zero, part, x)
		}
	})
	g.unary("float.Saturate", func() func(reg.VecVirtual) {
		zero, one := g.all32(0), g.all32(0x3f800000)
		return func(x reg.VecVirtual) {
			g.VMAXPS(zero, x, x) // 0 of NaN
			g.VMINPS(one, x, x)
		}
	})
	// It is 0 of NaN, and zeros have their own sign.
	g.unary("float.Sign", func() func(reg.VecVirtual) {
		zero, one, less := g.all32(0), g.all32(0x3f800000), g.all32(0xbf800000)
		return func(x reg.VecVirtual) {
			above, below := g.compareFloat(lessThan, zero, x), g.compareFloat(lessThan, x, zero)
			nan := g.compareFloat(unordered, x, x)
			g.choose(above, one, x, x)
			g.choose(below, less, x, x)
			g.choose(nan, zero, x, x)
		}
	})
}

// roots are sqrt, and rsqrt, which is a division in double.
func roots(g *generator) {
	g.unary("float.Sqrt", func() func(reg.VecVirtual) {
		return func(x reg.VecVirtual) { g.VSQRTPS(x, x) }
	})
	g.operation("float.Rsqrt", "func(z, x *[32]float32)", func() {
		p := g.pointers("zx")
		one := g.all64(0x3ff0000000000000)
		g.eachDouble(func(at int) {
			x := g.double(p[1].Offset(at))
			g.VSQRTPD(x, x)
			g.VDIVPD(x, one, x)
			g.storeDouble(x, p[0].Offset(at))
		})
	})
}

// eachDouble calls f for as many floats as a vector has doubles.
func (g *generator) eachDouble(f func(at int)) {
	for at := 0; at < 4*lanes; at += g.size() / 2 {
		f(at)
	}
}

// double returns floats at an address as doubles.
func (g *generator) double(from operand.Mem) reg.VecVirtual {
	v := g.vector()
	g.VCVTPS2PD(from, v)
	return v
}

// storeDouble rounds doubles to floats, and stores them.
func (g *generator) storeDouble(v reg.VecVirtual, to operand.Mem) {
	h := g.half()
	g.narrowDouble(v, h)
	g.VMOVUPS(h, to)
}

func (g *generator) narrowDouble(v, h reg.VecVirtual) {
	if g.wide {
		g.VCVTPD2PS(v, h)
	} else {
		g.VCVTPD2PSY(v, h)
	}
}
