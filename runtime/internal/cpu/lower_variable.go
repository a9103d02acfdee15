package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// storage is where a variable is: in registers or in memory, or, for a reference,
// where the variable is that it refers to.
type storage struct {
	place place
	owned []ownedRegister // freed with the variable
}

type ownedRegister struct {
	class class
	at    int32
}

// variables knows where the variables are that are in scope.
type variables struct {
	*assembler
	*assigned
	accesses *accesses
	masks    *masks
	vars     map[*tree.Var]*storage
	// memory has pointers to those in memory, also when they are out of scope, and shared
	// to those of the threadgroup.
	memory, shared map[*tree.Var]int32
}

// declare begins the life of a variable of the body.
func (b *builder) declare(s *tree.DeclStmt) {
	v := s.Var
	if v.Ref {
		if isPlace(s.Init) {
			p := b.lvalue(s.Init)
			if p.memory || !b.addressed(v) {
				b.vars[v] = b.hold(p)
				return
			}
			b.beginVariable(v, b.load(p, s.Pos), s.Pos)
			return
		}
		// a const reference to a value keeps the value
	}
	if v.Space == "threadgroup" && !v.Ref {
		if b.vars[v] == nil {
			b.vars[v] = &storage{place: inMemoryAt(v.Type, b.groupVariable(v), 0).in(v.Space)}
		}
		return
	}
	var init value
	if s.Init != nil && !b.inMemory(v) {
		init = b.value(s.Init)
	}
	b.beginVariable(v, init, s.Pos)
	if s.Init != nil && b.inMemory(v) {
		b.accesses.setUnset(b.vars[v].place, noBits)
		b.initialise(b.vars[v].place, s.Init, true)
	}
}

// beginVariable begins the life of a variable. Its initial value is init, or 0 where
// that is nil. The caller stores the value of a variable whose type is in memory.
func (vars *variables) beginVariable(v *tree.Var, init value, pos parser.Pos) {
	if vars.inMemory(v) || vars.addressed(v) {
		var pointer int32
		if v.Ref && vars.addressed(v) {
			pointer = vars.accesses.threadObject(v.Name, v.Type, v.Pos) // of a value, which a result may refer to
		} else {
			pointer = vars.threadVariable(v)
		}
		p := inMemoryAt(v.Type, pointer, 0)
		vars.vars[v] = &storage{place: p}
		if init != nil {
			vars.accesses.store(p, init)
		} else {
			vars.emit(instruction{run: clearObject, a: pointer})
			vars.accesses.setUnset(p, allBits)
		}
		return
	}
	leaves := vars.leaves(v.Type, pos)
	st := &storage{}
	regs := make(value, len(leaves))
	for i, l := range leaves {
		c := l.class()
		switch {
		case init == nil:
			regs[i] = vars.allocate(c)
			vars.clear(c, regs[i])
			vars.declareUnset(v, l, regs[i])
		case vars.isTemp(init[i]): // nobody else's: it becomes the variable's
			regs[i] = init[i]
			vars.claim(init[i])
		case vars.changing[v] == 0 && (vars.fixed[init[i]] || slices.Contains(regs[:i], init[i])):
			regs[i] = init[i]
			continue
		default:
			regs[i] = vars.allocate(c)
			vars.copyTo(c, regs[i], init[i])
		}
		st.owned = append(st.owned, ownedRegister{c, regs[i]})
		if vars.changing[v] == 0 {
			vars.fixed[regs[i]] = true
		} else {
			vars.join(regs[i])
		}
	}
	st.place = inRegisters(v.Type, regs, vars.masks.scope())
	vars.vars[v] = st
}

// hold returns the storage of a reference to a place, which stays the same when the
// variables change that the place was computed from.
func (vars *variables) hold(p place) *storage {
	st := &storage{}
	own := func(c class, r int32) int32 {
		if vars.permanent[r] {
			return r
		}
		held := vars.allocate(c)
		vars.copyTo(c, held, r)
		st.owned = append(st.owned, ownedRegister{c, held})
		return held
	}
	if p.memory && p.object == 0 {
		p.pointer = own(longClass, vars.accesses.settled(p))
		p.indexed = noIndex
	}
	if p.chooser >= 0 {
		p.chooser = own(wordClass, p.chooser)
	}
	if !p.memory && slices.ContainsFunc(p.regs, vars.isTemp) {
		// what a constant was computed in: a variable that begins with a part of it
		// must not take that as its own, and it must not be freed before the reference
		leaves := vars.leaves(p.typ, p.pos)
		for i, r := range p.regs {
			if vars.isTemp(r) {
				vars.claim(r)
				vars.fixed[r] = true
				st.owned = append(st.owned, ownedRegister{leaves[i%len(leaves)].class(), r})
			}
		}
	}
	st.place = p
	return st
}

