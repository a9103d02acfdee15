package cpu

import (
	"encoding/binary"
	"math"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// constant returns the place of a constant of the source: memory that has its value
// from the start, or where that takes instructions, their result.
func (b *builder) constant(v *tree.Var) place {
	bytes := b.table(v.Type.Size, v.Pos)
	if err := encode(bytes, v.Type, v.Init); err != nil {
		if !inMemory(v.Type) {
			return inRegisters(v.Type, b.value(v.Init), b.scope())
		}
		p := inMemoryAt(v.Type, b.threadVariable(v), 0)
		b.initialise(p, v.Init, false)
		return p
	}
	object := b.constantObject(v.Name, v.Type, v.Pos, bytes)
	p := inMemoryAt(v.Type, b.pointer(object), 0).in("constant")
	p.object = object
	b.vars[v] = &storage{place: p}
	return p
}

// table returns the bytes of a constant of the source.
func (b *builder) table(size int, pos parser.Pos) []byte {
	if b.tables += size; b.tables > maxTables {
		fail(pos, "the constants that the kernel reads take more than the %d bytes that the CPU device has for them",
			maxTables)
	}
	return make([]byte, size)
}

// constantObject returns the object of a constant of the source.
func (b *builder) constantObject(name string, t *tree.Type, pos parser.Pos, bytes []byte) int {
	info := elementsOf(name, t, pos, tableMemory{bytes: bytes})
	info.constant = true
	return b.program.addObject(info)
}

// text returns a pointer to the characters of a string literal.
func (b *builder) text(e *tree.Text) int32 {
	bytes := b.table(len(e.Value)+1, e.Pos)
	copy(bytes, e.Value)
	return b.pointer(b.constantObject("a string", e.Type().Elem, e.Pos, bytes))
}

// encode writes the value of a constant expression as memory holds it.
func encode(to []byte, t *tree.Type, e tree.Expr) error {
	switch e := e.(type) {
	case *tree.Construct:
		if t.Kind == tree.StructType {
			for i, a := range e.Args {
				f := t.Struct.Fields[e.First+i]
				if f.Bits > 0 {
					if err := encodeBits(to[f.Offset:], f, a); err != nil {
						return err
					}
					continue
				}
				if err := encode(to[f.Offset:f.Offset+f.Type.Size], f.Type, a); err != nil {
					return err
				}
			}
			return nil
		}
		at := 0
		for _, a := range e.Args {
			if err := encode(to[at:], a.Type(), a); err != nil {
				return err
			}
			at += countLeaves(a.Type()) * t.Elem.Size / max(1, countLeaves(t.Elem))
		}
		return nil
	}
	if t.Kind == tree.Vector || t.Kind == tree.PackedVector {
		if c, ok := e.(*tree.Convert); ok && c.X.Type().Kind == tree.Scalar {
			v, err := scalarValue(c.X)
			if err != nil {
				return err
			}
			for i := range t.Len {
				putScalar(to[i*t.Elem.Size:], t.Scalar, v)
			}
			return nil
		}
		return errNotConstant
	}
	v, err := scalarValue(e)
	if err != nil {
		return err
	}
	putScalar(to, t.Scalar, v)
	return nil
}

// encodeBits writes the bits of a bit-field.
func encodeBits(to []byte, f *tree.Field, e tree.Expr) error {
	v, err := scalarValue(e)
	if err != nil {
		return err
	}
	tree.SetBits(to, f.Shift, f.Bits, v.Bits)
	return nil
}

// scalarValue evaluates what tables are initialised with.
func scalarValue(e tree.Expr) (tree.Value, error) {
	switch e := e.(type) {
	case *tree.Const:
		return e.Value, nil
	case *tree.Convert:
		v, err := scalarValue(e.X)
		if err != nil || e.Type().Kind != tree.Scalar && e.Type().Kind != tree.EnumType {
			return v, err
		}
		return v.Convert(e.Type().Scalar)
	case *tree.Unary:
		v, err := scalarValue(e.X)
		if err != nil {
			return v, err
		}
		if e.Op != tree.Neg {
			return v, errNotConstant
		}
		v.Float, v.Bits = -v.Float, -v.Bits
		return v.Convert(v.Kind)
	}
	return tree.Value{}, errNotConstant
}

func putScalar(to []byte, k tree.ScalarKind, v tree.Value) {
	switch {
	case k == tree.Float:
		binary.LittleEndian.PutUint32(to, math.Float32bits(float32(v.Float)))
	case k == tree.Half:
		binary.LittleEndian.PutUint16(to, fmath.HalfBits(float32(v.Float)))
	case k == tree.BFloat:
		binary.LittleEndian.PutUint16(to, fmath.BFloatBits(float32(v.Float)))
	default:
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v.Bits)
		copy(to, word[:sizes[k]])
	}
}
