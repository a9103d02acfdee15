package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// storage is where a variable is: in registers or in memory, or, for a
// reference, wherever what it refers to is.
type storage struct {
	place place
	owned []ownedRegister // to be given back with the variable
}

type ownedRegister struct {
	class class
	at    int32
}

// declare begins the life of a variable of the body.
func (b *builder) declare(s *msl.DeclStmt) {
	v := s.Var
	if v.Ref {
		if b.isPlace(s.Init) {
			p := b.lvalue(s.Init)
			if p.memory || !v.Addressed {
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
			object := b.groupVariable(v)
			p := inMemoryAt(v.Type, b.pointer(object), 0)
			b.vars[v] = &storage{place: p}
		}
		return
	}
	var init value
	if s.Init != nil && !inMemory(v.Type) {
		init = b.value(s.Init)
	}
	b.beginVariable(v, init, s.Pos)
	if s.Init != nil && inMemory(v.Type) {
		b.initialise(b.vars[v].place, s.Init)
	}
}

// beginVariable gives a variable its place, with an initial value unless it is
// in memory for its type or init is nil.
func (b *builder) beginVariable(v *msl.Var, init value, pos parser.Pos) {
	if inMemory(v.Type) || v.Addressed {
		var object int
		if v.Ref && v.Addressed {
			object = b.threadObject(v.Name, v.Type, v.Pos) // of a value, which a result may refer to
		} else {
			object = b.threadVariable(v)
		}
		p := inMemoryAt(v.Type, b.pointer(object), 0)
		b.vars[v] = &storage{place: p}
		if init != nil {
			b.store(p, init)
		} else {
			b.emit(instruction{run: clearObject, imm: int64(object)})
		}
		return
	}
	leaves := b.leaves(v.Type, pos)
	st := &storage{}
	regs := make(value, len(leaves))
	for i, l := range leaves {
		c := l.class()
		switch {
		case init == nil:
			regs[i] = b.allocate(c)
			b.clear(c, regs[i])
		case b.isTemp(init[i]): // nobody else's: it becomes the variable's
			regs[i] = init[i]
			delete(b.temp, init[i])
		case !b.changing[v] && (b.fixed[init[i]] || slices.Contains(regs[:i], init[i])):
			regs[i] = init[i]
			continue
		default:
			regs[i] = b.allocate(c)
			b.copyTo(c, regs[i], init[i])
		}
		st.owned = append(st.owned, ownedRegister{c, regs[i]})
		if !b.changing[v] {
			b.fixed[regs[i]] = true
		}
	}
	st.place = b.inRegisters(v.Type, regs, b.scope())
	b.vars[v] = st
}

func (b *builder) isTemp(r int32) bool {
	_, ok := b.temp[r]
	return ok
}

// hold is the storage of a reference: what says where it is must not change with
// the variables that it was made of.
func (b *builder) hold(p place) *storage {
	st := &storage{}
	own := func(c class, r int32) int32 {
		if b.permanent[r] {
			return r
		}
		held := b.allocate(c)
		b.copyTo(c, held, r)
		st.owned = append(st.owned, ownedRegister{c, held})
		return held
	}
	if p.memory && p.object == 0 {
		p.pointer = own(longClass, b.settled(p))
		p.indexed = noIndex
	}
	if p.chooser >= 0 {
		p.chooser = own(wordClass, p.chooser)
	}
	st.place = p
	return st
}

// clear makes a register hold zeros: what an uninitialised variable holds is
// then the same in every run.
func (b *builder) clear(c class, r int32) {
	if c == maskClass {
		b.emit(instruction{run: maskNone, d: r})
		return
	}
	b.copyTo(c, r, b.constantOf(c, 0))
}

// forget ends the life of a variable.
func (b *builder) forget(v *msl.Var) {
	s := b.vars[v]
	if s == nil || v.Static {
		return
	}
	delete(b.vars, v)
	for _, r := range s.owned {
		b.free[r.class] = append(b.free[r.class], r.at)
		delete(b.fixed, r.at)
	}
}

// initialise stores the value of a variable in memory, element by element.
func (b *builder) initialise(p place, e msl.Expr) {
	c, ok := e.(*msl.Construct)
	if !ok || !inMemory(p.typ) {
		b.store(p, b.value(e))
		return
	}
	if t := p.typ; t.Kind == msl.StructType && overlaps(t.Struct) {
		b.store(p, b.zero(t, e.Position()))
		for i, a := range c.Args {
			b.initialise(b.field(p, t.Struct.Fields[i]), a)
		}
		return
	}
	n, part := p.typ.Len, func(i int) place { return b.element(p, p.typ.Elem, i*p.typ.Elem.Size, 0) }
	if p.typ.Kind == msl.StructType {
		n = len(p.typ.Struct.Fields)
		part = func(i int) place { return b.field(p, p.typ.Struct.Fields[i]) }
	}
	for i := range n {
		at := part(i)
		if i < len(c.Args) {
			b.initialise(at, c.Args[i])
			continue
		}
		b.store(at, b.zero(at.typ, e.Position()))
	}
}

// variable is the place of a variable.
func (b *builder) variable(e *msl.VarRef) place {
	if s := b.vars[e.Var]; s != nil {
		return s.place
	}
	if e.Var.Static && e.Var.Init != nil {
		return b.constant(e.Var)
	}
	if e.Var.Space == "threadgroup" && e.Var.Static {
		p := inMemoryAt(e.Var.Type, b.pointer(b.groupVariable(e.Var)), 0)
		b.vars[e.Var] = &storage{place: p}
		return p
	}
	b.unsupported(e.Position(), "variable "+e.Var.Name+" here")
	panic("unreachable")
}
