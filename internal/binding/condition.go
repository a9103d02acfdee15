package binding

// Precedences of conditions, in MSL and in Go.
const (
	PrecOr = iota + 1
	PrecAnd
	PrecUnary
)

// String is the condition about as the source writes it.
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

// Parens puts text of a precedence into parentheses where it is part of an operation
// that binds tighter.
func Parens(text string, prec, outer int) string {
	if prec < outer {
		return "(" + text + ")"
	}
	return text
}

// Eval computes the condition. value gives a constant, and false for one that has
// no value.
func (c *Condition) Eval(value func(*Constant) (v, defined bool)) bool {
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

// folded is the condition without operands that are known.
func (c *Condition) folded() *Condition {
	switch {
	case c.Op == IfNot && c.X.Op == IfAlways:
		return &Condition{Op: IfNever}
	case c.Op == IfNot && c.X.Op == IfNever:
		return &Condition{Op: IfAlways}
	case c.Op == IfAnd && (c.X.Op == IfNever || c.Y.Op == IfAlways), c.Op == IfOr && (c.X.Op == IfAlways || c.Y.Op == IfNever):
		return c.X
	case c.Op == IfAnd && (c.Y.Op == IfNever || c.X.Op == IfAlways), c.Op == IfOr && (c.Y.Op == IfAlways || c.X.Op == IfNever):
		return c.Y
	}
	return c
}
