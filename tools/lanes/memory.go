package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// memory is what moves lanes from and to memory that has been checked.
func memory(g *generator) {
	loads(g)
	stores(g)
	if !g.wide {
		gathers(g)
	}
	indexes(g)
}

// loads and stores are of elements side by side.
func loads(g *generator) {
	for _, f := range []struct {
		name, element string
		bytes         int
		do            func(from operand.Mem, v reg.VecVirtual)
	}{
		{"Char.Load", "int32", 1, func(from operand.Mem, v reg.VecVirtual) { g.VPMOVSXBD(from, v) }},
		{"Word.Load", "uint32", 4, func(from operand.Mem, v reg.VecVirtual) { g.VMOVUPS(from, v) }},
		{"Uchar.Load", "uint32", 1, func(from operand.Mem, v reg.VecVirtual) { g.VPMOVZXBD(from, v) }},
		{"Short.Load", "int32", 2, func(from operand.Mem, v reg.VecVirtual) { g.VPMOVSXWD(from, v) }},
		{"Ushort.Load", "uint32", 2, func(from operand.Mem, v reg.VecVirtual) { g.VPMOVZXWD(from, v) }},
		{"LoadHalf", "float32", 2, func(from operand.Mem, v reg.VecVirtual) { g.VCVTPH2PS(from, v) }},
		{"LoadBFloat", "float32", 2, func(from operand.Mem, v reg.VecVirtual) {
			g.VPMOVZXWD(from, v)
			g.VPSLLD(operand.Imm(16), v, v)
		}},
	} {
		g.operation("memory."+f.name, "func(z *[32]"+f.element+", p *byte)", func() {
			p := g.pointers("zp")
			g.each(4, func(_, at int) {
				v := g.vector()
				f.do(p[1].Offset(at/4*f.bytes), v)
				g.VMOVUPS(v, p[0].Offset(at))
			})
		})
	}
}

func stores(g *generator) {
	g.operation("memory.Word.Store", "func(p *byte, x *[32]uint32)", func() {
		p := g.pointers("px")
		g.each(4, func(_, at int) { g.VMOVUPS(g.load(p[1].Offset(at)), p[0].Offset(at)) })
	})
	g.operation("memory.Ushort.Store memory.Short.Store", "func(p *byte, x *[32]uint32)", func() {
		p := g.pointers("px")
		g.each(4, func(_, at int) { g.VMOVUPS(g.lower16(g.load(p[1].Offset(at))), p[0].Offset(at/2)) })
	})
	g.operation("memory.Uchar.Store memory.Char.Store", "func(p *byte, x *[32]uint32)", func() {
		p := g.pointers("px")
		if g.wide {
			g.each(4, func(_, at int) { g.VPMOVDB(g.load(p[1].Offset(at)), p[0].Offset(at/4)) })
			return
		}
		low := g.all32(0xff)
		var part [4]reg.VecVirtual
		g.each(4, func(i, at int) {
			part[i] = g.load(p[1].Offset(at))
			g.VPAND(low, part[i], part[i])
		})
		order := g.numbers("order", 4, func(i int) uint64 { return uint64(i&1<<2 | i>>1&3) })
		g.VPACKUSDW(part[1], part[0], part[0])
		g.VPACKUSDW(part[3], part[2], part[2])
		g.VPACKUSWB(part[2], part[0], part[0])
		at := g.load(order)
		g.VPERMD(part[0], at, part[0])
		g.VMOVUPS(part[0], p[0])
	})
}

// gathers check all addresses, and load lane by lane: the instructions for it are not faster. An address
// less number is an offset, which must be less than limit and, with skew, a multiple of the size. Scatters
// do the same with stores.
func gathers(g *generator) {
	const parameters = "number, limit, skew uint64) bool"
	for _, f := range []struct {
		fields, element string
		bytes           int
		move            func(from, to operand.Op)
	}{
		{"Word.Gather", "uint32", 4, g.MOVL},
		{"Short.Gather", "int32", 2, g.MOVWLSX},
		{"Ushort.Gather", "uint32", 2, g.MOVWLZX},
		{"Char.Gather", "int32", 1, g.MOVBLSX},
		{"Uchar.Gather", "uint32", 1, g.MOVBLZX},
	} {
		g.operation("memory."+f.fields, "func(z *[32]"+f.element+", p *byte, x *[32]uint64, "+parameters, func() {
			z := g.pointer("z")
			g.eachAddress(f.bytes, func(l int, at operand.Mem) {
				v := g.GP32()
				f.move(at, v)
				g.MOVL(v, z.Offset(4*l))
			})
		})
	}
	for _, f := range []struct {
		fields string
		bytes  int
		move   func(v reg.GPVirtual, to operand.Op)
	}{
		{"memory.Word.Scatter", 4, func(v reg.GPVirtual, to operand.Op) { g.MOVL(v, to) }},
		{"memory.Ushort.Scatter memory.Short.Scatter", 2, func(v reg.GPVirtual, to operand.Op) { g.MOVW(v.As16(), to) }},
		{"memory.Uchar.Scatter memory.Char.Scatter", 1, func(v reg.GPVirtual, to operand.Op) { g.MOVB(v.As8(), to) }},
	} {
		g.operation(f.fields, "func(p *byte, x *[32]uint64, v *[32]uint32, "+parameters, func() {
			from := g.pointer("v")
			g.eachAddress(f.bytes, func(l int, at operand.Mem) {
				v := g.GP32()
				g.MOVL(from.Offset(4*l), v)
				f.move(v, at)
			})
		})
	}
}

