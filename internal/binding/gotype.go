package binding

import (
	"fmt"
	"path"
	"strconv"

	"github.com/metalgen/metalgen/internal/msl"
)

// GoType is a Go type as an import path and a name, or an array of another.
type GoType struct {
	Pkg  string   // import path; "" for predeclared types and those of the package itself
	Name string   // "float32", "Float16"; "" for an array
	Args []GoType // type arguments
	Len  int      // of an array
	Elem *GoType  // of an array
}

// String is the type as Go source writes it, with the last element of import
// paths as package names.
func (t GoType) String() string {
	if t.Elem != nil {
		return "[" + strconv.Itoa(t.Len) + "]" + t.Elem.String()
	}
	s := t.Name
	if t.Pkg != "" {
		s = path.Base(t.Pkg) + "." + s
	}
	for i, a := range t.Args {
		if i == 0 {
			s += "["
		} else {
			s += ", "
		}
		s += a.String()
	}
	if len(t.Args) > 0 {
		s += "]"
	}
	return s
}

// RuntimePath is the import path of the package that generated code calls.
const RuntimePath = "github.com/metalgen/metalgen/runtime"

// Float16Path is the import path of the package whose Float16 mirrors half.
const Float16Path = "github.com/x448/float16"

var goScalars = [...]GoType{
	msl.Bool: {Name: "bool"},
	msl.Char: {Name: "int8"}, msl.UChar: {Name: "uint8"},
	msl.Short: {Name: "int16"}, msl.UShort: {Name: "uint16"},
	msl.Int: {Name: "int32"}, msl.UInt: {Name: "uint32"},
	msl.Long: {Name: "int64"}, msl.ULong: {Name: "uint64"},
	msl.Half:   {Pkg: Float16Path, Name: "Float16"},
	msl.BFloat: {Pkg: RuntimePath, Name: "BFloat16"},
	msl.Float:  {Name: "float32"},
}

// annotatedTypes are the Go types that a metalgen:type annotation may name,
// with their sizes in bytes.
var annotatedTypes = map[string]struct {
	GoType
	size int
}{
	"bool": {GoType{Name: "bool"}, 1}, "byte": {GoType{Name: "byte"}, 1},
	"int8": {GoType{Name: "int8"}, 1}, "uint8": {GoType{Name: "uint8"}, 1},
	"int16": {GoType{Name: "int16"}, 2}, "uint16": {GoType{Name: "uint16"}, 2},
	"int32": {GoType{Name: "int32"}, 4}, "uint32": {GoType{Name: "uint32"}, 4},
	"int64": {GoType{Name: "int64"}, 8}, "uint64": {GoType{Name: "uint64"}, 8},
	"float32":          {GoType{Name: "float32"}, 4},
	"float16.Float16":  {GoType{Pkg: Float16Path, Name: "Float16"}, 2},
	"runtime.BFloat16": {GoType{Pkg: RuntimePath, Name: "BFloat16"}, 2},
}

func arrayType(n int, elem GoType) GoType { return GoType{Len: n, Elem: &elem} }

// goType is the Go type of the same size as an MSL type. structs and enums
// name the Go types of the package.
func (b *builder) goType(t *msl.Type) (GoType, error) {
	switch t.Kind {
	case msl.Void:
		return GoType{Name: "byte"}, nil
	case msl.Scalar:
		return goScalars[t.Scalar], nil
	case msl.Vector:
		elem := goScalars[t.Scalar]
		if t.Len == 3 {
			return GoType{Pkg: RuntimePath, Name: "Vec3", Args: []GoType{elem}}, nil
		}
		return arrayType(t.Len, elem), nil
	case msl.PackedVector:
		return arrayType(t.Len, goScalars[t.Scalar]), nil
	case msl.Matrix, msl.Array:
		elem, err := b.goType(t.Elem)
		if err != nil {
			return GoType{}, err
		}
		return arrayType(t.Len, elem), nil
	case msl.StructType:
		s, err := b.structFor(t.Struct)
		if err != nil {
			return GoType{}, err
		}
		return GoType{Name: s.Go}, nil
	case msl.EnumType:
		if t.Enum.Name == "" {
			return goScalars[t.Scalar], nil
		}
		return GoType{Name: b.enumFor(t.Enum).Go}, nil
	}
	return GoType{}, fmt.Errorf("metalgen does not bind %s yet", describe(t))
}

// describe words a type that cannot be bound.
func describe(t *msl.Type) string {
	switch t.Kind {
	case msl.Pointer:
		return "pointers inside of buffers (argument buffers)"
	case msl.Texture:
		return "textures"
	case msl.Sampler:
		return "samplers"
	}
	return "arguments of type " + t.Name
}
