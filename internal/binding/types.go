package binding

import (
	"cmp"
	"fmt"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// types makes the Go types of one source, each on first use.
type types struct {
	parsed  *parser.Tree // for comments
	structs map[*tree.Struct]*Struct
	enums   map[*tree.Enum]*Enum

	// What is in the maps, in the order in which it was made: inner structs first.
	structList []*Struct
	enumList   []*Enum
}

func newTypes(parsed *parser.Tree) *types {
	return &types{parsed: parsed, structs: map[*tree.Struct]*Struct{}, enums: map[*tree.Enum]*Enum{}}
}

// done lets go of the program, once every type that a package needs has been made.
func (ts *types) done() { ts.parsed, ts.structs, ts.enums = nil, nil, nil }

var goScalars = [...]*Basic{
	tree.Bool: Bool,
	tree.Char: Int8, tree.UChar: Uint8,
	tree.Short: Int16, tree.UShort: Uint16,
	tree.Int: Int32, tree.UInt: Uint32,
	tree.Long: Int64, tree.ULong: Uint64,
	tree.Half: Float16, tree.BFloat: BFloat16, tree.Float: Float32,
}

// of returns the Go type of the same size as an MSL type.
func (ts *types) of(t *tree.Type) (GoType, error) {
	switch t.Kind {
	case tree.Void:
		return Byte, nil
	case tree.Scalar:
		return goScalars[t.Scalar], nil
	case tree.Vector:
		if t.Len == 3 {
			return Vec3{goScalars[t.Scalar]}, nil
		}
		return Array{t.Len, goScalars[t.Scalar]}, nil
	case tree.PackedVector:
		return Array{t.Len, goScalars[t.Scalar]}, nil
	case tree.Matrix, tree.Array:
		elem, err := ts.of(t.Elem)
		if err != nil {
			return nil, err
		}
		return Array{t.Len, elem}, nil
	case tree.Pointer:
		return ts.pointer(t)
	case tree.Texture:
		return TextureRef{goTextures[formOf(t.Texture)]}, nil
	case tree.Sampler:
		return SamplerRef, nil
	case tree.StructType:
		return asType(ts.structFor(t.Struct))
	case tree.EnumType:
		if t.Enum.Name == "" {
			return goScalars[t.Scalar], nil
		}
		return ts.enumFor(t.Enum), nil
	}
	return nil, unbound(t)
}

// unbound is the error of a type that has no Go type.
func unbound(t *tree.Type) error {
	return fmt.Errorf("metalgen does not bind arguments of type %s yet", t.Name)
}

// maxPointers bounds the pointers to pointers of a field.
const maxPointers = 16

// pointer returns the Go type of a pointer in memory.
func (ts *types) pointer(t *tree.Type) (GoType, error) {
	switch {
	case t.Space != "device" && t.Space != "constant":
		return nil, fmt.Errorf("metalgen does not bind pointers to %s memory inside of buffers", t.Space)
	case t.Elem.Kind == tree.Opaque: // a struct that is only declared
		return Pointer{Byte}, nil
	}
	for of, n := t.Elem, 1; of.Kind == tree.Pointer; of, n = of.Elem, n+1 {
		if n == maxPointers {
			return nil, fmt.Errorf("metalgen does not bind pointers to pointers that are more than %d deep", maxPointers)
		}
	}
	elem, err := ts.of(t.Elem)
	if err != nil {
		return nil, err
	}
	return Pointer{elem}, nil
}

// asType keeps a nil *Struct from becoming a GoType that is not nil.
func asType(s *Struct, err error) (GoType, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// enumFor returns the Go type of an MSL enum.
func (ts *types) enumFor(e *tree.Enum) *Enum {
	if known, ok := ts.enums[e]; ok {
		return known
	}
	en := &Enum{
		Name: e.Name, own: cmp.Or(goName(e.Name), "Enum"), Pos: e.Pos,
		GoType: goScalars[e.Under.Scalar], Doc: commentOfType(ts.parsed, e.Decl),
	}
	for _, v := range e.Values {
		value := EnumValue{Name: v.Name, Value: v.Value.String()}
		if l, ok := trailing(ts.parsed, v.Pos); ok {
			value.Doc = l.Text
		}
		en.Values, en.at = append(en.Values, value), append(en.at, v.Pos)
	}
	ts.enums[e] = en
	ts.enumList = append(ts.enumList, en)
	return en
}
