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
	b := &builder{
		program:     &program{name: k.Name, objects: []objectInfo{{kind: nullObject}}},
		positions:   map[parser.Pos]int32{},
		temp:        map[int32]class{},
		fixed:       map[int32]bool{},
		permanent:   map[int32]bool{},
		changing:    map[*msl.Var]bool{},
		captures:    map[*msl.Func]bool{},
		constants:   map[constant]int32{},
		uniforms:    map[uniformLoad]int32{},
		vars:        map[*msl.Var]*storage{},
		objects:     map[*msl.Var]int{},
		constantsOf: map[*msl.FunctionConstant]int{},
		last:        -1,
		hoist:       hoist,
	}
	b.at(fn.Pos)
	root := &construct{kind: kernelConstruct, resume: newLabel()}
	root.active = b.size
	b.size += classSizes[maskClass]
	b.program.alive = root.active
	b.constructs = []*construct{root}
	b.know(fn)
	for i, param := range k.Params {
		b.parameter(param, fn.Params[i])
	}
	b.block(fn.Body.List)
	b.place(root.resume)
	b.emit(instruction{flow: flowStop})
	b.program.code, b.program.prologue, b.program.size = b.code, b.prologue, b.size
	return b.program, nil
}

// parameter gives a kernel's parameter its place.
func (b *builder) parameter(param *msl.Param, v *msl.Var) {
	switch param.Kind {
	case msl.BuiltinParam:
		t := param.Type
		value := builtinValue{set: builtinValues[param.Attribute]}
		if value.set == nil {
			b.unsupported(param.Pos, "[["+param.Attribute+"]]")
		}
		for range countLeaves(t) {
			value.regs = append(value.regs, b.allocate(wordClass))
		}
		b.program.builtins = append(b.program.builtins, value)
		if v.Addressed {
			b.beginVariable(v, value.regs, param.Pos)
			return
		}
		b.vars[v] = &storage{place: b.inRegisters(t, value.regs, b.scope())}
		b.settle(v, value.regs)
		return
	case msl.BufferParam, msl.ThreadgroupParam:
	default:
		b.unsupported(param.Pos, "a "+param.Kind.String()+" argument")
	}
	kind := bufferObject
	switch {
	case param.Kind == msl.ThreadgroupParam:
		kind = sharedObject
	case !param.Pointer:
		kind = valueObject
	}
	object := b.addObject(objectInfo{name: param.Name, typ: param.Type.String(), element: param.Type.Size, kind: kind, arg: param.Index, optional: param.Optional})
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
	b.vars[v] = &storage{place: b.inRegisters(v.Type, value{r}, b.scope())}
	b.settle(v, value{r})
}

// settle notes that the registers of a variable that never changes do not either.
func (b *builder) settle(v *msl.Var, regs value) {
	for _, r := range regs {
		if !b.changing[v] {
			b.fixed[r] = true
		}
	}
}

func (b *builder) addObject(info objectInfo) int {
	b.program.objects = append(b.program.objects, info)
	return len(b.program.objects) - 1
}

// groupVariable is the memory of a threadgroup variable of the source.
func (b *builder) groupVariable(v *msl.Var) int {
	if o, ok := b.objects[v]; ok {
		return o
	}
	elem := elementType(v.Type)
	b.objects[v] = b.addObject(objectInfo{name: v.Name, typ: elem.String(), element: elem.Size, kind: groupObject, size: v.Type.Size})
	return b.objects[v]
}

// threadVariable is the memory of a variable of a thread.
func (b *builder) threadVariable(v *msl.Var) int {
	if o, ok := b.objects[v]; ok {
		return o
	}
	b.objects[v] = b.threadObject(v.Name, v.Type, v.Pos)
	return b.objects[v]
}

// threadObject is memory for a value of a thread.
func (b *builder) threadObject(name string, t *msl.Type, pos parser.Pos) int {
	elem := elementType(t)
	offset := b.program.private
	b.program.private += (t.Size + 7) &^ 7
	if b.program.private > maxPrivate {
		b.fail(pos, "the variables of a thread take more than the %d bytes that the CPU device has for them", maxPrivate)
	}
	return b.addObject(objectInfo{name: name, typ: elem.String(), element: elem.Size, kind: threadObject, size: t.Size, offset: offset})
}

// newObject is a place in the memory of a thread for a value without a variable.
func (b *builder) newObject(name string, t *msl.Type, pos parser.Pos) place {
	return inMemoryAt(t, b.pointer(b.threadObject(name, t, pos)), 0)
}

// maxPrivate bounds the thread memory of one lane.
const maxPrivate = 1 << 16

// elementType is what an array, of however many dimensions, is an array of.
func elementType(t *msl.Type) *msl.Type {
	for t.Kind == msl.Array {
		t = t.Elem
	}
	return t
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
			r := b.size
			b.size += classSizes[l.class()]
			b.fixed[r], b.permanent[r] = true, true
			v.regs = append(v.regs, r)
		}
		v.defined = b.size
		b.size += classSizes[maskClass]
		i = len(b.program.values)
		b.program.values = append(b.program.values, v)
		b.constantsOf[c] = i
	}
	return &b.program.values[i]
}

// leaves is leavesOf, for types that a value may have.
func (b *builder) leaves(t *msl.Type, pos parser.Pos) []leaf {
	if l, ok := b.leafCache[t]; ok {
		return l
	}
	l, err := leavesOf(t)
	if err != nil {
		b.fail(pos, "%s", err)
	}
	if b.leafCache == nil {
		b.leafCache = map[*msl.Type][]leaf{}
	}
	b.leafCache[t] = l
	return l
}

// unsupportedError is how the builder, which is deep in a tree then, gives up.
type unsupportedError struct{ err error }

func (b *builder) fail(pos parser.Pos, format string, args ...any) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func (b *builder) unsupported(pos parser.Pos, what string) {
	b.fail(pos, "the CPU device does not support %s yet", what)
}

var errNotConstant = errors.New("its value is not known when compiling")
