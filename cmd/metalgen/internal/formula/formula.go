// Package formula computes the expressions of shapes, grids and requirements, as generated code does.
package formula

import (
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime/bind"
)

// Numbers are what expressions are computed from. Each returns false for what is not known.
type Numbers interface {
	Leaf(l *binding.Leaf) (int, bool)
	TGSize() (int, bool) // the threads of a threadgroup
}

// operators are the functions that generated code calls wherever Go's own
// operators would not be exact; where they are, both compute the same.
var operators = map[byte]func(a, b int) int{
	'+': bind.Add, '-': bind.Sub, '*': bind.Mul, '/': bind.Div, '%': bind.Mod,
}

var functions = map[string]func(a ...int) int{
	"min":       func(a ...int) int { return min(a[0], a[1]) },
	"max":       func(a ...int) int { return max(a[0], a[1]) },
	"ceil_div":  func(a ...int) int { return bind.CeilDiv(a[0], a[1]) },
	"next_pow2": func(a ...int) int { return bind.NextPow2(a[0]) },
}

// Eval computes e, or returns false where a number is missing.
func Eval(e binding.Expr, n Numbers) (int, bool) {
	switch e := e.(type) {
	case binding.Lit:
		return int(e), true
	case *binding.Named:
		return int(e.Value), true
	case binding.TGSize:
		return n.TGSize()
	case *binding.Leaf:
		return n.Leaf(e)
	case *binding.Binary:
		x, ok := Eval(e.X, n)
		y, also := Eval(e.Y, n)
		if !ok || !also {
			return 0, false
		}
		return operators[e.Op](x, y), true
	case *binding.Call:
		args := make([]int, len(e.Args))
		for i, arg := range e.Args {
			var ok bool
			if args[i], ok = Eval(arg, n); !ok {
				return 0, false
			}
		}
		return functions[e.Func](args...), true
	}
	return 0, false
}

var comparisons = map[string]func(a, b int) bool{
	"==": bind.Equal, "!=": bind.NotEqual, "<": bind.Less, "<=": bind.LessEqual,
	">":  func(a, b int) bool { return bind.Less(b, a) },
	">=": func(a, b int) bool { return bind.LessEqual(b, a) },
}

// Meets reports whether r is met, or returns false for known where a number is missing.
func Meets(r *binding.Requirement, n Numbers) (met, known bool) {
	x, ok := Eval(r.X, n)
	y, also := Eval(r.Y, n)
	return comparisons[r.Op](x, y), ok && also
}

var floatComparisons = map[string]func(a, b float32) bool{
	"==": func(a, b float32) bool { return a == b }, "!=": func(a, b float32) bool { return a != b },
	"<": func(a, b float32) bool { return a < b }, "<=": func(a, b float32) bool { return a <= b },
	">": func(a, b float32) bool { return a > b }, ">=": func(a, b float32) bool { return a >= b },
}

// MeetsFloats is Meets of a requirement of floats.
func MeetsFloats(r *binding.Requirement, value func(*binding.Leaf) (float32, bool)) (met, known bool) {
	var sides [2]float32
	for i, e := range []binding.Expr{r.X, r.Y} {
		switch e := e.(type) {
		case binding.Fraction:
			sides[i] = float32(e)
		case *binding.Leaf:
			if sides[i], known = value(e); !known {
				return false, false
			}
		}
	}
	return floatComparisons[r.Op](sides[0], sides[1]), true
}

// Triple computes three dimensions.
func Triple(e [3]binding.Expr, n Numbers) (out [3]int, ok bool) {
	for i := range e {
		if out[i], ok = Eval(e[i], n); !ok {
			return out, false
		}
	}
	return out, true
}
