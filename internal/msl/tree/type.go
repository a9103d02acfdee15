package tree

import (
	"maps"
	"math/bits"
	"strconv"
)

// Kind is the sort of a type.
type Kind uint8

// The sorts of types.
const (
	Void Kind = iota
	Scalar
	Vector
	PackedVector
	Matrix
	Array
	StructType
	EnumType
	Pointer
	Texture // a handle, of 8 bytes as a Sampler is
	Sampler
	SimdgroupMatrix // simdgroup_matrix<T, 8, 8>; lives in the registers of a simd-group
	Opaque          // a type of the standard library that takes no part in a buffer
	Reference       // only as an argument of a template: `constant T&`
	Qualified       // only as an argument of a template: `device T`; Elem is the T
)

// Type is a type of MSL.
type Type struct {
	Kind  Kind
	Name  string // as MSL spells it: "float4", "P"; "array" for metal::array, "" for other arrays and pointers
	Size  int    // bytes
	Align int

	Scalar ScalarKind // of a Scalar; of the elements of a vector or matrix
	Atomic bool       // atomic_uint, atomic<float>
	Len    int        // elements of a vector or array, columns of a matrix
	Elem   *Type      // of a vector, matrix (a column), array or pointer
	Struct *Struct
	Enum   *Enum
	Space  string // of what a Pointer points to, or of a Qualified
	Const  bool   // of what a Pointer points to, or of a Qualified

	Texture *TextureType // of a Texture, of whose elements Scalar is the type
}

// String is the type as MSL writes it.
func (t *Type) String() string {
	switch t.Kind {
	case Array:
		elem, dims := t.flatten()
		return elem.String() + dims
	case Pointer:
		return t.Space + " " + t.Elem.String() + "*"
	case Reference:
		return t.Space + " " + t.Elem.String() + "&"
	case Qualified:
		if t.Const {
			return t.Space + " const " + t.Elem.String()
		}
		return t.Space + " " + t.Elem.String()
	}
	return t.Name
}

// Unqualified is the type without the address space that an argument of a template names.
func (t *Type) Unqualified() *Type {
	if t.Kind == Qualified {
		return t.Elem
	}
	return t
}

// Plain is the type as Metal's compiler sees it once it has resolved second names of
// scalars: "uint[4]" for an array of four uint32_t. An enum keeps its own name: what
// Metal calls it is not documented.
func (t *Type) Plain() string {
	switch {
	case t.Kind == Array:
		elem, dims := t.flatten()
		return elem.Plain() + dims
	case t.Kind == Scalar && t.Atomic:
		return "atomic_" + scalars[t.Scalar].name
	case t.Kind == Scalar:
		return scalars[t.Scalar].name
	}
	return t.String()
}

// flatten returns the elements of an array of arrays, and its dimensions: "[2][3]".
func (t *Type) flatten() (elem *Type, dims string) {
	for ; t.Kind == Array; t = t.Elem {
		dims += "[" + strconv.Itoa(t.Len) + "]"
	}
	return t, dims
}

// ScalarKind is one of the scalar types of section 2.1.
type ScalarKind uint8

// The scalar types.
const (
	Bool ScalarKind = iota
	Char
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	Half
	BFloat
	Float
)

type scalarInfo struct {
	name string
	size int
}

// scalars are the scalar types with their sizes, which are also their
// alignments (section 2.1, table 2.1).
var scalars = [...]scalarInfo{
	Bool: {"bool", 1}, Char: {"char", 1}, UChar: {"uchar", 1},
	Short: {"short", 2}, UShort: {"ushort", 2}, Int: {"int", 4}, UInt: {"uint", 4},
	Long: {"long", 8}, ULong: {"ulong", 8},
	Half: {"half", 2}, BFloat: {"bfloat", 2}, Float: {"float", 4},
}

// scalarNames are all names of scalar types. Those with several words are
// written with the words in order and one space between them.
var scalarNames = map[string]ScalarKind{
	"bool": Bool, "char": Char, "signed char": Char, "int8_t": Char,
	"uchar": UChar, "unsigned char": UChar, "uint8_t": UChar,
	"short": Short, "signed short": Short, "short int": Short, "int16_t": Short,
	"ushort": UShort, "unsigned short": UShort, "unsigned short int": UShort, "short unsigned int": UShort,
	"uint16_t": UShort,
	"int":      Int, "signed": Int, "signed int": Int, "int32_t": Int,
	"uint": UInt, "unsigned": UInt, "unsigned int": UInt, "uint32_t": UInt,
	"long": Long, "signed long": Long, "long int": Long, "int64_t": Long, "ptrdiff_t": Long,
	"long long": Long, "signed long long": Long, "long long int": Long, "intptr_t": Long,
	"ulong": ULong, "unsigned long": ULong, "unsigned long int": ULong, "long unsigned int": ULong, "uint64_t": ULong,
	"size_t": ULong, "unsigned long long": ULong, "unsigned long long int": ULong, "uintptr_t": ULong,
	"half": Half, "bfloat": BFloat, "float": Float,
}

// String is the name of the type.
func (k ScalarKind) String() string { return scalars[k].name }

// Bytes is the size of the type.
func (k ScalarKind) Bytes() int { return scalars[k].size }

// Floating reports whether the type holds fractions.
func (k ScalarKind) Floating() bool { return k >= Half }

// Signed reports whether the integer type has negative values.
func (k ScalarKind) Signed() bool { return k == Char || k == Short || k == Int || k == Long }

// Named returns the type that the language itself has of a name, or nil.
func Named(name string) *Type { return builtinTypes[name] }

// Handle reports whether a value of the type stands for something that is elsewhere and
// known to methods only: a texture or a sampler.
func (t *Type) Handle() bool { return t.Kind == Texture || t.Kind == Sampler }

