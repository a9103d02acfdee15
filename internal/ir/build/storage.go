package build

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// variables knows where the variables are that are in scope: in memory, in locals, or, where they never
// change, their values.
type variables struct {
	*assigned
	out    *emitter
	num    *numbers
	consts *constants
	mem    *memory
	places map[*tree.Var]*place
	// own are the objects of variables in thread memory, and shared those that all threads have: of threadgroup
	// variables, of constants and of arguments.
	own, shared map[*tree.Var]int
}

func newVariables(out *emitter, num *numbers, consts *constants, mem *memory) *variables {
	return &variables{
		out: out, num: num, consts: consts, mem: mem,
		assigned: &assigned{changing: map[*tree.Var]int{}, functions: map[*tree.Func]*known{}, out: out},
		places:   map[*tree.Var]*place{}, own: map[*tree.Var]int{}, shared: map[*tree.Var]int{},
	}
}

// declare begins the life of a variable of the body.
func (b *builder) declare(s *tree.DeclStmt) {
	v := s.Var
	if v.Ref && isPlace(s.Init) {
		p := b.lvalue(s.Init)
		if p.memory || !b.vars.addressed(v) {
			b.vars.places[v] = b.vars.hold(p)
			return
		}
		b.vars.begin(v, b.mem.load(p), s.Pos)
		return
	} // a const reference to a value keeps the value
	if v.Space == "threadgroup" && !v.Ref {
		if b.vars.places[v] == nil {
			b.vars.beginShared(v)
		}
		return
	}
	if !inMemory(v.Type) {
		var init value
		if s.Init != nil {
			init = b.value(s.Init)
		}
		b.vars.begin(v, init, s.Pos)
		return
	}
	p := b.vars.beginInMemory(v)
	b.out.clear(p.object, s.Init != nil)
	if s.Init != nil {
		b.initialise(p, s.Init, true)
	}
}

// begin begins the life of a variable. Its initial value is init, or nothing where
// that is nil.
func (vars *variables) begin(v *tree.Var, init value, pos parser.Pos) {
	if inMemory(v.Type) || vars.addressed(v) {
		p := vars.beginInMemory(v)
		if init != nil {
			vars.mem.store(p, init)
		} else {
			vars.out.clear(p.object, false)
		}
		return
	}
	if init == nil {
		vars.beginUnset(v, pos)
		return
	}
	vars.beginWith(v, init)
}

// beginWith begins a variable that is not in memory.
func (vars *variables) beginWith(v *tree.Var, init value) {
	if vars.changing[v] == 0 {
		p := ofValue(v.Type, init)
		vars.places[v] = &p
		return
	}
	leaves := vars.out.leavesOf(v.Type, v.Pos)
	p := place{typ: v.Type, parts: vars.newLocals(v, leaves)}
	for i, l := range leaves {
		vars.out.set(p.parts[i], l.held(), init[i])
	}
	vars.places[v] = &p
}

// beginUnset begins a variable that nothing has written.
func (vars *variables) beginUnset(v *tree.Var, pos parser.Pos) {
	leaves := vars.out.leavesOf(v.Type, pos)
	p := place{typ: v.Type, parts: vars.newLocals(v, leaves)}
	for i, l := range leaves {
		n, _ := p.parts[i].local()
		vars.out.set(p.parts[i], l.held(), vars.out.opImm(ir.OpUnset, l.held(), int64(n)))
	}
	vars.places[v] = &p
}

// newLocals returns locals for the leaves of a variable.
func (vars *variables) newLocals(v *tree.Var, leaves []leaf) []part {
	parts := make([]part, len(leaves))
	for i, l := range leaves {
		parts[i] = partOf(len(vars.out.Locals))
		vars.out.Locals = append(vars.out.Locals,
			ir.Local{Name: v.Name + v.Type.PartAt(l.offset), Type: l.held(), Pos: v.Pos})
	}
	return parts
}

// set makes a local hold a value.
func (em *emitter) set(p part, t ir.Type, v ir.Value) {
	n, ok := p.local()
	if !ok {
		panic("what is assigned is not in a local")
	}
	em.write(ir.Instr{Op: ir.OpSet, Type: t, Imm: int64(n), Args: em.args(v)})
}

// get returns what a part holds.
func (em *emitter) get(p part, t ir.Type) ir.Value {
	if n, ok := p.local(); ok {
		return em.opImm(ir.OpGet, t, int64(n))
	}
	return ir.Value(p)
}

