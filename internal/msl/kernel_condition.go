package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// maxCondition bounds how far constants are followed that are made of others.
const maxCondition = 32

// existsIf reads the name in [[function_constant(name)]]: a bool function
// constant, or a constant computed from such. It is nil for what is not understood.
func existsIf(in resolve.Env, tokens *parser.Tokens) *tree.Condition {
	e, err := in.R.Source.ParseExpr(tokens.List, in.IsTypePath)
	if err != nil {
		return nil
	}
	return newConditionReader(in, maxCondition).conditionOf(e)
}

// conditionReader reads conditions, so many constants deep.
type conditionReader struct {
	in    resolve.Env
	depth int
}

func newConditionReader(in resolve.Env, depth int) conditionReader { return conditionReader{in, depth} }

func (r conditionReader) conditionOf(e parser.Expr) *tree.Condition {
	if r.depth == 0 {
		return nil
	}
	of := func(e parser.Expr) *tree.Condition { return newConditionReader(r.in, r.depth-1).conditionOf(e) }
	switch e := e.(type) {
	case *parser.Name:
		return r.namedCondition(e)
	case *parser.Unary:
		if x := of(e.X); e.Op == "!" && x != nil {
			return &tree.Condition{Op: tree.IfNot, X: x}
		}
	case *parser.Binary:
		op := map[string]tree.ConditionOp{"&&": tree.IfAnd, "||": tree.IfOr}[e.Op]
		if x, y := of(e.X), of(e.Y); op != 0 && x != nil && y != nil {
			return &tree.Condition{Op: op, X: x, Y: y}
		}
	case *parser.CallExpr:
		if name, ok := e.Func.(*parser.Name); ok && len(e.Args) == 1 &&
			resolve.Unqualified(resolve.NameText(name)) == "is_function_constant_defined" {
			if x := of(e.Args[0]); x != nil && x.Constant != nil {
				return &tree.Condition{Op: tree.IfDefined, Constant: x.Constant}
			}
			if c := constantNamed(r.in, e.Args[0]); c != nil {
				return &tree.Condition{Op: tree.IfDefined, Constant: c}
			}
		}
	case *parser.Conditional:
		return choice(of(e.Cond), of(e.Then), of(e.Else))
	}
	return nil
}

// choice is cond ? then : other.
func choice(cond, then, other *tree.Condition) *tree.Condition {
	if cond == nil || then == nil || other == nil {
		return nil
	}
	if cond.Op == tree.IfDefined && then.Op == tree.IfTrue && then.Constant == cond.Constant && other.Op <= tree.IfNever {
		return &tree.Condition{Op: tree.IfOrElse, Constant: cond.Constant, X: other}
	}
	not := &tree.Condition{Op: tree.IfNot, X: cond}
	return &tree.Condition{
		Op: tree.IfOr,
		X:  &tree.Condition{Op: tree.IfAnd, X: cond, Y: then},
		Y:  &tree.Condition{Op: tree.IfAnd, X: not, Y: other},
	}
}

func (r conditionReader) namedCondition(e *parser.Name) *tree.Condition {
	switch resolve.NameText(e) {
	case "true":
		return &tree.Condition{Op: tree.IfAlways}
	case "false":
		return &tree.Condition{Op: tree.IfNever}
	}
	if c := constantNamed(r.in, e); c != nil {
		if c.Type.Kind != tree.Scalar || c.Type.Scalar != tree.Bool {
			return nil
		}
		return &tree.Condition{Op: tree.IfTrue, Constant: c}
	}
	s := r.in.Lookup(e.Path)
	if s == nil || s.Variable == nil || s.Variable.Value == nil {
		return nil
	}
	x, err := r.in.R.Source.ParseExpr(s.Variable.Value.List, r.in.From(s.Namespace).IsTypePath)
	if err != nil {
		return nil
	}
	return newConditionReader(r.in.From(s.Namespace), r.depth-1).conditionOf(x)
}

// constantNamed is the function constant that a name names, or nil.
func constantNamed(in resolve.Env, e parser.Expr) *tree.FunctionConstant {
	name, ok := e.(*parser.Name)
	if !ok {
		return nil
	}
	s := in.Lookup(name.Path)
	for _, c := range in.R.Constants {
		if s != nil && c.Name == s.Name {
			return c
		}
	}
	return nil
}
