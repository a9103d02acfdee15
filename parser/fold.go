package parser

import "strings"

// foldDecl gives the tokens of a declaration as the grammar wants them: a
// function's body, each [[...]] and each struct member that metalgen passes
// over is one token.
func foldDecl(tokens []Token, d *declSpan) []Token {
	switch d.Kind {
	case declFunction:
		if d.Open < 0 {
			return foldAttributes(tokens[d.From:d.To])
		}
		folded := foldAttributes(tokens[d.From:d.Open])
		return append(folded, Token{Kind: Body, Text: "{...}", Pos: tokens[d.Open].Pos})
	case declStruct, declTypedef:
		if d.Open < 0 || tokens[d.From].Is("enum") || tokens[d.From+1].Is("enum") {
			return foldAttributes(tokens[d.From:d.To])
		}
		folded := foldAttributes(tokens[d.From : d.Open+1])
		folded = foldMembers(folded, tokens[d.Open+1:d.Close], 0)
		return append(folded, foldAttributes(tokens[d.Close:d.To])...)
	}
	return foldAttributes(tokens[d.From:d.To])
}

// foldAttributes replaces each [[...]] by one Attributes token. A declaration
// has no other place for two adjacent opening brackets.
func foldAttributes(tokens []Token) []Token {
	out := make([]Token, 0, len(tokens)+1)
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Is("[") && i+1 < len(tokens) && tokens[i+1].Is("[") {
			if last := balanced(tokens, i, len(tokens)); last > 0 {
				out = append(out, Token{Kind: Attributes, Text: join(tokens[i : last+1]), Pos: tokens[i].Pos})
				i = last
				continue
			}
		}
		out = append(out, tokens[i])
	}
	return out
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
		if i > 0 && tokens[i-1].Kind != Punct && tokens[i].Kind != Punct {
			b.WriteByte(' ')
		}
		b.WriteString(tokens[i].Text)
	}
	return b.String()
}

// foldMembers appends the members of a struct: fields, nested types, typedefs
// and constants as they are; methods, templates and friends as one Skipped
// token each; access specifiers not at all.
func foldMembers(out, tokens []Token, depth int) []Token {
	for i := 0; i < len(tokens); {
		if i+1 < len(tokens) && tokens[i+1].Is(":") && accessWords[tokens[i].Text] {
			i += 2
			continue
		}
		m := member(tokens, i)
		switch {
		case m.skip:
			out = append(out, Token{Kind: Skipped, Text: "...", Pos: tokens[i].Pos})
		case m.open >= 0 && depth < maxDepth:
			out = append(out, foldAttributes(tokens[i:m.open+1])...)
			out = foldMembers(out, tokens[m.open+1:m.close], depth+1)
			out = append(out, foldAttributes(tokens[m.close:m.end])...)
		default:
			out = append(out, foldAttributes(tokens[i:m.end])...)
		}
		i = m.end
	}
	return out
}

var accessWords = map[string]bool{"public": true, "private": true, "protected": true}

type memberSpan struct {
	end         int
	open, close int // the braces of a nested struct, or -1
	skip        bool
}

// member delimits the member that starts at i.
func member(tokens []Token, i int) memberSpan {
	m := memberSpan{open: -1, close: -1}
	first := tokens[i].Text
	m.skip = first == "template" || first == "friend" || first == "static_assert"
	nested := first == "struct" || first == "class" || first == "union" ||
		first == "typedef" && i+1 < len(tokens) && heads[tokens[i+1].Text] == declStruct
	assigned, called := false, false
	for start := i; i < len(tokens); i++ {
		t := &tokens[i]
		switch {
		case t.Is(";"):
			m.end = i + 1
			return m
		case t.Is("="):
			assigned = true
		case t.Is("("), t.Is("["), t.Is("{"):
			last := balanced(tokens, i, len(tokens))
			if last < 0 {
				m.end = len(tokens)
				return m
			}
			if t.Text == "(" && !assigned && !prefixCall[tokens[max(i-1, start)].Text] {
				called, m.skip = true, true
			}
			if t.Text == "{" && nested && !called && m.open < 0 {
				m.open, m.close = i, last
			}
			i = last
			if t.Text == "{" && called {
				if i+1 < len(tokens) && tokens[i+1].Is(";") {
					i++
				}
				m.end = i + 1
				return m
			}
		}
	}
	m.end = len(tokens)
	return m
}
