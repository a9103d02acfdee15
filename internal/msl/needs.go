package msl

import (
	"github.com/metalgen/metalgen/internal/msl/features"
	"github.com/metalgen/metalgen/parser"
)

// Needs returns the features that tokens use, each with its first use. The tokens are
// pieces of the program's source, as some version of the language reads it.
func (p *Program) Needs(pieces ...[]parser.Token) []features.Need {
	var needs []features.Need
	if globals := p.resolver.Globals; len(globals) > 0 {
		needs = append(needs, features.Need{Version: 310, Section: "5.9",
			What: "the attribute of " + globals[0].Name + ", a variable of the program,", Pos: globals[0].Param.Pos})
	}
	declares := func(name string) bool { return len(p.resolver.Names[name]) > 0 }
	return append(needs, features.Of(declares, pieces...)...)
}

// TooNew returns errors for what the source uses that a version of the language lacks.
func (p *Program) TooNew(version features.Version) parser.ErrorList {
	var errs parser.ErrorList
	for _, n := range p.Needs(p.Tree.Tokens) {
		if n.Version > version {
			errs.Add(n.Pos, "%s needs MSL %v (section %s of its specification), and -std says %v",
				n.What, n.Version, n.Section, version)
		}
	}
	return errs
}
