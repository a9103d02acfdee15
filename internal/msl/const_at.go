package msl

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// ConstantAt returns the integer value of a name, a constant or a macro without
// arguments, as the declaration d sees it.
func (p *Program) ConstantAt(name string, d *parser.Decl) (int64, error) {
	var v tree.Value
	var err error
	in := p.resolver.At(d.Namespace)
	if m := macroAt(p.Tree, name, d); m != nil {
		e := expansion{source: p.Tree, at: d, active: map[*preprocess.Macro]bool{}}
		if e.expand(m); e.tooLong {
			return 0, fmt.Errorf("macro %s expands to too much", name)
		}
		v, err = in.Constant(&parser.Tokens{Pos: m.Pos, List: e.tokens})
	} else {
		v, err = in.NameValue(&parser.Name{Path: strings.Split(name, "::"), Pos: d.Pos})
	}
	if err != nil {
		return 0, err
	}
	n, ok := v.Int()
	if !ok {
		return 0, fmt.Errorf("%s is no integer", name)
	}
	return n, nil
}

// macroAt finds the object-like macro of a name that holds at the end of d.
func macroAt(source *parser.Tree, name string, d *parser.Decl) *preprocess.Macro {
	for _, m := range source.Macros {
		if m.Name == name && !m.Function && m.From < d.To && (m.To < 0 || m.To >= d.To) {
			return m
		}
	}
	return nil
}

// expansion replaces macros without arguments by their bodies, which the
// preprocessor has done only where the source uses them.
type expansion struct {
	source  *parser.Tree
	at      *parser.Decl
	active  map[*preprocess.Macro]bool
	tokens  []parser.Token
	steps   int
	tooLong bool
}

func (e *expansion) expand(m *preprocess.Macro) {
	e.active[m] = true
	for _, t := range m.Body {
		if e.steps++; e.steps > resolve.MaxExpansion {
			e.tooLong = true
			break
		}
		if t.Kind == parser.Ident {
			if inner := macroAt(e.source, t.Text, e.at); inner != nil && !e.active[inner] {
				e.expand(inner)
				continue
			}
		}
		e.tokens = append(e.tokens, t)
	}
	delete(e.active, m)
}
