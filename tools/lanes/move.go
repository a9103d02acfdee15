package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// moves fill registers, and take lanes of one or the other.
func moves(g *generator) {
	times, plus := func(y operand.Op, x, z reg.VecVirtual) { g.VPMULLD(y, x, z) }, g.VPADDD
	for _, f := range []struct {
		names  []string // float by itself: Go passes one in a register of another kind
		bytes  int
		spread func(...operand.Op)
		times  binary
		plus   func(...operand.Op)
	}{
		{[]string{"int", "uint"}, 4, g.VBROADCASTSS, times, plus},
		{[]string{"float"}, 4, g.VBROADCASTSS, times, plus}, // the step is 0, and so are its bits
		{[]string{"long", "ulong"}, 8, g.VBROADCASTSD, g.mulLong(), g.VPADDQ},
	} {
		fields := func(name string) string { return strings.Join(f.names, "."+name+" ") + "." + name }
		element := elements[f.names[0]]
		g.operation(fields("Select"), "func(z, x, y *[32]"+element+", mask uint32)", func() {
			p := g.pointers("zxy")
			choose := g.chooser(f.bytes)
			g.each(f.bytes, func(i, at int) {
				x, y := g.load(p[1].Offset(at)), g.load(p[2].Offset(at))
				choose(i, x, y, x)
				g.VMOVUPS(x, p[0].Offset(at))
			})
		})
		g.operation(fields("FromMask"), "func(z *[32]"+element+", mask uint32, one "+element+")", func() {
			z := g.pointer("z")
			choose := g.chooser(f.bytes)
			one, zero := g.vector(), g.all32(0)
			f.spread(g.address("one"), one)
			g.each(f.bytes, func(i, at int) {
				v := g.vector()
				choose(i, one, zero, v)
				g.VMOVUPS(v, z.Offset(at))
			})
		})
		g.operation(fields("Fill"), "func(z *[32]"+element+", base, step "+element+")", func() {
			z := g.pointer("z")
			base, step := g.vector(), g.vector()
			f.spread(g.address("base"), base)
			f.spread(g.address("step"), step)
			count := g.numbers("count", f.bytes, func(i int) uint64 { return uint64(i) })
			g.each(f.bytes, func(_, at int) {
				v := g.vector()
				f.times(count.Offset(at), step, v)
				f.plus(base, v, v)
				g.VMOVUPS(v, z.Offset(at))
			})
		})
	}
}

// permute takes lanes by the lower 5 bits of their numbers.
func permute(g *generator) {
	g.operation("permute", "func(z, x *[32]uint32, n *[32]uint32)", func() {
		p := g.pointers("zxn")
		var x []reg.VecVirtual
		g.each(4, func(_, at int) { x = append(x, g.load(p[1].Offset(at))) })
		g.each(4, func(_, at int) {
			n := g.load(p[2].Offset(at))
			if g.wide {
				g.VPERMI2D(x[1], x[0], n)
				g.VMOVUPS(n, p[0].Offset(at))
				return
			}
			// The blends look at the uppermost bit.
			bit3, bit4, v := g.vector(), g.vector(), g.vector()
			g.VPSLLD(operand.Imm(28), n, bit3)
			g.VPSLLD(operand.Imm(27), n, bit4)
			low, high := g.vector(), g.vector()
			g.VPERMD(x[0], n, low)
			g.VPERMD(x[1], n, v)
			g.VBLENDVPS(bit3, v, low, low)
			g.VPERMD(x[2], n, high)
			g.VPERMD(x[3], n, v)
			g.VBLENDVPS(bit3, v, high, high)
			g.VBLENDVPS(bit4, high, low, low)
			g.VMOVUPS(low, p[0].Offset(at))
		})
	})
}

// chooser returns a function that chooses between the vectors a and b by the bits of the parameter
// mask. It is called for vector 0 first, then for the next.
func (g *generator) chooser(bytes int) func(i int, a, b, z reg.VecVirtual) {
	choose := g.choose
	if bytes == 8 {
		choose = g.chooseDouble
	}
	if g.wide {
		k := g.K()
		g.KMOVD(g.Load(g.Param("mask"), g.GP32()), k)
		return func(i int, a, b, z reg.VecVirtual) {
			if i > 0 {
				g.KSHIFTRD(operand.U8(g.size()/bytes), k, k)
			}
			choose(k, a, b, z)
		}
	}
	equal := g.VPCMPEQD
	if bytes == 8 {
		equal = g.VPCMPEQQ
	}
	word := g.vector()
	g.VBROADCASTSS(g.address("mask"), word)
	bits := g.numbers("bit", bytes, func(i int) uint64 { return 1 << i })
	return func(i int, a, b, z reg.VecVirtual) {
		m, bit := g.vector(), g.load(bits.Offset(i*g.size()))
		g.VPAND(bit, word, m)
		equal(bit, m, m)
		choose(m, a, b, z)
	}
}
