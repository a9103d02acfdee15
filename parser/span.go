package parser

import "slices"

// declKind is what a declaration is, by its shape.
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

// declSpan is one declaration: the tokens [From, To) of a list.
type declSpan struct {
	Kind      declKind
	Namespace []string // the enclosing namespaces, outermost first
	From, To  int
	// Head is the index after the template heads, or after the `template` of
	// an explicit instantiation; else it is From.
	Head     int
	Explicit bool
	unclosed bool // a template head has no >
	operator bool // an operator is named
	Open     int  // index of the { of a body, or -1
	Close    int  // index of its }
	Paren    int  // index of the ( of a parameter list, or -1
}

// spanEnd is how a declaration ends.
type spanEnd uint8

const (
	endWhole       spanEnd = iota // as it should
	endNoSemicolon                // where another one begins
	endMissing                    // where the tokens do
	endUnmatched                  // at a bracket without its counterpart
	endStray                      // at a } without its {
)

// delimiter delimits declarations, at the top level and in structs, by their shape:
// what is in brackets it skips.
type delimiter struct{ cursor }

// span delimits the declaration that is next, in tokens that end at end, and
// classifies it. Where a member of a struct lacks its semicolon, the grammar
// complains.
func (c *delimiter) span(end int, member bool) (declSpan, spanEnd) {
	d := declSpan{From: c.next, Head: c.next, Open: -1, Close: -1, Paren: -1}
	c.templateHeads(&d, end)
	d.Kind = c.head(c.next, end)
	if d.unclosed {
		d.Kind = declOther
	}
	assigned, compares := false, false // compares: a < was seen that opens no list
	for ; c.next < end; c.next++ {
		i := c.next
		t := &c.tokens[i]
		if t.Kind != Punct {
			if t.Kind == Ident && !member && c.startsNext(&d, i, assigned) {
				return c.finish(d), endNoSemicolon
			}
			if t.Is("operator") {
				d.operator = true
				if i+1 < end {
					c.next = c.operatorName(i) // what looks like a value or parameters is a name
				}
			}
			continue
		}
		switch t.Text {
		case ";":
			c.next++
			return c.finish(d), endWhole
		case "=":
			assigned = !d.unclosed // there it may be that of a template parameter
		case "<":
			if !assigned && !compares && i > d.Head && c.tokens[i-1].Kind == Ident {
				// parentheses within are no parameters
				if last := c.closeAngle(i, end); last > 0 {
					c.next = last
				} else {
					compares = true
				}
			}
		case "(", "[", "{":
			last := c.closer(i)
			if last < 0 {
				c.next++
				return d, endUnmatched
			}
			c.bracket(&d, i, assigned)
			c.next = last
			switch {
			case t.Text != "{":
			case !assigned && d.Paren >= 0:
				if d.Kind != declTypedef && !d.Explicit && !c.initializes(last, end) {
					c.next++
					return c.finish(d), endWhole // a function's body ends it
				}
			case member && c.isMethod(&d):
				return d, endMissing // a body that belongs to the next one
			}
		case ")", "]":
			c.next++
			return d, endUnmatched
		case "}":
			c.next++
			return d, endStray
		}
	}
	return d, endMissing
}

// bracket notes what the bracket at index i is of, where that is of d.
func (c *delimiter) bracket(d *declSpan, i int, assigned bool) {
	switch t := &c.tokens[i]; {
	case assigned:
		if t.Text == "{" && d.Kind == declUsing && d.Open < 0 {
			d.Open, d.Close = i, c.closer(i) // using S = struct { ... };
		}
	case t.Text == "(" && d.Paren < 0 && !prefixCall[c.tokens[max(i-1, d.Head)].Text]:
		d.Paren = i
	case t.Text == "{" && (d.Open < 0 || d.Paren >= 0):
		d.Open, d.Close = i, c.closer(i)
	}
}

// templateHeads passes the heads of a template.
func (c *delimiter) templateHeads(d *declSpan, end int) {
	for c.next < end && c.is("template") {
		c.next++
		d.Head = c.next
		if d.Explicit = c.next == end || !c.is("<"); d.Explicit {
			return
		}
		last := c.closeAngle(c.next, end)
		if last < 0 {
			d.unclosed = true // Parse complains
			return
		}
		c.next = last + 1
		d.Head = c.next
	}
}

// operatorName returns the index of the last token of the operator's name at i.
func (c *delimiter) operatorName(i int) int {
	next := c.at(i + 1)
	switch {
	case next.Is("("), next.Is("["):
		return max(c.closer(i+1), i+1)
	case next.Kind == Punct && !next.Is(";") && !next.Is("{") && !next.Is(")") && !next.Is("}"):
		return i + 1
	}
	return i
}

// initializes reports whether the braces that end at last are not the body of
// a function but of a constructor's list, `S() : x{1}, y{2} {}`.
func (c *delimiter) initializes(last, end int) bool {
	return last+1 < end && (c.at(last+1).Is(",") || c.at(last+1).Is("{"))
}