// beginInMemory begins a variable of a thread that is in memory. The caller stores its value.
func (vars *variables) beginInMemory(v *tree.Var) place {
	var object int
	if v.Ref && vars.addressed(v) {
		object = vars.mem.threadObject(v.Name, v.Type, v.Pos) // of a value, which a result may refer to
	} else {
		object = vars.threadVariable(v)
	}
	p := ofObject(v.Type, object, ir.Thread)
	vars.places[v] = &p
	return p
}

// clear makes all bytes of an object 0. They count as written if set.
func (em *emitter) clear(object int, set bool) {
	imm := int64(0)
	if set {
		imm = 1
	}
	em.write(ir.Instr{Op: ir.OpClear, Type: ir.Ptr, Imm: imm, Args: em.args(em.address(object))})
}

// threadVariable returns the object of a variable of a thread.
func (vars *variables) threadVariable(v *tree.Var) int {
	object, ok := vars.own[v]
	if !ok {
		object = vars.mem.threadObject(v.Name, v.Type, v.Pos)
		vars.own[v] = object
	}
	return object
}

// beginShared begins a threadgroup variable of the source.
func (vars *variables) beginShared(v *tree.Var) *place {
	object, ok := vars.shared[v]
	if !ok {
		o := objectOf(ir.GroupVariable, v.Name, v.Type, v.Pos)
		o.Space, o.Zeroed = ir.Threadgroup, true
		object = vars.out.AddObject(o)
		vars.shared[v] = object
	}
	p := ofObject(v.Type, object, ir.Threadgroup)
	vars.places[v] = &p
	return &p
}

// hold returns the place that a reference refers to, which stays the same when the
// variables change that it was computed from.
func (vars *variables) hold(p place) *place {
	if p.memory && p.object == 0 {
		p.pointer = vars.mem.settled(p)
		p.indexed, p.index = ir.Void, 0
	}
	return &p
}

// forgetDeclared ends the lives of the variables that statements declare.
func (vars *variables) forgetDeclared(list []tree.Stmt) {
	for _, s := range list {
		if d, ok := s.(*tree.DeclStmt); ok && !d.Var.Static {
			delete(vars.places, d.Var)
		}
	}
}

// variable returns the place of a variable.
func (b *builder) variable(e *tree.VarRef) place {
	v := e.Var
	if p := b.vars.places[v]; p != nil {
		return *p
	}
	if v.Static && v.Init != nil {
		return b.constantOf(v)
	}
	if v.Space == "threadgroup" && v.Static {
		return *b.vars.beginShared(v)
	}
	if b.inside != nil {
		what := fmt.Sprintf("variable %s in a lambda that %s calls, which calls itself", v.Name, b.inside.fn.Name)
		b.out.unsupported(e.Position(), what)
	}
	b.out.unsupported(e.Position(), "variable "+v.Name+" here")
	panic("unreachable")
}

// initialise stores the value of a variable in memory, element by element. Memory that is
// cleared needs no zeros.
func (b *builder) initialise(p place, e tree.Expr, cleared bool) {
	c, ok := e.(*tree.Construct)
	if !ok || !inMemory(p.typ) {
		b.mem.store(p, b.value(e))
		return
	}
	t := p.typ
	if t.Kind == tree.StructType && overlaps(t.Struct) {
		if !cleared {
			b.mem.store(p, b.out.zero(t, e.Position()))
		}
		for i, a := range c.Args {
			b.initialise(b.mem.field(p, t.Struct.Fields[c.First+i]), a, true)
		}
		return
	}
	n, part := t.Len, func(i int) place { return p.element(t.Elem, i*t.Elem.Size, 0) }
	if t.Kind == tree.StructType {
		n = len(t.Struct.Fields)
		part = func(i int) place { return b.mem.field(p, t.Struct.Fields[i]) }
	}
	for i, a := range c.Args {
		b.initialise(part(i), a, cleared)
	}
	for i := len(c.Args); i < n && !cleared; i++ {
		at := part(i)
		b.mem.store(at, b.out.zero(at.typ, e.Position()))
	}
}

// objectOf returns an object for a value of a type.
func objectOf(kind ir.ObjectKind, name string, t *tree.Type, pos parser.Pos) *ir.Object {
	elem := t
	for elem.Kind == tree.Array {
		elem = elem.Elem
	}
	return &ir.Object{Kind: kind, Name: name, Pos: pos, Size: t.Size, Elem: elem, Whole: t, Routine: -1}
}
