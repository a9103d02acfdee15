package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// store assigns a value to a place.
func (m *memory) store(p place, v value) {
	if p.memory {
		m.storeMemory(p, v)
		return
	}
	leaves := m.out.leavesOf(p.typ, m.out.Pos())
	if p.chooser == 0 {
		for i, l := range leaves {
			m.out.set(p.parts[i], l.held(), v[i])
		}
		return
	}
	m.checkChooser(p)
	for part := range p.count {
		is := m.out.op(ir.OpEq, ir.I32, p.chooser, m.out.word(uint32(part)))
		for i, l := range leaves {
			to, t := p.parts[part*len(leaves)+i], l.held()
			m.out.set(to, t, m.out.choice(t, is, v[i], m.out.get(to, t)))
		}
	}
}

// storeMemory stores scalars of one kind that lie side by side at once.
func (m *memory) storeMemory(p place, v value) {
	leaves := m.offsets(p)
	p = m.resolved(p)
	m.group()
	for i := 0; i < len(leaves); {
		l := leaves[i]
		if p.bits != 0 {
			m.storeBits(p, l, v[i])
			i++
			continue
		}
		n := m.side(p, leaves[i:])
		if n == 1 {
			m.storeLeaf(l, p, p.offset+int64(l.offset), v[i])
		} else {
			m.storeScalars(p, l, ir.ScalarOf(l.kind), p.offset+int64(l.offset), v[i:i+n])
		}
		i += n
	}
	m.end()
}

// storeScalars stores scalars side by side.
func (m *memory) storeScalars(p place, l leaf, k ir.Scalar, offset int64, v []ir.Value) {
	a := m.access(p, l, k, len(v), offset)
	args := m.out.List(2 + len(v))[:0]
	args = append(args, p.pointer)
	if p.indexed != ir.Void {
		args = append(args, p.index)
	}
	m.out.writeAt(m.positionOf(p), ir.Instr{Op: ir.OpStore, Type: k.Held(), Args: append(args, v...), Aux: a})
}

func (m *memory) storeLeaf(l leaf, p place, offset int64, v ir.Value) {
	if l.isHandle() && p.set() {
		kind := handleKind(l.handle)
		l.handle = tree.Void
		v = m.out.write(ir.Instr{Op: ir.OpToMem, Type: ir.Ptr, Args: m.out.args(v), Aux: kind}, ir.I64).Result()
	}
	if (p.packed || l.packed) && l.kind.Bytes() > 1 {
		m.storeBytes(l, p, offset, v)
		return
	}
	m.storeScalars(p, l, scalarOf(l), offset, []ir.Value{v})
}

// A struct that is copied in memory is copied in words, as far as its alignment allows: loaders of tiles
// say `struct alignas(16) { uchar bytes[16]; }`.

// copied returns the value of a struct as it is assigned to a place in memory, and that place, so that words of the
// one are words of the other. It reports false for other assignments.
func (b *builder) copied(e *tree.Assign, to place) (place, value, bool) {
	if t := e.L.Type(); t.Kind != tree.StructType || !to.memory || to.packed || !isPlace(e.R) {
		return to, nil, false
	}
	from := b.lvalue(e.R)
	if from.memory && !from.packed {
		from.words, to.words = true, true
	}
	return to, b.mem.load(from), true
}

// wordsIn returns words that have the bytes of integers, where those lie side by side and are aligned to words.
// Other scalars stay what they are.
func wordsIn(leaves []leaf, align int) []leaf {
	var words []leaf
	for i := 0; i < len(leaves); {
		n := 1
		word := leaves[i]
		for _, size := range [...]int{4, 2} {
			if count := narrowIn(leaves[i:], size); count > 0 && align >= size && word.offset%size == 0 {
				word, n = leaf{kind: unsignedOf(size), offset: word.offset}, count
				break
			}
		}
		words = append(words, word)
		i += n
	}
	return words
}

// narrowIn returns how many integers of fewer bytes, side by side, come to exactly so many, or 0.
func narrowIn(leaves []leaf, size int) int {
	bytes := 0
	for i, l := range leaves {
		narrow := l.kind >= tree.Char && l.kind <= tree.UShort
		if l.isHandle() || l.packed || l.unit || !narrow || l.offset != leaves[0].offset+bytes {
			return 0
		}
		if bytes += l.kind.Bytes(); bytes >= size {
			if bytes > size || i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}
