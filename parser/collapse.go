package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// collapser writes the tokens of a declaration as the grammar wants them: a
// function's body, each [[...]] and each struct member that metalgen passes
// over is one token.
type collapser struct {
	delimiter
	out    []Token
	broken bool // an opening bracket is never closed
	// passed are the members that became Skipped, in order.
	passed []passedMember
}

// passedMember is a member of a struct that the grammar does not see.
type passedMember struct {
	span   declSpan
	end    int
	how    spanEnd
	access string // the word of an access specifier, or ""
}

// collapseDecl collapses one declaration without its template heads. Where brackets
// do not match, so that no grammar understands them, the collapser is broken.
func collapseDecl(of *cursor, d *declSpan) *collapser {
	c := &collapser{delimiter: delimiter{*of}}
	head := d.To
	if d.Open >= 0 && (d.Kind == declFunction || d.Kind == declStruct || c.definesStruct(d.Head)) {
		head = d.Open
	}
	c.out = make([]Token, 0, head-d.Head+4)
	if d.Kind == declTypedef && d.Open < 0 && c.at(d.To-1).Is(";") {
		c.copyFunction(d.Head, d.To-1)
		c.copy(d.To-1, d.To)
	} else {
		c.copy(d.Head, head)
	}
	switch {
	case head == d.To && (d.Kind == declTypedef || d.Kind == declUsing):
		c.out = attributesLast(c.out)
	case head == d.To:
	case d.Kind == declFunction:
		c.out = append(c.out, Token{Kind: kindBody, Text: "{...}", Pos: c.at(d.Open).Pos})
		return c
	default:
		c.structBody(d.Open, d.Close)
		c.copy(d.Close, d.To)
	}
	if last := c.at(d.To - 1); !last.Is(";") {
		// The splitter has complained; the grammar need not once more.
		c.out = append(c.out, Token{Kind: Punct, Text: ";", Pos: tokenEnd(last)})
	}
	return c
}

// collapse collapses a piece of a declaration: tokens [from, to).
func collapse(of *cursor, from, to int) []Token {
	c := &collapser{delimiter: delimiter{*of}}
	c.copy(from, to)
	return c.out
}

// collapseParam collapses the parameter of a template: tokens [from, to).
func collapseParam(of *cursor, from, to int) []Token {
	c := &collapser{delimiter: delimiter{*of}}
	c.copyFunction(from, to)
	return c.out
}

// attributesLast puts the attributes of an alias, which may stand anywhere, before its
// semicolon.
func attributesLast(decl []Token) []Token {
	last := len(decl) - 1
	if last < 0 || !slices.ContainsFunc(decl, isAttribute) {
		return decl
	}
	moved := slices.DeleteFunc(slices.Clone(decl[:last]), isAttribute)
	return append(append(moved, slices.DeleteFunc(decl[:last], notAttribute)...), decl[last])
}

func isAttribute(t Token) bool { return t.Kind == kindAttributes }

func notAttribute(t Token) bool { return !isAttribute(t) }

// copyFunction copies tokens [from, to), which may declare a function, `void f(int)`. The
// grammar has functions in declarators after parentheses alone, (f)(int), since
// elsewhere such parentheses are a mistake.
func (c *collapser) copyFunction(from, to int) {
	paren := from + 2
	for ; paren < to && !(c.at(paren).Is("(") && c.closer(paren) == to-1); paren++ {
	}
	name := c.at(paren - 1)
	if paren >= to || tokenType(name) != typeIdent || tokenType(c.at(paren+1)) == typePointer {
		c.copy(from, to)
		return
	}
	c.copy(from, paren-1)
	c.out = append(c.out, Token{Kind: Punct, Text: "(", Pos: name.Pos}, *name,
		Token{Kind: Punct, Text: ")", Pos: name.Pos})
	c.copy(paren, to)
}

