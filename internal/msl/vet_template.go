package msl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A template by itself is checked as its instances are, in a namespace in which its
// parameters are names. Here they are names of which nothing is known, so nothing is
// known of what depends on them either: types are errDependent, expressions are nil,
// and neither is an error. That is what C++ checks where a template is defined
// (C++14 14.6).

// declaration checks a declaration that is a template, or an entry point of the
// graphics pipeline.
func (v *vetter) declaration(d *parser.Decl) {
	switch {
	case d.Stage != "" && d.Template == nil && d.Open >= 0:
		v.openFunction(&function{decl: d, namespace: d.Namespace, name: d.Helper})
	case d.Template == nil:
	case d.Template.Scope != nil && d.Template.Kind == parser.FunctionTemplate:
		v.outsideOf(d, d.Template.Scope, d.Template)
	case d.Template.Kind == parser.FunctionTemplate && len(d.Template.Params) == 0:
		if d.Function == nil {
			v.openFunction(&function{decl: d, namespace: d.Namespace, name: d.Template.Name})
		}
	case d.Template.Kind == parser.FunctionTemplate:
		v.functionTemplate(&template{name: d.Template.Name, namespace: d.Namespace, decl: d, head: d.Template}, nil)
	case d.Template.Kind == parser.StructTemplate:
		v.classTemplate(&template{name: d.Template.Name, namespace: d.Namespace, decl: d, head: d.Template})
	}
}

// functionTemplate checks a function template by itself.
func (v *vetter) functionTemplate(t *template, around *scope) {
	syntax, err := t.function(v.resolver)
	if err != nil {
		v.reportTemplate(t, err)
		return
	}
	v.openFunction(&function{decl: t.decl, syntax: syntax, namespace: v.definition(t.namespace, t.head, t.decl),
		name: t.name, method: t.method, around: around})
}

// definition is the namespace in which a template is checked by itself.
func (v *vetter) definition(outer []string, head *parser.Template, d *parser.Decl) []string {
	own := clip(outer, head.Name+"<template "+strconv.Itoa(d.From)+">")
	for ; head != nil; head = head.Inner {
		for _, param := range head.Params {
			v.unknownParam(own, param)
		}
	}
	return own
}

// unknownParam enters a parameter of a template of which nothing is known.
func (v *vetter) unknownParam(own []string, param *parser.TemplateParam) {
	if param.Name == "" {
		return
	}
	s := unknownSymbol(qualify(own, param.Name), param.Pos, param.IsType())
	s.namespace, s.param = own, true
	v.resolver.symbols[s.name] = s
}

// unknownSymbol is the symbol of a name that depends on the parameters of a template.
func unknownSymbol(name string, pos parser.Pos, isType bool) *symbol {
	s := &symbol{name: name, pos: pos, state: broken, err: errDependent}
	if isType {
		s.aliased = &alias{}
	} else {
		s.variable = &parser.Init{Declarator: &parser.Declarator{Name: name}}
	}
	return s
}

// classTemplate checks a class template by itself.
func (v *vetter) classTemplate(t *template) {
	d, err := t.declaration(v.resolver)
	if err != nil {
		v.reportTemplate(t, err)
		return
	}
	if d.Struct != nil {
		v.openStruct(t.decl, d.Struct, v.definition(t.namespace, t.head, t.decl))
	}
}

// reportTemplate reports a template that cannot be parsed.
func (v *vetter) reportTemplate(t *template, err error) {
	u := &unit{}
	v.newChecker(u, t.namespace).report(err, t.decl.Pos)
	v.checked(u)
}

// openStruct checks the members of a struct whose layout is not known. namespace is
// that in which its own names are looked up.
func (v *vetter) openStruct(d *parser.Decl, s *parser.Struct, namespace []string) {
	around := &scope{names: map[string]*symbol{}, class: s}
	v.memberNames(s, around)
	v.members(d, s, namespace, around)
	v.templatesTwice(s)
}

// templatesTwice complains of members of a class that are one template: they differ in the names of their parameters.
func (v *vetter) templatesTwice(s *parser.Struct) {
	first := map[string]parser.Pos{}
	for _, m := range s.Members {
		d := m.Decl
		if d == nil || d.Template == nil || d.Template.Kind != parser.FunctionTemplate || d.Open < 0 ||
			len(d.Template.Params) == 0 {
			continue
		}
		var key strings.Builder
		for _, t := range v.source.Tokens[d.From:d.Open] {
			if i := paramIndex(d.Template.Params, t.Text); i >= 0 {
				fmt.Fprintf(&key, "#%d ", i)
				continue
			}
			key.WriteString(t.Text + " ")
		}
		if at, there := first[key.String()]; there {
			u := &unit{}
			u.errs.Add(d.Pos, "%s is defined twice; the first is at %s", d.Template.Name, posText(at))
			v.checked(u)
			continue
		}
		first[key.String()] = d.Pos
	}
}

