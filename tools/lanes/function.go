package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The functions here compute in double what package fmath says of its types Exponential, Logarithm,
// Sine and Tangent, step by step. Their parameter c points to the first field, and f has the others by their
// order. Functions that return a mask leave x in its lanes, which are for Go to do.

func functions(g *generator) {
	exponentials(g)
	logarithms(g)
	sines(g)
	powers(g)
	tangents(g)
}

// fields are the numbers of 64 bits that a parameter points to.
type fields struct {
	*generator
	at operand.Mem
}

// all is one field in all elements of a register.
func (f fields) all(i int) number { return f.number(f.at.Offset(8 * i)) }

// A number returns a register all of whose elements are the same. It is one register, unless a
// function needs too many of them, as all do with AVX2: then it is loaded for every use.
type number func() reg.VecVirtual

func (g *generator) number(m operand.Mem) number {
	load := func() reg.VecVirtual {
		v := g.vector()
		g.VBROADCASTSD(m, v)
		return v
	}
	if !g.wide || g.frugal {
		return load
	}
	v := load()
	return func() reg.VecVirtual { return v }
}

func (g *generator) number64(c uint64) number { return g.number(g.constant(operand.U64(c))) }

// from returns the fields from one on.
func (f fields) from(i int) fields { return fields{f.generator, f.at.Offset(8 * i)} }

// polynomial returns a function that sets p to c[0] + r*(c[1] + r*(c[2] + ...)).
func (f fields) polynomial(n int) func(r, p reg.VecVirtual) {
	c := make([]number, n)
	for i := range c {
		c[i] = f.all(i)
	}
	return func(r, p reg.VecVirtual) {
		f.VMULPD(c[n-1](), r, p)
		for i := n - 2; i > 0; i-- {
			f.VADDPD(c[i](), p, p)
			f.VMULPD(r, p, p)
		}
		f.VADDPD(c[0](), p, p)
	}
}

// lookup returns a function that sets v to the number of a table of 32 that the low bits of another
// vector select. With AVX-512 the table is in registers.
func (g *generator) lookup(table operand.Mem) func(index, v reg.VecVirtual) {
	if !g.wide {
		low, ones := g.number64(31), g.number64(1<<64-1)
		return func(index, v reg.VecVirtual) {
			i, all := g.vector(), ones() // it becomes 0
			g.VANDPS(low(), index, i)
			g.VXORPD(v, v, v) // which would be kept where all is 0
			g.VGATHERQPD(all, operand.Mem{Base: table.Base, Disp: table.Disp, Index: i, Scale: 8}, v)
		}
	}
	var part [4]reg.VecVirtual
	for i := range part {
		part[i] = g.load(table.Offset(64 * i))
	}
	bit := g.number64(16)
	return func(index, v reg.VecVirtual) {
		upper, high := g.K(), g.vector()
		g.VPTESTMQ(bit(), index, upper)
		g.VMOVAPD(index, high)
		g.VMOVAPD(index, v)
		g.VPERMI2PD(part[3], part[2], high)
		g.VPERMI2PD(part[1], part[0], v)
		g.chooseDouble(upper, high, v, v)
	}
}

// within returns a function that brings doubles to -limit at least and to limit at most. NaN remains.
func (g *generator) within(limit number) func(v reg.VecVirtual) {
	sign := g.number64(1 << 63)
	return func(v reg.VecVirtual) {
		least := g.vector()
		g.VMINPD(v, limit(), v)
		g.VXORPD(sign(), limit(), least)
		g.VMAXPD(v, least, v)
	}
}

// exp2 returns a function that splits z: s is 2^(k/32) for the integer k next to it, and r is z-k.
func (g *generator) exp2(table operand.Mem) func(z reg.VecVirtual) (s, r reg.VecVirtual) {
	magic, look := g.number64(0x4338000000000000), g.lookup(table)
	return func(z reg.VecVirtual) (s, r reg.VecVirtual) {
		n, s, r := g.vector(), g.vector(), g.vector()
		g.VADDPD(magic(), z, n)
		look(n, s)
		g.VSUBPD(magic(), n, r)
		g.VSUBPD(r, z, r)
		g.VPSLLQ(operand.Imm(47), n, n)
		g.VPADDQ(n, s, s)
		return s, r
	}
}

const tableOfExp = "&fmath.Exp2Table[0]"

