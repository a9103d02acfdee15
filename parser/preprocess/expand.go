package preprocess

// Limits of one unit. A source that meets one is broken, or a bomb.
const (
	// maxExpansion is how many tokens macros may produce, those between
	// the steps included.
	maxExpansion = 1 << 21
	// maxNesting is how deep calls in arguments of calls, and parentheses
	// in conditions, may nest.
	maxNesting = 256
)

// expander is the state of macro expansion: a stack of token lists, where
// the innermost is read first and the source last. While the body of a macro is
// on the stack, the macro is disabled, and its name is painted where it is met.
type expander struct {
	stack []context
	free  [][]Token // lists that are done with

	// use is where the outermost macro was called, by the name useName.
	// level is how many lists there are when nothing is being expanded.
	use     Pos
	useName string
	level   int

	evaluating bool // a condition: its operators count
	space      bool // owed to the next token by one that came to nothing
	depth      int  // of calls within arguments
	collecting int  // calls whose arguments are being read
	produced   int  // tokens, by macros
	most       int  // of them
}

// context is one list of tokens being read.
type context struct {
	tokens      []Token
	next        int
	macro       *macro // whose body it is; nil for others
	owned       bool   // tokens may be used again
	barrier     bool   // reading does not go on below: an argument or a directive
	line, space bool   // the flags of the first token
}

// take returns an empty list, and release takes one back.
func (e *expander) take() []Token {
	if n := len(e.free); n > 0 {
		list := e.free[n-1]
		e.free = e.free[:n-1]
		return list
	}
	return nil
}

func (e *expander) release(list []Token) {
	if cap(list) > 0 {
		e.free = append(e.free, list[:0])
	}
}

func (e *expander) push(c context) {
	if c.macro != nil {
		c.macro.disabled = true
	}
	e.stack = append(e.stack, c)
}

func (e *expander) pop() {
	n := len(e.stack) - 1
	c := &e.stack[n]
	if c.macro != nil {
		c.macro.disabled = false
	}
	if c.owned {
		e.release(c.tokens)
	}
	if len(c.tokens) == 0 && c.space {
		e.space = true
	}
	e.stack = e.stack[:n]
}

// fromLists reads the next token of the lists; false when they are used up.
func (e *expander) fromLists(t *Token) bool {
	for n := len(e.stack); n > 0; n = len(e.stack) {
		c := &e.stack[n-1]
		if c.next < len(c.tokens) {
			*t = c.tokens[c.next]
			if c.next == 0 && !c.barrier {
				t.Space, t.Line = c.space, c.line
			}
			t.Space = t.Space || e.space
			e.space = false
			c.next++
			return true
		}
		if c.barrier {
			return false
		}
		e.pop()
	}
	return false
}

// charge counts tokens that a macro produces, and text at the rate of memory.
func (p *preprocessor) charge(tokens, bytes int) {
	p.expander.produced += tokens + bytes/64
	if p.expander.produced > p.expander.most {
		p.reporter.fatal(p.expander.use, "macro expansion of %s produces more than %d tokens", p.expander.useName,
			p.expander.most)
	}
	if p.isUseless(tokens + bytes/64) {
		p.reporter.fatal(p.expander.use, "stopped")
	}
}

// isUseless counts steps, and reports now and then whether the caller has no use for the unit any more.
func (p *preprocessor) isUseless(steps int) bool {
	const often = 1 << 12
	before := p.steps / often
	p.steps += steps
	return p.steps/often != before && p.opt.Stop != nil && p.opt.Stop()
}

// expandText expands a macro that the text of the source names.
func (p *preprocessor) expandText(t Token, m *macro) {
	p.expander.use, p.expander.useName = t.Pos, t.Text
	if p.enter(&t, m) {
		out := p.drain(p.expander.take())
		p.tokens.add(out...)
		p.expander.release(out)
		return
	}
	p.tokens.add(t)
}

// expandLine expands the rest of the directive, which may itself stand within
// the arguments of a call.
func (p *preprocessor) expandLine(condition bool) []Token {
	use, name, level, evaluating, space := p.expander.use, p.expander.useName, p.expander.level,
		p.expander.evaluating, p.expander.space
	line := p.expander.take()
	var t Token
	for p.in.next(&t); t.Kind != EOF; p.in.next(&t) {
		line = append(line, t)
	}
	p.expander.push(context{tokens: line, barrier: true, owned: true})
	p.expander.level, p.expander.evaluating, p.expander.space = len(p.expander.stack), condition, false
	out := p.drain(nil)
	p.expander.use, p.expander.useName, p.expander.level, p.expander.evaluating, p.expander.space = use, name, level,
		evaluating, space
	if !p.reporter.stopped {
		p.expander.pop()
	}
	return out
}

// drain expands all that the lists hold and appends it to out.
func (p *preprocessor) drain(out []Token) []Token {
	var t Token
	for !p.reporter.stopped && p.expander.fromLists(&t) {
		inMacro := len(p.expander.stack) != p.expander.level
		if t.Kind == Ident && !t.painted {
			if !inMacro {
				p.expander.use, p.expander.useName = t.Pos, t.Text
			}
			if p.expander.evaluating {
				if operator := conditionOperators[t.Text]; operator != nil {
					out = append(out, operator(p, t))
					continue
				}
			}
			if m := p.macros.lookup(t.Text); m != nil {
				if m.disabled {
					t.painted = true
				} else if p.enter(&t, m) {
					continue
				}
			}
		}
		if inMacro {
			t.Pos, t.Macro = p.expander.use, true
		}
		out = append(out, t)
	}
	p.expander.space = false
	return out
}

// enter puts the expansion of m, named by t, on the stack. It reports false
// when there is none: a function-like macro without arguments.
func (p *preprocessor) enter(t *Token, m *macro) bool {
	c := context{tokens: m.Body, macro: m, space: t.Space, line: t.Line}
	switch {
	case m.Function:
		if !p.atParen() {
			return false
		}
		args := p.expander.take()
		ends, ok := p.collect(m, &args)
		if !ok {
			p.expander.release(args)
			return true
		}
		if m.ops != nil {
			c.tokens, c.owned = p.substitute(m, splitArgs(args, ends)), true
		}
		p.expander.release(args)
	case m.builtin != nil:
		made := Token{Pos: p.expander.use}
		made.Kind, made.Text = m.builtin(p)
		c.tokens, c.owned = append(p.expander.take(), made), true
	case m.ops != nil:
		c.tokens, c.owned = p.substitute(m, nil), true
	}
	if m.versioned {
		p.versions.asked = true
		p.unit.Forks = p.unit.Forks || !p.expander.evaluating
	}
	p.charge(1+len(c.tokens), 0)
	p.expander.push(c)
	return true
}

// atParen reports whether the next token is an opening parenthesis.
func (p *preprocessor) atParen() bool {
	for i := len(p.expander.stack) - 1; i >= 0; i-- {
		c := &p.expander.stack[i]
		if c.next < len(c.tokens) {
			return c.tokens[c.next].Is("(")
		}
		if c.barrier {
			return false
		}
	}
	return p.in.peek().Is("(")
}

// nextRaw reads the next token, from wherever, and reports whether it stands
// in the source itself.
func (p *preprocessor) nextRaw(t *Token) (inText bool) {
	if p.expander.fromLists(t) {
		return false
	}
	if len(p.expander.stack) > 0 { // a barrier
		*t = Token{}
		return false
	}
	p.in.token(t)
	return true
}
