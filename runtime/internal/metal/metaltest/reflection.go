//go:build linux && (amd64 || arm64)

package metaltest

import (
	"cmp"
	"structs"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

const maxThreads = 1024

// Flags of bindings, those of fake.h.
const (
	bindingUsed = 1 << iota
	bindingConstant
	bindingPointer
	bindingOptional
)

// describe describes the source to the library.
func (s *source) describe(library uintptr) {
	world.Lock()
	width := cmp.Or(uint64(world.options.SimdWidth), facts[simdWidth].on[world.options.Machine])
	world.Unlock()
	types := types{library: library}
	for _, k := range s.program.Kernels {
		threads := k.MaxThreads
		if threads == 0 {
			threads = maxThreads
		}
		kernel := fake.kernel(library, k.Name, uint64(threads), width, uint64(staticMemory(s.bodies[k])),
			word(s.callsSimd(k)))
		for _, p := range k.Params {
			for _, kind := range argKinds {
				if kind.takes != nil && kind.takes(p) {
					s.bind(&types, kernel, k, p, kind)
				}
			}
		}
		s.describeConstants(kernel, k)
	}
}

func (s *source) bind(types *types, kernel uintptr, k *tree.Kernel, p *tree.Param, kind *argKind) {
	constant := p.Space == "constant"
	var access uint64
	if kind.access != nil {
		access = kind.access(s, k, p)
	}
	var flags uint64
	for flag, set := range map[uint64]bool{
		bindingUsed: s.uses(k, p.Name), bindingConstant: constant, bindingPointer: p.Pointer, bindingOptional: p.Optional,
	} {
		if set {
			flags |= flag
		}
	}
	var size, align, code uint64
	var structure uintptr
	if p.Type != nil {
		size, align, code, structure = uint64(p.Type.Size), uint64(p.Type.Align), dataType(p.Type), types.of(p.Type)
	}
	numbers := bindingNumbers{
		kind: kind.number, index: uint64(p.Index), access: access, size: size, align: align, dataType: code, flags: flags,
	}
	if kind.describe != nil {
		kind.describe(p, &numbers)
	}
	fake.binding(types.library, kernel, p.Name, &numbers, structure)
}

// bindingNumbers are the numbers of a struct binding of fake.h, in its order.
type bindingNumbers struct {
	_                                                 structs.HostLayout
	kind, index, access, size, align, dataType, flags uint64
	textureType, depth, length                        uint64
}

// uses reports whether the body mentions an argument.
func (s *source) uses(k *tree.Kernel, name string) bool {
	for _, t := range s.program.Tree.Tokens[k.Decl.Open+1 : k.Decl.Close] {
		if t.Kind == parser.Ident && t.Text == name {
			return true
		}
	}
	return false
}

// types are those of a library, as they are described to the fake. A struct that has pointers to itself is known before
// its members are.
type types struct {
	library uintptr
	structs map[*tree.Struct]uintptr
}

// of describes a struct, an array or a pointer, and returns 0 for other types.
func (ts *types) of(t *tree.Type) uintptr {
	switch t.Kind {
	case tree.StructType:
		known, ok := ts.structs[t.Struct]
		if ok {
			return known
		}
		if ts.structs == nil {
			ts.structs = map[*tree.Struct]uintptr{}
		}
		structure := fake.structure(ts.library)
		ts.structs[t.Struct] = structure
		for _, f := range t.Struct.Fields {
			fake.member(structure, f.Name, uint64(f.Offset), dataType(f.Type), ts.of(f.Type))
		}
		return structure
	case tree.Array:
		return fake.array(ts.library, uint64(t.Len), uint64(t.Elem.Size), dataType(t.Elem), ts.of(t.Elem))
	case tree.Pointer:
		numbers := pointerNumbers{elementType: dataType(t.Elem), size: uint64(t.Elem.Size), align: uint64(t.Elem.Align)}
		if !t.Const && t.Space != "constant" {
			numbers.access = 1
		}
		return fake.pointer(ts.library, &numbers, ts.of(t.Elem))
	case tree.Texture:
		numbers := textureTypeNumbers{
			dataType: uint64(scalarTypes[t.Scalar]), access: accessOfTexture(t), form: uint64(t.Texture.Form),
		}
		if t.Texture.Depth {
			numbers.depth = 1
		}
		return fake.texture(ts.library, &numbers)
	case tree.Sampler:
		return fake.sampler(ts.library)
	}
	return 0
}

// pointerNumbers are those of a pointer type, in the order of fakePointer.
type pointerNumbers struct {
	_                                structs.HostLayout
	elementType, access, size, align uint64
}

// textureTypeNumbers are those of a texture type, in the order of fakeTexture.
type textureTypeNumbers struct {
	_                             structs.HostLayout
	dataType, access, form, depth uint64
}

// scalarTypes are the MTLDataType of scalars; those of their vectors follow.
var scalarTypes = map[tree.ScalarKind]int{
	tree.Float: 3, tree.Half: 16, tree.Int: 29, tree.UInt: 33, tree.Short: 37, tree.UShort: 41, tree.Char: 45,
	tree.UChar: 49, tree.Bool: 53, tree.Long: 81, tree.ULong: 85, tree.BFloat: 121,
}

// matrixTypes are those of the matrices of two columns and two rows.
var matrixTypes = map[tree.ScalarKind]int{tree.Float: 7, tree.Half: 20}

// dataType returns the MTLDataType of a type.
func dataType(t *tree.Type) uint64 {
	switch t.Kind {
	case tree.Scalar:
		return uint64(scalarTypes[t.Scalar])
	case tree.Vector, tree.PackedVector:
		return uint64(scalarTypes[t.Scalar] + t.Len - 1)
	case tree.Matrix:
		if base, ok := matrixTypes[t.Scalar]; ok {
			return uint64(base + 3*(t.Len-2) + t.Elem.Len - 2)
		}
	case tree.StructType:
		return 1
	case tree.Array:
		return 2
	case tree.EnumType:
		return dataType(t.Enum.Under)
	case tree.Texture:
		return 58
	case tree.Sampler:
		return 59
	case tree.Pointer:
		return 60
	}
	return 0
}