// eachAddress calls f with the address of each lane, in code that only runs where all offsets are as they must be.
// It is what the function returns.
func (g *generator) eachAddress(bytes int, f func(l int, at operand.Mem)) {
	base, x := g.pointer("p"), g.pointer("x")
	number, skew, most := g.vector(), g.vector(), g.vector()
	g.VBROADCASTSD(g.address("number"), number)
	g.VBROADCASTSD(g.address("skew"), skew)
	g.VBROADCASTSD(g.address("limit"), most)
	g.VPSUBQ(g.all64(1), most, most)
	outside, odd := g.all64(0), g.all64(0)
	g.each(8, func(_, at int) {
		offset, over := g.load(x.Offset(at)), g.vector()
		g.VPSUBQ(number, offset, offset)
		g.VPCMPGTQ(most, offset, over)
		g.VPOR(offset, outside, outside)
		g.VPOR(over, outside, outside)
		g.VPADDQ(skew, offset, offset)
		g.VPOR(offset, odd, odd)
	})
	done := g.GP32()
	g.XORL(done, done)
	g.VPTEST(g.all64(1<<63), outside)
	g.JNZ(operand.LabelRef("done"))
	g.VPTEST(g.all64(uint64(bytes-1)), odd)
	g.JNZ(operand.LabelRef("done"))
	g.SUBQ(g.address("number"), base.Base)
	for l := range lanes {
		at := g.GP64()
		g.MOVQ(x.Offset(8*l), at)
		f(l, operand.Mem{Base: base.Base, Index: at, Scale: 1})
	}
	g.MOVL(operand.U32(1), done)
	g.Label("done")
	g.Store(done.As8(), g.ReturnIndex(0))
}

// indexes moves addresses by elements of a size of less than 2^31. The result has the bits of all of
// them plus reach.
func indexes(g *generator) {
	for _, f := range []struct {
		field            string
		extend, multiply func(...operand.Op)
	}{
		{"int", g.VPMOVSXDQ, g.VPMULDQ},
		{"uint", g.VPMOVZXDQ, g.VPMULUDQ},
	} {
		signature := "func(z, x *[32]uint64, n *[32]" + elements[f.field] + ", size, reach int64) uint64"
		g.operation(f.field+".Index", signature, func() {
			p := g.pointers("zxn")
			size, reach, all := g.vector(), g.vector(), g.vector()
			g.VBROADCASTSD(g.address("size"), size)
			g.VBROADCASTSD(g.address("reach"), reach)
			g.VXORPS(all, all, all)
			g.each(8, func(_, at int) {
				n := g.vector()
				f.extend(p[2].Offset(at/2), n)
				f.multiply(size, n, n)
				g.VPADDQ(p[1].Offset(at), n, n)
				g.VMOVUPS(n, p[0].Offset(at))
				g.VPADDQ(reach, n, n)
				g.VORPS(n, all, all)
			})
			if g.wide {
				upper := g.YMM()
				g.VEXTRACTI64X4(operand.U8(1), all, upper)
				g.VPOR(upper, all.AsY(), all.AsY())
			}
			upper, bits := g.XMM(), g.GP64()
			g.VEXTRACTI128(operand.U8(1), all.AsY(), upper)
			g.VPOR(all.AsX(), upper, upper)
			g.VMOVQ(upper, bits)
			other := g.GP64()
			g.VPEXTRQ(operand.U8(1), upper, other)
			g.ORQ(other, bits)
			g.Store(bits, g.ReturnIndex(0))
		})
	}
}
