package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// callInternal checks a call of __metal_name. What metalgen knows of it is what Metal's
// public functions say, so an error need not be one.
func callInternal(c *checker, f *library.Function, name *parser.Name, args []tree.Expr) tree.Expr {
	n := len(*c.in.Errs)
	x := callBuiltin(c, f, name, args)
	for _, e := range (*c.in.Errs)[n:] {
		e.Unsupported = true
	}
	return x
}

// mathMode takes the mode off the arguments of __metal_name.
func mathMode(f *library.Function, args []tree.Expr) (rest []tree.Expr, fast, precise bool) {
	if f.Signature == nil || len(args) != len(f.Signature.Params)+1 {
		return args, false, false
	}
	last := len(args) - 1
	mode, ok := args[last].(*tree.Const)
	if !ok {
		return args, false, false
	}
	return args[:last], mode.Value.Bits == 1, mode.Value.Bits == 0
}

// callBuiltin checks a call of the library.
func callBuiltin(c *checker, f *library.Function, name *parser.Name, args []tree.Expr) tree.Expr {
	if check := specialChecks[f.Name]; check != nil {
		return check(c, f, name.Pos, args)
	}
	b := &tree.Builtin{Node: tree.At(name.Pos, nil), Name: f.Name, Fast: slices.Contains(name.Path, "fast"),
		Precise: slices.Contains(name.Path, "precise")}
	sig := f.Signature
	if last := name.Path[len(name.Path)-1]; last != f.Name {
		args, b.Fast, b.Precise = mathMode(f, args)
	}
	least := len(sig.Params)
	for least > 0 && sig.Params[least-1].Def != "" {
		least--
	}
	if len(args) < least || len(args) > len(sig.Params) {
		return c.fail(name.Pos, "%s takes %s, these are %d", f.Name, library.Arity(least, len(sig.Params)), len(args))
	}
	t, ok := sig.Settle(args)
	if !ok {
		return c.fail(name.Pos, "%s does not take %s", f.Name, types.TypeList(args))
	}
	if !b.Fast && !b.Precise && sig.Ambiguous(args) { // those are for float alone
		return c.fail(name.Pos, "the call of %s is ambiguous: several of its overloads take %s equally well", f.Name,
			types.TypeList(args))
	}
	for i, p := range sig.Params {
		want := library.Settled(p.Type, t)
		switch {
		case i >= len(args):
			n, _, _, _ := parser.Integer(p.Def)
			b.Args = append(b.Args, &tree.Const{Node: tree.At(name.Pos, want), Value: tree.IntValue(want.Scalar, n)})
			continue
		case p.Ref:
			a := c.bind(&tree.Var{Type: want, Space: "thread", Ref: true}, args[i])
			if a == nil {
				return nil
			}
			b.Args = append(b.Args, a)
			continue
		}
		a := c.implicit(args[i], want)
		if a == nil {
			return nil
		}
		b.Args = append(b.Args, a)
	}
	b.Typ = library.Settled(sig.Result, t)
	return b
}

// libraryRanks ranks the conversions of arguments, as those of the source's functions
// are; nil where the function does not take them.
func libraryRanks(f *library.Function, c *checker, args []tree.Expr) []types.Rank {
	if f.Signature == nil || len(args) > len(f.Signature.Params) {
		return nil
	}
	for _, a := range args {
		if a == nil || a.Type() == bracesType {
			return nil
		}
	}
	t, ok := f.Signature.Settle(args)
	if !ok {
		return nil
	}
	ranks := []types.Rank{}
	for i, p := range f.Signature.Params {
		if i >= len(args) {
			if p.Def == "" {
				return nil
			}
			continue
		}
		want := library.Settled(p.Type, t)
		r := types.Impossible
		if p.Ref {
			r = rankRef(c, &tree.Var{Type: want, Space: "thread", Ref: true}, args[i])
		} else if want != nil {
			r = c.rankOf(args[i], want)
		}
		if r == types.Impossible {
			return nil
		}
		ranks = append(ranks, r)
	}
	return ranks
}

// sourceLimit checks numeric_limits<T>::max() of a T for which the source has its
// own, be it of the template or of what the library's derives from.
func (call namedCall) sourceLimit() (tree.Expr, bool) {
	for _, of := range []string{"numeric_limits", "_numeric_limits_impl"} {
		if call.c.in.ClassNamed([]string{of}) == nil {
			continue
		}
		limits := *call.name
		limits.Path = []string{of}
		if x, ok := (namedCall{call.c, call.e, &limits}).callScoped(); ok {
			return x, true
		}
	}
	return nil, false
}