func exponentials(g *generator) {
	name := g.function("exponential", "func(z, x *[32]float32, c *float64, t *uint64)", func() {
		p := g.pointers("zx")
		f := fields{g, g.pointer("c")}
		within, scale, polynomial := g.within(f.all(0)), f.all(1), f.from(2).polynomial(3)
		split := g.exp2(g.pointer("t"))
		g.eachDouble(func(at int) {
			x := g.double(p[1].Offset(at))
			within(x)
			g.VMULPD(scale(), x, x)
			s, r := split(x)
			polynomial(r, x)
			g.VMULPD(r, s, r)
			g.VMULPD(x, r, r)
			g.VADDPD(r, s, s)
			g.storeDouble(s, p[0].Offset(at))
		})
	})
	for _, f := range [][2]string{{"Exp", "E"}, {"Exp2", "Two"}, {"Exp10", "Ten"}} {
		g.wrap(f[0], "z, x", fmt.Sprintf("%s(z, x, &fmath.Exp%s.Limit, %s)", name, f[1], tableOfExp))
	}
}

// log returns a function of x that returns the logarithm by the fields f of a Logarithm.
func (g *generator) log(f fields) func(x reg.VecVirtual) reg.VecVirtual {
	const off = 0x3fe6400000000000
	lowest, upper, one := g.number64(off), g.number64(0xfff<<52), g.number64(0x3ff0000000000000)
	exponent := g.exponent()
	scale, lead, polynomial := f.all(0), f.all(1), f.from(3).polynomial(4)
	inverse, logarithm := g.lookup(f.from(7).at), g.lookup(f.from(7+lanes).at)
	return func(x reg.VecVirtual) reg.VecVirtual {
		t, r, k, c := g.vector(), g.vector(), g.vector(), g.vector()
		g.VPSUBQ(lowest(), x, t)
		g.VANDPD(upper(), t, r)
		g.VPSUBQ(r, x, r)
		exponent(t, k)
		g.VPSRLQ(operand.Imm(47), t, t)
		inverse(t, c)
		g.VMULPD(c, r, r)
		g.VSUBPD(one(), r, r)
		logarithm(t, c)
		g.VMULPD(scale(), k, k)
		g.VADDPD(c, k, k)
		polynomial(r, c)
		g.VMULPD(r, r, t)
		g.VMULPD(c, t, t)
		g.VMULPD(lead(), r, r)
		g.VADDPD(t, r, r)
		g.VADDPD(r, k, k)
		return k
	}
}

// exponent returns a function that sets k to the upper 12 bits of t, which are signed, as a double.
// AVX2 adds 2048 to them and puts them below the leading bit of a double.
func (g *generator) exponent() func(t, k reg.VecVirtual) {
	if g.wide {
		return func(t, k reg.VecVirtual) {
			g.VPSRAQ(operand.Imm(52), t, k)
			g.VCVTQQ2PD(k, k)
		}
	}
	sign, leading, both := g.number64(1<<63), g.number64(0x4330000000000000), g.number64(0x4330000000000800)
	return func(t, k reg.VecVirtual) {
		g.VPXOR(sign(), t, k)
		g.VPSRLQ(operand.Imm(52), k, k)
		g.VPOR(leading(), k, k)
		g.VSUBPD(both(), k, k)
	}
}

// notPositive returns a function that returns the mask of what has no logarithm: all but positive
// finite numbers.
func (g *generator) notPositive() func(x reg.VecVirtual) mask {
	zero, infinite := g.number64(0), g.number64(0x7ff0000000000000)
	return func(x reg.VecVirtual) mask {
		return g.either(g.compareDouble(notLess, zero(), x), g.compareDouble(notLess, x, infinite()))
	}
}

func logarithms(g *generator) {
	name := g.function("logarithm", "func(z, x *[32]float32, c *float64) uint32", func() {
		p := g.pointers("zx")
		f := fields{g, g.pointer("c")}
		log, times, special, rest := g.log(f), f.all(2), g.notPositive(), g.bits(8)
		g.eachDouble(func(at int) {
			x := g.double(p[1].Offset(at))
			m := special(x)
			rest.add(m)
			y := log(x)
			g.VMULPD(times(), y, y)
			g.chooseDouble(m, x, y, y)
			g.storeDouble(y, p[0].Offset(at))
		})
		g.Store(rest.result(), g.ReturnIndex(0))
	})
	for _, f := range [][2]string{{"Log", "E"}, {"Log2", "Two"}, {"Log10", "Ten"}} {
		g.wrap(f[0], "z, x", fmt.Sprintf("finish(z, %s(z, x, &fmath.Log%s.Scale), fmath.%s)", name, f[1], f[0]))
	}
}

