package preprocess

import (
	"slices"
	"strings"
)

// placemarker stands in for an empty argument beside ##, within a
// substitution only.
const placemarker Kind = 255

// collect reads the arguments of a call into list, one after the other, and
// returns the index of each one's end.
func (p *preprocessor) collect(m *macro, list *[]Token) (ends []int, ok bool) {
	p.expander.collecting++
	defer func() { p.expander.collecting-- }()
	var t Token
	p.nextRaw(&t) // the parenthesis
	for depth := 0; !p.reporter.stopped; {
		inText := p.nextRaw(&t)
		switch {
		case t.Kind == EOF:
			p.reporter.error(p.expander.use, "the call of macro %s is not closed by )", m.Name)
			return nil, false
		case inText && t.Line && t.Text == "#":
			p.directive(t.Pos)
			continue
		case inText && !p.in.active:
			continue
		case t.Kind == Ident:
			// Reading on may end the expansion that disables a macro.
			if named := p.macros.lookup(t.Text); named != nil && named.disabled {
				t.painted = true
			}
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth == 0 {
				return p.checkArgs(m, append(ends, len(*list)))
			}
			depth--
		case t.Is(","):
			if depth == 0 && !(m.Variadic && len(ends) >= len(m.Params)-1) {
				ends = append(ends, len(*list))
				continue
			}
		}
		t.Line = false
		p.charge(1, 0)
		*list = append(*list, t)
	}
	return nil, false
}

// checkArgs compares the number of arguments with that of parameters.
func (p *preprocessor) checkArgs(m *macro, ends []int) ([]int, bool) {
	want, got := len(m.Params), len(ends)
	if want == 0 && got == 1 && ends[0] == 0 {
		return nil, true
	}
	if m.Variadic && got == want-1 {
		return append(ends, ends[got-1]), true // no variable arguments
	}
	if got != want {
		atLeast := ""
		if m.Variadic {
			atLeast, want = "at least ", want-1
		}
		p.reporter.error(p.expander.use, "macro %s: wrong number of arguments: %d, not %s%d", m.Name, got, atLeast,
			want)
		return nil, false
	}
	return ends, true
}

// argument is one argument of a call.
type argument struct {
	raw      []Token
	expanded []Token
	done     bool // expanded is
}

func splitArgs(list []Token, ends []int) []argument {
	args := make([]argument, len(ends))
	start := 0
	for i, end := range ends {
		args[i].raw = list[start:end:end]
		start = end
	}
	return args
}

// expandArg returns the argument fully expanded, as if it were all there is.
func (p *preprocessor) expandArg(a *argument) []Token {
	if a.done {
		return a.expanded
	}
	if p.expander.depth++; p.expander.depth > maxNesting {
		p.reporter.fatal(p.expander.use, "calls in arguments of macro %s are nested more than %d deep",
			p.expander.useName, maxNesting)
	}
	p.expander.push(context{tokens: a.raw, barrier: true})
	space := p.expander.space
	p.expander.space = false
	a.expanded, a.done = p.drain(p.expander.take()), true
	p.expander.space = space
	if !p.reporter.stopped {
		p.expander.pop()
	}
	p.expander.depth--
	return a.expanded
}

// substitute makes the body of a call from the arguments.
func (p *preprocessor) substitute(m *macro, args []argument) []Token {
	out := p.expander.take()
	paste, owed := false, false // the next piece is pasted; it has space before it
	marked := false
	for i := 0; i < len(m.ops) && !p.reporter.stopped; i++ {
		t, op := &m.Body[i], m.ops[i]
		var piece []Token
		switch op.do {
		case opSkip:
			continue
		case opPaste:
			paste = true
			continue
		case opToken:
			piece = m.Body[i : i+1]
		case opArg:
			piece = p.expandArg(&args[op.arg])
		case opString:
			piece = []Token{stringized(p, t, args[op.arg].raw)}
		case opRaw:
			piece = args[op.arg].raw
			// GNU: in `, ## __VA_ARGS__` the operator does not paste. It
			// drops the comma when there are no variable arguments.
			if paste && m.Variadic && op.arg == len(m.Params)-1 && len(out) > 0 && out[len(out)-1].Is(",") {
				paste = false
				if len(piece) == 0 {
					out = out[:len(out)-1]
				}
			}
		case opVaOpt:
			if len(p.expandArg(&args[len(args)-1])) > 0 {
				owed = owed || t.Space
				continue
			}
			i = op.arg
		}
		p.charge(len(piece), 0)
		switch {
		case paste && len(out) > 0:
			out = pastedOn(p, out, piece)
		case len(piece) > 0:
			n := len(out)
			out = append(out, piece...)
			out[n].Space = t.Space || owed
			owed = false
		case op.do == opRaw || op.do == opVaOpt:
			out = append(out, Token{Kind: placemarker, Space: t.Space})
			marked = true
		default:
			owed = owed || t.Space
		}
		paste = false
	}
	for i := range args {
		p.expander.release(args[i].expanded)
	}
	if marked {
		out = slices.DeleteFunc(out, func(t Token) bool { return t.Kind == placemarker })
	}
	return out
}

// pastedOn pastes the first token of piece to the last of out.
func pastedOn(p *preprocessor, out, piece []Token) []Token {
	if len(piece) == 0 {
		return out
	}
	left, right := &out[len(out)-1], piece[0]
	if left.Kind == placemarker {
		right.Space = left.Space
		*left = right
		return append(out, piece[1:]...)
	}
	text := left.Text + right.Text
	p.charge(0, len(text))
	s := newScanner(&reporter{}, "", text)
	s.quiet = true
	var t Token
	s.next(&t)
	if t.Kind == EOF || s.off != len(text) {
		p.reporter.error(p.expander.use, "macro %s: %s and %s do not paste to one token", p.expander.useName, left.Text,
			right.Text)
		return append(out, piece...)
	}
	left.Kind, left.Text, left.painted = t.Kind, text, false
	return append(out, piece[1:]...)
}

// stringized makes a string literal of the spelling of an argument.
func stringized(p *preprocessor, at *Token, arg []Token) Token {
	size := 0
	for i := range arg {
		size += len(arg[i].Text)
	}
	if p.charge(0, size); p.reporter.stopped {
		return *at
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range arg {
		t := &arg[i]
		if i > 0 && t.Space {
			b.WriteByte(' ')
		}
		if t.Kind != String && t.Kind != Char {
			b.WriteString(t.Text)
			continue
		}
		for _, c := range []byte(t.Text) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return Token{Kind: String, Space: at.Space, Text: b.String(), Pos: at.Pos}
}
