package templates

import "github.com/metalgen/metalgen/internal/binding"

// conditionText writes conditions of arguments that function constants switch on.
type conditionText struct {
	// How a constant's value is written, and whether it has one.
	value, defined, undefined func(*binding.Constant) string
	// guarded is set where a value that is not there must not be read.
	guarded bool
}

var (
	// codeCondition is a condition in a generated function.
	codeCondition = goCondition("a.Constants.")
	// shownCondition is one in the comment of an Args struct.
	shownCondition = goCondition("Constants.")
	// sourceCondition is one in messages at run time, which use the names of the source.
	sourceCondition = conditionText{
		value:     func(c *binding.Constant) string { return c.Name },
		defined:   func(c *binding.Constant) string { return "is_function_constant_defined(" + c.Name + ")" },
		undefined: func(c *binding.Constant) string { return "!is_function_constant_defined(" + c.Name + ")" },
	}
)

func goCondition(path string) conditionText {
	return conditionText{
		guarded: true,
		value: func(c *binding.Constant) string {
			if c.Optional {
				return "*" + path + c.Go
			}
			return path + c.Go
		},
		defined: func(c *binding.Constant) string {
			if !c.Optional {
				return "true"
			}
			return path + c.Go + " != nil"
		},
		undefined: func(c *binding.Constant) string {
			if !c.Optional {
				return "false"
			}
			return path + c.Go + " == nil"
		},
	}
}

// Precedences, those of Go and MSL alike.
const (
	precOr = iota + 1
	precAnd
	precUnary
)

func (t conditionText) text(c *binding.Condition) string { return t.write(c, 0) }

func (t conditionText) write(c *binding.Condition, outer int) string {
	text, prec := "", precUnary
	switch c.Op {
	case binding.IfAlways:
		text = "true"
	case binding.IfNever:
		text = "false"
	case binding.IfTrue:
		text = t.value(c.Constant)
		if c.Constant.Optional && t.guarded { // one without a value switches nothing on
			text, prec = t.defined(c.Constant)+" && "+text, precAnd
		}
	case binding.IfDefined:
		text, prec = t.defined(c.Constant), precAnd
	case binding.IfOrElse:
		switch {
		case !t.guarded:
			text = t.value(c.Constant)
		case c.X.Op == binding.IfNever:
			text, prec = t.defined(c.Constant)+" && "+t.value(c.Constant), precAnd
		default:
			text, prec = t.undefined(c.Constant)+" || "+t.value(c.Constant), precOr
		}
	case binding.IfNot:
		text = "!" + t.write(c.X, precUnary)
	case binding.IfAnd:
		text, prec = t.write(c.X, precAnd)+" && "+t.write(c.Y, precAnd), precAnd
	case binding.IfOr:
		text, prec = t.write(c.X, precOr)+" || "+t.write(c.Y, precOr), precOr
	}
	if prec < outer {
		return "(" + text + ")"
	}
	return text
}
