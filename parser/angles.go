package parser

// angles follows tokens through lists of template arguments. Without knowing what
// a name means, C++ cannot tell a < that opens a list from less-than. These are
// the rules here, by the tokens alone:
//
//   - A < opens a list where a name stands before it: `vec<float, 4>`, not
//     `sizeof(T) < 8`. A name is any identifier, and that of an operator.
//   - In brackets of any kind, < and > compare: `bool_c<(a < b)>`.
//   - A >> closes two lists.
//
// Whether a name can have arguments at all, and whether what follows looks like
// them, is for the callers to say: they know what the name is.
type angles struct {
	open  int // lists that are open; negative after a > that closes none
	depth int // brackets that are open in them
	last  lastToken
}

// anglesTooDeep is the error of arguments in arguments in arguments. Each has those in it as tokens, so the bytes that
// they take grow with the square of how deep they nest.
const anglesTooDeep = "template arguments nest deeper than %d"

// lastToken is what angles remembers of the token before.
type lastToken uint8

const (
	lastOther    lastToken = iota
	lastName               // a < opens a list
	lastOperator           // the word operator: < and > belong to its name
)

// take follows one more token.
func (a *angles) take(t *Token) {
	last := a.last
	switch {
	case t.Kind == Ident:
		a.last = lastName
		if t.Text == "operator" {
			a.last = lastOperator
		}
		return
	case t.Kind == Punct && last == lastOperator:
		a.last = lastName
	default:
		a.last = lastOther
	}
	if t.Kind != Punct {
		return
	}
	switch t.Text {
	case "(", "[", "{":
		a.depth++
	case ")", "]", "}":
		a.depth--
	case "<":
		if a.depth == 0 && last == lastName {
			a.open++
		}
	case ">", ">>":
		if a.depth == 0 && last != lastOperator {
			a.open -= len(t.Text)
		}
	}
}

// outside reports whether no list and no bracket is open.
func (a *angles) outside() bool { return a.open <= 0 && a.depth == 0 }

// closeAngle returns the index, below end, of the > or >> that closes the list which
// the < at index i opens, or -1. A >> closes a list within too. A semicolon, or a
// name after a brace, is where another declaration or statement begins.
func (c *cursor) closeAngle(i, end int) int {
	return c.closeAngleNear(i, min(end, len(c.tokens)), len(c.tokens))
}

// closeAngleNear is closeAngle with a look at so many tokens at most. Brackets that are known to match count as one.
func (c *cursor) closeAngleNear(i, end, most int) int {
	a := angles{last: lastName}
	n := 0
	defer func() { c.steps += n }()
	for ; i < end && n < most; i, n = i+1, n+1 {
		if c.match != nil && c.match[i] > 0 {
			i, a.last = int(c.match[i]), lastOther
		} else {
			a.take(&c.tokens[i])
		}
		switch t := &c.tokens[i]; {
		case a.depth < 0, a.depth > 0 && c.match != nil, a.open < 0:
			return -1
		case a.depth > 0:
		case a.open == 0:
			return i
		case t.Is(";"), t.Is("}") && c.at(i+1).Kind == Ident:
			return -1
		}
	}
	return -1
}

// openAngle returns the index, not below from, of the < that opens the list which
// the > or >> at index last closes, or -1. It looks from the front, since that is
// where one can tell which < opens a list.
func openAngle(tokens []Token, from, last int) int {
	var a angles
	var opened []int // the < of open lists
	for i := from; i <= last; i++ {
		before := a.open
		switch a.take(&tokens[i]); {
		case a.open < 0:
			return -1
		case a.open > before:
			opened = append(opened, i)
		case a.open < before && i == last:
			return opened[a.open]
		case a.open < before:
			opened = opened[:a.open]
		}
	}
	return -1
}

// newTemplateArgs returns the template arguments in tokens, which are those from <
// to > or >>.
func newTemplateArgs(tokens []Token) *TemplateArgs {
	args := &TemplateArgs{Pos: tokens[0].Pos}
	tokens = inAngles(tokens)
	var a angles
	start := 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) {
			if a.take(&tokens[i]); !a.outside() || !tokens[i].Is(",") {
				continue
			}
		}
		if i > start {
			args.Args = append(args.Args, &Tokens{Pos: tokens[start].Pos, List: tokens[start:i:i]})
		}
		start = i + 1
	}
	return args
}

// inAngles returns the tokens between a < and the > or >> that closes it, the first
// and the last of tokens. The first half of a >> closes a list within.
func inAngles(tokens []Token) []Token {
	last := len(tokens) - 1
	within := tokens[1:last:last]
	if inner := tokens[last]; inner.Is(">>") {
		inner.Text = ">"
		within = append(within, inner)
	}
	return within
}
