package msl

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// Bodiless is a function that a kernel mentions and the source only declares.
type Bodiless struct {
	Name   string
	Kernel string // the first that mentions it
	Pos    parser.Pos
}

// Bodiless lists the functions of the source without a body that kernels mention, directly or not.
func (p *Program) Bodiless() []Bodiless {
	declared := map[string]bool{} // by unqualified name, true where that is all
	for _, d := range p.Tree.Decls {
		if d.Helper == "" || d.Stage != "" || d.Function != nil || d.Template != nil || d.Scope != nil {
			continue
		}
		last := d.To - 2
		provided := last > 0 && (p.Tree.Tokens[last].Is("default") || p.Tree.Tokens[last].Is("delete"))
		only, seen := declared[d.Helper]
		declared[d.Helper] = d.Open < 0 && !provided && (only || !seen)
	}
	var list []Bodiless
	for name, only := range declared {
		if !only || slices.ContainsFunc(p.resolver.Names[name], func(d *parser.Decl) bool { return d.Helper != name }) {
			continue
		}
		for _, k := range p.Kernels {
			if t := p.mention(k, name); t != nil {
				list = append(list, Bodiless{name, k.Name, t.Pos})
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b Bodiless) int { return a.Pos.Offset - b.Pos.Offset })
	return list
}

// Bodies returns the names of the functions that the source defines, without those that qualify them.
func (p *Program) Bodies() []string {
	var names []string
	for _, d := range p.Tree.Decls {
		if d.Helper != "" && d.Open >= 0 && d.Function == nil {
			names = append(names, d.Helper)
		}
	}
	return names
}
