package msl

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// bracedList checks { ... } as an initializer_list: it refers to an array of the values,
// which lives as long as the statement around it (C++14 8.5.4).
func bracedList(c *checker, t *tree.Type, list *parser.InitList) tree.Expr {
	elem := c.facts.Listed(t)
	whole := &tree.Construct{Node: tree.At(list.Pos, tree.ArrayOf(elem, len(list.Elems)))}
	args, ok := c.exprs(list.Elems)
	if !ok || !isWide(c, args, elem) {
		return nil
	}
	for _, x := range args {
		if x = c.implicit(x, elem); x == nil {
			return nil
		}
		whole.Args = append(whole.Args, x)
	}
	made := &tree.Construct{Node: tree.At(list.Pos, t)}
	if len(list.Elems) == 0 {
		return made
	}
	set, array := kept(c, whole)
	if set == nil {
		return nil
	}
	made.Args = []tree.Expr{c.decay(array), arraySize(c, array, list.Pos)}
	return &tree.Comma{Node: made.Node, X: set, Y: made}
}

// kept keeps a value in a variable of the statement around it: set is what does.
func kept(c *checker, x tree.Expr) (set, place tree.Expr) {
	pos := x.Position()
	if c.before == nil {
		return c.unsupported(pos, "an initializer_list outside of a body is not supported yet"), nil
	}
	v := &tree.Var{Name: "<kept>", Type: x.Type(), Pos: pos, Space: "thread"}
	*c.before = append(*c.before, &tree.DeclStmt{Var: v, Pos: pos})
	at := func() tree.Expr { return &tree.VarRef{Node: tree.At(pos, v.Type), Var: v} }
	return &tree.Assign{Node: tree.At(pos, v.Type), L: at(), R: x}, at()
}

// rankList is the rank of braces as an initializer_list: that of the value which needs
// most (C++14 13.3.3.1.5).
func rankList(c *checker, x *bracedArg, elem *tree.Type) types.Rank {
	args, ok := c.exprs(x.list.Elems)
	if !ok {
		return types.Impossible
	}
	worst := types.Exact
	for _, a := range args {
		worst = max(worst, c.rankOf(a, elem))
	}
	return worst
}

// takesList is the call of a constructor that takes braces as a whole, which goes before
// all others (C++14 13.3.1.7), or nil where there is none.
func (made construction) takesList(list *parser.InitList) (x tree.Expr, done bool) {
	args := []tree.Expr{&bracedArg{tree.At(list.Pos, bracesType), list}}
	all, _ := constructorsFor(made.c, made.t, args)
	var those []*resolve.Function
	for _, f := range all {
		if signatureOf(made.c.r, f) && len(f.Fn.Params) > 0 && made.c.facts.Listed(f.Fn.Params[0].Type) != nil &&
			(len(list.Elems) > 0 || !made.madeOfNothing()) {
			those = append(those, f)
		}
	}
	if len(those) == 0 {
		return nil, false
	}
	return made.c.userCall(made.pos, made.c.facts.Class(made.t.Struct).PlainName(), nil, args).of(those)
}

// madeOfNothing reports whether the type has a constructor without parameters.
func (made construction) madeOfNothing() bool {
	for _, f := range made.c.r.Constructors(made.c.facts.Class(made.t.Struct)).Functions {
		if len(f.Syntax.Params) == 0 {
			return true
		}
	}
	return false
}

// deduceList matches the values of braces with what a parameter says of the type of an
// initializer_list's (C++14 14.8.2.1).
func deduceList(c *checker, d *resolve.Deduction, param *parser.Param, x *bracedArg) bool {
	t := param.Type
	if t.Args == nil || len(t.Args.Args) != 1 || t.Path[len(t.Path)-1] != library.ListName {
		return true // nothing is deduced
	}
	trial := c.trial()
	args, ok := trial.exprs(x.list.Elems)
	for _, a := range args {
		ok = ok && (a.Type() == bracesType || d.Argument(t.Args.Args[0], resolve.TypeArg(types.Decayed(a))))
	}
	return ok
}

// listMethods are the methods of initializer_list (C++14 18.9).
var listMethods = map[string]func(x tree.Expr, pos parser.Pos) tree.Expr{
	"begin": listFirst,
	"size":  listSize,
	"end": func(x tree.Expr, pos parser.Pos) tree.Expr {
		first := listFirst(x, pos)
		return &tree.PointerAdd{Node: tree.At(pos, first.Type()), X: first, I: listSize(x, pos)}
	},
}

func listFirst(x tree.Expr, pos parser.Pos) tree.Expr { return fieldAt(x, 0, pos) }

func listSize(x tree.Expr, pos parser.Pos) tree.Expr { return fieldAt(x, 1, pos) }

func fieldAt(x tree.Expr, i int, pos parser.Pos) tree.Expr {
	f := x.Type().Struct.Fields[i]
	return &tree.FieldOf{Node: tree.At(pos, f.Type), X: x, Field: f}
}

// callList checks a call of a method of an initializer_list.
func callList(c *checker, x tree.Expr, m *parser.MemberExpr, args []tree.Expr) tree.Expr {
	method := listMethods[m.Name]
	if method == nil || len(args) > 0 {
		return c.fail(m.Pos, "%s has no method %s that takes %s", x.Type().Spelled(), m.Name, types.TypeList(args))
	}
	if _, _, ok := types.PlaceOf(x); ok {
		return method(x, m.Pos)
	}
	set, place := kept(c, x)
	if set == nil {
		return nil
	}
	y := method(place, m.Pos)
	return &tree.Comma{Node: tree.At(m.Pos, y.Type()), X: set, Y: y}
}