var builtinTypes = makeBuiltinTypes()

// makeBuiltinTypes builds the table of all named types of the language:
// scalars, vectors (2.2), packed vectors (2.2.3), matrices (2.3) and atomics
// (2.6), with the sizes and alignments of tables 2.2 to 2.5.
func makeBuiltinTypes() map[string]*Type {
	types := map[string]*Type{"void": {Kind: Void, Name: "void"}}
	for k, info := range scalars {
		kind := ScalarKind(k)
		scalar := &Type{Kind: Scalar, Name: info.name, Size: info.size, Align: info.size, Scalar: kind}
		types[info.name] = scalar
		for n := 2; n <= 4; n++ {
			v := vectorOf(scalar, n)
			types[v.Name] = v
			if kind != Bool { // the names of packed_bool2 to 4 are reserved
				p := &Type{Kind: PackedVector, Name: "packed_" + v.Name, Size: n * info.size, Align: info.size, Scalar: kind,
					Len: n, Elem: scalar}
				types[p.Name] = p
			}
		}
		if kind == Half || kind == Float { // bfloat has matrix<bfloat, 4, 4> only
			for cols := 2; cols <= 4; cols++ {
				for rows := 2; rows <= 4; rows++ {
					m := MatrixOf(types[info.name+strconv.Itoa(rows)], cols)
					types[m.Name] = m
				}
			}
		}
	}
	for alias, kind := range scalarNames {
		if _, ok := types[alias]; !ok {
			aliased := *types[scalars[kind].name]
			aliased.Name = alias
			types[alias] = &aliased
		}
	}
	for name, t := range maps.Clone(types) { // <simd/simd.h> has names of its own for vectors and matrices
		prefix := map[Kind]string{Vector: "vector_", Matrix: "matrix_"}[t.Kind]
		if prefix != "" {
			types[prefix+name], types["simd_"+name] = t, t
		}
	}
	for _, name := range []string{"int", "uint", "bool", "float", "ulong"} {
		types["atomic_"+name] = atomicOf(types[name])
	}
	for _, name := range []string{"half", "bfloat", "float"} {
		types["simdgroup_"+name+"8x8"] = simdgroupMatrixOf(types[name])
	}
	return types
}

// MaxVector is how many elements a vector of ext_vector_type has at most. The language's own have up to four.
const MaxVector = 16

// wideVectors are those of more than four elements, for which the language has no names: by scalar and number.
var wideVectors = makeWideVectors()

func makeWideVectors() (wide [len(scalars)][MaxVector + 1]*Type) {
	for k := range scalars {
		for n := 5; n <= MaxVector; n++ {
			wide[k][n] = vectorOf(ScalarType(ScalarKind(k)), n)
		}
	}
	return wide
}

// vectorOf is the vector of n scalars. It takes the space of the next power of two: one of three that of four.
func vectorOf(scalar *Type, n int) *Type {
	size := scalar.Size << bits.Len(uint(n-1))
	return &Type{Kind: Vector, Name: scalars[scalar.Scalar].name + strconv.Itoa(n), Size: size, Align: size,
		Scalar: scalar.Scalar, Len: n, Elem: scalar}
}

// MatrixOf is the matrix of so many columns.
func MatrixOf(column *Type, cols int) *Type {
	name := scalars[column.Scalar].name + strconv.Itoa(cols) + "x" + strconv.Itoa(column.Len)
	return &Type{Kind: Matrix, Name: name, Size: cols * column.Size, Align: column.Align, Scalar: column.Scalar, Len: cols,
		Elem: column}
}

// simdgroupMatrixOf is the matrix of eight by eight scalars that a simd-group
// holds (section 2.4).
func simdgroupMatrixOf(scalar *Type) *Type {
	return &Type{Kind: SimdgroupMatrix, Name: "simdgroup_matrix<" + scalar.Name + ", 8, 8>", Size: 64 * scalar.Size,
		Align: scalar.Size, Scalar: scalar.Scalar, Len: 8, Elem: scalar}
}

func atomicOf(t *Type) *Type {
	a := *t
	a.Name = "atomic_" + t.Name
	a.Atomic = true
	return &a
}

// ArrayOf is the array of n elements.
func ArrayOf(elem *Type, n int) *Type {
	return &Type{Kind: Array, Size: n * elem.Size, Align: elem.Align, Len: n, Elem: elem}
}

// ScalarType is the type of that kind itself.
func ScalarType(k ScalarKind) *Type { return builtinTypes[scalars[k].name] }

// VectorType is the vector of n scalars, which for one is the scalar.
func VectorType(k ScalarKind, n int) *Type {
	switch {
	case n <= 1:
		return ScalarType(k)
	case n > 4:
		return wideVectors[k][n]
	}
	return builtinTypes[scalars[k].name+strconv.Itoa(n)]
}

// PointerTo is the pointer to what is in an address space.
func PointerTo(elem *Type, space string, constant bool) *Type {
	return &Type{Kind: Pointer, Size: 8, Align: 8, Elem: elem, Space: space, Const: constant || space == "constant"}
}

// Spelled is the type as messages call it: with the const of what it points to.
func (t *Type) Spelled() string {
	switch {
	case t.Kind == Pointer && t.Elem.Kind == Pointer:
		s := t.Elem.Spelled()
		if t.Const {
			s += " const"
		}
		return s + " " + t.Space + "*"
	case t.Kind == Pointer && t.Const && t.Space != "constant":
		return t.Space + " const " + t.Elem.Spelled() + "*"
	case t.Kind == Pointer:
		return t.Space + " " + t.Elem.Spelled() + "*"
	case t.Kind == EnumType && t.Name == "":
		return "an unnamed enum"
	}
	return t.String()
}
