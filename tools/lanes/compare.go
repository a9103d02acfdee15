package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A mask is the result of a comparison: a register of bits with AVX-512, else a vector of
// zeros and ones.
type mask = reg.Register

// Comparisons of floats, none of which raises an exception.
const (
	equals    = operand.U8(0x00)
	lessThan  = operand.U8(0x11)
	lessEqual = operand.U8(0x12)
	unordered = operand.U8(0x03)

	notLess      = operand.U8(0x15)
	notLessEqual = operand.U8(0x16)
)

// either returns the union of two masks.
func (g *generator) either(a, b mask) mask {
	if g.wide {
		k := g.K()
		g.KORW(a, b, k)
		return k
	}
	m := g.vector()
	g.VORPD(a, b, m)
	return m
}

func (g *generator) compareFloat(how operand.U8, x, y reg.VecVirtual) mask {
	if g.wide {
		k := g.K()
		g.VCMPPS(how, y, x, k)
		return k
	}
	m := g.vector()
	g.VCMPPS(how, y, x, m)
	return m
}

func (g *generator) compareDouble(how operand.U8, x, y reg.VecVirtual) mask {
	if g.wide {
		k := g.K()
		g.VCMPPD(how, y, x, k)
		return k
	}
	m := g.vector()
	g.VCMPPD(how, y, x, m)
	return m
}

// choose sets z to a where the mask says so, else to b.
func (g *generator) choose(m mask, a, b, z reg.VecVirtual) {
	if g.wide {
		g.VBLENDMPS(a, b, m, z)
	} else {
		g.VBLENDVPS(m, a, b, z)
	}
}

// chooseDouble is choose for elements of 64 bits.
func (g *generator) chooseDouble(m mask, a, b, z reg.VecVirtual) {
	if g.wide {
		g.VBLENDMPD(a, b, m, z)
	} else {
		g.VBLENDVPD(m, a, b, z)
	}
}

// comparison returns the mask of x compared with y. Where it says inverse, the mask has the
// lanes for which it does not hold.
type comparison func(x, y reg.VecVirtual) (m mask, inverse bool)

// wideComparison is a comparison of integers by AVX-512, which has all of them.
func (g *generator) wideComparison(compare func(...operand.Op), how operand.U8) comparison {
	return func(x, y reg.VecVirtual) (mask, bool) {
		k := g.K()
		compare(how, y, x, k)
		return k, false
	}
}

// greater makes a comparison of the one that AVX2 has for order, which is of signed integers.
func (g *generator) greater(compare func(...operand.Op), flip reg.VecVirtual, orEqual bool) comparison {
	return func(x, y reg.VecVirtual) (mask, bool) {
		if flip != nil {
			g.VPXOR(flip, x, x)
			g.VPXOR(flip, y, y)
		}
		m := g.vector()
		if orEqual {
			compare(y, x, m)
		} else {
			compare(x, y, m)
		}
		return m, orEqual
	}
}

func comparisons(g *generator) {
	onFloats := func(how operand.U8) comparison {
		return func(x, y reg.VecVirtual) (mask, bool) { return g.compareFloat(how, x, y), false }
	}
	g.comparison("float.Equal", func() comparison { return onFloats(equals) })
	g.comparison("float.Less", func() comparison { return onFloats(lessThan) })
	g.comparison("float.LessEqual", func() comparison { return onFloats(lessEqual) })
	for _, f := range []struct {
		name        string
		all         func(...operand.Op)   // with AVX-512
		equal, more func(...operand.Op)   // with AVX2
		flip        func() reg.VecVirtual // makes unsigned integers signed
	}{
		{"int", g.VPCMPD, g.VPCMPEQD, g.VPCMPGTD, nil},
		{"uint", g.VPCMPUD, g.VPCMPEQD, g.VPCMPGTD, func() reg.VecVirtual { return g.all32(1 << 31) }},
		{"long", g.VPCMPQ, g.VPCMPEQQ, g.VPCMPGTQ, nil},
		{"ulong", g.VPCMPUQ, g.VPCMPEQQ, g.VPCMPGTQ, func() reg.VecVirtual { return g.all64(1 << 63) }},
	} {
		order := func(how operand.U8, orEqual bool) func() comparison {
			return func() comparison {
				if g.wide {
					return g.wideComparison(f.all, how)
				}
				var flip reg.VecVirtual
				if f.flip != nil {
					flip = f.flip()
				}
				return g.greater(f.more, flip, orEqual)
			}
		}
		g.comparison(f.name+".Less", order(1, false))
		g.comparison(f.name+".LessEqual", order(2, true))
		if f.flip == nil { // bits are equal whatever they mean
			g.comparison(f.name+".Equal u"+f.name+".Equal", func() comparison {
				if g.wide {
					return g.wideComparison(f.all, 0)
				}
				return func(x, y reg.VecVirtual) (mask, bool) {
					m := g.vector()
					f.equal(y, x, m)
					return m, false
				}
			})
		}
	}
}

func (g *generator) comparison(fields string, prepare func() comparison) {
	element := elementOf(fields)
	g.operation(fields, "func(x, y *[32]"+element+") uint32", func() {
		p := g.pointers("xy")
		compare := prepare()
		bits := g.bits(bytesOf(element))
		g.each(bytesOf(element), func(i, at int) {
			m, inverse := compare(g.load(p[0].Offset(at)), g.load(p[1].Offset(at)))
			bits.add(m)
			bits.inverse = inverse
		})
		g.Store(bits.result(), g.ReturnIndex(0))
	})
}

// bitset collects the masks of vectors as the bits of a word.
type bitset struct {
	*generator
	bytes   int // of a lane
	inverse bool
	word    reg.GPVirtual
	count   int // of lanes in word
}

func (g *generator) bits(bytes int) *bitset { return &bitset{generator: g, bytes: bytes} }

func (b *bitset) add(m mask) {
	bits := b.GP32()
	switch {
	case b.wide && b.bytes == 4:
		b.KMOVW(m, bits)
	case b.wide:
		b.KMOVB(m, bits)
	case b.bytes == 4:
		b.VMOVMSKPS(m, bits)
	default:
		b.VMOVMSKPD(m, bits)
	}
	if b.count > 0 {
		b.SHLL(operand.U8(b.count), bits)
		b.ORL(b.word, bits)
	}
	b.word = bits
	b.count += b.size() / b.bytes
}

func (b *bitset) result() reg.GPVirtual {
	if b.inverse {
		b.NOTL(b.word)
	}
	return b.word
}
