package msl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A template by itself is checked as its instances are, in a namespace in which its
// parameters are names. Here they are names about which nothing is known, so nothing is
// known of what depends on them either: types are errDependent, expressions are nil,
// and neither is an error. That is what C++ checks where a template is defined
// (C++14 14.6).

// declaration checks a declaration that is a template, or an entry point of the
// graphics pipeline.
func (v *vetter) declaration(d *parser.Decl) {
	switch {
	case d.Stage != "" && d.Template == nil && d.Open >= 0:
		v.openFunction(&resolve.Function{Decl: d, Namespace: d.Namespace, Name: d.Helper})
	case d.Template == nil:
	case d.Template.Scope != nil && d.Template.Kind == parser.FunctionTemplate:
		v.outsideOf(d, d.Template.Scope, d.Template)
	case d.Template.Kind == parser.FunctionTemplate && len(d.Template.Params) == 0:
		if d.Function == nil {
			v.openFunction(&resolve.Function{Decl: d, Namespace: d.Namespace, Name: d.Template.Name})
		}
	case d.Template.Kind == parser.FunctionTemplate:
		v.functionTemplate(&resolve.Template{Name: d.Template.Name, Namespace: d.Namespace, Decl: d,
			Head: d.Template}, nil)
	case d.Template.Kind == parser.StructTemplate:
		v.classTemplate(&resolve.Template{Name: d.Template.Name, Namespace: d.Namespace, Decl: d, Head: d.Template})
	}
}

// functionTemplate checks a function template by itself.
func (v *vetter) functionTemplate(t *resolve.Template, around *resolve.Scope) {
	syntax, err := t.Function(v.r)
	if err != nil {
		v.reportTemplate(t, err)
		return
	}
	v.openFunction(&resolve.Function{Decl: t.Decl, Syntax: syntax, Namespace: v.definition(t.Namespace, t.Head, t.Decl),
		Name: t.Name, Method: t.Method, Around: around})
}

// definition is the namespace in which a template is checked by itself.
func (v *vetter) definition(outer []string, head *parser.Template, d *parser.Decl) []string {
	own := resolve.Clip(outer, head.Name+"<template "+strconv.Itoa(d.From)+">")
	for ; head != nil; head = head.Inner {
		for _, param := range head.Params {
			v.unknownParam(own, param)
		}
	}
	return own
}

// unknownParam enters a parameter of a template about which nothing is known.
func (v *vetter) unknownParam(own []string, param *parser.TemplateParam) {
	if param.Name == "" {
		return
	}
	s := unknownSymbol(resolve.Qualify(own, param.Name), param.Pos, param.IsType())
	s.Namespace, s.Param = own, true
	v.r.Symbols[s.Name] = s
}

// unknownSymbol is the symbol of a name that depends on the parameters of a template.
func unknownSymbol(name string, pos parser.Pos, isType bool) *resolve.Symbol {
	s := &resolve.Symbol{Name: name, Pos: pos, State: resolve.Broken, Err: resolve.ErrDependent}
	if isType {
		s.Aliased = &resolve.Alias{}
	} else {
		s.Variable = &parser.Init{Declarator: &parser.Declarator{Name: name}}
	}
	return s
}

// classTemplate checks a class template by itself.
func (v *vetter) classTemplate(t *resolve.Template) {
	d, err := t.Declaration(v.r)
	if err != nil {
		v.reportTemplate(t, err)
		return
	}
	if d.Struct != nil {
		v.openStruct(t.Decl, d.Struct, v.definition(t.Namespace, t.Head, t.Decl))
	}
}

// reportTemplate reports a template that cannot be parsed.
func (v *vetter) reportTemplate(t *resolve.Template, err error) {
	u := &resolve.Unit{}
	newChecker(v.r, u, t.Namespace).report(err, t.Decl.Pos)
	v.checked(u)
}

