package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// place is what an lvalue denotes.
type place struct {
	typ *tree.Type

	// Of a variable that is not in memory: the scalars of all leaves. With a chooser, the place is
	// one of count equal parts of them.
	parts   []part
	chooser ir.Value // the part's number, or 0
	count   int
	named   *ir.Parts

	// In memory: an object, or else a pointer, and a byte offset from it.
	memory  bool
	object  int
	pointer ir.Value
	offset  int64
	// elements are the byte offsets of the elements of a swizzle, which do not
	// lie side by side.
	elements []int

	// The pointer is yet to be moved by an index times scale bytes, where indexed says what that is.
	index   ir.Value
	indexed ir.Type
	scale   int32

	// packed is set for what is in a packed struct: it may lie at any byte.
	packed bool

	// words is set for a struct that is copied: its bytes count, not its fields.
	words bool

	space ir.Space

	// bits is the width of a bit-field, which starts at bit shift; else 0.
	bits, shift int

	pos parser.Pos // of the expression that denotes it
}

// part is where a scalar of a place is: a value, or, if negative, a local.
type part int32

func partOf(local int) part { return part(^local) }

// local returns the number of the local. It reports false for a value.
func (p part) local() (n int, ok bool) { return int(^p), p < 0 }

// ofValue returns a place that has a value.
func ofValue(t *tree.Type, v value) place {
	parts := make([]part, len(v))
	for i, x := range v {
		parts[i] = part(x)
	}
	return place{typ: t, parts: parts}
}

func ofPointer(t *tree.Type, pointer ir.Value, space ir.Space) place {
	return place{typ: t, memory: true, pointer: pointer, space: space}
}

func ofObject(t *tree.Type, object int, space ir.Space) place {
	return place{typ: t, memory: true, object: object, space: space}
}

// set reports whether a place is in memory of the device and constant address spaces, where pointers are addresses.
func (p *place) set() bool { return p.space == ir.Device || p.space == ir.ConstantSpace }

// element returns the part of a place that starts offset bytes or, if not in memory, leaf
// leaves after its start.
func (p *place) element(t *tree.Type, offset, leaf int) place {
	q := *p
	if p.memory {
		if p.elements != nil {
			offset, q.elements = p.elements[leaf], nil
		}
		q.typ, q.offset = t, p.offset+int64(offset)
		return q
	}
	n := countLeaves(t)
	if p.chooser == 0 {
		q.typ, q.parts = t, p.parts[leaf:leaf+n]
		return q
	}
	leaves := make([]int, n)
	for i := range leaves {
		leaves[i] = leaf + i
	}
	q.typ, q.parts = t, p.ofParts(leaves)
	return q
}

// ofParts returns some leaves of each part that the chooser picks from.
func (p *place) ofParts(leaves []int) []part {
	var list []part
	n := countLeaves(p.typ)
	for i := range p.count {
		for _, leaf := range leaves {
			list = append(list, p.parts[i*n+leaf])
		}
	}
	return list
}

// hasNoAddress reports whether a place is one that references cannot refer to, so that one
// to a constant has a copy: components of vectors, and bit-fields.
func hasNoAddress(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.Swizzle:
		return true
	case *tree.Index:
		return e.X.Type().Kind == tree.Vector || e.X.Type().Kind == tree.PackedVector
	case *tree.FieldOf:
		return e.Field.Bits > 0
	}
	return false
}

// isPlace reports whether an expression denotes a place rather than a value.
func isPlace(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.VarRef:
		return e.Var.Constant == nil
	case *tree.Deref:
		return true
	case *tree.Assign:
		return true
	case *tree.IncDec:
		return !e.Postfix
	case *tree.Index:
		return e.X.Type().Kind == tree.Pointer || isPlace(e.X)
	case *tree.FieldOf:
		return isPlace(e.X)
	case *tree.Swizzle:
		return isPlace(e.X)
	case *tree.Elements:
		return isPlace(e.X)
	}
	return false
}

// lvalue evaluates an expression that denotes a place.
func (b *builder) lvalue(e tree.Expr) place {
	outer, pos := b.out.Pos(), e.Position()
	b.out.At(pos)
	b.out.descend(pos)
	p := b.denoted(e)
	b.out.ascend()
	p.pos = pos
	b.out.At(outer)
	return p
}

func (b *builder) denoted(e tree.Expr) place {
	switch e := e.(type) {
	case *tree.VarRef:
		return b.variable(e)
	case *tree.Deref:
		return ofPointer(e.Type(), b.value(e.X)[0], ir.SpaceNamed(e.X.Type().Space))
	case *tree.Assign:
		return b.assignment(e)
	case *tree.IncDec:
		p, _ := b.step(e)
		return p
	case *tree.Index:
		return b.indexed(e)
	case *tree.FieldOf:
		return b.mem.field(b.lvalue(e.X), e.Field)
	case *tree.Swizzle:
		return b.swizzled(e)
	case *tree.Elements: // the leaves of a matrix are just these
		p := b.lvalue(e.X)
		p.typ = e.Type()
		return p
	}
	b.out.unsupported(e.Position(), "this as a place to store to")
	panic("unreachable")
}

// field returns the place of a field of a struct.
func (m *memory) field(p place, f *tree.Field) place {
	if overlaps(p.typ.Struct) {
		p = m.inMemoryFor(p)
		q := p.element(f.Type, f.Offset, 0)
		q.bits, q.shift, q.packed = f.Bits, f.Shift, q.packed || isPacked(p.typ.Struct, f)
		return q
	}
	leaf := 0
	if !p.memory {
		for _, other := range p.typ.Struct.Fields {
			if other == f {
				break
			}
			leaf += countLeaves(other.Type)
		}
	}
	q := p.element(f.Type, f.Offset, leaf)
	q.packed = q.packed || isPacked(p.typ.Struct, f)
	return q
}

// inMemoryFor returns a place in memory that holds a struct whose fields share bytes:
// p, or a copy where that is a value, which is not stored to.
func (m *memory) inMemoryFor(p place) place {
	if p.memory {
		return p
	}
	at := m.newObject(p.typ, m.out.Pos())
	m.store(at, m.load(p))
	return at
}

// swizzled returns the place of one or several elements of a vector.
func (b *builder) swizzled(e *tree.Swizzle) place {
	base := b.lvalue(e.X)
	elem := e.X.Type().Elem
	if len(e.Elems) == 1 {
		return base.element(e.Type(), e.Elems[0]*elem.Size, e.Elems[0])
	}
	q := base
	q.typ = e.Type()
	switch {
	case base.memory:
		q.elements = nil
		for _, n := range e.Elems {
			offset := n * elem.Size
			if base.elements != nil {
				offset = base.elements[n]
			}
			q.elements = append(q.elements, offset)
		}
	case base.chooser != 0:
		q.parts = base.ofParts(e.Elems)
	default:
		q.parts = make([]part, len(e.Elems))
		for i, n := range e.Elems {
			q.parts[i] = base.parts[n]
		}
	}
	return q
}
