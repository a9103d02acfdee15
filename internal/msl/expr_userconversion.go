package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
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
	var found *resolve.Function
	var foundRank types.Rank = types.Impossible
	for base := range resolve.BasesFirst(conv.x.Type().Struct) {
		st := conv.c.facts.Class(base)
		if st.Syntax == nil {
			continue
		}
		for _, name := range st.Conversions() {
			methods := conv.c.r.MethodsIn(st, name)
			list := slices.Clone(methods.Functions)
			for _, t := range methods.Templates {
				if f := conversionInstance(conv.c, t, conv.to); f != nil {
					list = append(list, f)
				}
			}
			for _, f := range list {
				if !signatureOf(conv.c.r, f) || implicit && hasWord(f.Syntax.Result, "explicit") {
					continue
				}
				result := f.Fn.Result
				r := types.Impossible
				switch {
				case types.Same(result, conv.to):
					r = types.Exact
				case types.Arithmetic(result) && types.Arithmetic(conv.to):
					r = types.RankScalar(result, conv.to)
				case types.Arithmetic(result) && types.IsVector(conv.to):
					r = types.Conversion
				}
				if r == types.Impossible || rankRef(conv.c, f.Fn.Params[0], conv.c.baseOf(conv.x, st.Struct,
					conv.x.Position())) ==
					types.Impossible {
					continue
				}
				if found == nil || r < foundRank || r == foundRank && found.Template != nil && f.Template == nil {
					found, foundRank = f, r
				}
			}
		}
	}
	if found == nil {
		return nil
	}
	return func() tree.Expr {
		object := conv.c.baseOf(conv.x, found.Method.Struct, conv.x.Position())
		y, _ := conv.c.userCall(conv.x.Position(), "the conversion", object, nil).of([]*resolve.Function{found})
		if y == nil {
			return nil
		}
		return conv.c.implicit(y, conv.to)
	}
}

// conversionInstance is the instance of `template <typename T> operator T()` for
// a type, or nil.
func conversionInstance(c *checker, t *resolve.Template, to *tree.Type) *resolve.Function {
	syntax, err := t.Function(c.r)
	if err != nil {
		return nil
	}
	d := resolve.NewDeduction(c.r, t)
	if target, err := c.r.Syntax.Type(t.ConversionTarget(c.r)); err == nil {
		d.Type(target.Type, target.Pointers, target.Dims, to)
	}
	args, own, err := c.in.At(t.Namespace).Arguments(t, nil, d.Found)
	if err != nil {
		return nil
	}
	return functionInstance(c.r, t, args, own, syntax)
}

// convertingConstructor finds the constructor that makes an object of one value.
func (conv converter) convertingConstructor(implicit bool) func() tree.Expr {
	args := []tree.Expr{conv.x}
	list, _ := constructorsFor(conv.c, conv.to, args)
	list = slices.DeleteFunc(list, func(f *resolve.Function) bool {
		return !signatureOf(conv.c.r, f) || implicit && hasWord(f.Syntax.Result, "explicit") ||
			len(f.Fn.Params) > 0 && types.Same(f.Fn.Params[0].Type, conv.to)
	})
	viable, _ := candidates(conv.c, list, nil, args)
	if len(best(viable)) != 1 {
		return nil
	}
	return func() tree.Expr {
		y, _ := conv.c.userCall(conv.x.Position(), conv.c.facts.Class(conv.to.Struct).PlainName(), nil, args).of(list)
		return y
	}
}

// plain is an object as the number or pointer that its one conversion operator
// returns, for the operators of the language; other values as they are.
func (c *checker) plain(x tree.Expr) tree.Expr {
	if x == nil || x.Type().Kind != tree.StructType {
		return x
	}
	var found *resolve.Function
	for base := range resolve.BasesFirst(x.Type().Struct) {
		st := c.facts.Class(base)
		if st.Syntax == nil {
			continue
		}
		for _, name := range st.Conversions() {
			for _, f := range c.r.MethodsIn(st, name).Functions {
				if !signatureOf(c.r, f) || hasWord(f.Syntax.Result, "explicit") ||
					rankRef(c, f.Fn.Params[0], c.baseOf(x, st.Struct, x.Position())) == types.Impossible {
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
	object := c.baseOf(x, found.Method.Struct, x.Position())
	y, _ := c.userCall(x.Position(), "the conversion", object, nil).of([]*resolve.Function{found})
	return y
}
