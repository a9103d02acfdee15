package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/parser"
)

// isStaticAssert reports whether a token begins a static_assert.
func isStaticAssert(t *parser.Token) bool { return t.Is("static_assert") || t.Is("_Static_assert") }

// staticAsserts reports those of the file and of its namespaces that fail. One whose
// condition is no constant that metalgen knows holds.
func staticAsserts(r *resolve.Resolver) {
	for _, d := range r.Source.Decls {
		if !isStaticAssert(&r.Source.Tokens[d.From]) {
			continue
		}
		if cond := assertion(r.Source.Tokens[d.From:d.To]); cond != nil && assertionFails(r.At(d.Namespace), cond) {
			r.FileErrs.Add(d.Pos, "static_assert fails")
		}
	}
}

// assertion is the condition of a static_assert at the beginning of tokens, or nil.
func assertion(tokens []parser.Token) *parser.Tokens {
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

// assertionFails reports whether a condition is known to be false. Whatever mistakes are found
// on the way are not its own: types that it would break stay as they are.
func assertionFails(in resolve.Env, cond *parser.Tokens) bool {
	if len(cond.List) == 0 {
		return false
	}
	var found parser.ErrorList
	in.Errs = &found
	n, broken := len(in.R.Types.Errs), len(in.R.Types.Broken)
	v, err := in.Constant(cond)
	if len(found) > 0 || len(in.R.Types.Errs) > n {
		in.R.Types.Undo(n, broken)
		return false
	}
	return err == nil && !v.IsTrue()
}

// asserts reports the static_asserts of a kernel's body that fail: those
// that stand in the body itself and use none of its variables. Of others the
// check of bodies reports.
func (r kernelReader) asserts() {
	k := r.k
	if k.Decl.Open < 0 {
		return
	}
	body := r.in.R.Source.Tokens[:k.Decl.Close]
	depth := 0
	for i := k.Decl.Open + 1; i < k.Decl.Close; i++ {
		switch t := &body[i]; {
		case t.Is("{") || t.Is("("):
			depth++
		case t.Is("}") || t.Is(")"):
			depth--
		case depth == 0 && isStaticAssert(t) && (body[i-1].Is("{") || body[i-1].Is("}") || body[i-1].Is(";")):
			cond := assertion(body[i:])
			if cond == nil || usesVariables(k, cond, body[k.Decl.From:i]) {
				continue
			}
			if assertionFails(r.in, cond) {
				r.in.Errs.Add(t.Pos, "static_assert fails in kernel %s", k.Name)
			}
		}
	}
}

// usesVariables reports whether a condition may use what the kernel declares before
// it: a name that stands where a declarator would.
func usesVariables(k *kernel, cond *parser.Tokens, before []parser.Token) bool {
	head := k.Decl.Open - k.Decl.From
	return slices.ContainsFunc(cond.List, func(c parser.Token) bool {
		if c.Kind != parser.Ident {
			return false
		}
		for _, param := range k.syntax.Params {
			if d := param.Declarator; d != nil && resolve.DeclaredName(d) == c.Text {
				return true
			}
		}
		for i := head + 1; i+1 < len(before); i++ {
			if before[i].Text != c.Text {
				continue
			}
			last, next := &before[i-1], &before[i+1]
			if last.Is("using") || next.Is("=") || next.Is(";") || next.Is("[") || next.Is("{") ||
				(last.Kind == parser.Ident && !resolve.Spaces[last.Text] && !qualifierWords[last.Text]) {
				return true
			}
		}
		return false
	})
}

var qualifierWords = map[string]bool{"const": true, "constexpr": true, "static": true, "return": true, "volatile": true}