func sines(g *generator) {
	name := g.function("sine", "func(z, x *[32]float32, c *float64) uint32", func() {
		p := g.pointers("zx")
		f := fields{g, g.pointer("c")}
		limit, half, flip, invPi, high, low := f.all(0), f.all(1), f.all(2), f.all(3), f.all(4), f.all(5)
		magic, absolute := g.number64(0x4338000000000000), g.number64(1<<63-1)
		polynomial, rest := f.from(6).polynomial(6), g.bits(8)
		g.eachDouble(func(at int) {
			x := g.double(p[1].Offset(at))
			n, k, r := g.vector(), g.vector(), g.vector()
			g.VANDPD(absolute(), x, n)
			m := g.compareDouble(notLessEqual, n, limit())
			rest.add(m)
			g.VMULPD(invPi(), x, n)
			g.VSUBPD(half(), n, n)
			g.VADDPD(magic(), n, n)
			g.VXORPD(flip(), n, k)
			g.VSUBPD(magic(), n, n)
			g.VADDPD(half(), n, n)
			g.VMULPD(high(), n, r)
			g.VSUBPD(r, x, r)
			g.VMULPD(low(), n, n)
			g.VSUBPD(n, r, r)
			g.VMULPD(r, r, n)
			sum := g.vector()
			polynomial(n, sum)
			g.VMULPD(sum, r, r)
			g.VPSLLQ(operand.Imm(63), k, k)
			g.VXORPD(k, r, r)
			g.chooseDouble(m, x, r, r)
			g.storeDouble(r, p[0].Offset(at))
		})
		g.Store(rest.result(), g.ReturnIndex(0))
	})
	for _, f := range []string{"Sin", "Cos"} {
		g.wrap(f, "z, x", fmt.Sprintf("finish(z, %s(z, x, &fmath.%sOf.Limit), fmath.%[2]s)", name, f))
	}
}

func tangents(g *generator) {
	name := g.function("tangent", "func(z, x *[32]float32, c *float64, t *uint64)", func() {
		p := g.pointers("zx")
		f := fields{g, g.pointer("c")}
		within, tiny, scale, polynomial := g.within(f.all(0)), f.all(1), f.all(2), f.from(3).polynomial(4)
		split := g.exp2(g.pointer("t"))
		one, two, absolute := g.number64(0x3ff0000000000000), g.number64(0x4000000000000000), g.number64(1<<63-1)
		g.eachDouble(func(at int) {
			x, y := g.double(p[1].Offset(at)), g.vector()
			g.VANDPD(absolute(), x, y)
			small := g.compareDouble(lessThan, y, tiny())
			g.VMOVAPD(x, y)
			within(y)
			g.VMULPD(scale(), y, y)
			s, r := split(y)
			polynomial(r, y)
			g.VMULPD(r, s, r)
			g.VMULPD(y, r, r)
			g.VSUBPD(one(), s, s)
			g.VADDPD(r, s, s)
			g.VADDPD(two(), s, r)
			g.VDIVPD(r, s, s)
			g.chooseDouble(small, x, s, s)
			g.storeDouble(s, p[0].Offset(at))
		})
	})
	g.wrap("Tanh", "z, x", fmt.Sprintf("%s(z, x, &fmath.TanhOf.Limit, %s)", name, tableOfExp))
}

func powers(g *generator) {
	g.frugal = true
	defer func() { g.frugal = false }()
	name := g.function("power", "func(z, x, y *[32]float32, c, e *float64, t *uint64) uint32", func() {
		p := g.pointers("zxy")
		f, e := fields{g, g.pointer("c")}, fields{g, g.pointer("e")}
		log, special, rest := g.log(f), g.notPositive(), g.bits(8)
		limit, scale, polynomial, absolute := e.all(0), e.all(1), e.from(2).polynomial(3), g.number64(1<<63-1)
		split := g.exp2(g.pointer("t"))
		g.eachDouble(func(at int) {
			x, y, a := g.double(p[1].Offset(at)), g.double(p[2].Offset(at)), g.vector()
			m := special(x)
			g.VMULPD(log(x), y, y)
			g.VANDPD(absolute(), y, a)
			m = g.either(m, g.compareDouble(notLess, a, limit()))
			rest.add(m)
			g.VMULPD(scale(), y, y)
			s, r := split(y)
			polynomial(r, y)
			g.VMULPD(r, s, r)
			g.VMULPD(y, r, r)
			g.VADDPD(r, s, s)
			g.chooseDouble(m, x, s, s)
			g.storeDouble(s, p[0].Offset(at))
		})
		g.Store(rest.result(), g.ReturnIndex(0))
	})
	const call = "%s(z, x, y, &fmath.LogTwo.Scale, &fmath.ExpTwo.Limit, %s)"
	g.wrap("Pow", "z, x, y", "kept := *y // which z may be\n\t\tleft := "+fmt.Sprintf(call, name, tableOfExp)+
		"\n\t\tfinish2(z, left, &kept, fmath.Pow)")
}

// wrap sets an operation on floats to a function in Go, which does what is left.
func (g *generator) wrap(name, parameters, body string) {
	g.table += fmt.Sprintf("\tt.float.%s = func(%s *[Width]float32) {\n\t\t%s\n\t}\n", name, parameters, body)
}
