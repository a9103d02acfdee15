package build

import (
	"cmp"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// The functions that pack several numbers into one integer (section 6.14).

// packing says which bits each element takes.
type packing struct {
	widths []int  // bits of each element, from the lowest on
	signed bool   // from -1 to 1 rather than from 0 to 1
	srgb   bool   // the first three elements are gamma-coded
	to     string // what functions that pack call it, where that is another name
}

var packings = map[string]packing{
	"unorm4x8": {widths: []int{8, 8, 8, 8}}, "snorm4x8": {widths: []int{8, 8, 8, 8}, signed: true},
	"unorm2x16": {widths: []int{16, 16}}, "snorm2x16": {widths: []int{16, 16}, signed: true},
	"unorm10a2": {widths: []int{10, 10, 10, 2}}, "unorm565": {widths: []int{5, 6, 5}},
	"unorm4x8_srgb": {widths: []int{8, 8, 8, 8}, srgb: true, to: "srgb_unorm4x8"},
}

func packLibrary() map[string]composition {
	m := map[string]composition{}
	for name, p := range packings {
		for _, typ := range []string{"float", "half"} {
			m["unpack_"+name+"_to_"+typ] = p.unpack
			m["pack_"+typ+"_to_"+cmp.Or(p.to, name)] = p.pack
		}
	}
	return m
}

func (p packing) unpack(b *builder, e *tree.Builtin) value {
	x := b.value(e.Args[0])[0]
	v := b.out.newValue(len(p.widths))
	shift := 0
	for i, bits := range p.widths {
		v[i] = b.num.fit(e.Type().Scalar, p.take(b, i, shift, bits, x))
		shift += bits
	}
	return v
}

// take returns an element: of the bits from shift on.
func (p packing) take(b *builder, i, shift, bits int, x ir.Value) ir.Value {
	if p.signed { // the least integer is -1, too
		n := b.num.operate(tree.Shl, tree.Int, x, b.out.word(uint32(32-bits-shift)))
		n = b.num.operate(tree.Shr, tree.Int, n, b.out.word(uint32(32-bits)))
		n = b.out.op(ir.OpMax, ir.S32, n, b.out.word(uint32(-(1<<(bits-1) - 1))))
		most := b.out.float(float32(int(1)<<(bits-1) - 1))
		return b.num.operate(tree.Div, tree.Float, b.num.convert(n, tree.Int, tree.Float), most)
	}
	n := b.num.operate(tree.And, tree.UInt, b.num.shifted(tree.UInt, x, -shift), b.out.word(uint32(1)<<bits-1))
	if p.srgb && i < 3 {
		return b.out.opImm(ir.OpFromSRGB, ir.F32, int64(bits), n)
	}
	most := b.out.float(float32(int(1)<<bits - 1))
	return b.num.operate(tree.Div, tree.Float, b.num.convert(n, tree.UInt, tree.Float), most)
}

func (p packing) pack(b *builder, e *tree.Builtin) value {
	x := b.value(e.Args[0])
	r := b.out.word(0)
	shift := 0
	for i, bits := range p.widths {
		op := ir.OpToUnorm
		switch {
		case p.signed:
			op = ir.OpToSnorm
		case p.srgb && i < 3:
			op = ir.OpToSRGB
		}
		n := b.out.opImm(op, ir.F32, int64(bits), x[i])
		if p.signed {
			n = b.num.operate(tree.And, tree.UInt, n, b.out.word(uint32(1)<<bits-1))
		}
		r = b.num.operate(tree.Or, tree.UInt, r, b.num.shifted(tree.UInt, n, shift))
		shift += bits
	}
	return b.out.single(r)
}
