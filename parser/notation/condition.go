package notation

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/metalgen/metalgen/parser"
)

// Comparison is X Op Y: one of those that a condition in a comment joins with &&.
type Comparison struct {
	Op   string // "==", "!=", "<", "<=", ">" or ">="
	X, Y parser.Expr
	Text string // as written
	Pos  parser.Pos
}

// conditionOperators are what conditions have besides formulas, longer ones before those that they begin with.
var (
	conditionOperators = []string{"&&", "==", "!=", "<=", ">=", "<", ">"}
	comparisons        = conditionOperators[1:]
)

// ParseCondition parses the comparisons, joined by &&, that all of text is: `n > 0 && (dim % 4 == 0)`. pos is where
// text stands. The expressions that are compared are those of [Parse].
func ParseCondition(text string, pos parser.Pos) ([]Comparison, error) {
	tokens, end := scanFormula(text, pos, conditionOperators)
	if rest := strings.TrimLeft(text[end:], " \t"); rest != "" {
		_, size := utf8.DecodeRuneInString(rest)
		pos = behind(pos, text[:len(text)-len(rest)])
		return nil, &parser.Error{Pos: pos, Msg: fmt.Sprintf("unexpected %q in the condition", rest[:size])}
	}
	c := condition{text: text, pos: pos}
	err := c.parse(tokens, pos)
	return c.list, err
}

// condition is a condition while it is parsed.
type condition struct {
	text string
	pos  parser.Pos
	list []Comparison
}

// parse parses tokens, which stand at pos.
func (c *condition) parse(tokens []parser.Token, pos parser.Pos) error {
	for len(tokens) > 0 && tokens[0].Is("(") {
		last := balanced(tokens, 0)
		if last < 0 {
			return parser.Unclosed(&tokens[0])
		}
		if last < len(tokens)-1 {
			break
		}
		pos, tokens = tokens[0].Pos, tokens[1:last]
	}
	ands := outside(tokens, "&&")
	if len(ands) == 0 {
		return c.comparison(tokens, pos)
	}
	from := 0
	for _, and := range append(ands, len(tokens)) {
		if err := c.parse(tokens[from:and], pos); err != nil {
			return err
		}
		if and < len(tokens) {
			from, pos = and+1, behind(tokens[and].Pos, "&&")
		}
	}
	return nil
}

// comparison parses one comparison.
func (c *condition) comparison(tokens []parser.Token, pos parser.Pos) error {
	found := outside(tokens, comparisons...)
	switch {
	case len(found) == 0:
		return &parser.Error{Pos: pos, Msg: "expected a comparison, such as n > 0"}
	case len(found) > 1:
		return &parser.Error{Pos: tokens[found[1]].Pos, Msg: "more than one comparison: && joins them"}
	}
	op := &tokens[found[0]]
	x, err := parseItem(tokens[:found[0]])
	if err != nil {
		return at(err, op.Pos)
	}
	y, err := parseItem(tokens[found[0]+1:])
	if err != nil {
		return at(err, behind(op.Pos, op.Text))
	}
	first, last := &tokens[0], &tokens[len(tokens)-1]
	text := c.text[first.Pos.Offset-c.pos.Offset : last.Pos.Offset-c.pos.Offset+len(last.Text)]
	c.list = append(c.list, Comparison{Op: op.Text, X: x, Y: y, Text: text, Pos: first.Pos})
	return nil
}

// outside returns the indexes of those of some tokens that stand outside of brackets.
func outside(tokens []parser.Token, texts ...string) []int {
	var found []int
	depth := 0
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.Is("("), t.Is("["):
			depth++
		case t.Is(")"), t.Is("]"):
			depth--
		case depth == 0:
			for _, text := range texts {
				if t.Is(text) {
					found = append(found, i)
				}
			}
		}
	}
	return found
}

// behind returns the position after text, which stands at pos and has no line ends.
func behind(pos parser.Pos, text string) parser.Pos {
	pos.Offset += len(text)
	pos.Column += len(text)
	return pos
}
