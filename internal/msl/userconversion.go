package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// userConversion finds how an object becomes another type, or a value becomes an
// object: by a conversion operator or a constructor (C++14 12.3). The result
// makes the call. It is nil where there is no way.
func (c *checker) userConversion(x tree.Expr, to *tree.Type, implicit bool) func() tree.Expr {
	if c.converting {
		return nil // one such conversion is all that the language makes
	}
	c.converting = true
	defer func() { c.converting = false }()
	if x.Type().Kind == tree.StructType {
		if to.Kind == tree.StructType && basePath(x.Type().Struct, to.Struct) != nil {
			return func() tree.Expr { return c.baseOf(x, to.Struct, x.Position()) }
		}
		if call := c.conversionOperator(x, to, implicit); call != nil {
			return call
		}
	}
	if to.Kind == tree.StructType && !same(x.Type(), to) {
		return c.convertingConstructor(x, to, implicit)
	}
	return nil
}

// conversionOperator finds `operator T()` of an object. One that gives the very
// type is better than one whose result has to be converted.
func (c *checker) conversionOperator(x tree.Expr, to *tree.Type, implicit bool) func() tree.Expr {
	var found *function
	var foundRank rank = impossible
	for base := range basesFirst(x.Type().Struct) {
		st := c.facts.class(base)
		if st.syntax == nil {
			continue
		}
		for _, name := range st.conversions() {
			methods := c.methodsIn(st, name)
			list := slices.Clone(methods.functions)
			for _, t := range methods.templates {
				if f := c.conversionInstance(t, to); f != nil {
					list = append(list, f)
				}
			}
			for _, f := range list {
				if !c.signatureOf(f) || implicit && hasWord(f.syntax.Result, "explicit") {
					continue
				}
				result := f.fn.Result
				r := impossible
				switch {
				case same(result, to):
					r = exact
				case arithmetic(result) && (arithmetic(to) || isVector(to)):
					r = conversion
				}
				if r == impossible || rankRef(c, f.fn.Params[0], c.baseOf(x, st.Struct, x.Position())) == impossible {
					continue
				}
				if found == nil || r < foundRank || r == foundRank && found.template != nil && f.template == nil {
					found, foundRank = f, r
				}
			}
		}
	}
	if found == nil {
		return nil
	}
	return func() tree.Expr {
		object := c.baseOf(x, found.method.Struct, x.Position())
		y, _ := c.callOf(x.Position(), "the conversion", object, []*function{found}, nil)
		if y == nil {
			return nil
		}
		return c.implicit(y, to)
	}
}

// conversions lists the names of a struct's conversion operators, each once.
func (s *class) conversions() []string {
	var names []string
	for _, m := range s.syntax.Members {
		if m.Decl == nil {
			continue
		}
		name := m.Decl.Helper
		if m.Decl.Template != nil {
			name = m.Decl.Template.Name
		}
		if rest, ok := strings.CutPrefix(name, "operator "); ok && rest != "new" && rest != "delete" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// conversionInstance is the instance of `template <typename T> operator T()` for
// a type, or nil.
func (c *checker) conversionInstance(t *template, to *tree.Type) *function {
	syntax, err := t.function(c.resolver)
	if err != nil {
		return nil
	}
	d := newDeduction(c.resolver, t)
	if target, err := c.typeSyntax(t.conversionTarget(c.resolver)); err == nil {
		d.typ(target.Type, target.Pointers, target.Dims, to)
	}
	args, own, err := c.at(t.namespace).arguments(t, nil, d.found)
	if err != nil {
		return nil
	}
	return c.functionInstance(t, args, own, syntax)
}

// conversionTarget is the type behind the word operator.
func (t *template) conversionTarget(r *resolver) []parser.Token {
	tokens := r.source.Tokens[t.decl.From:t.decl.To]
	for i := range tokens {
		if tokens[i].Is("operator") {
			for j := i + 1; j < len(tokens); j++ {
				if tokens[j].Is("(") {
					return tokens[i+1 : j]
				}
			}
		}
	}
	return nil
}

// convertingConstructor finds the constructor that makes an object of one value.
func (c *checker) convertingConstructor(x tree.Expr, to *tree.Type, implicit bool) func() tree.Expr {
	args := []tree.Expr{x}
	list, _ := c.constructorsFor(to, args)
	list = slices.DeleteFunc(list, func(f *function) bool {
		return !c.signatureOf(f) || implicit && hasWord(f.syntax.Result, "explicit") ||
			len(f.fn.Params) > 0 && same(f.fn.Params[0].Type, to)
	})
	viable, _ := c.candidates(list, nil, args)
	if len(best(viable)) != 1 {
		return nil
	}
	return func() tree.Expr {
		y, _ := c.callOf(x.Position(), c.facts.class(to.Struct).plainName(), nil, list, args)
		return y
	}
}

// plain is an object as the number or pointer that its one conversion operator
// gives, for the operators of the language; other values as they are.
func (c *checker) plain(x tree.Expr) tree.Expr {
	if x == nil || x.Type().Kind != tree.StructType {
		return x
	}
	var found *function
	for base := range basesFirst(x.Type().Struct) {
		st := c.facts.class(base)
		if st.syntax == nil {
			continue
		}
		for _, name := range st.conversions() {
			for _, f := range c.methodsIn(st, name).functions {
				if !c.signatureOf(f) || hasWord(f.syntax.Result, "explicit") || rankRef(c, f.fn.Params[0], c.baseOf(x, st.Struct, x.Position())) == impossible {
					continue
				}
				if found != nil {
					return x
				}
				found = f
			}
		}
	}
	if found == nil {
		return x
	}
	y, _ := c.callOf(x.Position(), "the conversion", c.baseOf(x, found.method.Struct, x.Position()), []*function{found}, nil)
	return y
}
