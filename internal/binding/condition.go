package binding

import "github.com/metalgen/metalgen/internal/msl/tree"

// Condition is when an argument exists, in terms of function constants. For the operations see [tree.ConditionOp].
type Condition struct {
	Op       ConditionOp
	Constant *Arg
	X, Y     *Condition
}

// ConditionOp is what a Condition computes.
type ConditionOp = tree.ConditionOp

// The operations of conditions.
const (
	IfAlways  = tree.IfAlways
	IfNever   = tree.IfNever
	IfTrue    = tree.IfTrue
	IfDefined = tree.IfDefined
	IfOrElse  = tree.IfOrElse
	IfNot     = tree.IfNot
	IfAnd     = tree.IfAnd
	IfOr      = tree.IfOr
)

// condition returns c in terms of the constants of the model; nil where one of them was left out.
func (b *sourceBuilder) condition(c *tree.Condition) *Condition {
	if c == nil {
		return nil
	}
	out := &Condition{Op: c.Op, X: b.condition(c.X), Y: b.condition(c.Y)}
	if c.Constant != nil && b.source.Constants != nil {
		for _, known := range b.source.Constants.Fields {
			if known.Name == c.Constant.Name {
				out.Constant = known
			}
		}
	}
	if c.Constant != nil && out.Constant == nil || c.X != nil && out.X == nil || c.Y != nil && out.Y == nil {
		return nil
	}
	return out.folded()
}

// Precedences of conditions, in MSL and in Go.
const (
	PrecOr = iota + 1
	PrecAnd
	PrecUnary
)

// String returns the condition about as the source writes it.
func (c *Condition) String() string { return c.text(0) }

func (c *Condition) text(outer int) string {
	switch c.Op {
	case IfNever:
		return "false"
	case IfTrue, IfOrElse:
		return c.Constant.Name
	case IfDefined:
		return "is_function_constant_defined(" + c.Constant.Name + ")"
	case IfNot:
		return "!" + c.X.text(PrecUnary)
	case IfAnd:
		return Parens(c.X.text(PrecAnd)+" && "+c.Y.text(PrecAnd), PrecAnd, outer)
	case IfOr:
		return Parens(c.X.text(PrecOr)+" || "+c.Y.text(PrecOr), PrecOr, outer)
	}
	return "true"
}

// Eval computes the condition. value returns a constant, and false for one that has no value.
func (c *Condition) Eval(value func(*Arg) (v, defined bool)) bool {
	switch c.Op {
	case IfAlways:
		return true
	case IfTrue:
		v, defined := value(c.Constant)
		return defined && v
	case IfDefined:
		_, defined := value(c.Constant)
		return defined
	case IfOrElse:
		v, defined := value(c.Constant)
		return defined && v || !defined && c.X.Eval(value)
	case IfNot:
		return !c.X.Eval(value)
	case IfAnd:
		return c.X.Eval(value) && c.Y.Eval(value)
	case IfOr:
		return c.X.Eval(value) || c.Y.Eval(value)
	}
	return false
}

// folded returns the condition without operands that are known.
func (c *Condition) folded() *Condition {
	switch {
	case c.Op == IfNot && c.X.Op == IfAlways:
		return &Condition{Op: IfNever}
	case c.Op == IfNot && c.X.Op == IfNever:
		return &Condition{Op: IfAlways}
	case c.Op == IfAnd && (c.X.Op == IfNever || c.Y.Op == IfAlways),
		c.Op == IfOr && (c.X.Op == IfAlways || c.Y.Op == IfNever):
		return c.X
	case c.Op == IfAnd && (c.Y.Op == IfNever || c.X.Op == IfAlways),
		c.Op == IfOr && (c.Y.Op == IfAlways || c.X.Op == IfNever):
		return c.Y
	}
	return c
}
