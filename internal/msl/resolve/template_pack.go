package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// PackSymbol is the name of a pack.
func PackSymbol(name string, pos parser.Pos, elements []*Symbol) *Symbol {
	return &Symbol{Name: name, Pos: pos, State: Broken, isPack: true, Pack: elements,
		Err: Errorf(pos, "%s is a pack: it can only be named in front of ...", name)}
}

// packExpansion is a pattern with the packs in it.
type packExpansion struct {
	in    Env
	names []string
	packs []*Symbol
	Len   int // elements of each
}

// PackExpansionOf finds the packs that the tokens of a pattern name.
func PackExpansionOf(in Env, tokens []parser.Token) (*packExpansion, error) {
	e := &packExpansion{in: in}
	inner := expandedWithin(tokens)
	for i := range tokens {
		t := &tokens[i]
		if t.Kind != parser.Ident || inner[i] || i > 0 && isMemberName(&tokens[i-1]) ||
			slices.Contains(e.names, t.Text) {
			continue
		}
		s := in.Lookup(parser.Path{t.Text})
		switch {
		case s != nil && s.Err == ErrDependent:
			return nil, ErrDependent
		case s == nil || !s.isPack:
			continue
		case len(e.packs) > 0 && len(s.Pack) != e.Len:
			return nil, Errorf(t.Pos, "pack %s has %d elements, and %s has %d", e.names[0], e.Len, t.Text, len(s.Pack))
		}
		e.names, e.packs, e.Len = append(e.names, t.Text), append(e.packs, s), len(s.Pack)
	}
	if len(e.packs) == 0 {
		return nil, Errorf(tokens[0].Pos, "there is no pack in front of the ... that follows this")
	}
	if e.Len > maxPack {
		return nil, Errorf(tokens[0].Pos, "a pack has more than %d elements", maxPack)
	}
	if !in.R.Work.Spend(e.Len*(1+len(tokens))*(1+sizeOf(in.Namespace)/nameBytes), tokens[0].Pos) {
		return nil, ErrReported
	}
	return e, nil
}

func isMemberName(before *parser.Token) bool {
	return before.Is(".") || before.Is("->") || before.Is("::")
}

// expandedWithin marks the tokens of a pattern that belong to an expansion within it,
// and the operands of sizeof...: their packs do not belong to the pattern.
func expandedWithin(tokens []parser.Token) []bool {
	inner := make([]bool, len(tokens))
	for i := range tokens {
		if !tokens[i].Is("...") {
			continue
		}
		if i > 0 && tokens[i-1].Is("sizeof") {
			for j := i; j < min(i+4, len(tokens)); j++ {
				inner[j] = true // (Ts)
			}
			continue
		}
		depth := 0
		for j := i - 1; j >= 0 && depth >= 0; j-- {
			switch t := &tokens[j]; {
			case t.Is(")"), t.Is("]"), t.Is("}"):
				depth++
			case t.Is("("), t.Is("["), t.Is("{"):
				depth--
			case t.Is(",") && depth == 0:
				depth = -1
			}
			inner[j] = depth >= 0
		}
	}
	return inner
}

// Scope is that in which the packs are their i-th elements.
func (e *packExpansion) Scope(i int) *Scope {
	s := &Scope{Outer: e.in.Locals, Names: map[string]*Symbol{}}
	for k, name := range e.names {
		s.Names[name] = e.packs[k].Pack[i]
	}
	return s
}

// at is the env in which the packs are their i-th elements.
func (e *packExpansion) at(i int) Env {
	in := e.in
	in.Locals = e.Scope(i)
	return in
}

// writtenArg is an argument of a template as it is written, with where it is seen from.
type writtenArg struct {
	in     Env
	tokens *parser.Tokens
}

// writtenArgs are the arguments of a template with those that expansions come to.
func writtenArgs(in Env, list []*parser.Tokens) ([]writtenArg, error) {
	args := make([]writtenArg, 0, len(list))
	for _, tokens := range list {
		pattern := patternOf(tokens)
		if pattern == nil {
			args = append(args, writtenArg{in, tokens})
			continue
		}
		e, err := PackExpansionOf(in, pattern.List)
		if err != nil {
			return nil, err
		}
		for i := range e.Len {
			args = append(args, writtenArg{e.at(i), pattern})
		}
	}
	return args, nil
}

// patternOf is what stands in front of the dots of an expansion, or nil.
func patternOf(tokens *parser.Tokens) *parser.Tokens {
	last := len(tokens.List) - 1
	if last < 1 || !tokens.List[last].Is("...") {
		return nil
	}
	return &parser.Tokens{Pos: tokens.Pos, List: tokens.List[:last]}
}

// Flat is arguments with the elements of packs instead of them.
func Flat(args []TemplateArg) []TemplateArg {
	if !slices.ContainsFunc(args, func(a TemplateArg) bool { return a.IsPack }) {
		return args
	}
	var list []TemplateArg
	for _, a := range args {
		if a.IsPack {
			list = append(list, a.Pack...)
		} else {
			list = append(list, a)
		}
	}
	return list
}

// packIndex is the index of the parameter of a template that is a pack, or -1.
func packIndex(params []*parser.TemplateParam) int {
	return slices.IndexFunc(params, func(param *parser.TemplateParam) bool { return param.Pack })
}

// TypeTokens are the tokens of a type that may name packs.
func TypeTokens(t *parser.Type, dims []*parser.Dim) []parser.Token {
	list := []parser.Token{{Kind: parser.Punct, Pos: t.Pos}}
	if len(t.Path) > 0 {
		list = append(list, parser.Token{Kind: parser.Ident, Text: t.Path[0], Pos: t.Pos})
	}
	args := func(written *parser.TemplateArgs) {
		if written == nil {
			return
		}
		for _, tokens := range written.Args {
			list = append(list, parser.Token{Kind: parser.Punct, Text: ","})
			list = append(list, tokens.List...)
		}
	}
	args(t.Args)
	for _, rest := range t.Rest {
		args(rest.Args)
	}
	if t.Decltype != nil {
		list = append(list, t.Decltype.Expr.List...)
	}
	for _, dim := range dims {
		if dim.Size != nil {
			list = append(list, dim.Size.List...)
		}
	}
	return list
}

// PackSize is the number of elements of the pack that an operand of sizeof... names.
func (in Env) PackSize(e *parser.Sizeof) (int, error) {
	s := in.Lookup(e.X.(*parser.Name).Path)
	switch {
	case s != nil && s.Err == ErrDependent:
		return 0, ErrDependent
	case s == nil || !s.isPack:
		return 0, Errorf(e.Pos, "%s is no pack", NameText(e.X.(*parser.Name)))
	}
	return len(s.Pack), nil
}