// forget ends the life of a variable.
func (vars *variables) forget(v *tree.Var) {
	s := vars.vars[v]
	if s == nil || v.Static {
		return
	}
	delete(vars.vars, v)
	for _, r := range s.owned {
		vars.giveBack(r.class, r.at)
		delete(vars.fixed, r.at)
	}
}

// forgetDeclared ends the lives of the variables that statements declare.
func (vars *variables) forgetDeclared(list []tree.Stmt) {
	for _, s := range list {
		if d, ok := s.(*tree.DeclStmt); ok {
			vars.forget(d.Var)
		}
	}
}

// initialise stores the value of a variable in memory, element by element. Memory that is
// cleared needs no zeros.
func (b *builder) initialise(p place, e tree.Expr, cleared bool) {
	c, ok := e.(*tree.Construct)
	if !ok || !inMemory(p.typ) {
		b.store(p, b.value(e))
		return
	}
	if t := p.typ; t.Kind == tree.StructType && overlaps(t.Struct) {
		if !cleared {
			b.store(p, b.zero(t, e.Position()))
		}
		for i, a := range c.Args {
			b.initialise(b.field(p, t.Struct.Fields[c.First+i]), a, true)
		}
		return
	}
	n, part := p.typ.Len, func(i int) place { return p.element(p.typ.Elem, i*p.typ.Elem.Size, 0) }
	if p.typ.Kind == tree.StructType {
		n = len(p.typ.Struct.Fields)
		part = func(i int) place { return b.field(p, p.typ.Struct.Fields[i]) }
	}
	for i, a := range c.Args {
		b.initialise(part(i), a, cleared)
	}
	for i := len(c.Args); i < n && !cleared; i++ {
		at := part(i)
		b.store(at, b.zero(at.typ, e.Position()))
	}
}

// variable returns the place of a variable.
func (b *builder) variable(e *tree.VarRef) place {
	if s := b.vars[e.Var]; s != nil {
		return s.place
	}
	if e.Var.Static && e.Var.Init != nil {
		return b.constant(e.Var)
	}
	if e.Var.Space == "threadgroup" && e.Var.Static {
		p := inMemoryAt(e.Var.Type, b.groupVariable(e.Var), 0).in(e.Var.Space)
		b.vars[e.Var] = &storage{place: p}
		return p
	}
	if b.inside != nil {
		unsupported(e.Position(), "variable "+e.Var.Name+" in a lambda that "+b.inside.fn.Name+" calls, which calls itself")
	}
	unsupported(e.Position(), "variable "+e.Var.Name+" here")
	panic("unreachable")
}

// beginIn begins a variable that is in registers. Where it never changes they do not
// either.
func (vars *variables) beginIn(v *tree.Var, regs value) {
	vars.vars[v] = &storage{place: inRegisters(v.Type, regs, vars.masks.scope())}
	for _, r := range regs {
		if vars.changing[v] == 0 {
			vars.fixed[r] = true
		} else {
			vars.join(r)
		}
	}
}

// groupVariable returns the pointer to a threadgroup variable of the source.
func (vars *variables) groupVariable(v *tree.Var) int32 {
	if p, ok := vars.shared[v]; ok {
		return p
	}
	vars.program.zeroed[v.Pos] = true
	info := elementsOf(v.Name, v.Type, v.Pos, groupMemory{size: v.Type.Size})
	vars.shared[v] = vars.pointer(vars.program.addObject(info))
	return vars.shared[v]
}

// threadVariable returns the pointer to a variable of a thread.
func (vars *variables) threadVariable(v *tree.Var) int32 {
	if p, ok := vars.memory[v]; ok {
		return p
	}
	vars.memory[v] = vars.accesses.threadObject(v.Name, v.Type, v.Pos)
	return vars.memory[v]
}