// openStruct checks the members of a struct whose layout is not known. namespace is
// that in which its own names are looked up.
func (v *vetter) openStruct(d *parser.Decl, s *parser.Struct, namespace []string) {
	around := &resolve.Scope{Names: map[string]*resolve.Symbol{}, Class: s}
	if d.Template != nil && d.Template.Args == nil {
		around.Head = d.Template
	}
	v.memberNames(s, around)
	v.members(d, s, namespace, around)
	v.templatesTwice(declarations(s))
}

// declarations are the members of a class that are functions or templates.
func declarations(s *parser.Struct) []*parser.Decl {
	var list []*parser.Decl
	for _, m := range s.Members {
		if m.Decl != nil {
			list = append(list, m.Decl)
		}
	}
	return list
}

// templatesTwice complains of functions of one class, or of the program, that are one template: they differ in the
// names of their template parameters alone.
func (v *vetter) templatesTwice(list []*parser.Decl) {
	first := map[string]parser.Pos{}
	for _, d := range list {
		if d.Template == nil || d.Template.Kind != parser.FunctionTemplate || d.Open < 0 ||
			len(d.Template.Params) == 0 {
			continue
		}
		key := &strings.Builder{}
		fmt.Fprintf(key, "%s: ", strings.Join(d.Namespace, "::"))
		for _, t := range v.r.Source.Tokens[d.From:d.Open] {
			if i := resolve.ParamIndex(d.Template.Params, t.Text); i >= 0 {
				fmt.Fprintf(key, "#%d ", i)
				continue
			}
			key.WriteString(t.Text + " ")
		}
		if at, there := first[key.String()]; there {
			u := &resolve.Unit{}
			u.Errs.Add(d.Pos, "%s is defined twice; the first is at %s", d.Template.Name, resolve.PosText(at))
			v.checked(u)
			continue
		}
		first[key.String()] = d.Pos
	}
}

// ofOpenClass reports whether a member is asked of an object of the class that is checked by itself: of this, or of a
// variable of its type.
func ofOpenClass(c *checker, e *parser.MemberExpr) bool {
	f := c.function
	if !c.in.Open || c.in.This != nil || f == nil || f.Around == nil || f.Around.Class == nil {
		return false
	}
	name, ok := e.X.(*parser.Name)
	if !ok || len(name.Path) != 1 || name.Args != nil {
		return false
	}
	if name.Path[0] == "this" {
		return e.Arrow
	}
	s := c.in.Lookup(name.Path)
	return s != nil && s.Local && s.Err == resolve.ErrDependent && isOpenClass(f.Around, s.VarType)
}

// isOpenClass reports whether a type is the class that is checked by itself, by its name alone or with the parameters
// of its template, X<T>.
func isOpenClass(around *resolve.Scope, t *parser.Type) bool {
	if t == nil || len(t.Path) != 1 || t.Path[0] != around.Class.Name || len(t.Member) > 0 || len(t.Rest) > 0 {
		return false
	}
	if t.Args == nil {
		return true
	}
	if around.Head == nil || len(t.Args.Args) != len(around.Head.Params) {
		return false
	}
	for i, param := range around.Head.Params {
		if arg := t.Args.Args[i].List; len(arg) != 1 || arg[0].Text != param.Name || param.Pack {
			return false
		}
	}
	return true
}

// paramType is the type that the parameter of a function at a position is declared with, or nil.
func paramType(f *resolve.Function, at parser.Pos) *parser.Type {
	if f == nil || f.Syntax == nil {
		return nil
	}
	for _, p := range f.Syntax.Params {
		if p.Pos == at {
			return p.Type
		}
	}
	return nil
}

// openClassHas reports whether a class that is checked by itself may have a member of a name. It has those that it
// declares, where it inherits from nothing.
func openClassHas(c *checker, name string) bool {
	around := c.function.Around
	return len(around.Class.Bases) > 0 || around.Names[name] != nil || name == around.Class.Name ||
		strings.HasPrefix(name, "operator") || strings.HasPrefix(name, "~")
}

