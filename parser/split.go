package parser

import "slices"

// declKind is what a top-level declaration is, as far as its shape tells.
type declKind uint8

const (
	declFunction declKind = iota
	declStruct            // struct, class or union with a body
	declEnum
	declTypedef
	declUsing
	declVariable
	declOther // static_assert, using namespace, a macro call left over, ...
)

// declSpan is one declaration: the tokens [From, To) of the unit.
type declSpan struct {
	Kind      declKind
	Namespace []string // the enclosing namespaces, outermost first
	From, To  int
	// Head is the index behind the template heads, or behind the `template` of
	// an explicit instantiation; else it is From.
	Head     int
	Explicit bool
	unclosed bool // a template head has no >
	Open     int  // index of the { of a body, or -1
	Close    int  // index of its }
	Paren    int  // index of the ( of a parameter list, or -1
}

// splitter cuts the tokens of a unit into its declarations, so that the
// grammar sees one at a time: an error in one leaves the others whole, and
// what metalgen passes over is never parsed.
type splitter struct {
	tokens []Token
	match  []int32 // of each opening bracket
	spans  []declSpan
	errs   *ErrorList
}

// split gives the declarations of tokens, and what matchBrackets gives.
func split(tokens []Token, errs *ErrorList) ([]declSpan, []int32) {
	match, ok := matchBrackets(tokens, errs)
	if !ok {
		return nil, nil
	}
	s := &splitter{tokens: tokens, match: match, errs: errs}
	s.scope(0, len(tokens), nil)
	return s.spans, match
}

// scope splits the declarations of tokens [i, end), the body of a namespace or
// the whole unit.
func (s *splitter) scope(i, end int, namespace []string) {
	for i < end {
		t := &s.tokens[i]
		switch {
		case t.Is(";"), t.Is("}"):
			i++
		case t.Is("namespace"), t.Is("inline") && i+1 < end && s.tokens[i+1].Is("namespace"):
			i = s.namespace(i, end, namespace)
		case t.Is("extern") && i+1 < end && s.tokens[i+1].Kind == String:
			i += 2
			if i < end && s.tokens[i].Is("{") {
				i = s.block(i, end, namespace)
			}
		default:
			i = s.declaration(i, end, namespace)
		}
	}
}

// namespace handles `namespace a::b { ... }`, unnamed ones and aliases.
func (s *splitter) namespace(i, end int, outer []string) int {
	start := i
	names := outer[:len(outer):len(outer)]
	for i < end && !s.tokens[i].Is("{") && !s.tokens[i].Is(";") && !s.tokens[i].Is("=") {
		t := &s.tokens[i]
		if last := int(s.match[i]); last > i {
			i = last // an attribute
		} else if t.Kind == Ident && t.Text != "namespace" && t.Text != "inline" {
			names = append(names, t.Text)
		}
		i++
	}
	if i < end && s.tokens[i].Is("{") {
		if len(names) > maxDepth {
			s.errs.Add(s.tokens[i].Pos, "namespaces nest deeper than %d", maxDepth)
			return end
		}
		return s.block(i, end, names)
	}
	for i < end && !s.tokens[i].Is(";") {
		i++
	}
	if i == end {
		s.errs.Add(s.tokens[start].Pos, "this namespace is not followed by a body or a semicolon")
		return end
	}
	return i + 1
}

func (s *splitter) block(i, end int, namespace []string) int {
	last := int(s.match[i])
	if last < 0 {
		last = end
	}
	s.scope(i+1, last, namespace)
	return min(last+1, end)
}

