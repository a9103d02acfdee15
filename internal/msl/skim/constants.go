package skim

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Constants returns those function constants of a program that a kernel mentions, as Of does. All calls of it have the
// same constants.
func (m *Mentions) Constants(kernel, instantiation *parser.Decl,
	constants []*tree.FunctionConstant) []*tree.FunctionConstant {
	if len(constants) == 0 {
		return nil
	}
	used := make([]bool, len(constants))
	add := func(d *parser.Decl) {
		for _, i := range m.constantsIn(d, constants) {
			used[i] = true
		}
	}
	add(kernel)
	if d := instantiation; d != nil {
		for i := d.From; i < d.To; i++ {
			if t := &m.source.Tokens[i]; t.Kind == parser.Ident {
				for _, other := range m.names[t.Text] {
					add(other) // a constant's own declaration mentions it
				}
			}
		}
	}
	for _, d := range m.names[anyOperator] {
		add(d)
	}
	var list []*tree.FunctionConstant
	for i, c := range constants {
		if used[i] {
			list = append(list, c)
		}
	}
	return list
}

// constantsIn returns the function constants that a declaration and what it mentions
// mention, as indexes.
func (m *Mentions) constantsIn(d *parser.Decl, constants []*tree.FunctionConstant) []int {
	names := m.In(d)
	m.mu.Lock()
	defer m.mu.Unlock()
	list, ok := m.constants[d]
	if ok {
		return list
	}
	for i, c := range constants {
		if names[resolve.Unqualified(c.Name)] != nil {
			list = append(list, i)
		}
	}
	m.constants[d] = list
	return list
}
