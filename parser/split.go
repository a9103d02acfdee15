package parser

// declKind is what a top-level declaration is, as far as its shape tells.
type declKind uint8

const (
	declFunction declKind = iota
	declStruct            // struct, class or union with a body
	declEnum
	declTypedef
	declUsing
	declVariable
	declTemplate
	declOther // static_assert, using namespace, a macro call left over, ...
)

// declSpan is one declaration: the tokens [From, To) of the unit.
type declSpan struct {
	Kind      declKind
	Namespace []string // the enclosing namespaces, outermost first
	From, To  int
	Open      int // index of the { of a body, or -1
	Close     int // index of its }
	Paren     int // index of the ( of a parameter list, or -1
}

// maxDepth bounds the nesting of braces, brackets and parentheses.
const maxDepth = 256

// splitter cuts the tokens of a unit into its declarations, so that the
// grammar sees one at a time: an error in one leaves the others whole, and
// what metalgen passes over is never parsed.
type splitter struct {
	tokens []Token
	spans  []declSpan
	errs   *ErrorList
}

func split(tokens []Token, errs *ErrorList) []declSpan {
	s := &splitter{tokens: tokens, errs: errs}
	s.scope(0, len(tokens), nil)
	return s.spans
}

// scope splits the declarations of tokens [i, end), the body of a namespace or
// the whole unit.
func (s *splitter) scope(i, end int, namespace []string) {
	for i < end {
		t := &s.tokens[i]
		switch {
		case t.Is(";"):
			i++
		case t.Is("}"):
			s.errs.Add(t.Pos, "unexpected }: no declaration is open here")
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
	names := append([]string(nil), outer...)
	for i < end && !s.tokens[i].Is("{") && !s.tokens[i].Is(";") && !s.tokens[i].Is("=") {
		if t := &s.tokens[i]; t.Kind == Ident && t.Text != "namespace" && t.Text != "inline" {
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
	last := balanced(s.tokens, i, end)
	if last < 0 {
		s.errs.Add(s.tokens[i].Pos, "missing }: this { is never closed")
		s.scope(i+1, end, namespace)
		return end
	}
	s.scope(i+1, last, namespace)
	return last + 1
}

// declaration cuts one declaration off at i and classifies it.
func (s *splitter) declaration(i, end int, namespace []string) int {
	d := declSpan{From: i, Open: -1, Close: -1, Paren: -1, Namespace: namespace, Kind: declVariable}
	d.Kind = s.head(i, end)
	assigned := false
	for i < end {
		t := &s.tokens[i]
		if t.Kind != Punct {
			i++
			continue
		}
		switch t.Text {
		case ";":
			return s.finish(d, i+1)
		case "=":
			assigned = true
			i++
		case "(", "[":
			last := balanced(s.tokens, i, end)
			if last < 0 {
				s.errs.Add(t.Pos, "missing %s: this %s is never closed", closing[t.Text], t.Text)
				return s.resync(i+1, end)
			}
			if t.Text == "(" && d.Paren < 0 && !assigned && !prefixCall[s.tokens[max(i-1, d.From)].Text] {
				d.Paren = i
			}
			i = last + 1
		case ")", "]":
			s.errs.Add(t.Pos, "unexpected %s: nothing is open here", t.Text)
			return s.resync(i+1, end)
		case "{":
			last := balanced(s.tokens, i, end)
			if last < 0 {
				s.errs.Add(t.Pos, "missing }: this { is never closed")
				return s.resync(i+1, end)
			}
			if !assigned && d.Open < 0 {
				d.Open, d.Close = i, last
			}
			i = last + 1
			if !assigned && d.Paren >= 0 && d.Kind != declTypedef {
				return s.finish(d, i) // a function's body ends it
			}
		case "}":
			s.errs.Add(t.Pos, "unexpected }: the declaration before it does not end in a semicolon")
			return i + 1
		default:
			i++
		}
	}
	s.errs.Add(s.tokens[d.From].Pos, "this declaration does not end: missing ; or body")
	return end
}

// prefixCall are words whose parentheses are no parameter list.
var prefixCall = map[string]bool{
	"alignas": true, "decltype": true, "__attribute__": true, "sizeof": true, "alignof": true,
}

// heads are the words that tell what a declaration is.
var heads = map[string]declKind{
	"struct": declStruct, "class": declStruct, "union": declStruct, "enum": declEnum,
	"typedef": declTypedef, "using": declUsing, "template": declTemplate, "static_assert": declOther,
}

// head classifies a declaration by its first word.
func (s *splitter) head(i, end int) declKind {
	for ; i < end; i++ {
		t := &s.tokens[i]
		if t.Is("[") {
			if i = balanced(s.tokens, i, end); i < 0 {
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
		if t.Kind != Ident || wordTypes[t.Text] != typeQualifier {
			break
		}
	}
	return declVariable
}

func (s *splitter) finish(d declSpan, next int) int {
	d.To = next
	switch {
	case d.Kind == declTemplate || d.Kind == declTypedef || d.Kind == declUsing || d.Kind == declOther:
	case d.Paren >= 0:
		d.Kind = declFunction
	case d.Open < 0 && (d.Kind == declStruct || d.Kind == declEnum):
		d.Kind = declOther // a forward declaration
		if s.hasInitializer(d) {
			d.Kind = declVariable
		}
	}
	s.spans = append(s.spans, d)
	return next
}

func (s *splitter) hasInitializer(d declSpan) bool {
	for i := d.From; i < d.To; i++ {
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

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// balanced gives the index of the token that closes the bracket at i, or -1.
func balanced(tokens []Token, i, end int) int {
	var stack [maxDepth]byte
	depth := 0
	for ; i < end; i++ {
		t := &tokens[i]
		if t.Kind != Punct || len(t.Text) != 1 {
			continue
		}
		switch c := t.Text[0]; c {
		case '(', '[', '{':
			if depth == maxDepth {
				return -1
			}
			stack[depth] = c
			depth++
		case ')', ']', '}':
			if depth == 0 || closing[string(stack[depth-1])] != t.Text {
				return -1
			}
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
