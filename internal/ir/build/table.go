package build

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// constantOf returns the place of a constant of the source: memory that has its value
// from the start, or where that takes instructions, their result.
func (b *builder) constantOf(v *tree.Var) place {
	object, ok := b.vars.shared[v]
	if !ok {
		bytes := b.consts.room(v.Type.Size, v.Pos)
		if err := encode(bytes, v.Type, v.Init); err != nil {
			return b.computed(v)
		}
		object = b.consts.addTable(v.Name, v.Type, v.Pos, bytes)
		b.vars.shared[v] = object
	}
	p := ofObject(v.Type, object, ir.ConstantSpace)
	b.vars.places[v] = &p
	return p
}

// computed returns the place of a constant whose value takes instructions.
func (b *builder) computed(v *tree.Var) place {
	if !inMemory(v.Type) {
		return ofValue(v.Type, b.value(v.Init))
	}
	p := ofObject(v.Type, b.vars.threadVariable(v), ir.Thread)
	b.initialise(p, v.Init, false)
	return p
}

var errNotConstant = errors.New("its value is not known when compiling")

// encode writes the value of a constant expression as memory holds it.
func encode(to []byte, t *tree.Type, e tree.Expr) error {
	if c, ok := e.(*tree.Construct); ok {
		if t.Kind == tree.StructType {
			return encodeFields(to, t.Struct, c)
		}
		at := 0
		for _, a := range c.Args {
			if err := encode(to[at:], a.Type(), a); err != nil {
				return err
			}
			at += countLeaves(a.Type()) * t.Elem.Size / max(1, countLeaves(t.Elem))
		}
		return nil
	}
	if t.Kind == tree.Vector || t.Kind == tree.PackedVector {
		c, ok := e.(*tree.Convert)
		if !ok || c.X.Type().Kind != tree.Scalar {
			return errNotConstant
		}
		v, err := scalarValue(c.X)
		if err != nil {
			return err
		}
		for i := range t.Len {
			putScalar(to[i*t.Elem.Size:], t.Scalar, v)
		}
		return nil
	}
	v, err := scalarValue(e)
	if err != nil {
		return err
	}
	putScalar(to, t.Scalar, v)
	return nil
}

func encodeFields(to []byte, st *tree.Struct, c *tree.Construct) error {
	for i, a := range c.Args {
		f := st.Fields[c.First+i]
		if f.Bits == 0 {
			if err := encode(to[f.Offset:f.Offset+f.Type.Size], f.Type, a); err != nil {
				return err
			}
			continue
		}
		v, err := scalarValue(a)
		if err != nil {
			return err
		}
		tree.SetBits(to[f.Offset:], f.Shift, f.Bits, v.Bits)
	}
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
	switch k {
	case tree.Float:
		binary.LittleEndian.PutUint32(to, math.Float32bits(float32(v.Float)))
	case tree.Half:
		binary.LittleEndian.PutUint16(to, fmath.HalfBits(float32(v.Float)))
	case tree.BFloat:
		binary.LittleEndian.PutUint16(to, fmath.BFloatBits(float32(v.Float)))
	default:
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v.Bits)
		copy(to, word[:k.Bytes()])
	}
}