// startsNext reports whether the word at i begins another declaration than d,
// which then lacks its semicolon and would swallow the next one.
func (c *delimiter) startsNext(d *declSpan, i int, assigned bool) bool {
	t, prev := &c.tokens[i], &c.tokens[max(i-1, d.Head)]
	if !t.Line || i <= d.Head+1 || !startWords[t.Text] {
		return false
	}
	switch d.Kind {
	case declStruct, declEnum:
		return d.Open >= 0
	case declTypedef, declUsing, declVariable, declOther:
		return !d.unclosed && (assigned || d.Paren >= 0 ||
			prev.Kind != Punct && wordTypes[prev.Text] != typeQualifier && prev.Text != "typedef")
	}
	return false
}

// startWords are words that begin a declaration when they begin a line.
var startWords = map[string]bool{
	"kernel": true, "vertex": true, "fragment": true, "struct": true, "class": true, "union": true, "enum": true,
	"typedef": true, "using": true, "template": true, "namespace": true, "static_assert": true,
	"constant": true, "constexpr": true, "static": true, "inline": true,
}

// prefixCall are words whose parentheses are no parameter list.
var prefixCall = map[string]bool{
	"alignas": true, "decltype": true, "__attribute__": true, "sizeof": true, "alignof": true, "coherent": true,
	"noexcept": true,
}

// heads are the words by which declarations are classified.
var heads = map[string]declKind{
	"struct": declStruct, "class": declStruct, "union": declStruct, "enum": declEnum,
	"typedef": declTypedef, "using": declUsing, "static_assert": declOther, "_Static_assert": declOther,
}

// head classifies a declaration by its first word.
func (c *delimiter) head(i, end int) declKind {
	for ; i < end; i++ {
		t := &c.tokens[i]
		if t.Is("[") {
			if i = c.closer(i); i < 0 {
				return declVariable
			}
			continue
		}
		if k, ok := heads[t.Text]; ok && t.Kind == Ident {
			if k == declUsing && i+1 < end && c.at(i+1).Is("namespace") {
				return declOther
			}
			return k
		}
		if t.Is("coherent") && i+1 < end && c.at(i+1).Is("(") {
			i = max(c.closer(i+1), i)
			continue
		}
		if t.Kind != Ident || wordTypes[t.Text] != typeQualifier {
			break
		}
	}
	return declVariable
}

// finish classifies the declaration d, which ends where the cursor is, by all of it.
func (c *delimiter) finish(d declSpan) declSpan {
	d.To = c.next
	switch d.Kind {
	case declTypedef, declUsing, declOther:
		return d
	}
	switch {
	case d.Paren >= 0:
		d.Kind = c.parenthesised(&d)
	case d.Kind == declStruct && d.Open >= 0 && !c.derives(&d) && c.isVariable(d.Open):
		d.Kind = declVariable
	case (d.Kind == declStruct || d.Kind == declEnum) && d.Open < 0:
		d.Kind = declOther // a forward declaration
		if c.isVariable(d.To-1) || c.hasInitializer(&d) {
			d.Kind = declVariable
		}
	}
	return d
}

// parenthesised classifies a declaration with parentheses: a function, a variable
// such as `float (&x)[4]`, or a pointer to a function, which metalgen passes over.
func (c *delimiter) parenthesised(d *declSpan) declKind {
	switch inner := c.at(d.Paren + 1); inner.Kind {
	case String, Int, Float, Char:
		return declVariable // T x(1);
	default:
		if c.makesSampler(d) {
			return declVariable
		}
		if !c.pointsInside(d.Paren) {
			return declFunction
		}
	}
	if behind := c.closer(d.Paren) + 1; behind < d.To && c.at(behind).Is("(") {
		return declOther
	}
	return declVariable
}

// makesSampler reports whether d is `constexpr sampler s(filter::linear);`, which only by
// its type is no function.
func (c *delimiter) makesSampler(d *declSpan) bool {
	return d.Open < 0 && d.Paren >= d.Head+3 && c.at(d.Paren-2).Is("sampler") &&
		slices.ContainsFunc(c.tokens[d.Head:d.Paren], func(t Token) bool { return t.Is("constexpr") })
}

// isMethod reports whether d, which is a member, is a method.
func (c *delimiter) isMethod(d *declSpan) bool {
	return d.operator || d.Paren >= 0 && !c.pointsInside(d.Paren)
}

// pointsInside reports whether the parentheses at index i are those of a declarator,
// (*x) or (&x), rather than of parameters.
func (c *delimiter) pointsInside(i int) bool { return c.at(i+1).Is("*") || c.at(i+1).Is("&") }

// isVariable reports whether a declaration that begins with struct or enum is
// of a variable, `struct S x` rather than `struct S`, by what stands before
// the brace or semicolon at i.
func (c *delimiter) isVariable(i int) bool {
	if i < 3 || c.tokens[i-1].Kind != Ident || c.tokens[i-1].Is("final") {
		return false
	}
	before := &c.tokens[i-2]
	if before.Kind == Ident {
		return heads[before.Text] != declStruct && heads[before.Text] != declEnum
	}
	return before.Is("*") || before.Is("&")
}

// derives reports whether bases stand before the brace of a struct.
func (c *delimiter) derives(d *declSpan) bool {
	return slices.ContainsFunc(c.tokens[d.Head:d.Open], func(t Token) bool { return t.Is(":") })
}

func (c *delimiter) hasInitializer(d *declSpan) bool {
	return slices.ContainsFunc(c.tokens[d.Head:d.To], func(t Token) bool { return t.Is("=") })
}
