package parser

import "strings"

// folder gives the tokens of a declaration as the grammar wants them: a
// function's body, each [[...]] and each struct member that metalgen passes
// over is one token.
type folder struct {
	tokens []Token
	match  []int32 // of each opening bracket
	out    []Token
	broken bool // an opening bracket is never closed
	// passed are the members that became Skipped, in order.
	passed []memberSpan
	gnu    bool // __attribute__((x)) is [[x]]: on a function it means the same
}

// foldDecl folds one declaration without its template heads. Where brackets do
// not match, of which no grammar makes sense, the folder is broken.
func foldDecl(tokens []Token, match []int32, d *declSpan) *folder {
	f := &folder{tokens: tokens, match: match}
	head := d.To
	if d.Open >= 0 && (d.Kind == declFunction || d.Kind == declStruct || f.definesStruct(f.definition(d.Head))) {
		head = d.Open
	}
	f.out = make([]Token, 0, head-d.Head+4)
	f.gnu = d.Kind == declFunction
	if name := f.functionType(d); name > 0 {
		f.copy(d.Head, name)
		f.out = append(f.out, Token{Kind: Punct, Text: "(", Pos: tokens[name].Pos}, tokens[name], Token{Kind: Punct, Text: ")", Pos: tokens[name].Pos})
		f.copy(name+1, head)
	} else {
		f.copy(d.Head, head)
	}
	switch {
	case head == d.To:
	case d.Kind == declFunction:
		f.out = append(f.out, Token{Kind: Body, Text: "{...}", Pos: tokens[d.Open].Pos})
		return f
	default:
		f.openBody(d.Open)
		f.members(d.Open+1, d.Close)
		f.copy(d.Close, d.To)
	}
	if last := &tokens[d.To-1]; !last.Is(";") {
		// The splitter has complained; the grammar need not once more.
		f.out = append(f.out, Token{Kind: Punct, Text: ";", Pos: tokenEnd(last)})
	}
	return f
}

// functionType gives the index of the name in `typedef void f(int);`, or 0. The
// grammar has functions in declarators behind parentheses alone, (f)(int), since
// elsewhere such parentheses are a mistake.
func (f *folder) functionType(d *declSpan) int {
	if d.Kind != declTypedef || d.Paren-2 < d.Head || d.Open >= 0 || f.match[d.Paren] < 0 {
		return 0
	}
	behind := int(f.match[d.Paren]) + 1
	if behind < d.To && f.tokens[behind].Is(";") && tokenType(&f.tokens[d.Paren-1]) == typeIdent && tokenType(&f.tokens[d.Paren+1]) != typePointer {
		return d.Paren - 1
	}
	return 0
}

// foldTokens folds a piece of a declaration, such as a parameter.
func foldTokens(tokens []Token, match []int32, from, to int) []Token {
	f := &folder{tokens: tokens, match: match, gnu: true}
	f.copy(from, to)
	return f.out
}

// definition gives the index of what a typedef or alias at i is of.
func (f *folder) definition(i int) int {
	switch {
	case f.tokens[i].Is("typedef"):
		return i + 1
	case f.tokens[i].Is("using") && i+3 < len(f.tokens) && f.tokens[i+2].Is("="):
		return i + 3
	}
	return i
}

// definesStruct reports whether a struct, class or union begins at i.
func (f *folder) definesStruct(i int) bool {
	i = f.words(i)
	return f.tokens[i].Kind == Ident && heads[f.tokens[i].Text] == declStruct
}

// openBody appends the brace of a struct's body. Its kind tells it from the
// brace of an expression, which a list of bases may look like.
func (f *folder) openBody(i int) {
	t := f.tokens[i]
	t.Kind = Body
	f.out = append(f.out, t)
}

// copy appends tokens [from, to), with each [[...]] as one. A declaration has
// no other place for two adjacent opening brackets.
func (f *folder) copy(from, to int) {
	for i := from; i < to; i++ {
		if f.gnu && i+2 < to && f.tokens[i].Is("__attribute__") && f.tokens[i+1].Is("(") && f.tokens[i+2].Is("(") {
			if last := int(f.match[i+2]); last > 0 && int(f.match[i+1]) == last+1 {
				text := "[[" + join(f.tokens[i+3:last]) + "]]"
				f.out = append(f.out, Token{Kind: Attributes, Text: text, Pos: f.tokens[i].Pos})
				i = last + 1
				continue
			}
		}
		if f.tokens[i].Text == "[" && i+1 < to && f.tokens[i+1].Is("[") {
			if last := int(f.match[i]); last > 0 && last < to {
				for j := i; j < last; j++ {
					f.check(j)
				}
				f.out = append(f.out, Token{Kind: Attributes, Text: join(f.tokens[i : last+1]), Pos: f.tokens[i].Pos})
				i = last
				continue
			}
		}
		if words := f.operand(i, to); words > 0 {
			t := f.tokens[i]
			if t.Text == "coherent" {
				t.Text = join(f.tokens[i:words])
			}
			f.out = append(f.out, t)
			i = words - 1
			continue
		}
		f.check(i)
		f.out = append(f.out, f.tokens[i])
	}
}

