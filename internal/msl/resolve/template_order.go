package resolve

import (
	"cmp"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Of two templates that take the same arguments one is more specialised where the
// other could take whatever it takes, and not the reverse (C++14 14.5.6.2): the
// types of the one, with its parameters as types about which nothing is known, are
// matched with those of the other. Here that is done with the types as written.

// Ordering matches the patterns of a template with the types of another one.
type Ordering struct {
	Params []*parser.TemplateParam // of the patterns
	Bound  map[int]string          // what they have been found to be
}

// moreSpecialClass orders two partial specialisations.
func moreSpecialClass(a, b *Template) bool {
	return takesArgs(b, a) && !takesArgs(a, b)
}

func takesArgs(general, special *Template) bool {
	o := &Ordering{Params: general.Head.Params, Bound: map[int]string{}}
	list := special.Head.Args.Args
	if n := len(general.Head.Args.Args); len(list) > n && patternOf(list[n]) != nil {
		return false
	}
	for i, tokens := range general.Head.Args.Args {
		if repeated := patternOf(tokens); repeated != nil {
			for _, s := range list[min(i, len(list)):] {
				if s := cmp.Or(patternOf(s), s); !o.argument(repeated.List, s.List) {
					return false
				}
			}
			return true
		}
		if i < len(list) && (patternOf(list[i]) != nil || !o.argument(tokens.List, list[i].List)) {
			return false
		}
	}
	return true
}

// argument matches a template argument with another.
func (o *Ordering) argument(general, special []parser.Token) bool {
	if len(general) == 1 {
		if i := ParamIndex(o.Params, general[0].Text); i >= 0 {
			return o.bind(i, tokenText(special))
		}
	}
	g, err := parser.ParseType(general)
	s, failed := parser.ParseType(special)
	if err != nil || failed != nil {
		return tokenText(general) == tokenText(special)
	}
	return o.Type(g.Type, g.Pointers, s.Type, s.Pointers)
}

// Type matches a type with another.
func (o *Ordering) Type(general *parser.Type, gp []*parser.Pointer, special *parser.Type, sp []*parser.Pointer) bool {
	if len(gp) > 0 {
		if len(sp) == 0 || gp[len(gp)-1].Op != sp[len(sp)-1].Op {
			return false
		}
		gp, sp = gp[:len(gp)-1], sp[:len(sp)-1]
		if len(gp) == 0 && len(sp) == 0 {
			space := SpaceOf(general)
			if space != "" && space != SpaceOf(special) || IsConst(general) && !IsConst(special) {
				return false
			}
		}
		return o.Type(general, gp, special, sp)
	}
	if len(general.Path) == 1 && general.Args == nil && len(general.Member) == 0 {
		if i := ParamIndex(o.Params, general.Path[0]); i >= 0 {
			return o.bind(i, typeText(special, sp))
		}
	}
	if len(sp) > 0 {
		return false
	}
	if general.Args == nil || special.Args == nil {
		return typeText(general, nil) == typeText(special, nil)
	}
	if strings.Join(general.Path, "::") != strings.Join(special.Path, "::") ||
		len(general.Args.Args) != len(special.Args.Args) {
		return false
	}
	for i, tokens := range general.Args.Args {
		if !o.argument(tokens.List, special.Args.Args[i].List) {
			return false
		}
	}
	return true
}

// bind notes what a parameter is; false where it was something else before.
func (o *Ordering) bind(i int, text string) bool {
	if o.Params[i].Pack {
		return true
	}
	if old, ok := o.Bound[i]; ok {
		return old == text
	}
	o.Bound[i] = text
	return true
}

// typeText is a type as written, without const and address spaces.
func typeText(t *parser.Type, pointers []*parser.Pointer) string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Words, " "))
	b.WriteString(strings.Join(t.Path, "::"))
	args := func(list *parser.TemplateArgs) {
		if list == nil {
			return
		}
		b.WriteByte('<')
		for _, tokens := range list.Args {
			b.WriteString(tokenText(tokens.List))
			b.WriteByte(',')
		}
		b.WriteByte('>')
	}
	args(t.Args)
	b.WriteString("::" + strings.Join(t.Member, "::"))
	for _, rest := range t.Rest {
		args(rest.Args)
		b.WriteString("::" + strings.Join(rest.Member, "::"))
	}
	for _, p := range pointers {
		b.WriteString(p.Op)
	}
	return b.String()
}

// tokenText is tokens as one text; of a single name the same as typeText returns.
func tokenText(tokens []parser.Token) string {
	if len(tokens) == 1 && tokens[0].Kind == parser.Ident {
		return tokens[0].Text + "::"
	}
	var b strings.Builder
	for i := range tokens {
		b.WriteString(tokens[i].Text)
		b.WriteByte(' ')
	}
	return b.String()
}
