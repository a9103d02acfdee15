package binding

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// types makes the Go types of one source, each on first use.
type types struct {
	tree    *parser.Tree // for comments
	structs map[*msl.Struct]*Struct
	enums   map[*msl.Enum]*Enum

	// What is in the maps, in the order in which it was made: inner structs first.
	structList []*Struct
	enumList   []*Enum
}

func newTypes(tree *parser.Tree) *types {
	return &types{tree: tree, structs: map[*msl.Struct]*Struct{}, enums: map[*msl.Enum]*Enum{}}
}

var goScalars = [...]*Basic{
	msl.Bool: Bool,
	msl.Char: Int8, msl.UChar: Uint8,
	msl.Short: Int16, msl.UShort: Uint16,
	msl.Int: Int32, msl.UInt: Uint32,
	msl.Long: Int64, msl.ULong: Uint64,
	msl.Half: Float16, msl.BFloat: BFloat16, msl.Float: Float32,
}

// of returns the Go type of the same size as an MSL type.
func (ts *types) of(t *msl.Type) (GoType, error) {
	switch t.Kind {
	case msl.Void:
		return Byte, nil
	case msl.Scalar:
		return goScalars[t.Scalar], nil
	case msl.Vector:
		if t.Len == 3 {
			return Vec3{goScalars[t.Scalar]}, nil
		}
		return Array{t.Len, goScalars[t.Scalar]}, nil
	case msl.PackedVector:
		return Array{t.Len, goScalars[t.Scalar]}, nil
	case msl.Matrix, msl.Array:
		elem, err := ts.of(t.Elem)
		if err != nil {
			return nil, err
		}
		return Array{t.Len, elem}, nil
	case msl.StructType:
		return asType(ts.structFor(t.Struct))
	case msl.EnumType:
		if t.Enum.Name == "" {
			return goScalars[t.Scalar], nil
		}
		return ts.enumFor(t.Enum), nil
	}
	return nil, unbound(t)
}

// asType keeps a nil *Struct from becoming a GoType that is not nil.
func asType(s *Struct, err error) (GoType, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// unbound is the error of a type that has no Go type.
func unbound(t *msl.Type) error {
	what := "arguments of type " + t.Name
	switch t.Kind {
	case msl.Pointer:
		what = "pointers inside of buffers (argument buffers)"
	case msl.Texture:
		what = "textures"
	case msl.Sampler:
		what = "samplers"
	}
	return fmt.Errorf("metalgen does not bind %s yet", what)
}

// enumFor returns the Go type of an MSL enum.
func (ts *types) enumFor(e *msl.Enum) *Enum {
	if known, ok := ts.enums[e]; ok {
		return known
	}
	en := &Enum{
		Name: e.Name, own: goName(e.Name), Pos: e.Pos, GoType: goScalars[e.Under.Scalar], Doc: typeDoc(ts.tree, e.Decl),
	}
	for _, v := range e.Values {
		value := EnumValue{Name: v.Name, Value: v.Value.String()}
		if l, ok := trailing(ts.tree, v.Pos); ok {
			value.Doc = l.Text
		}
		en.Values = append(en.Values, value)
	}
	ts.enums[e] = en
	ts.enumList = append(ts.enumList, en)
	return en
}
