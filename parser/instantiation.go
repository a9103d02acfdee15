package parser

import (
	"slices"
	"strconv"
	"strings"
)

// Instantiation is an explicit instantiation of a template, in any form:
//
//	template [[host_name("f_float")]] kernel void f<float>(device float* x);
//	template [[host_name("f_half")]] [[kernel]] decltype(f<half>) f<half>;
//	template struct S<float>;
type Instantiation struct {
	Pos        Pos
	Attributes []string // as Tree.Attributes takes them
	Quals      []string // kernel and other words before the type
	Kernel     bool     // by the keyword or the attribute
	HostName   string   // what Metal calls the kernel, or "" where it is not said
	HostPos    Pos      // of the attribute, or else Pos
	Tag        string   // struct, class or union, for a class template
	// Type is what is written before the name, `decltype(f<half>)`, a typedef's
	// name, or the result of a function.
	Type *Tokens
	Path []string      // the template's name
	Args *TemplateArgs // nil where Signature says what they are
	// Signature is set where there are parameters: Tree.ParseFunction has them.
	Signature bool
}

// instantiation parses what is behind the `template` of s.
func (t *Tree) instantiation(tokens []Token, match []int32, s *declSpan) (*Instantiation, error) {
	x := &Instantiation{Pos: tokens[s.From].Pos, HostPos: tokens[s.From].Pos, Signature: s.Paren >= 0}
	end := s.To
	if tokens[end-1].Is(";") {
		end--
	}
	i := s.Head
	for ; i < end; i++ {
		tok := &tokens[i]
		if n := attributeAt(tokens, match, i); n > 0 {
			a, err := t.attribute(tokens, match, i, n)
			if err != nil {
				return nil, err
			}
			x.Attributes = append(x.Attributes, a.Text)
			x.describe(t.Attributes([]string{a.Text}), a.Pos)
			i = n - 1
		} else if tokenType(tok) == typeQualifier || tok.Is("METAL_FUNC") {
			x.Quals = append(x.Quals, tok.Text)
			x.Kernel = x.Kernel || tok.Text == "kernel"
		} else {
			break
		}
	}
	if i < end && heads[tokens[i].Text] == declStruct && tokens[i].Kind == Ident {
		x.Tag = tokens[i].Text
		i++
	}
	behind := end
	if x.Signature {
		behind = s.Paren
	}
	name, angle := nameBefore(tokens, i, behind)
	if name < 0 {
		at := &tokens[max(min(behind, len(tokens)-1), i)]
		return nil, &Error{Pos: at.Pos, Msg: "unexpected " + quoteToken(at) + ": expected the name of a template"}
	}
	if name > i {
		x.Type = &Tokens{Pos: tokens[i].Pos, List: tokens[i:name:name]}
	}
	for j := name; j < angle; j++ {
		if tokens[j].Kind == Ident && !tokens[j].Is("template") {
			x.Path = append(x.Path, tokens[j].Text)
		}
	}
	if angle < behind {
		x.Args = argsBetween(tokens[angle:behind])
	}
	switch {
	case x.Tag != "" && name > i, x.Tag == "" && name == i:
		return nil, &Error{Pos: tokens[name].Pos, Msg: "an instantiation needs a type and a name, as in template void f<float>();"}
	case !x.Signature && x.Args == nil:
		return nil, &Error{Pos: tokens[name].Pos, Msg: "this instantiation has neither template arguments nor parameters"}
	}
	return x, nil
}

// describe notes what attributes say of a kernel.
func (x *Instantiation) describe(list []*Attribute, pos Pos) {
	for _, a := range list {
		switch a.Name {
		case "kernel":
			x.Kernel = true
		case "host_name":
			x.HostPos = pos
			if len(a.Args) == 1 {
				x.HostName = Unquote(a.Args[0].List)
			}
		}
	}
}

// Unquote joins string literals into the text that they stand for.
func Unquote(tokens []Token) string {
	var b strings.Builder
	for i := range tokens {
		if s, err := strconv.Unquote(tokens[i].Text); err == nil {
			b.WriteString(s)
		} else {
			b.WriteString(strings.Trim(tokens[i].Text, `"`))
		}
	}
	return b.String()
}

