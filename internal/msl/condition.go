package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// maxCondition bounds how far constants are followed that are made of others.
const maxCondition = 32

// condition reads the name in [[function_constant(name)]]: a bool function
// constant, or a constant computed from such. It is nil for what is not understood.
func (p *Program) condition(tokens *parser.Tokens, namespace []string) *tree.Condition {
	e, err := p.Tree.ParseExpr(tokens.List, func(path []string) bool { return p.isTypePath(path, namespace) })
	if err != nil {
		return nil
	}
	return p.conditionOf(e, namespace, maxCondition)
}

func (p *Program) conditionOf(e parser.Expr, namespace []string, depth int) *tree.Condition {
	if depth == 0 {
		return nil
	}
	of := func(e parser.Expr) *tree.Condition { return p.conditionOf(e, namespace, depth-1) }
	switch e := e.(type) {
	case *parser.Name:
		return p.namedCondition(e, namespace, depth)
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
		if name, ok := e.Func.(*parser.Name); ok && len(e.Args) == 1 && unqualified(nameText(name)) == "is_function_constant_defined" {
			if x := of(e.Args[0]); x != nil && x.Constant != nil {
				return &tree.Condition{Op: tree.IfDefined, Constant: x.Constant}
			}
			if c := p.constantNamed(e.Args[0], namespace); c != nil {
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
	return &tree.Condition{Op: tree.IfOr, X: &tree.Condition{Op: tree.IfAnd, X: cond, Y: then}, Y: &tree.Condition{Op: tree.IfAnd, X: &tree.Condition{Op: tree.IfNot, X: cond}, Y: other}}
}

func (p *Program) namedCondition(e *parser.Name, namespace []string, depth int) *tree.Condition {
	switch nameText(e) {
	case "true":
		return &tree.Condition{Op: tree.IfAlways}
	case "false":
		return &tree.Condition{Op: tree.IfNever}
	}
	if c := p.constantNamed(e, namespace); c != nil {
		if c.Type.Kind != tree.Scalar || c.Type.Scalar != tree.Bool {
			return nil
		}
		return &tree.Condition{Op: tree.IfTrue, Constant: c}
	}
	s := p.lookup(namespace, e.Path)
	if s == nil || s.variable == nil || s.variable.Value == nil {
		return nil
	}
	x, err := p.Tree.ParseExpr(s.variable.Value.List, func(path []string) bool { return p.isTypePath(path, s.namespace) })
	if err != nil {
		return nil
	}
	return p.conditionOf(x, s.namespace, depth-1)
}

// constantNamed is the function constant that a name names, or nil.
func (p *Program) constantNamed(e parser.Expr, namespace []string) *tree.FunctionConstant {
	name, ok := e.(*parser.Name)
	if !ok {
		return nil
	}
	s := p.lookup(namespace, name.Path)
	for _, c := range p.Constants {
		if s != nil && c.Name == s.name {
			return c
		}
	}
	return nil
}
