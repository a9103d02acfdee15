package resolve

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// specialised finds the specialisation of a template that fits arguments best,
// with the arguments for its own parameters; nil where none fits (C++14 14.5.5.1).
func specialised(in Env, t *Template, args []TemplateArg) (*Template, []TemplateArg, error) {
	var found *Template
	var bound []TemplateArg
	for _, s := range t.Special {
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
func moreSpecial(a, b *Template) bool {
	if len(a.Head.Params) == 0 || len(b.Head.Params) == 0 {
		return len(a.Head.Params) == 0
	}
	if moreSpecialClass(a, b) || moreSpecialClass(b, a) {
		return moreSpecialClass(a, b)
	}
	return patternSize(a) > patternSize(b)
}

// patternSize counts what of the arguments is no mere parameter.
func patternSize(t *Template) int {
	n := 0
	for _, arg := range t.Head.Args.Args {
		n += len(arg.List)
		if len(arg.List) == 1 && ParamIndex(t.Head.Params, arg.List[0].Text) >= 0 {
			n--
		}
	}
	return n
}

// ParamIndex is the index of a template's parameter, or -1.
func ParamIndex(params []*parser.TemplateParam, name string) int {
	for i, p := range params {
		if p.Name == name && name != "" {
			return i
		}
	}
	return -1
}

// matchesSpecialisation matches a specialisation's pattern with arguments: what can be deduced
// is, then the whole pattern, with that put in, must come to the arguments.
func matchesSpecialisation(in Env, t, s *Template, args []TemplateArg) ([]TemplateArg, bool) {
	d := NewDeduction(in.R, s)
	if args = Flat(args); !d.arguments(s.Head.Args.Args, args) {
		return nil, false
	}
	bound, own, err := in.From(s.Namespace).Arguments(s, nil, d.Found)
	if err != nil {
		return nil, false
	}
	defer in.R.forgetDraft(own, s.Head.Params)
	pattern, err := writtenArgs(in.From(own), s.Head.Args.Args)
	if err != nil || len(pattern) > len(args) || len(pattern) < len(args) && packIndex(t.Head.Params) >= 0 {
		return nil, false
	}
	for i, w := range pattern {
		var same TemplateArg
		switch {
		case args[i].Type != nil:
			t, err := TypeFromTokens(w.in, w.tokens)
			if err != nil {
				return nil, false
			}
			same = TypeArg(t)
		case args[i].Value != nil:
			v, err := w.in.Constant(w.tokens)
			if err == nil {
				v, err = v.Convert(args[i].Value.Kind)
			}
			if err != nil {
				return nil, false
			}
			same = TemplateArg{TemplateArg: tree.TemplateArg{Value: &v}, enum: args[i].enum}
		default:
			continue
		}
		if in.R.Facts.key(same) != in.R.Facts.key(args[i]) {
			return nil, false
		}
	}
	return bound, true
}
