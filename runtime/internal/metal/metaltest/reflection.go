//go:build linux && (amd64 || arm64)

package metaltest

import (
	"reflect"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

const (
	maxThreads = 1024
	simdWidth  = 32
)

// Flags of bindings, those of fake.h.
const (
	bindingUsed = 1 << iota
	bindingConstant
	bindingPointer
	bindingOptional
)

var bindingKinds = map[tree.ParamKind]uint64{tree.BufferParam: 0, tree.ThreadgroupParam: 1, tree.TextureParam: 2, tree.SamplerParam: 3}

// describe tells the library what is in its source.
func (s *source) describe(library uintptr) {
	for _, k := range s.program.Kernels {
		threads := k.MaxThreads
		if threads == 0 {
			threads = maxThreads
		}
		kernel := fake.kernel(library, k.Name, uint64(threads), simdWidth, uint64(staticMemory(s.bodies[k])))
		for _, p := range k.Params {
			if kind, ok := bindingKinds[p.Kind]; ok {
				s.bind(kernel, k, p, kind)
			}
		}
		for _, c := range s.program.Constants {
			if s.program.UsesName(k, c.Name) {
				fake.constant(kernel, c.Name, uint64(c.Index), dataType(c.Type), s.required(c))
			}
		}
	}
}

func (s *source) bind(kernel uintptr, k *tree.Kernel, p *tree.Param, kind uint64) {
	constant := p.Space == "constant"
	var access uint64
	if a := s.program.AccessOf(k, p); !constant && p.Kind == tree.BufferParam && a.Write {
		access = 2
		if a.Read {
			access = 1
		}
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
	fake.binding(kernel, p.Name, &[8]uint64{kind, uint64(p.Index), access, size, align, code, flags}, structure)
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

// required is 0 for constants that the source asks for before it uses them.
func (s *source) required(c *tree.FunctionConstant) uint64 {
	if strings.Contains(s.text, "is_function_constant_defined("+c.Name+")") {
		return 0
	}
	return 1
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
	tree.Float: 3, tree.Half: 16, tree.Int: 29, tree.UInt: 33, tree.Short: 37, tree.UShort: 41, tree.Char: 45, tree.UChar: 49,
	tree.Bool: 53, tree.Long: 81, tree.ULong: 85, tree.BFloat: 121,
}

// matrixTypes are those of the matrices of two columns and two rows.
var matrixTypes = map[tree.ScalarKind]int{tree.Float: 7, tree.Half: 20}

// dataType is the MTLDataType of a type.
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

// staticMemory is the size of the threadgroup variables of a body. They have no
// declarations in it, only uses, anywhere.
func staticMemory(body *tree.Func) int {
	if body == nil {
		return 0
	}
	w := &groupVars{seen: map[any]bool{}}
	w.walk(reflect.ValueOf(body.Body))
	return w.size
}

type groupVars struct {
	seen map[any]bool
	size int
}

func (w *groupVars) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		w.walk(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() || w.seen[v.Interface()] {
			return
		}
		w.seen[v.Interface()] = true
		switch x := v.Interface().(type) {
		case *tree.Type, *tree.Kernel:
			return
		case *tree.Var:
			if x.Space == "threadgroup" && !x.Param && x.Static {
				w.size = (w.size+15)&^15 + x.Type.Size
			}
			return
		case *tree.Call:
			w.walk(reflect.ValueOf(x.Func.Body))
			w.walk(reflect.ValueOf(x.Args))
			return
		}
		w.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.walk(v.Field(i))
			}
		}
	}
}