// nameBefore gives the index at which the name in front of token end begins,
// `a::f<half>`, and that of the < of its arguments, or end where there are none.
// It looks back to token from at most, and gives -1 where there is no name.
func nameBefore(tokens []Token, from, end int) (name, angle int) {
	i, angle := end-1, end
	if i >= from && (tokens[i].Is(">") || tokens[i].Is(">>")) {
		if i = openArgs(tokens, from, i); i < 0 {
			return -1, end
		}
		angle = i
		i--
	}
	if i < from || tokens[i].Kind != Ident {
		return -1, end
	}
	for {
		j := i
		if j-1 >= from && tokens[j-1].Is("template") {
			j--
		}
		if j-2 < from || !tokens[j-1].Is("::") || tokens[j-2].Kind != Ident {
			break
		}
		i = j - 2
	}
	if i-1 >= from && tokens[i-1].Is("::") && (i-2 < from || !tokens[i-2].Is(">") && !tokens[i-2].Is(">>")) {
		i--
	}
	return i, angle
}

// openArgs gives the index of the < that the > or >> at token last closes, or
// -1. It is found from the front, where it is known which < compare.
func openArgs(tokens []Token, from, last int) int {
	var open []int
	depth := 0
	for i := from; i <= last; i++ {
		t := &tokens[i]
		if t.Kind != Punct {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "<":
			if depth == 0 && i > from && tokens[i-1].Kind == Ident && !tokens[i-1].Is("operator") {
				open = append(open, i)
			}
		case ">", ">>":
			if depth > 0 || i > from && tokens[i-1].Is("operator") {
				break
			}
			if len(open) < len(t.Text) {
				return -1
			}
			opener := open[len(open)-len(t.Text)]
			if open = open[:len(open)-len(t.Text)]; i == last {
				return opener
			}
		}
	}
	return -1
}

// argsBetween makes template arguments of the tokens from < to > or >>.
func argsBetween(tokens []Token) *TemplateArgs {
	p := &exprParser{tokens: tokens}
	last := len(tokens) - 1
	return p.templateArgs(last, tokens[last].Is(">>"))
}

// attributeAt gives the index behind the [[...]] or __attribute__((...)) at token
// i, or 0 where none begins.
func attributeAt(tokens []Token, match []int32, i int) int {
	switch {
	case i+1 >= len(tokens):
	case tokens[i].Is("[") && tokens[i+1].Is("["):
		return int(match[i]) + 1
	case tokens[i].Is("__attribute__") && tokens[i+1].Is("("):
		return int(match[i+1]) + 1
	}
	return 0
}

// attribute parses the attribute in tokens [i, end).
func (t *Tree) attribute(tokens []Token, match []int32, i, end int) (*Token, error) {
	f := &folder{tokens: tokens, match: match, gnu: true}
	f.copy(i, end)
	if len(f.out) != 1 || f.out[0].Kind != Attributes {
		return nil, &Error{Pos: tokens[i].Pos, Msg: "bad attribute"}
	}
	a := &f.out[0]
	if host := hostName(tokens[i:end]); host != nil {
		t.attributes.LoadOrStore(a.Text, attributeEntry{items: []*Attribute{host}})
	} else if err := t.parseAttributes(f.out); err != nil {
		return nil, grammarError(err, a.Pos)
	}
	return a, nil
}

// hostName reads [[host_name("...")]] without the grammar, since libraries have
// thousands of them; nil for anything else.
func hostName(tokens []Token) *Attribute {
	n := len(tokens)
	if n < 8 || !tokens[2].Is("host_name") || !tokens[3].Is("(") || !tokens[n-3].Is(")") {
		return nil
	}
	strs := tokens[4 : n-3]
	if slices.ContainsFunc(strs, func(t Token) bool { return t.Kind != String }) {
		return nil
	}
	return &Attribute{Pos: tokens[2].Pos, Name: "host_name", Args: []*Tokens{{Pos: strs[0].Pos, List: strs}}}
}
