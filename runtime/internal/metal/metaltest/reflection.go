//go:build linux && (amd64 || arm64)

package metaltest

import (
	"cmp"
	"structs"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
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
	width := uint64(cmp.Or(world.options.SimdWidth, driver.SimdWidth))
	world.Unlock()
	for _, k := range s.program.Kernels {
		threads := k.MaxThreads
		if threads == 0 {
			threads = maxThreads
		}
		kernel := fake.kernel(library, k.Name, uint64(threads), width, uint64(staticMemory(s.bodies[k])))
		for _, p := range k.Params {
			for _, kind := range argKinds {
				if kind.takes != nil && kind.takes(p) {
					s.bind(kernel, k, p, kind)
				}
			}
		}
		s.describeConstants(kernel, k)
	}
}

func (s *source) bind(kernel uintptr, k *tree.Kernel, p *tree.Param, kind *argKind) {
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
		size, align, code, structure = uint64(p.Type.Size), uint64(p.Type.Align), dataType(p.Type), layout(p.Type)
	}
	numbers := bindingNumbers{
		kind: kind.number, index: uint64(p.Index), access: access, size: size, align: align, dataType: code, flags: flags,
	}
	if kind.describe != nil {
		kind.describe(p, &numbers)
	}
	fake.binding(kernel, p.Name, &numbers, structure)
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

// layout describes a struct or array to the library, and is 0 for other types.
func layout(t *tree.Type) uintptr {
	switch t.Kind {
	case tree.StructType:
		structure := fake.structure()
		for _, f := range t.Struct.Fields {
			fake.member(structure, f.Name, uint64(f.Offset), dataType(f.Type), layout(f.Type))
		}
		return structure
	case tree.Array:
		return fake.array(uint64(t.Len), uint64(t.Elem.Size), dataType(t.Elem), layout(t.Elem))
	}
	return 0
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
	case tree.Pointer:
		return 60
	}
	return 0
}
