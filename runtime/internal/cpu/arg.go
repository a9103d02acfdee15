package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// argKind is what is particular to one kind of argument when a kernel is compiled.
// Each has a file of its own, with the source that binds its arguments when a
// dispatch is recorded.
type argKind struct {
	// takes reports whether a parameter of a kernel is of the kind. It is nil where
	// no parameter is.
	takes func(param *tree.Param) bool

	// lower begins the variable of a parameter.
	lower func(b *builder, param *tree.Param, v *tree.Var)

	// handle is the kind of type whose values say which argument they are, as
	// pointers do. The zero Kind, void, is none.
	handle tree.Kind

	// builtins are the functions of the library that are about such arguments.
	builtins map[string]lowering
}

// argKinds is the table of kinds. The first one that takes a parameter has it.
var argKinds = []*argKind{
	&bufferKind, &valueKind, &threadgroupKind, &textureKind, &samplerKind, &constantKind,
	&builtinKind,
}

// handles are the kinds of types that argKinds calls handles.
var handles [256]bool

func init() {
	for _, k := range argKinds {
		if k.handle != tree.Void {
			handles[k.handle] = true
		}
	}
}

// parameter begins the variable of a kernel's parameter.
func (b *builder) parameter(param *tree.Param, v *tree.Var) {
	for _, k := range argKinds {
		if k.takes != nil && k.takes(param) {
			k.lower(b, param, v)
			return
		}
	}
	unsupported(param.Pos, "a "+param.Kind.String()+" argument")
}

// beginArgument begins the variable of a parameter as a pointer or a reference to the
// memory of its argument.
func (b *builder) beginArgument(param *tree.Param, v *tree.Var, from source) {
	info := objectInfo{
		name:     param.Name,
		element:  param.Type,
		optional: param.Optional,
		constant: param.Space == "constant",
		readOnly: param.Const || param.Space == "constant",
		source:   from,
		pos:      param.Pos,
	}
	if !param.Pointer {
		info.whole = param.Type
	}
	object := b.program.addObject(info)
	if v.Ref {
		p := inMemoryAt(v.Type, b.pointer(object), 0).in(param.Space)
		if param.Space == "constant" && b.hoist {
			p.object = object
		}
		b.vars[v] = &storage{place: p}
		return
	}
	r := b.allocate(longClass)
	b.program.pointers = append(b.program.pointers, pointerValue{at: r, object: object, changes: b.changing[v] > 0})
	b.beginIn(v, value{r})
}

// source says where the memory of an object comes from.
type source interface {
	// bind finds the memory for a dispatch that is recorded.
	bind(d *dispatch, o *object, from *driver.Dispatch)

	// prepare does what is left to do for each simd-group before it executes the
	// dispatch: it finds memory of its threads or its threadgroup, or sets registers.
	prepare(f *frame, o *object)
}

// bound is embedded in sources of which bind has done everything.
type bound struct{}

func (bound) prepare(*frame, *object) {}
