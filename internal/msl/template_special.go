package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// specialised finds the specialisation of a template that fits arguments best,
// with the arguments for its own parameters; nil where none fits (C++14 14.5.5.1).
func specialised(in env, t *template, args []templateArg) (*template, []templateArg, error) {
	var found *template
	var bound []templateArg
	for _, s := range t.special {
		mine, ok := matchesSpecialisation(in, t, s, args)
		switch {
		case !ok:
		case found == nil || moreSpecial(s, found):
			found, bound = s, mine
		}
	}
	return found, bound, nil
}

// moreSpecial reports whether the first of two specialisations that both fit is the
// better one. An explicit one is; of partial ones the more specialised, and where that says
// nothing, as with patterns that only enable_if distinguishes, that with more of a
// pattern.
func moreSpecial(a, b *template) bool {
	if len(a.head.Params) == 0 || len(b.head.Params) == 0 {
		return len(a.head.Params) == 0
	}
	if moreSpecialClass(a, b) || moreSpecialClass(b, a) {
		return moreSpecialClass(a, b)
	}
	return patternSize(a) > patternSize(b)
}

// patternSize counts what of the arguments is no mere parameter.
func patternSize(t *template) int {
	n := 0
	for _, arg := range t.head.Args.Args {
		n += len(arg.List)
		if len(arg.List) == 1 && paramIndex(t.head.Params, arg.List[0].Text) >= 0 {
			n--
		}
	}
	return n
}

func paramIndex(params []*parser.TemplateParam, name string) int {
	for i, p := range params {
		if p.Name == name && name != "" {
			return i
		}
	}
	return -1
}

// matchesSpecialisation matches a specialisation's pattern with arguments: what can be deduced
// is, then the whole pattern, with that put in, must come to the arguments.
func matchesSpecialisation(in env, t, s *template, args []templateArg) ([]templateArg, bool) {
	d := newDeduction(in.r, s)
	if args = flat(args); !d.arguments(s.head.Args.Args, args) {
		return nil, false
	}
	bound, own, err := in.from(s.namespace).arguments(s, nil, d.found)
	if err != nil {
		return nil, false
	}
	defer in.r.forgetDraft(own, s.head.Params)
	pattern, err := writtenArgs(in.from(own), s.head.Args.Args)
	if err != nil || len(pattern) > len(args) || len(pattern) < len(args) && packIndex(t.head.Params) >= 0 {
		return nil, false
	}
	for i, w := range pattern {
		var same templateArg
		switch {
		case args[i].Type != nil:
			t, err := typeFromTokens(w.in, w.tokens)
			if err != nil {
				return nil, false
			}
			same = typeArg(t)
		case args[i].Value != nil:
			v, err := w.in.constant(w.tokens)
			if err == nil {
				v, err = v.Convert(args[i].Value.Kind)
			}
			if err != nil {
				return nil, false
			}
			same = templateArg{TemplateArg: tree.TemplateArg{Value: &v}, enum: args[i].enum}
		default:
			continue
		}
		if in.r.facts.key(same) != in.r.facts.key(args[i]) {
			return nil, false
		}
	}
	return bound, true
}
