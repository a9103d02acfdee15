package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A pack is a parameter of a template that stands for any number of arguments, or the
// parameters of a function that are made of one (C++14 14.5.3). Its symbol has those
// that it stands for. An expansion is what it has before the dots, seen once from
// within each of the scopes in which the names of its packs are those of one element.

// packSymbol is the name of a pack.
func packSymbol(name string, pos parser.Pos, elements []*symbol) *symbol {
	return &symbol{name: name, pos: pos, state: broken, isPack: true, pack: elements,
		err: posError(pos, "%s is a pack: it can only be named in front of ...", name)}
}

// packExpansion is a pattern with the packs in it.
type packExpansion struct {
	in    env
	names []string
	packs []*symbol
	n     int // elements of each
}

// packExpansionOf finds the packs that the tokens of a pattern name.
func packExpansionOf(in env, tokens []parser.Token) (*packExpansion, error) {
	e := &packExpansion{in: in}
	inner := expandedWithin(tokens)
	for i := range tokens {
		t := &tokens[i]
		if t.Kind != parser.Ident || inner[i] || i > 0 && isMemberName(&tokens[i-1]) || slices.Contains(e.names, t.Text) {
			continue
		}
		s := in.lookup(parser.Path{t.Text})
		switch {
		case s != nil && s.err == errDependent:
			return nil, errDependent
		case s == nil || !s.isPack:
			continue
		case len(e.packs) > 0 && len(s.pack) != e.n:
			return nil, posError(t.Pos, "pack %s has %d elements, and %s has %d", e.names[0], e.n, t.Text, len(s.pack))
		}
		e.names, e.packs, e.n = append(e.names, t.Text), append(e.packs, s), len(s.pack)
	}
	if len(e.packs) == 0 {
		return nil, posError(tokens[0].Pos, "there is no pack in front of the ... that follows this")
	}
	if e.n > maxPack {
		return nil, posError(tokens[0].Pos, "a pack has more than %d elements", maxPack)
	}
	if !in.r.work.spend(e.n*(1+len(tokens))*(1+sizeOf(in.namespace)/nameBytes), tokens[0].Pos) {
		return nil, errReported
	}
	return e, nil
}

func isMemberName(before *parser.Token) bool {
	return before.Is(".") || before.Is("->") || before.Is("::")
}

// expandedWithin marks the tokens of a pattern that belong to an expansion within it,
// and the operands of sizeof...: their packs are none of the pattern's.
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

// scope is that in which the packs are their i-th elements.
func (e *packExpansion) scope(i int) *scope {
	s := &scope{outer: e.in.locals, names: map[string]*symbol{}}
	for k, name := range e.names {
		s.names[name] = e.packs[k].pack[i]
	}
	return s
}

// at is the env in which the packs are their i-th elements.
func (e *packExpansion) at(i int) env {
	in := e.in
	in.locals = e.scope(i)
	return in
}

// writtenArg is an argument of a template as it is written, with where it is seen from.
type writtenArg struct {
	in     env
	tokens *parser.Tokens
}