// declaration cuts one declaration off at i and classifies it.
func (s *splitter) declaration(i, end int, namespace []string) int {
	d := declSpan{From: i, Head: i, Open: -1, Close: -1, Paren: -1, Namespace: namespace}
	i = s.templateHeads(&d, end)
	d.Kind = s.head(i, end)
	if d.unclosed {
		d.Kind = declOther
	}
	assigned, angles := false, true
	for ; i < end; i++ {
		t := &s.tokens[i]
		if t.Kind != Punct {
			if t.Kind == Ident && s.startsNext(&d, i, assigned) {
				s.errs.Add(tokenEnd(&s.tokens[i-1]), "missing ; after this declaration")
				return s.finish(d, i)
			}
			if t.Is("operator") && i+1 < end {
				i = s.operatorName(i) // what looks like a value or parameters is none
			}
			continue
		}
		switch t.Text {
		case ";":
			return s.finish(d, i+1)
		case "=":
			assigned = true
		case "<":
			if !assigned && angles && i > d.Head && s.tokens[i-1].Kind == Ident {
				// parentheses within are no parameters
				if last := closeArgs(s.tokens[:end], s.match, i); last > 0 {
					i = last
				} else {
					angles = false
				}
			}
		case "(", "[", "{":
			last := int(s.match[i])
			if last < 0 {
				return s.resync(i+1, end)
			}
			switch {
			case assigned && t.Text == "{" && d.Kind == declUsing && d.Open < 0:
				d.Open, d.Close = i, last // using S = struct { ... };
			case assigned:
			case t.Text == "(" && d.Paren < 0 && !prefixCall[s.tokens[max(i-1, d.Head)].Text]:
				d.Paren = i
			case t.Text == "{" && (d.Open < 0 || d.Paren >= 0):
				d.Open, d.Close = i, last
			}
			i = last
			if t.Text == "{" && !assigned && d.Paren >= 0 && d.Kind != declTypedef && !d.Explicit && !initializes(s.tokens, i, end) {
				return s.finish(d, i+1) // a function's body ends it
			}
		case ")", "]":
			return s.resync(i+1, end)
		case "}":
			return i + 1
		}
	}
	s.errs.Add(s.tokens[d.From].Pos, "this declaration does not end: missing ; or body")
	return end
}

// templateHeads skips the heads of a template, and gives the index behind them.
func (s *splitter) templateHeads(d *declSpan, end int) int {
	i := d.From
	for i < end && s.tokens[i].Is("template") {
		if d.Explicit = i+1 == end || !s.tokens[i+1].Is("<"); d.Explicit {
			i++
			break
		}
		last := closeArgs(s.tokens[:end], s.match, i+1)
		if last < 0 {
			d.Head, d.unclosed = i+1, true // Parse complains
			return i + 1
		}
		i = last + 1
	}
	d.Head = i
	return i
}

// operatorName gives the index of the last token of the operator's name at i.
func (s *splitter) operatorName(i int) int {
	next := &s.tokens[i+1]
	switch {
	case next.Is("("), next.Is("["):
		return max(int(s.match[i+1]), i+1)
	case next.Kind == Punct && !next.Is(";") && !next.Is("{") && !next.Is(")") && !next.Is("}"):
		return i + 1
	}
	return i
}

// initializes reports whether the braces that end at last are not the body of
// a function but of a constructor's list, `S() : x{1}, y{2} {}`.
func initializes(tokens []Token, last, end int) bool {
	return last+1 < end && (tokens[last+1].Is(",") || tokens[last+1].Is("{"))
}

// startsNext reports whether the word at i begins another declaration than d,
// which then lacks its semicolon and would swallow the next one.
func (s *splitter) startsNext(d *declSpan, i int, assigned bool) bool {
	t, prev := &s.tokens[i], &s.tokens[max(i-1, d.Head)]
	if !t.Line || i <= d.Head+1 || !startWords[t.Text] {
		return false
	}
	switch d.Kind {
	case declStruct, declEnum:
		return d.Open >= 0
	case declTypedef, declUsing, declVariable:
		return assigned || d.Paren >= 0 || prev.Kind != Punct && wordTypes[prev.Text] != typeQualifier && prev.Text != "typedef"
	}
	return false
}

// startWords are words that begin a declaration when they begin a line.
var startWords = map[string]bool{
	"kernel": true, "vertex": true, "fragment": true, "struct": true, "class": true, "union": true, "enum": true,
	"typedef": true, "using": true, "template": true, "namespace": true, "static_assert": true,
	"constant": true, "constexpr": true, "static": true, "inline": true,
}

