package msl

import (
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// UsesName reports whether a kernel's signature, its body or anything they
// mention, directly or not, mentions a name. Names are compared without their
// namespaces, so the answer may be yes where it is no, but not the reverse.
func (p *Program) UsesName(k *Kernel, name string) bool {
	name = unqualified(name)
	seen := map[*parser.Decl]bool{}
	var visit func(d *parser.Decl) bool
	visit = func(d *parser.Decl) bool {
		if seen[d] {
			return false
		}
		seen[d] = true
		for i := d.From; i < d.To; i++ {
			t := &p.Tree.Tokens[i]
			if t.Kind != parser.Ident {
				continue
			}
			if t.Text == name {
				return true
			}
			for _, other := range p.names[t.Text] {
				if visit(other) {
					return true
				}
			}
		}
		return false
	}
	return visit(k.Decl)
}

func unqualified(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// namesOf gives the unqualified names that a declaration other than a kernel
// introduces for others to use.
func namesOf(d *parser.Decl) []string {
	var names []string
	vars := func(list []*parser.Init) {
		for _, v := range list {
			names = append(names, v.Declarator.Name)
		}
	}
	structure := func(s *parser.Struct) {
		names = append(names, s.Name)
		vars(s.Vars)
	}
	enum := func(e *parser.Enum) {
		names = append(names, e.Name)
		for _, v := range e.Values {
			names = append(names, v.Name)
		}
		vars(e.Vars)
	}
	switch {
	case d.Template != nil:
		names = append(names, d.Template.Name)
	case d.Function != nil:
	case d.Helper != "":
		names = append(names, d.Helper)
	case d.Struct != nil:
		structure(d.Struct)
	case d.Enum != nil:
		enum(d.Enum)
	case d.Typedef != nil:
		if d.Typedef.Struct != nil {
			structure(d.Typedef.Struct)
		}
		if d.Typedef.Enum != nil {
			enum(d.Typedef.Enum)
		}
		vars(d.Typedef.Vars)
	case d.Using != nil:
		names = append(names, d.Using.Name)
	case d.Variable != nil:
		vars(d.Variable.Vars)
	}
	return names
}
