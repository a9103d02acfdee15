package msl

import (
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Named returns the integer value of a name as [Program.ConstantAt] does, and where the source defines the name. What
// the library defines has no position.
func (p *Program) Named(name string, d *parser.Decl) (value int64, pos parser.Pos, err error) {
	if value, err = p.ConstantAt(name, d); err != nil {
		return 0, parser.Pos{}, err
	}
	if m := macroAt(p.Tree, name, d); m != nil {
		return value, m.Pos, nil
	}
	if s := p.resolver.At(d.Namespace).Lookup(strings.Split(name, "::")); s != nil {
		return value, s.Pos, nil
	}
	return value, parser.Pos{}, nil
}
