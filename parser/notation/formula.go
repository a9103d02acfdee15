package notation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Formula is what comments state of geometry and shapes: one expression, or a
// tuple of them in parentheses or brackets.
type Formula struct {
	Items []parser.Expr
	Tuple bool
	// Text holds each item as written.
	Text []string
	// Rest is the text after the formula.
	Rest string
}

// Parse parses the formula that text begins with. pos is where text
// stands. Both `(rows, 1, 1)` and `[n_tokens, dim]` are tuples; `(dim + 255) /
// 256` is one expression. What follows the formula is left in Rest.
func Parse(text string, pos parser.Pos) (*Formula, error) {
	tokens, _ := scanFormula(text, pos, nil)
	if len(tokens) == 0 {
		return nil, &parser.Error{Pos: pos, Msg: "expected an expression"}
	}
	f := &Formula{}
	end := -1
	if tokens[0].Is("(") || tokens[0].Is("[") {
		last := balanced(tokens, 0)
		if last < 0 {
			return nil, parser.Unclosed(&tokens[0])
		}
		items := splitCommas(tokens[1:last])
		if f.Tuple = tokens[0].Is("[") || len(items) > 1; f.Tuple {
			for _, item := range items {
				e, err := parseItem(item)
				if err != nil {
					return nil, at(err, tokens[0].Pos)
				}
				f.add(text, pos, e, item)
			}
			end = last
		}
	}
	if !f.Tuple {
		e, n, err := parser.ParseFormulaPrefix(tokens)
		if err != nil {
			return nil, at(err, pos)
		}
		f.add(text, pos, e, tokens[:n])
		end = n - 1
	}
	f.Rest = text[tokens[end].Pos.Offset-pos.Offset+len(tokens[end].Text):]
	return f, nil
}

// parseItem parses all of tokens as one expression.
func parseItem(tokens []parser.Token) (parser.Expr, error) {
	if len(tokens) == 0 {
		return nil, &parser.Error{Msg: "expected an expression"}
	}
	return parser.ParseFormula(tokens)
}

// at sets the position of an error that has none.
func at(err error, pos parser.Pos) error {
	if e, ok := err.(*parser.Error); ok && e.Pos.Line == 0 {
		e.Pos = pos
	}
	return err
}

func (f *Formula) add(text string, pos parser.Pos, e parser.Expr, tokens []parser.Token) {
	last := tokens[len(tokens)-1]
	f.Items = append(f.Items, e)
	f.Text = append(f.Text, text[tokens[0].Pos.Offset-pos.Offset:last.Pos.Offset-pos.Offset+len(last.Text)])
}

// splitCommas cuts tokens at the commas outside of brackets.
func splitCommas(tokens []parser.Token) [][]parser.Token {
	var items [][]parser.Token
	depth, start := 0, 0
	for i := range tokens {
		switch tokens[i].Text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ",":
			if depth == 0 {
				items = append(items, tokens[start:i])
				start = i + 1
			}
		}
	}
	return append(items, tokens[start:])
}

// scanFormula scans as much of text as can be part of a formula, or is one of operators, and returns where that
// ends. Prose uses characters that are no tokens of MSL, so the scanner proper is no help.
func scanFormula(text string, pos parser.Pos, operators []string) (tokens []parser.Token, end int) {
	begins := func(i int) func(string) bool {
		return func(operator string) bool { return strings.HasPrefix(text[i:], operator) }
	}
	for i := 0; i < len(text); {
		c := text[i]
		t := parser.Token{Kind: parser.Punct, Pos: pos}
		t.Pos.Offset += i
		t.Pos.Column += i
		start := i
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case c >= '0' && c <= '9':
			t.Kind = parser.Int
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
			if n := len(fraction.FindString(text[start:])); n > i-start && operators != nil { // prose has 2.5 too
				t.Kind, i = parser.Float, start+n
			}
		case isWordByte(c):
			t.Kind = parser.Ident
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
		case i+len("×") <= len(text) && text[i:i+len("×")] == "×":
			// people write × for a product; as Text it must read *
			t.Text = "*"
			i += len("×")
		default:
			switch operator := slices.IndexFunc(operators, begins(i)); {
			case operator >= 0:
				i += len(operators[operator])
			case strings.IndexByte("+-*/%()[],.", c) >= 0:
				i++
			default:
				return tokens, end
			}
		}
		if t.Text == "" {
			t.Text = text[start:i]
		}
		tokens, end = append(tokens, t), i
	}
	return tokens, end
}

// fraction is a floating-point literal (section 2.2.1 of the specification of MSL) that begins with a digit.
var fraction = regexp.MustCompile(`^[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?(bf|[fhFH])?`)

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// maxDepth bounds the nesting of brackets, as in sources.
const maxDepth = 256

// closing has the brackets that close those that open.
var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// balanced returns the index of the token that closes the bracket at i, or -1.
func balanced(tokens []parser.Token, i int) int {
	var stack [maxDepth]byte
	depth := 0
	for ; i < len(tokens); i++ {
		t := &tokens[i]
		if t.Kind != parser.Punct || len(t.Text) != 1 {
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
