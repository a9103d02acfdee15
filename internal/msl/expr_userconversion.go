package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// userConversion finds how an object becomes another type, or a value becomes an
// object: by a conversion operator or a constructor (C++14 12.3). The result
// makes the call. It is nil where there is no way.
func (conv converter) userConversion(implicit bool) func() tree.Expr {
	if conv.c.converting {
		return nil // one such conversion is all that the language makes
	}
	conv.c.converting = true
	defer func() { conv.c.converting = false }()
	if conv.x.Type().Kind == tree.StructType {
		if conv.to.Kind == tree.StructType && types.BasePath(conv.x.Type().Struct, conv.to.Struct) != nil {
			return func() tree.Expr { return conv.c.baseOf(conv.x, conv.to.Struct, conv.x.Position()) }
		}
		if call := conv.conversionOperator(implicit); call != nil {
			return call
		}
	}
	if conv.to.Kind == tree.StructType && !types.Same(conv.x.Type(), conv.to) {
		return conv.convertingConstructor(implicit)
	}
	return nil
}

// conversionOperator finds `operator T()` of an object. One that returns the very
// type is better than one whose result has to be converted.
func (conv converter) conversionOperator(implicit bool) func() tree.Expr {
	var found *function
	var foundRank types.Rank = types.Impossible
	for base := range basesFirst(conv.x.Type().Struct) {
		st := conv.c.facts.class(base)
		if st.syntax == nil {
			continue
		}
		for _, name := range st.conversions() {
			methods := conv.c.r.methodsIn(st, name)
			list := slices.Clone(methods.functions)
			for _, t := range methods.templates {
				if f := conversionInstance(conv.c, t, conv.to); f != nil {
					list = append(list, f)
				}
			}
			for _, f := range list {
				if !conv.c.r.signatureOf(f) || implicit && hasWord(f.syntax.Result, "explicit") {
					continue
				}
				result := f.fn.Result
				r := types.Impossible
				switch {
				case types.Same(result, conv.to):
					r = types.Exact
				case types.Arithmetic(result) && types.Arithmetic(conv.to):
					r = types.RankScalar(result, conv.to)
				case types.Arithmetic(result) && types.IsVector(conv.to):
					r = types.Conversion
				}
				if r == types.Impossible || rankRef(conv.c, f.fn.Params[0], conv.c.baseOf(conv.x, st.Struct,
					conv.x.Position())) ==
					types.Impossible {
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
		object := conv.c.baseOf(conv.x, found.method.Struct, conv.x.Position())
		y, _ := conv.c.userCall(conv.x.Position(), "the conversion", object, nil).of([]*function{found})
		if y == nil {
			return nil
		}
		return conv.c.implicit(y, conv.to)
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
		if rest, ok := strings.CutPrefix(name, "operator "); ok && rest != "new" && rest != "delete" &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// conversionInstance is the instance of `template <typename T> operator T()` for
// a type, or nil.
func conversionInstance(c *checker, t *template, to *tree.Type) *function {
	syntax, err := t.function(c.r)
	if err != nil {
		return nil
	}
	d := newDeduction(c.r, t)
	if target, err := c.r.syntax.typ(t.conversionTarget(c.r)); err == nil {
		d.typ(target.Type, target.Pointers, target.Dims, to)
	}
	args, own, err := c.in.at(t.namespace).arguments(t, nil, d.found)
	if err != nil {
		return nil
	}
	return c.r.functionInstance(t, args, own, syntax)
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
func (conv converter) convertingConstructor(implicit bool) func() tree.Expr {
	args := []tree.Expr{conv.x}
	list, _ := constructorsFor(conv.c, conv.to, args)
	list = slices.DeleteFunc(list, func(f *function) bool {
		return !conv.c.r.signatureOf(f) || implicit && hasWord(f.syntax.Result, "explicit") ||
			len(f.fn.Params) > 0 && types.Same(f.fn.Params[0].Type, conv.to)
	})
	viable, _ := candidates(conv.c, list, nil, args)
	if len(best(viable)) != 1 {
		return nil
	}
	return func() tree.Expr {
		y, _ := conv.c.userCall(conv.x.Position(), conv.c.facts.class(conv.to.Struct).plainName(), nil, args).of(list)
		return y
	}
}

// plain is an object as the number or pointer that its one conversion operator
// returns, for the operators of the language; other values as they are.
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
			for _, f := range c.r.methodsIn(st, name).functions {
				if !c.r.signatureOf(f) || hasWord(f.syntax.Result, "explicit") ||
					rankRef(c, f.fn.Params[0], c.baseOf(x, st.Struct, x.Position())) == types.Impossible {
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
	object := c.baseOf(x, found.method.Struct, x.Position())
	y, _ := c.userCall(x.Position(), "the conversion", object, nil).of([]*function{found})
	return y
}
