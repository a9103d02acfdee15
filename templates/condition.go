package templates

import "github.com/metalgen/metalgen/internal/binding"

// condition returns c in Go, with path before the names of the constants. One that may
// have no value is a pointer, and switches nothing on where it has none.
func condition(c *binding.Condition, path string) string { return conditionIn(c, path, 0) }

func conditionIn(c *binding.Condition, path string, outer int) string {
	in := func(x *binding.Condition, outer int) string { return conditionIn(x, path, outer) }
	field := ""
	if c.Constant != nil {
		field = path + c.Constant.Go
	}
	switch c.Op {
	case binding.IfNever:
		return "false"
	case binding.IfTrue:
		if !c.Constant.Optional {
			return field
		}
		return binding.Parens(field+" != nil && *"+field, binding.PrecAnd, outer)
	case binding.IfDefined:
		return binding.Parens(field+" != nil", binding.PrecAnd, outer)
	case binding.IfOrElse:
		if c.X.Op == binding.IfAlways {
			return binding.Parens(field+" == nil || *"+field, binding.PrecOr, outer)
		}
		return binding.Parens(field+" != nil && *"+field, binding.PrecAnd, outer)
	case binding.IfNot:
		return "!" + in(c.X, binding.PrecUnary)
	case binding.IfAnd:
		return binding.Parens(in(c.X, binding.PrecAnd)+" && "+in(c.Y, binding.PrecAnd), binding.PrecAnd, outer)
	case binding.IfOr:
		return binding.Parens(in(c.X, binding.PrecOr)+" || "+in(c.Y, binding.PrecOr), binding.PrecOr, outer)
	}
	return "true"
}
