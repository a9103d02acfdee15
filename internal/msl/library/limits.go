package library

import (
	"math"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// NumericLimits are the members of numeric_limits<T> (C++14 18.3.2): functions without arguments and constants, as
// values of the type itself, of bool or of int.
var NumericLimits = map[string]func(k tree.ScalarKind) tree.Value{
	"max":    highest,
	"lowest": lowest,
	"min": func(k tree.ScalarKind) tree.Value {
		if k.Floating() {
			return tree.Value{Kind: k, Float: math.Ldexp(1, formats[k].minExp)}
		}
		return lowest(k)
	},
	"epsilon":       floatLimit(func(k tree.ScalarKind) float64 { return math.Ldexp(1, 1-formats[k].digits) }),
	"round_error":   floatLimit(func(tree.ScalarKind) float64 { return 0.5 }),
	"infinity":      floatLimit(func(tree.ScalarKind) float64 { return math.Inf(1) }),
	"quiet_NaN":     floatLimit(func(tree.ScalarKind) float64 { return math.NaN() }),
	"signaling_NaN": floatLimit(func(tree.ScalarKind) float64 { return math.NaN() }),
	"denorm_min": floatLimit(func(k tree.ScalarKind) float64 {
		return math.Ldexp(1, formats[k].minExp-formats[k].digits+1)
	}),

	"is_specialized":    boolLimit(func(tree.ScalarKind) bool { return true }),
	"is_signed":         boolLimit(func(k tree.ScalarKind) bool { return k.Floating() || k.Signed() }),
	"is_integer":        boolLimit(func(k tree.ScalarKind) bool { return !k.Floating() }),
	"is_exact":          boolLimit(func(k tree.ScalarKind) bool { return !k.Floating() }),
	"is_bounded":        boolLimit(func(tree.ScalarKind) bool { return true }),
	"is_modulo":         boolLimit(func(k tree.ScalarKind) bool { return !k.Floating() && !k.Signed() && k != tree.Bool }),
	"is_iec559":         boolLimit(tree.ScalarKind.Floating),
	"has_infinity":      boolLimit(tree.ScalarKind.Floating),
	"has_quiet_NaN":     boolLimit(tree.ScalarKind.Floating),
	"has_signaling_NaN": boolLimit(tree.ScalarKind.Floating),
	"has_denorm_loss":   boolLimit(func(tree.ScalarKind) bool { return false }),
	"traps":             boolLimit(func(tree.ScalarKind) bool { return false }),
	"tinyness_before":   boolLimit(func(tree.ScalarKind) bool { return false }),
	"has_denorm":        floatInt(1),
	"round_style":       floatInt(1),

	"digits": intLimit(func(k tree.ScalarKind) int {
		if k.Floating() {
			return formats[k].digits
		}
		return valueBits(k)
	}),
	"digits10": intLimit(func(k tree.ScalarKind) int {
		if k.Floating() {
			return formats[k].decimals
		}
		return int(float64(valueBits(k)) * math.Log10(2))
	}),
	"max_digits10": formatLimit(func(k tree.ScalarKind) int {
		return 2 + int(float64(formats[k].digits)*math.Log10(2)) // those that tell all values apart
	}),
	"radix":          intLimit(func(tree.ScalarKind) int { return 2 }),
	"min_exponent":   formatLimit(func(k tree.ScalarKind) int { return formats[k].minExp + 1 }),
	"max_exponent":   formatLimit(func(k tree.ScalarKind) int { return formats[k].maxExp }),
	"min_exponent10": formatLimit(func(k tree.ScalarKind) int { return formats[k].min10 }),
	"max_exponent10": formatLimit(func(k tree.ScalarKind) int { return formats[k].max10 }),
}

// LimitFunctions are the members that are functions, whose results are of the type.
var LimitFunctions = WordSet("max lowest min epsilon round_error infinity quiet_NaN signaling_NaN denorm_min")

// floatLimit is a value of the type, which is 0 for integers.
func floatLimit(f func(k tree.ScalarKind) float64) func(k tree.ScalarKind) tree.Value {
	return func(k tree.ScalarKind) tree.Value {
		if !k.Floating() {
			return tree.Value{Kind: k}
		}
		return tree.Value{Kind: k, Float: f(k)}
	}
}

func boolLimit(f func(k tree.ScalarKind) bool) func(k tree.ScalarKind) tree.Value {
	return func(k tree.ScalarKind) tree.Value { return tree.BoolValue(f(k)) }
}

func intLimit(f func(k tree.ScalarKind) int) func(k tree.ScalarKind) tree.Value {
	return func(k tree.ScalarKind) tree.Value { return tree.IntValue(tree.Int, uint64(int64(f(k)))) }
}

// formatLimit is an int that is 0 for integers.
func formatLimit(f func(k tree.ScalarKind) int) func(k tree.ScalarKind) tree.Value {
	return intLimit(func(k tree.ScalarKind) int {
		if !k.Floating() {
			return 0
		}
		return f(k)
	})
}

// floatInt is one number for all floats, and 0 for integers.
func floatInt(n int) func(k tree.ScalarKind) tree.Value {
	return formatLimit(func(tree.ScalarKind) int { return n })
}

// valueBits are those of an integer without its sign.
func valueBits(k tree.ScalarKind) int {
	switch {
	case k == tree.Bool:
		return 1
	case k.Signed():
		return 8*k.Bytes() - 1
	}
	return 8 * k.Bytes()
}
