package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// userOperator checks an operator on an object or an enum, as
// a call of `operator op` of the source (C++14 13.5). ok is false where there is none
// that takes the operands.
func (oper operation) userOperator(operands []tree.Expr) (x tree.Expr, ok bool) {
	overloadable := func(a tree.Expr) bool {
		return a != nil && (a.Type().Kind == tree.StructType || a.Type().Kind == tree.EnumType)
	}
	if !slices.ContainsFunc(operands, overloadable) {
		return nil, false
	}
	if slices.Contains(operands, nil) {
		return nil, true
	}
	name := "operator" + oper.op
	var members []*resolve.Function
	var object tree.Expr
	if t := operands[0].Type(); t.Kind == tree.StructType {
		if found, owner := oper.c.r.Methods(oper.c.facts.Class(t.Struct), name); owner != nil {
			object = oper.c.baseOf(operands[0], owner.Struct, oper.pos)
			members, _ = functionsFor(oper.c, found, nil, operands[1:])
		}
	}
	free := callees(oper.c, []string{name})
	addOperators(oper.c, &free, operands, name)
	functions, _ := functionsFor(oper.c, free, nil, operands)

	viable, _ := candidates(oper.c, members, object, operands[1:])
	inMembers := len(viable)
	others, _ := candidates(oper.c, functions, nil, operands)
	viable = append(viable, others...)
	if inMembers > 0 && len(others) > 0 {
		// a member's ranks lack nothing: its object comes first
		viable = sameLength(viable)
	}
	top := best(viable)
	if len(top) == 0 {
		return nil, false
	}
	if len(top) > 1 {
		return oper.c.fail(oper.pos, "operator %s is ambiguous: the functions at %s and %s take %s equally well",
			oper.op, resolve.PosText(top[0].f.Fn.Pos), resolve.PosText(top[1].f.Fn.Pos), types.TypeList(operands)), true
	}
	if slices.Contains(members, top[0].f) {
		x, _ = oper.c.userCall(oper.pos, name, object, operands[1:]).of([]*resolve.Function{top[0].f})
	} else {
		x, _ = oper.c.userCall(oper.pos, name, nil, operands).of([]*resolve.Function{top[0].f})
	}
	return x, true
}

// sameLength drops candidates that were ranked for fewer operands.
func sameLength(list []candidate) []candidate {
	n := 0
	for _, k := range list {
		n = max(n, len(k.ranks))
	}
	return slices.DeleteFunc(list, func(k candidate) bool { return len(k.ranks) < n })
}

// addOperators adds the functions of a name in the namespaces of the operands' types
// (C++14 3.4.2).
func addOperators(c *checker, found *resolve.Callee, operands []tree.Expr, name string) {
	there := *c
	if c.instance {
		there.from = len(c.r.Source.Tokens)
	}
	for _, x := range operands {
		if x == nil {
			continue
		}
		t := x.Type()
		for t.Kind == tree.Pointer || t.Kind == tree.Array {
			t = t.Elem
		}
		if t.Kind == tree.EnumType {
			path := strings.Split(t.Enum.Name, "::")
			found.Add(calleesIn(&there, resolve.Qualify(path[:len(path)-1], name)))
		}
		if t.Kind != tree.StructType {
			continue
		}
		for st := range resolve.BasesFirst(t.Struct) {
			found.Add(c.r.FriendsIn(c.facts.Class(st), name))
		}
		own := c.facts.Class(t.Struct)
		if len(own.Namespace) == 0 {
			continue // of the library, or of a body
		}
		outer := own.Namespace[:len(own.Namespace)-1]
		if own.Instance != nil {
			outer = own.Instance.Template.Namespace
		}
		found.Add(calleesIn(&there, resolve.Qualify(outer, name)))
	}
}

// callObject checks x(args) where x is an object: its operator(), or a lambda.
func callObject(c *checker, e *parser.CallExpr, x tree.Expr) tree.Expr {
	args, ok := c.exprs(e.Args)
	if x == nil || !ok {
		return nil
	}
	t := x.Type()
	if t.Kind != tree.StructType {
		return c.fail(e.Pos, "%s cannot be called", t.Spelled())
	}
	st := c.facts.Class(t.Struct)
	if st.Lambda != nil {
		call := callLambda(c, e, st.Lambda, args)
		if made, ok := x.(*tree.Comma); ok && call != nil { // it is called where it stands
			return &tree.Comma{Node: tree.At(e.Pos, call.Type()), X: made.X, Y: call}
		}
		return call
	}
	return callMethod(c, e, x, st, "operator()", nil, args)
}
