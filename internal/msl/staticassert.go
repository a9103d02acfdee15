package msl

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// isStaticAssert tells the token that begins a static_assert.
func isStaticAssert(t *parser.Token) bool { return t.Is("static_assert") || t.Is("_Static_assert") }

// staticAsserts reports those of the file and of its namespaces that fail. One whose
// condition is no constant that metalgen knows holds.
func (p *Program) staticAsserts() {
	for _, d := range p.Tree.Decls {
		if !isStaticAssert(&p.Tree.Tokens[d.From]) {
			continue
		}
		if cond := p.assertion(d.From, d.To); cond != nil && p.fails(cond, d.Namespace) {
			p.errs.Add(d.Pos, "static_assert fails")
		}
	}
}

// assertion is the condition of the static_assert at a token, or nil.
func (p *Program) assertion(from, to int) *parser.Tokens {
	tokens := p.Tree.Tokens[from:to]
	if len(tokens) < 3 || !tokens[1].Is("(") {
		return nil
	}
	depth, comma := 0, 0
	for i := 1; i < len(tokens); i++ {
		switch t := &tokens[i]; {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			if depth--; depth > 0 {
				continue
			}
			if comma == 0 {
				comma = i
			}
			return &parser.Tokens{Pos: tokens[2].Pos, List: tokens[2:comma]}
		case t.Is(",") && depth == 1 && i+1 < len(tokens) && tokens[i+1].Kind == parser.String:
			comma = i
		}
	}
	return nil
}

// fails tells a condition that is known to be false. Whatever mistakes are found
// on the way are not its own: types that it would break stay as they are.
func (p *Program) fails(cond *parser.Tokens, namespace []string) bool {
	if len(cond.List) == 0 {
		return false
	}
	errs, typeErrs, known := len(p.errs), len(p.typeErrs), len(p.brokenTypes)
	v, err := p.constant(cond, namespace)
	if len(p.typeErrs) > typeErrs || len(p.errs) > errs {
		p.errs, p.typeErrs = p.errs[:errs], p.typeErrs[:typeErrs]
		for _, s := range p.brokenTypes[known:] {
			s.state, s.err = unresolved, nil
		}
		p.brokenTypes = p.brokenTypes[:known]
		return false
	}
	return err == nil && !v.IsTrue()
}

// kernelAsserts reports the static_asserts of a kernel's body that fail: those
// that stand in the body itself and use none of its variables. Of others the
// check of bodies tells.
func (p *Program) kernelAsserts(k *kernel) {
	if k.Decl.Open < 0 {
		return
	}
	body := p.Tree.Tokens[:k.Decl.Close]
	depth := 0
	for i := k.Decl.Open + 1; i < k.Decl.Close; i++ {
		switch t := &body[i]; {
		case t.Is("{") || t.Is("("):
			depth++
		case t.Is("}") || t.Is(")"):
			depth--
		case depth == 0 && isStaticAssert(t) && (body[i-1].Is("{") || body[i-1].Is("}") || body[i-1].Is(";")):
			cond := p.assertion(i, k.Decl.Close)
			if cond == nil || p.usesVariables(k, cond, body[k.Decl.From:i]) {
				continue
			}
			if p.fails(cond, k.namespace) {
				p.errs.Add(t.Pos, "static_assert fails in kernel %s", k.Name)
			}
		}
	}
}

// usesVariables tells whether a condition may use what the kernel declares before
// it: a name that stands where a declarator would.
func (p *Program) usesVariables(k *kernel, cond *parser.Tokens, before []parser.Token) bool {
	head := k.Decl.Open - k.Decl.From
	return slices.ContainsFunc(cond.List, func(c parser.Token) bool {
		if c.Kind != parser.Ident {
			return false
		}
		for _, param := range k.syntax.Params {
			if d := param.Declarator; d != nil && declaredName(d) == c.Text {
				return true
			}
		}
		for i := head + 1; i+1 < len(before); i++ {
			if before[i].Text != c.Text {
				continue
			}
			last, next := &before[i-1], &before[i+1]
			if last.Is("using") || next.Is("=") || next.Is(";") || next.Is("[") || next.Is("{") ||
				(last.Kind == parser.Ident && !spaces[last.Text] && !qualifierWords[last.Text]) {
				return true
			}
		}
		return false
	})
}

var qualifierWords = map[string]bool{"const": true, "constexpr": true, "static": true, "return": true, "volatile": true}