// writtenArgs are the arguments of a template with those that expansions come to.
func writtenArgs(in env, list []*parser.Tokens) ([]writtenArg, error) {
	args := make([]writtenArg, 0, len(list))
	for _, tokens := range list {
		pattern := patternOf(tokens)
		if pattern == nil {
			args = append(args, writtenArg{in, tokens})
			continue
		}
		e, err := packExpansionOf(in, pattern.List)
		if err != nil {
			return nil, err
		}
		for i := range e.n {
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

// flat is arguments with the elements of packs instead of them.
func flat(args []templateArg) []templateArg {
	if !slices.ContainsFunc(args, func(a templateArg) bool { return a.isPack }) {
		return args
	}
	var list []templateArg
	for _, a := range args {
		if a.isPack {
			list = append(list, a.pack...)
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

// packParam is the index of the parameter of a function that is a pack, or -1.
func packParam(f *parser.Function) int {
	return slices.IndexFunc(f.Params, func(param *parser.Param) bool { return param.Pack })
}

// paramPack is a pack of a function's parameters: n of them from the first one on.
type paramPack struct {
	name     string
	pos      parser.Pos
	first, n int
}

// packOfParams adds the parameters of a function that a pack stands for.
func packOfParams(c *checker, f *function, fn *tree.Func, param *parser.Param) bool {
	e, err := packExpansionOf(c.in, typeTokens(param.Type, dimsOf(param)))
	if err == errDependent {
		fn.Params, f.defaults = append(fn.Params, unknownParam(param)), append(f.defaults, nil)
		return true
	}
	if err != nil {
		c.report(err, param.Pos)
		return false
	}
	f.packs = append(f.packs, paramPack{paramName(param), param.Pos, len(fn.Params), e.n})
	for i := range e.n {
		inner := *c
		inner.in.locals = e.scope(i)
		v := inner.parameter(param)
		if v == nil {
			return false
		}
		fn.Params, f.defaults = append(fn.Params, v), append(f.defaults, nil)
	}
	return true
}

// typeTokens are the tokens of a type that may name packs.
func typeTokens(t *parser.Type, dims []*parser.Dim) []parser.Token {
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

// declareParams enters the parameters of a function into its scope.
func declareParams(c *checker, fn *tree.Func, packs []paramPack) {
	packed := map[*tree.Var]bool{}
	for _, p := range packs {
		var elements []*symbol
		for _, v := range fn.Params[p.first : p.first+p.n] {
			packed[v] = true
			elements = append(elements, c.varSymbol(v))
		}
		if p.name != "" {
			s := packSymbol(p.name, p.pos, elements)
			s.local, s.variable = true, &parser.Init{}
			c.declareLocal(p.name, s)
		}
	}
	for _, v := range fn.Params {
		if !isThisParam(v) && !packed[v] && !c.facts.isGlobal(v) {
			c.declareParam(v)
		}
	}
}

// packElement is an expression seen from the scope of one element of packs.
type packElement struct {
	parser.Expr
	locals *scope
}

// expanded is a list of expressions with those that expansions come to; ok is false
// where one has an error.
func (c *checker) expanded(list []parser.Expr) (all []parser.Expr, ok bool) {
	if !slices.ContainsFunc(list, func(e parser.Expr) bool { _, is := e.(*parser.Expansion); return is }) {
		return list, true
	}
	for _, x := range list {
		pattern, is := x.(*parser.Expansion)
		if !is {
			all = append(all, x)
			continue
		}
		e, err := packExpansionOf(c.in, pattern.Tokens)
		if err != nil {
			c.report(err, pattern.Pos)
			return nil, false
		}
		for i := range e.n {
			all = append(all, &packElement{pattern.X, e.scope(i)})
		}
	}
	return all, true
}

// checkPackElement checks an expression of an expansion.
func checkPackElement(c *checker, e *packElement) tree.Expr {
	outer := c.in.locals
	c.in.locals = e.locals
	defer func() { c.in.locals = outer }()
	return c.expr(e.Expr)
}

// checkFold checks a fold expression: its operators, written out (C++17 8.1.6).
func checkFold(c *checker, e *parser.Fold) tree.Expr {
	pattern, init, left := e.X, e.Y, e.X == nil
	if left {
		pattern, init = e.Y, nil
	}
	if init != nil {
		if _, err := packExpansionOf(c.in, pattern.Tokens); err != nil && err != errDependent {
			pattern, init, left = e.Y, e.X, true // (1 + ... + xs)
		}
	}
	list, ok := c.expanded([]parser.Expr{pattern})
	if !ok {
		return nil
	}
	if init != nil && left {
		list = slices.Insert(list, 0, init.X)
	} else if init != nil {
		list = append(list, init.X)
	}
	if len(list) == 0 {
		if e.Op == "&&" || e.Op == "||" {
			return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(tree.Bool)), Value: tree.BoolValue(e.Op == "&&")}
		}
		return c.fail(e.Pos, "a fold over no elements has no value with %s", e.Op)
	}
	if !left {
		slices.Reverse(list)
	}
	x := list[0]
	for _, y := range list[1:] {
		if left {
			x = &parser.Binary{Op: e.Op, X: x, Y: y, Pos: e.Pos}
		} else {
			x = &parser.Binary{Op: e.Op, X: y, Y: x, Pos: e.Pos}
		}
	}
	return c.expr(x)
}

// packSize is the number of elements of the pack that an operand of sizeof... names.
func packSize(in env, e *parser.Sizeof) (int, error) {
	s := in.lookup(e.X.(*parser.Name).Path)
	switch {
	case s != nil && s.err == errDependent:
		return 0, errDependent
	case s == nil || !s.isPack:
		return 0, posError(e.Pos, "%s is no pack", nameText(e.X.(*parser.Name)))
	}
	return len(s.pack), nil
}
