package cpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// compile makes the program of a kernel. With hoist, what constant arguments hold is
// loaded once for each simd-group, which needs all of them to be there.
func compile(k *msl.Kernel, fn *msl.Func, hoist bool) (p *program, err error) {
	defer func() {
		r := recover()
		if e, ok := r.(unsupportedError); ok {
			p, err = nil, e.err
		} else if r != nil {
			panic(r)
		}
	}()
	b := newBuilder(k.Name, hoist)
	b.at(fn.Pos)
	b.know(fn)
	for i, param := range k.Params {
		b.parameter(param, fn.Params[i])
	}
	b.block(fn.Body.List)
	b.here(b.resume())
	b.emit(instruction{flow: flowStop})
	b.program.size = b.size
	return b.program, nil
}

// parameter gives a kernel's parameter its place.
func (b *builder) parameter(param *msl.Param, v *msl.Var) {
	switch param.Kind {
	case msl.BuiltinParam:
		t := param.Type
		value := builtinValue{set: builtinValues[param.Attribute]}
		if value.set == nil {
			unsupported(param.Pos, "[["+param.Attribute+"]]")
		}
		for range countLeaves(t) {
			value.regs = append(value.regs, b.allocate(wordClass))
		}
		b.program.builtins = append(b.program.builtins, value)
		if v.Addressed {
			b.beginVariable(v, value.regs, param.Pos)
			return
		}
		b.vars[v] = &storage{place: inRegisters(t, value.regs, b.scope())}
		b.settle(v, value.regs)
		return
	case msl.BufferParam, msl.ThreadgroupParam:
	default:
		unsupported(param.Pos, "a "+param.Kind.String()+" argument")
	}
	kind := bufferObject
	switch {
	case param.Kind == msl.ThreadgroupParam:
		kind = sharedObject
	case !param.Pointer:
		kind = valueObject
	}
	object := b.program.addObject(objectInfo{name: param.Name, typ: param.Type.String(), element: param.Type.Size, kind: kind, arg: param.Index, optional: param.Optional})
	if v.Ref {
		p := inMemoryAt(v.Type, b.pointer(object), 0)
		if param.Space == "constant" && b.hoist {
			p.object = object
		}
		b.vars[v] = &storage{place: p}
		return
	}
	r := b.allocate(longClass)
	b.program.pointers = append(b.program.pointers, pointerValue{at: r, object: object})
	b.vars[v] = &storage{place: inRegisters(v.Type, value{r}, b.scope())}
	b.settle(v, value{r})
}

// functionConstant is the value of a constant that comes with the dispatch.
func (b *builder) functionConstant(e *msl.VarRef) value {
	return slices.Clone(b.constantSlot(e.Var.Constant, e.Position()).regs)
}

func (b *builder) constantSlot(c *msl.FunctionConstant, pos parser.Pos) *constantValue {
	i, ok := b.constantsOf[c]
	if !ok {
		v := constantValue{index: c.Index, typ: c.Type, leaves: b.leaves(c.Type, pos)}
		for _, l := range v.leaves {
			v.regs = append(v.regs, b.permanently(l.class()))
		}
		v.defined = b.extend(maskClass, 1)
		i = len(b.program.values)
		b.program.values = append(b.program.values, v)
		b.constantsOf[c] = i
	}
	return &b.program.values[i]
}

// unsupportedError is how the builder, which is deep in a tree then, gives up.
type unsupportedError struct{ err error }

func fail(pos parser.Pos, format string, args ...any) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func unsupported(pos parser.Pos, what string) {
	fail(pos, "the CPU device does not support %s yet", what)
}

var errNotConstant = errors.New("its value is not known when compiling")
