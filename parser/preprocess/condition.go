package preprocess

import "strings"

// conditionOperators are the operators of conditions that look like macros.
// Each reads its operand, unexpanded, and returns the token of its value.
var conditionOperators map[string]func(p *preprocessor, t Token) Token

func init() { // here, since operands are read by what expands macros
	conditionOperators = map[string]func(*preprocessor, Token) Token{
		"defined":       (*preprocessor).definedOperator,
		"__has_include": knowsInclude,
	}
	// Whether Metal's compiler has such a thing is not known. Sources ask
	// in order to fall back on what always works.
	for _, name := range []string{
		"__has_attribute", "__has_builtin", "__has_cpp_attribute", "__has_declspec_attribute",
		"__has_extension", "__has_feature", "__has_warning",
	} {
		conditionOperators[name] = knowsNot
	}
}

// condition evaluates what follows #if, #ifdef and their like. name is the
// macro that the latter ask for.
func (p *preprocessor) condition(at Pos, directive string) (holds bool, name string) {
	p.versions.asked = false
	negative := strings.HasSuffix(directive, "ndef")
	if !negative && !strings.HasSuffix(directive, "def") {
		return p.evaluate(at, directive), ""
	}
	t, ok := p.macroName(at)
	return ok && p.defined(t.Text) != negative, t.Text
}

func (p *preprocessor) defined(name string) bool {
	m := p.macros.lookup(name)
	if m != nil && m.versioned && !alwaysDefined[name] {
		p.versions.asked = true
	}
	return m != nil || conditionOperators[name] != nil && name != "defined"
}

func truth(t Token, is bool) Token {
	t.Kind, t.Text = Int, "0"
	if is {
		t.Text = "1"
	}
	return t
}

func (p *preprocessor) definedOperator(at Token) Token {
	var t, end Token
	p.nextRaw(&t)
	paren := t.Is("(")
	if paren {
		p.nextRaw(&t)
	}
	if t.Kind != Ident {
		p.reporter.error(at.Pos, "defined needs the name of a macro")
		return truth(at, false)
	}
	if paren {
		if p.nextRaw(&end); !end.Is(")") {
			p.reporter.error(at.Pos, "defined(%s is not closed by )", t.Text)
		}
	}
	return truth(at, p.defined(t.Text))
}

func knowsInclude(p *preprocessor, at Token) Token {
	var operand []Token
	if !p.operand(at, &operand) {
		return truth(at, false)
	}
	h, ok := headerOf(operand)
	if !ok {
		h, ok = headerOf(p.expandArg(&argument{raw: operand}))
	}
	if !ok {
		p.reporter.error(at.Pos, `__has_include needs a "header" or <header>`)
		return truth(at, false)
	}
	found, system := p.find(h)
	switch {
	case found == nil:
		return truth(at, system)
	case found.err == errOutside:
		p.reporter.error(at.Pos, "cannot look for %s: %v", h, found.err)
		return truth(at, false)
	}
	return truth(at, true)
}

func knowsNot(p *preprocessor, at Token) Token {
	var operand []Token
	p.operand(at, &operand)
	return truth(at, false)
}

// operand reads the parenthesised operand of an operator.
func (p *preprocessor) operand(at Token, list *[]Token) bool {
	var t Token
	if p.nextRaw(&t); !t.Is("(") {
		p.reporter.error(at.Pos, "%s needs an operand in parentheses", at.Text)
		return false
	}
	for depth := 1; ; {
		p.nextRaw(&t)
		switch {
		case t.Kind == EOF:
			p.reporter.error(at.Pos, "the operand of %s is not closed by )", at.Text)
			return false
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth--; depth == 0 {
				return true
			}
		}
		*list = append(*list, t)
	}
}

// evaluate evaluates the rest of an #if or #elif. What is malformed is false.
func (p *preprocessor) evaluate(at Pos, directive string) bool {
	before := p.reporter.errors
	e := evaluation{p: p, tokens: p.expandLine(true), end: p.in.pos(p.in.off)}
	if p.reporter.errors > before {
		return false
	}
	if len(e.tokens) == 0 {
		p.reporter.error(at, "#%s needs a condition", directive)
		return false
	}
	v := e.choice()
	if e.failed {
		return false
	}
	if e.next < len(e.tokens) {
		t := e.tokens[e.next]
		p.reporter.error(t.Pos, "%s is out of place in the condition", t.Text)
		return false
	}
	return v.bits != 0
}