// operand gives the index behind the coherent(device) or noexcept(...) at i,
// which are qualifiers as a whole, or 0.
func (f *folder) operand(i, to int) int {
	t := &f.tokens[i]
	if t.Kind != Ident || t.Text != "coherent" && t.Text != "noexcept" || i+1 >= to || !f.tokens[i+1].Is("(") {
		return 0
	}
	return min(int(f.match[i+1])+1, to)
}

// check notes an opening bracket that is never closed.
func (f *folder) check(i int) {
	if f.match[i] < 0 && f.tokens[i].Kind == Punct && closing[f.tokens[i].Text] != "" {
		f.broken = true
	}
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
	const operators = "+-*/%&|^=<>!.#"
	last := tokens[i-1].Text[len(tokens[i-1].Text)-1]
	return last == ':' && tokens[i].Text[0] == ':' || strings.IndexByte(operators, last) >= 0 && strings.IndexByte(operators, tokens[i].Text[0]) >= 0
}

// members appends the members of a struct: fields, nested types, typedefs and
// constants as they are; methods, templates, friends and access specifiers as one
// Skipped token each. It nests no deeper than brackets may.
func (f *folder) members(from, to int) {
	for i := from; i < to; {
		if i+1 < to && f.tokens[i+1].Is(":") && accessWords[f.tokens[i].Text] {
			f.out = append(f.out, Token{Kind: Skipped, Text: "...", Pos: f.tokens[i].Pos})
			f.passed = append(f.passed, memberSpan{from: i, end: i + 2, access: f.tokens[i].Text})
			i += 2
			continue
		}
		m := f.member(i, to)
		switch {
		case m.skip:
			f.out = append(f.out, Token{Kind: Skipped, Text: "...", Pos: f.tokens[i].Pos})
			m.from = i
			f.passed = append(f.passed, m)
		case m.open >= 0:
			f.copy(i, m.open)
			f.openBody(m.open)
			f.members(m.open+1, int(f.match[m.open]))
			f.copy(int(f.match[m.open]), m.end)
		case m.unnamed > 0:
			f.copy(i, m.unnamed)
			f.out = append(f.out, Token{Kind: Ident, Pos: f.tokens[m.unnamed].Pos})
			f.copy(m.unnamed, m.end)
		default:
			f.copy(i, m.end)
		}
		i = m.end
	}
}

// words gives the index behind the qualifiers at i.
func (f *folder) words(i int) int {
	for tokenType(&f.tokens[i]) == typeQualifier {
		i++
	}
	return i
}

var accessWords = map[string]bool{"public": true, "private": true, "protected": true}

type memberSpan struct {
	from int
	end  int
	open int // the brace of a nested struct, or -1
	skip bool
	// access is the word of an access specifier, or "".
	access string
	// unnamed is the colon of a bit-field without a name, or 0. The grammar
	// wants one, and gets the empty one.
	unnamed int
}

// member delimits the member that starts at i and ends before to.
func (f *folder) member(i, to int) memberSpan {
	m := memberSpan{end: to, open: -1}
	first := &f.tokens[i]
	m.skip = first.Is("template") || first.Is("friend") || first.Is("static_assert") || first.Is("_Static_assert")
	for i+1 < to && f.tokens[i].Is("template") && f.tokens[i+1].Is("<") {
		last := closeArgs(f.tokens[:to], f.match, i+1)
		if last < 0 {
			i++
			break
		}
		i = last + 1
	}
	nested := i < to && f.definesStruct(f.definition(i))
	assigned, called, declarator, angles := false, false, false, true
	for start := i; i < to; i++ {
		t := &f.tokens[i]
		if t.Kind != Punct {
			if t.Is("operator") {
				// A method whose name may hold = or brackets.
				called, m.skip = true, true
			}
			continue
		}
		switch t.Text {
		case ";":
			m.end = i + 1
			return m
		case "=":
			assigned = true
		case ":":
			if i == f.words(start)+1 || i > start && tokenType(&f.tokens[i-1]) == typeIntWord {
				m.unnamed = i
			}
		case "<":
			if !assigned && !called && angles && i > start && f.tokens[i-1].Kind == Ident {
				if last := closeArgs(f.tokens[:to], f.match, i); last > 0 {
					i = last
				} else {
					angles = false
				}
			}
		case "(", "[", "{":
			last := int(f.match[i])
			if last < 0 {
				f.broken = true
				return m
			}
			if t.Text == "(" && (f.tokens[i+1].Is("*") || f.tokens[i+1].Is("&")) {
				declarator = true // `float (&x)[4]` takes room, unlike a method
			}
			if t.Text == "(" && !assigned && !declarator && !prefixCall[f.tokens[max(i-1, start)].Text] {
				called, m.skip = true, true
			}
			if t.Text == "{" && nested && !called && m.open < 0 {
				m.open = i
			}
			i = last
			if t.Text == "{" && called && !initializes(f.tokens, i, to) {
				if i+1 < to && f.tokens[i+1].Is(";") {
					i++
				}
				m.end = i + 1
				return m
			}
		}
	}
	return m
}