// definesStruct reports whether a struct, class or union begins at index i, or a
// typedef or alias of one.
func (c *collapser) definesStruct(i int) bool {
	switch {
	case c.at(i).Is("typedef"):
		i++
	case c.at(i).Is("using") && c.at(i+2).Is("="):
		i += 3
	}
	t := c.at(c.pastQualifiers(i))
	return t.Kind == Ident && heads[t.Text] == declStruct
}

// pastQualifiers returns the index after the qualifiers at i.
func (c *collapser) pastQualifiers(i int) int {
	for tokenType(c.at(i)) == typeQualifier {
		i++
	}
	return i
}

// copy appends tokens [from, to), with each [[...]] as one, and each __attribute__((...)),
// which means the same. A declaration has two adjacent opening brackets nowhere else.
func (c *collapser) copy(from, to int) {
	for i := from; i < to; i++ {
		t := &c.tokens[i]
		if i+2 < to && t.Is("__attribute__") && c.at(i+1).Is("(") && c.at(i+2).Is("(") {
			if last := c.closer(i + 2); last > 0 && c.closer(i+1) == last+1 {
				c.attribute("[["+join(c.tokens[i+3:last])+"]]", t.Pos, last+2, to)
				i = last + 1
				continue
			}
		}
		if t.Text == "[" && i+1 < to && c.at(i+1).Is("[") {
			if last := c.closer(i); last > 0 && last < to {
				for j := i; j < last; j++ {
					c.check(j)
				}
				behind := c.extents(last+1, to)
				c.copy(last+1, behind) // the grammar wants the attributes of `x [[id(0)]][3]` last
				c.attribute(join(c.tokens[i:last+1]), t.Pos, behind, to)
				i = behind - 1
				continue
			}
		}
		if end := c.operand(i, to); end > 0 {
			word := *t
			if word.Text == "coherent" {
				word.Text = join(c.tokens[i:end])
			}
			c.out = append(c.out, word)
			i = end - 1
			continue
		}
		c.check(i)
		c.out = append(c.out, *t)
	}
}

// extents returns the index after the dimensions of an array at i, or i.
func (c *collapser) extents(i, to int) int {
	for i < to && c.at(i).Is("[") && !c.at(i+1).Is("[") {
		last := c.closer(i)
		if last < 0 || last >= to {
			break
		}
		i = last + 1
	}
	return i
}

// attribute appends an attribute. One that stands within a type, or between a type and what is declared of it, the
// grammar wants before the type. What follows the attribute is at index next.
func (c *collapser) attribute(text string, pos Pos, next, to int) {
	a := Token{Kind: kindAttributes, Text: text, Pos: pos}
	at := len(c.out)
	if next < to && inType[tokenType(c.at(next))] {
		at = typeStart(c.out)
	}
	c.out = slices.Insert(c.out, at, a)
}

// inType are the classes of tokens that may continue a type, or follow it where something is declared.
var inType = map[lexer.TokenType]bool{
	typeQualifier: true, typeIdent: true, typeIntWord: true, typePointer: true, typeTag: true,
}

// typeStart returns where the type at the end of tokens begins, or their number where none is there. The attributes of
// a struct or enum stand after that word.
func typeStart(tokens []Token) int {
	angles := 0
	for i := len(tokens); i > 0; i-- {
		switch t := &tokens[i-1]; {
		case t.Is(">"), t.Is(">>"):
			angles += len(t.Text)
		case t.Is("<"):
			angles--
		case angles == 0 && !inType[tokenType(t)] && !t.Is("::"), tokenType(t) == typeTag && i == len(tokens):
			return i
		}
	}
	return 0
}

// operand returns the index after the coherent(device) or noexcept(...) at i,
// which are qualifiers as a whole, or 0.
func (c *collapser) operand(i, to int) int {
	t := &c.tokens[i]
	if t.Kind != Ident || t.Text != "coherent" && t.Text != "noexcept" || i+1 >= to || !c.at(i+1).Is("(") {
		return 0
	}
	return min(c.closer(i+1)+1, to)
}

