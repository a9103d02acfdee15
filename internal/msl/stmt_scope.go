package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// scope holds the names that a block of a body declares, or the rest of a block.
type scope struct {
	outer *scope
	names map[string]*symbol
	used  map[string]parser.Path // of using-declarations that name functions
	rest  bool                   // of the block that outer begins
	class *parser.Struct         // whose members these are, of a class that is checked by itself
}

// find returns the innermost declaration of a name; path is joined with ::.
func (s *scope) find(path string) *symbol {
	for ; s != nil; s = s.outer {
		if sym, ok := s.names[path]; ok {
			return sym
		}
	}
	return nil
}

// use enters what a using-declaration names: a symbol, or where there is none functions.
func (s *scope) use(path parser.Path, named *symbol) {
	name := path[len(path)-1]
	if named != nil {
		s.names[name] = named
		return
	}
	if s.used == nil {
		s.used = map[string]parser.Path{}
	}
	s.used[name] = path
}

// functions returns the name from which a using-declaration brings functions of a
// plain name, or the name itself.
func (s *scope) functions(path parser.Path) parser.Path {
	for ; s != nil; s = s.outer {
		if used := s.used[path[0]]; used != nil {
			return used
		}
	}
	return path
}

// enter opens a block's scope; what it returns closes it.
func (c *checker) enter() func() {
	outer := c.in.locals
	c.in.locals = &scope{outer: outer, names: map[string]*symbol{}}
	return func() { c.in.locals = outer }
}

// seal returns the scope as it is: what the block declares from here on goes into
// another one.
func (c *checker) seal() *scope {
	sealed := c.in.locals
	if sealed != nil {
		c.in.locals = &scope{outer: sealed, names: map[string]*symbol{}, rest: true}
	}
	return sealed
}

// inBlock finds a declaration of the innermost block.
func (s *scope) inBlock(name string) *symbol {
	for s.names[name] == nil && s.rest {
		s = s.outer
	}
	return s.names[name]
}

// declareVar enters a variable into the scope. The value of one that is a
// constant expression counts in sizes and labels.
func (c *checker) declareVar(v *tree.Var) {
	if v.Name != "" {
		c.declareLocal(v.Name, c.varSymbol(v))
	}
}

// varSymbol is the symbol of a variable.
func (c *checker) varSymbol(v *tree.Var) *symbol {
	s := &symbol{name: v.Name, pos: v.Pos, local: true, variable: &parser.Init{}, v: v}
	if value, ok := c.facts.foldVar(v); ok {
		s.state, s.value = resolved, value
	}
	return s
}

// declareParam enters a parameter, of which the type may be unknown.
func (c *checker) declareParam(v *tree.Var) {
	if v.Type == nil {
		c.declareUnknown(v.Name, v.Pos)
		return
	}
	c.declareVar(v)
}

// declareUnknown enters a name whose declaration failed: its uses are no
// further errors.
func (c *checker) declareUnknown(name string, pos parser.Pos) {
	if name == "" {
		return
	}
	err := errReported
	if c.in.open {
		err = errDependent
	}
	c.declareLocal(name, &symbol{name: name, pos: pos, local: true, variable: &parser.Init{}, state: broken, err: err})
}

func (c *checker) declareLocal(name string, s *symbol) {
	if c.in.open && len(c.in.namespace) > 0 {
		if param, _ := under(c.r.symbols, c.in.namespace, name); param != nil && param.param {
			c.fail(s.pos, "%s hides a parameter of the template; that is at %s", name, posText(param.pos))
		}
	}
	old := c.in.locals.inBlock(name)
	if old != nil && (old.v != nil || s.v != nil || old.structure != nil && s.structure != nil) {
		c.fail(s.pos, "%s is declared twice in this block; the first is at %s", name, posText(old.pos))
	}
	c.in.locals.names[name] = s
}

// declareTypes enters the types that a statement declares. They are declared
// as those of a program are, into a table of their own that the scope takes over.
func (c *checker) declareTypes(declare func(into declarer, d *parser.Decl), pos parser.Pos) {
	into := declarer{c.in, map[string]*symbol{}}
	declare(into, &parser.Decl{Namespace: c.in.namespace, Pos: pos, From: c.from})
	prefix := qualify(c.in.namespace, "")
	for name, s := range into.table {
		s.local, s.errs = true, c.in.errs
		c.declareLocal(strings.TrimPrefix(name, prefix), s)
	}
}
