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
	Path Path          // the template's name
	Args *TemplateArgs // nil where they follow from Signature
	// Signature is set where there are parameters: Tree.ParseFunction has them.
	Signature bool
}

// instantiation parses what is after the `template` of s.
func (t *Tree) instantiation(c *cursor, s *declSpan) (*Instantiation, error) {
	r := &headReader{cursor: *c, tree: t}
	r.next = s.Head
	tokens, pos := r.tokens, r.at(s.From).Pos
	x := &Instantiation{Pos: pos, HostPos: pos, Signature: s.Paren >= 0}
	end := s.To
	if tokens[end-1].Is(";") {
		end--
	}
	if err := r.quals(x, end); err != nil {
		return nil, err
	}
	if t := r.peek(); r.next < end && heads[t.Text] == declStruct && t.Kind == Ident {
		x.Tag = t.Text
		r.next++
	}
	if x.Signature {
		end = s.Paren
	}
	name, angle := nameBefore(tokens, r.next, end)
	if name < 0 {
		r.next = max(min(end, len(tokens)-1), r.next)
		return nil, r.unexpected("the name of a template")
	}
	x.Type = tokensOrNil(tokens[r.next:name:name])
	x.Path = PathOf(tokens[name:angle])
	if angle < end {
		x.Args = newTemplateArgs(tokens[angle:end])
	}
	switch {
	case (x.Tag == "") == (x.Type == nil):
		r.next = name
		return nil, r.errorf("an instantiation needs a type and a name, as in template void f<float>();")
	case !x.Signature && x.Args == nil:
		r.next = name
		return nil, r.errorf("this instantiation has neither template arguments nor parameters")
	}
	return x, nil
}

// quals reads the attributes and qualifiers of x.
func (r *headReader) quals(x *Instantiation, end int) error {
	for r.next < end {
		t := r.peek()
		if behind := r.attributeEnd(); behind > 0 {
			a, err := r.attribute(behind)
			if err != nil {
				return err
			}
			x.Attributes = append(x.Attributes, a.Text)
			x.describe(r.tree.Attributes([]string{a.Text}), a.Pos)
			continue
		}
		if tokenType(t) != typeQualifier && !t.Is("METAL_FUNC") {
			break
		}
		x.Quals = append(x.Quals, t.Text)
		x.Kernel = x.Kernel || t.Text == "kernel"
		r.next++
	}
	return nil
}

// describe notes what follows from attributes of a kernel.
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

// attribute parses the attribute that is next, which ends before token end.
func (r *headReader) attribute(end int) (*Token, error) {
	tokens := collapse(&r.cursor, r.next, end)
	if len(tokens) != 1 || tokens[0].Kind != kindAttributes {
		return nil, r.errorf("bad attribute")
	}
	a := &tokens[0]
	if host := hostName(r.tokens[r.next:end]); host != nil {
		r.tree.attributes.LoadOrStore(a.Text, attributeEntry{items: []*Attribute{host}})
	} else if err := r.tree.parseAttributes(tokens); err != nil {
		return nil, grammarError(err, a.Pos)
	}
	r.next = end
	return a, nil
}

// hostName reads [[host_name("...")]] without the grammar, since libraries have
// thousands of them; it returns nil for anything else.
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
