package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

var packBuiltins = makePackBuiltins()

func makePackBuiltins() map[string]lowering {
	m := map[string]lowering{}
	for name, p := range formats {
		for _, typ := range []string{"float", "half"} {
			m["unpack_"+name+"_to_"+typ] = p.unpack
			m["pack_"+typ+"_to_"+name] = p.pack
		}
	}
	return m
}

func (p packed) unpack(b *builder, e *tree.Builtin) value {
	x := b.value(e.Args[0])[0]
	var v value
	shift := uint(0)
	for i, w := range p.widths {
		v = append(v, b.fit(e.Type().Scalar, b.op(wordClass, p.take(i, shift, w), x)))
		shift += w
	}
	return v
}

func (p packed) pack(b *builder, e *tree.Builtin) value {
	x := b.value(e.Args[0])
	r := b.word(0)
	shift := uint(0)
	for i, w := range p.widths {
		r = b.operate(tree.Or, tree.UInt, r, b.op(wordClass, p.put(i, shift, w), x[i]))
		shift += w
	}
	return value{r}
}
