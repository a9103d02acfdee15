package binding

import (
	"path"
	"slices"
	"strconv"
)

// GoType is a type of generated code. It is one of *Basic, Array, Vec3, Pointer, TextureRef, *Struct,
// *Enum and *TypeParam, and points to what it means: what its text is follows from
// the names that those have when it is asked for.
//
// Two types of one source are the same where they are equal.
type GoType interface {
	// String returns the type as Go source writes it, with the last element of
	// import paths as package names.
	String() string
	// align returns the alignment of the type in Go.
	align() int
}

// Basic is a type that generated code finds: a predeclared one, or that of another package.
type Basic struct {
	Pkg     string // import path; "" for predeclared types
	Name    string // "float32", "Float16"
	Size    int    // in bytes
	Integer bool
	Signed  bool // of an Integer: it has negative values
}

// Array is a Go array.
type Array struct {
	Len  int
	Elem GoType
}

// Vec3 is the runtime's type for vectors of three elements, which take the room of four.
type Vec3 struct{ Elem GoType }

// Pointer is the runtime's type for pointers in memory.
type Pointer struct{ Elem GoType }

// TextureRef is the runtime's type for textures of a type in memory.
type TextureRef struct{ Texture *Basic }

// RuntimePath is the import path of the package that generated code calls.
const RuntimePath = "github.com/metalgen/metalgen/runtime"

// Float16Path is the import path of the package whose Float16 mirrors half.
const Float16Path = "github.com/x448/float16"

// The basic types of the model.
var (
	Bool     = &Basic{Name: "bool", Size: 1}
	Byte     = &Basic{Name: "byte", Size: 1, Integer: true} // what void pointers point to
	Int8     = &Basic{Name: "int8", Size: 1, Integer: true, Signed: true}
	Uint8    = &Basic{Name: "uint8", Size: 1, Integer: true}
	Int16    = &Basic{Name: "int16", Size: 2, Integer: true, Signed: true}
	Uint16   = &Basic{Name: "uint16", Size: 2, Integer: true}
	Int32    = &Basic{Name: "int32", Size: 4, Integer: true, Signed: true}
	Uint32   = &Basic{Name: "uint32", Size: 4, Integer: true}
	Int64    = &Basic{Name: "int64", Size: 8, Integer: true, Signed: true}
	Uint64   = &Basic{Name: "uint64", Size: 8, Integer: true}
	Float16  = &Basic{Pkg: Float16Path, Name: "Float16", Size: 2}
	BFloat16 = &Basic{Pkg: RuntimePath, Name: "BFloat16", Size: 2}
	Float32  = &Basic{Name: "float32", Size: 4}

	SamplerRef = &Basic{Pkg: RuntimePath, Name: "SamplerRef", Size: 8} // a sampler in memory

	Int = &Basic{Name: "int", Size: 8, Integer: true, Signed: true} // of lengths and numbers, in Go only
)

func (t *Basic) String() string {
	if t.Pkg == "" {
		return t.Name
	}
	return path.Base(t.Pkg) + "." + t.Name
}

func (t Array) String() string   { return "[" + strconv.Itoa(t.Len) + "]" + t.Elem.String() }
func (t Vec3) String() string    { return path.Base(RuntimePath) + ".Vec3[" + t.Elem.String() + "]" }
func (t Pointer) String() string { return path.Base(RuntimePath) + ".Pointer[" + t.Elem.String() + "]" }
func (t TextureRef) String() string {
	return path.Base(RuntimePath) + ".TextureRef[" + t.Texture.String() + "]"
}
func (t *Struct) String() string    { return t.Go }
func (t *Enum) String() string      { return t.Go }
func (t *TypeParam) String() string { return t.Go }

func (t *Basic) align() int     { return t.Size }
func (t Array) align() int      { return t.Elem.align() }
func (t Vec3) align() int       { return t.Elem.align() }
func (t Pointer) align() int    { return 8 }
func (t TextureRef) align() int { return 8 }
func (t *Struct) align() int    { return t.goAlign }
func (t *Enum) align() int      { return t.GoType.align() }
func (t *TypeParam) align() int { return 1 }

// Imports calls f with the import paths that naming a type takes.
func Imports(t GoType, f func(path string)) {
	switch t := t.(type) {
	case *Basic:
		if t.Pkg != "" {
			f(t.Pkg)
		}
	case Array:
		Imports(t.Elem, f)
	case Vec3:
		f(RuntimePath)
		Imports(t.Elem, f)
	case Pointer:
		f(RuntimePath)
		Imports(t.Elem, f)
	case TextureRef:
		f(RuntimePath)
	}
}

// Signed reports whether a type is an integer type with negative values, or an enum of one.
func Signed(t GoType) bool {
	if e, ok := t.(*Enum); ok {
		t = e.GoType
	}
	b, ok := t.(*Basic)
	return ok && b.Signed
}

// StructIn returns the struct that a type is, or that the elements of an array are;
// nil for other types.
func StructIn(t GoType) *Struct {
	for {
		array, ok := t.(Array)
		if !ok {
			st, _ := t.(*Struct)
			return st
		}
		t = array.Elem
	}
}

// HoldsPointers reports whether values of a type have pointers, textures or samplers in them.
func HoldsPointers(t GoType) bool {
	switch t := t.(type) {
	case Array:
		return HoldsPointers(t.Elem)
	case Pointer, TextureRef:
		return true
	case *Basic:
		return t == SamplerRef
	case *Struct:
		return t.pointers
	}
	return false
}

// AllFields walks the fields of a struct and the members that share bytes, in order
// of their offsets.
func (t *Struct) AllFields() func(yield func(*Field) bool) {
	all := slices.Concat(t.Fields, t.Members)
	slices.SortStableFunc(all, compareFields)
	return slices.Values(all)
}