// ofOpenClass reports whether a class that is checked by itself may have a member of a name, asked for by `this->`. It
// has those that it declares, where it inherits from nothing.
func (c *checker) ofOpenClass(name string) bool {
	if c.function == nil || c.function.around == nil || c.function.around.class == nil {
		return true
	}
	around := c.function.around
	return len(around.class.Bases) > 0 || around.names[name] != nil || name == around.class.Name ||
		strings.HasPrefix(name, "operator") || strings.HasPrefix(name, "~")
}

// memberNames enters the members of a struct as names of which nothing is known.
func (v *vetter) memberNames(s *parser.Struct, into *scope) {
	enter := func(name string, pos parser.Pos, isType bool) {
		if name != "" {
			into.names[name] = unknownSymbol(name, pos, isType)
			into.names[name].local = true
		}
	}
	enter(s.Name, s.Pos, true)
	for _, m := range s.Members {
		switch {
		case m.Decl != nil:
			if name := methodName(m.Decl); name != s.Name { // else a constructor, which hides nothing
				enter(name, m.Pos, false)
			}
			if h := m.Decl.Template; h != nil && h.Kind != parser.FunctionTemplate {
				enter(h.Name, m.Pos, h.Kind != parser.VariableTemplate)
			}
		case m.Nested != nil:
			enter(m.Nested.Name, m.Pos, true)
			for _, f := range m.Nested.Vars {
				enter(declaredName(f.Declarator), f.Pos, false)
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
				enter(declaredName(f.Declarator), f.Pos, true)
			}
		case m.Using != nil && len(m.Using.Rest) > 0:
			enter(m.Using.Rest[len(m.Using.Rest)-1], m.Pos, true)
		case m.Using != nil:
			enter(m.Using.Name, m.Pos, true)
		case m.Field != nil:
			for _, f := range m.Field.Vars {
				enter(declaredName(f.Declarator), f.Pos, false)
			}
		}
	}
}

// members checks the fields and methods of a struct whose layout is not known.
func (v *vetter) members(d *parser.Decl, s *parser.Struct, namespace []string, around *scope) {
	u := &unit{}
	c := v.newChecker(u, namespace)
	c.locals, c.open, c.from = around, true, d.From
	v.open = append(v.open, u)
	for _, m := range s.Members {
		v.virtual(m.Decl)
		switch {
		case m.Field != nil:
			for _, f := range m.Field.Vars {
				c.declared(m.Field.Type, f.Pointers, f.Declarator.Dims)
				if f.Value != nil {
					c.tokensInit(f.Value, func(e parser.Expr) tree.Expr { c.operand(e); return nil })
				}
			}
		case m.Nested != nil:
			inner := &scope{outer: around, names: map[string]*symbol{}}
			v.memberNames(m.Nested, inner)
			v.members(d, m.Nested, namespace, inner)
		case m.Decl == nil:
		case m.Decl.Template != nil && m.Decl.Template.Kind == parser.FunctionTemplate:
			h := m.Decl.Template
			v.functionTemplate(&template{name: h.Name, namespace: namespace, decl: m.Decl, head: h}, around)
		case m.Decl.Helper != "":
			v.openFunction(&function{decl: m.Decl, namespace: namespace, name: m.Decl.Helper, around: around})
		}
	}
}

// outsideOf checks a method that is defined outside of the class template that it is
// of, or of a specialisation. What is a member of that is not known.
func (v *vetter) outsideOf(d *parser.Decl, of *parser.Tokens, head *parser.Template) {
	t := v.at(d.Namespace).classNamed(namesIn(of))
	if t == nil {
		return
	}
	whole, err := t.declaration(v.resolver)
	if err != nil || whole.Struct == nil {
		return
	}
	around := &scope{names: map[string]*symbol{}}
	v.memberNames(whole.Struct, around)
	for _, special := range t.special {
		if d, err := special.declaration(v.resolver); err == nil && d.Struct != nil {
			v.memberNames(d.Struct, around)
		}
	}
	f := &function{decl: d, namespace: slices.Clip(d.Namespace), name: methodName(d), around: around, outside: true}
	if head != nil {
		f.namespace = v.definition(f.namespace, head, d)
	}
	v.openFunction(f)
}