// tokenEnd is the position right behind a token.
func tokenEnd(t *Token) Pos {
	pos := t.Pos
	if !t.Macro { // where the position is that of the macro's name
		pos.Offset += len(t.Text)
		pos.Column += len(t.Text)
	}
	return pos
}

// prefixCall are words whose parentheses are no parameter list.
var prefixCall = map[string]bool{
	"alignas": true, "decltype": true, "__attribute__": true, "sizeof": true, "alignof": true, "coherent": true, "noexcept": true,
}

// heads are the words that tell what a declaration is.
var heads = map[string]declKind{
	"struct": declStruct, "class": declStruct, "union": declStruct, "enum": declEnum,
	"typedef": declTypedef, "using": declUsing, "static_assert": declOther, "_Static_assert": declOther,
}

// head classifies a declaration by its first word.
func (s *splitter) head(i, end int) declKind {
	for ; i < end; i++ {
		t := &s.tokens[i]
		if t.Is("[") {
			if i = int(s.match[i]); i < 0 {
				return declVariable
			}
			continue
		}
		if k, ok := heads[t.Text]; ok && t.Kind == Ident {
			if k == declUsing && i+1 < end && s.tokens[i+1].Is("namespace") {
				return declOther
			}
			return k
		}
		if t.Is("coherent") && i+1 < end && s.tokens[i+1].Is("(") {
			i = max(int(s.match[i+1]), i)
			continue
		}
		if t.Kind != Ident || wordTypes[t.Text] != typeQualifier {
			break
		}
	}
	return declVariable
}

func (s *splitter) finish(d declSpan, next int) int {
	d.To = next
	switch d.Kind {
	case declTypedef, declUsing, declOther:
	default:
		switch {
		case d.Paren >= 0:
			d.Kind = s.parenthesised(&d)
		case d.Kind == declStruct && d.Open >= 0 && !s.derives(&d) && s.isVariable(d.Open):
			d.Kind = declVariable
		case (d.Kind == declStruct || d.Kind == declEnum) && d.Open < 0:
			d.Kind = declOther // a forward declaration
			if s.isVariable(next-1) || s.hasInitializer(&d) {
				d.Kind = declVariable
			}
		}
	}
	s.spans = append(s.spans, d)
	return next
}

// parenthesised tells functions from variables such as `float (&x)[4]` and
// from pointers to functions, which metalgen passes over.
func (s *splitter) parenthesised(d *declSpan) declKind {
	switch s.tokens[d.Paren+1].Kind {
	case String, Int, Float, Char:
		return declVariable // T x(1);
	}
	if inner := &s.tokens[d.Paren+1]; !inner.Is("*") && !inner.Is("&") {
		return declFunction
	}
	if behind := int(s.match[d.Paren]) + 1; behind < d.To && s.tokens[behind].Is("(") {
		return declOther
	}
	return declVariable
}

// isVariable reports whether a declaration that begins with struct or enum is
// of a variable, `struct S x` rather than `struct S`, by what stands before
// the brace or semicolon at i.
func (s *splitter) isVariable(i int) bool {
	if i < 3 || s.tokens[i-1].Kind != Ident || s.tokens[i-1].Is("final") {
		return false
	}
	before := &s.tokens[i-2]
	if before.Kind == Ident {
		return heads[before.Text] != declStruct && heads[before.Text] != declEnum
	}
	return before.Is("*") || before.Is("&")
}

// derives reports whether bases stand before the brace of a struct.
func (s *splitter) derives(d *declSpan) bool {
	return slices.ContainsFunc(s.tokens[d.Head:d.Open], func(t Token) bool { return t.Is(":") })
}

func (s *splitter) hasInitializer(d *declSpan) bool {
	for i := d.Head; i < d.To; i++ {
		if s.tokens[i].Is("=") {
			return true
		}
	}
	return false
}

// resync looks for the next kernel after a declaration that cannot be
// delimited, so that later mistakes are reported in the same run.
func (s *splitter) resync(i, end int) int {
	for ; i < end; i++ {
		if s.tokens[i].Line && s.tokens[i].Is("kernel") {
			return i
		}
	}
	return end
}