// check notes an opening bracket that is never closed.
func (c *collapser) check(i int) {
	if t := &c.tokens[i]; t.Kind == Punct && closing[t.Text] != "" && c.closer(i) < 0 {
		c.broken = true
	}
}

// structBody appends the brace at index open, and the members up to the one at
// index end. The kind of the brace sets it apart from that of an expression,
// which a list of bases may look like.
func (c *collapser) structBody(open, end int) {
	brace := c.tokens[open]
	brace.Kind = kindBody
	c.out = append(c.out, brace)
	for c.next = open + 1; c.next < end; {
		c.member(end)
	}
}

var accessWords = map[string]bool{"public": true, "private": true, "protected": true}

// member appends the member that is next: a field, nested type, typedef or constant
// as it is; a method, template, friend or access specifier as one Skipped token.
// It nests no deeper than brackets may.
func (c *collapser) member(to int) {
	i, first := c.next, c.peek()
	if c.at(i+1).Is(":") && accessWords[first.Text] && i+1 < to {
		c.next += 2
		c.pass(passedMember{access: first.Text}, first.Pos)
		return
	}
	d, how := c.span(to, true)
	if how != endWhole {
		c.check(c.next - 1)
		c.next = to
	}
	if d.Kind == declVariable && c.isMethod(&d) {
		d.Kind = declFunction // no member is initialised in parentheses
	}
	end := c.next
	switch {
	case first.Is("template"), first.Is("friend"), first.Is("static_assert"), first.Is("_Static_assert"),
		c.isMethod(&d):
		if c.at(end - 1).Is("}") {
			c.skip(";")
		}
		c.pass(passedMember{span: d, end: c.next, how: how}, first.Pos)
		return
	case d.Open >= 0 && c.definesStruct(d.Head):
		c.copy(i, d.Open)
		c.structBody(d.Open, d.Close)
		c.copy(d.Close, end)
	default:
		if colon := c.unnamedBits(i); colon > 0 && colon < end {
			// The grammar wants a name, and gets the empty one.
			c.copy(i, colon)
			c.out = append(c.out, Token{Kind: Ident, Pos: c.tokens[colon].Pos})
			i = colon
		}
		c.copy(i, end)
	}
	c.next = end
}

// pass appends a Skipped token for a member.
func (c *collapser) pass(m passedMember, pos Pos) {
	c.out = append(c.out, Token{Kind: kindSkipped, Text: "...", Pos: pos})
	c.passed = append(c.passed, m)
}

// unnamedBits returns the index of the colon in a bit-field without a name that
// begins at index i, `unsigned int : 3;`, or 0.
func (c *collapser) unnamedBits(i int) int {
	i = c.pastQualifiers(i) + 1
	for tokenType(c.at(i-1)) == typeIntWord && tokenType(c.at(i)) == typeIntWord {
		i++
	}
	if c.at(i).Is(":") {
		return i
	}
	return 0
}

// join writes tokens as text. Only what would run together is kept apart.
func join(tokens []Token) string {
	n := 0
	for i := range tokens {
		n += len(tokens[i].Text) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for i := range tokens {
		if i > 0 && (tokens[i-1].Kind != Punct && tokens[i].Kind != Punct || runTogether(tokens, i)) {
			b.WriteByte(' ')
		}
		b.WriteString(tokens[i].Text)
	}
	return b.String()
}

// runTogether reports whether the punctuators before and at i could be read as
// another one. Brackets, commas and :: never can.
func runTogether(tokens []Token, i int) bool {
	if tokens[i-1].Kind != Punct || tokens[i].Kind != Punct {
		return false
	}
	operator := func(c byte) bool { return strings.IndexByte("+-*/%&|^=<>!.#", c) >= 0 }
	last, first := tokens[i-1].Text[len(tokens[i-1].Text)-1], tokens[i].Text[0]
	return last == ':' && first == ':' || operator(last) && operator(first)
}