// memberNames enters the members of a struct as names about which nothing is known.
func (v *vetter) memberNames(s *parser.Struct, into *resolve.Scope) {
	enter := func(name string, pos parser.Pos, isType bool) {
		if name != "" {
			into.Names[name] = unknownSymbol(name, pos, isType)
			into.Names[name].Local = true
		}
	}
	enter(s.Name, s.Pos, true)
	for _, m := range s.Members {
		switch {
		case m.Decl != nil:
			if name := resolve.MethodName(m.Decl); name != s.Name { // else a constructor, which hides nothing
				enter(name, m.Pos, false)
			}
			if h := m.Decl.Template; h != nil && h.Kind != parser.FunctionTemplate {
				enter(h.Name, m.Pos, h.Kind != parser.VariableTemplate)
			}
		case m.Nested != nil:
			enter(m.Nested.Name, m.Pos, true)
			for _, f := range m.Nested.Vars {
				enter(resolve.DeclaredName(f.Declarator), f.Pos, false)
			}
			if m.Nested.Name == "" && len(m.Nested.Vars) == 0 {
				v.memberNames(m.Nested, into)
			}
		case m.Enum != nil:
			enter(m.Enum.Name, m.Pos, true)
			for _, e := range m.Enum.Values {
				enter(e.Name, e.Pos, false)
			}
		case m.Typedef != nil:
			for _, f := range m.Typedef.Vars {
				enter(resolve.DeclaredName(f.Declarator), f.Pos, true)
			}
		case m.Using != nil && len(m.Using.Rest) > 0:
			enter(m.Using.Rest[len(m.Using.Rest)-1], m.Pos, true)
		case m.Using != nil:
			enter(m.Using.Name, m.Pos, true)
		case m.Field != nil:
			for _, f := range m.Field.Vars {
				enter(resolve.DeclaredName(f.Declarator), f.Pos, false)
			}
		}
	}
}

// members checks the fields and methods of a struct whose layout is not known.
func (v *vetter) members(d *parser.Decl, s *parser.Struct, namespace []string, around *resolve.Scope) {
	u := &resolve.Unit{}
	c := newChecker(v.r, u, namespace)
	c.in.Locals, c.in.Open, c.from = around, true, d.From
	v.open = append(v.open, u)
	for _, m := range s.Members {
		v.virtual(m.Decl)
		switch {
		case m.Field != nil:
			for _, f := range m.Field.Vars {
				c.declared(m.Field.Type, f.Pointers, f.Declarator.Dims)
				if f.Value != nil {
					tokensInit(c, f.Value, func(e parser.Expr) tree.Expr { checkOperand(c, e); return nil })
				}
			}
		case m.Nested != nil:
			inner := &resolve.Scope{Outer: around, Names: map[string]*resolve.Symbol{}}
			v.memberNames(m.Nested, inner)
			v.members(d, m.Nested, namespace, inner)
		case m.Decl == nil:
		case m.Decl.Template != nil && m.Decl.Template.Kind == parser.FunctionTemplate:
			h := m.Decl.Template
			v.functionTemplate(&resolve.Template{Name: h.Name, Namespace: namespace, Decl: m.Decl, Head: h}, around)
		case m.Decl.Helper != "":
			v.openFunction(&resolve.Function{Decl: m.Decl, Namespace: namespace, Name: m.Decl.Helper, Around: around})
		}
	}
}

// outsideOf checks a method that is defined outside of the class template that it is
// of, or of a specialisation. What is a member of that is not known.
func (v *vetter) outsideOf(d *parser.Decl, of *parser.Tokens, head *parser.Template) {
	t := v.r.At(d.Namespace).ClassNamed(namesIn(of))
	if t == nil {
		return
	}
	whole, err := t.Declaration(v.r)
	if err != nil || whole.Struct == nil {
		return
	}
	around := &resolve.Scope{Names: map[string]*resolve.Symbol{}}
	v.memberNames(whole.Struct, around)
	for _, special := range t.Special {
		if d, err := special.Declaration(v.r); err == nil && d.Struct != nil {
			v.memberNames(d.Struct, around)
		}
	}
	f := &resolve.Function{Decl: d, Namespace: slices.Clip(d.Namespace), Name: resolve.MethodName(d), Around: around,
		Outside: true}
	if head != nil {
		f.Namespace = v.definition(f.Namespace, head, d)
	}
	v.openFunction(f)
}
