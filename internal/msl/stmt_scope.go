package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// enter opens a block's scope; what it returns closes it.
func (c *checker) enter() func() {
	outer := c.in.Locals
	c.in.Locals = &resolve.Scope{Outer: outer, Names: map[string]*resolve.Symbol{}}
	return func() { c.in.Locals = outer }
}

// seal returns the scope as it is: what the block declares from here on goes into
// another one.
func (c *checker) seal() *resolve.Scope {
	sealed := c.in.Locals
	if sealed != nil {
		c.in.Locals = &resolve.Scope{Outer: sealed, Names: map[string]*resolve.Symbol{}, Rest: true}
	}
	return sealed
}

// declareVar enters a variable into the scope. The value of one that is a
// constant expression counts in sizes and labels.
func (c *checker) declareVar(v *tree.Var) {
	if v.Name != "" {
		c.declareLocal(v.Name, c.varSymbol(v))
	}
}

// varSymbol is the symbol of a variable.
func (c *checker) varSymbol(v *tree.Var) *resolve.Symbol {
	s := &resolve.Symbol{Name: v.Name, Pos: v.Pos, Local: true, Variable: &parser.Init{}, Var: v}
	if value, ok := fold.Var(c.facts, v); ok {
		s.State, s.Value = resolve.Resolved, value
	}
	return s
}

// declareParam enters a parameter, whose type may be unknown.
func (c *checker) declareParam(v *tree.Var) {
	if v.Type == nil {
		c.declareUnknown(v.Name, v.Pos)
		if s := c.in.Locals.Names[v.Name]; s != nil {
			s.VarType = paramType(c.function, v.Pos)
		}
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
	err := resolve.ErrReported
	if c.in.Open {
		err = resolve.ErrDependent
	}
	c.declareLocal(name, &resolve.Symbol{Name: name, Pos: pos, Local: true, Variable: &parser.Init{},
		State: resolve.Broken, Err: err})
}

func (c *checker) declareLocal(name string, s *resolve.Symbol) {
	if reserved[name] {
		c.fail(s.Pos, "%s is a keyword of Metal: it names a type, and nothing else can have that name", name)
	}
	if c.in.Open && len(c.in.Namespace) > 0 {
		if param, _ := resolve.Under(c.r.Symbols, c.in.Namespace, name); param != nil && param.Param {
			c.fail(s.Pos, "%s hides a parameter of the template; that is at %s", name, resolve.PosText(param.Pos))
		}
	}
	old := c.in.Locals.InBlock(name)
	if old != nil && (old.Var != nil || s.Var != nil || old.Structure != nil && s.Structure != nil) {
		c.fail(s.Pos, "%s is declared twice in this block; the first is at %s", name, resolve.PosText(old.Pos))
	}
	c.in.Locals.Names[name] = s
}

// reserved are the types that are keywords. Others, such as float4 and uint, are names that a block may hide.
var reserved = map[string]bool{
	"void": true, "bool": true, "char": true, "short": true, "int": true, "long": true, "unsigned": true,
	"signed": true, "half": true, "float": true, "double": true, "auto": true,
}

// declareTypes enters the types that a statement declares. They are declared
// as those of a program are, into a table of their own that the scope takes over.
func (c *checker) declareTypes(declare func(into resolve.Declarer, d *parser.Decl), pos parser.Pos) {
	into := resolve.Declarer{In: c.in, Table: map[string]*resolve.Symbol{}}
	declare(into, &parser.Decl{Namespace: c.in.Namespace, Pos: pos, From: c.from})
	prefix := resolve.Qualify(c.in.Namespace, "")
	for name, s := range into.Table {
		s.Local, s.Errs = true, c.in.Errs
		c.declareLocal(strings.TrimPrefix(name, prefix), s)
	}
}
