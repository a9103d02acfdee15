package library

import (
	"math"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// limits are the macros of the library that stand for numbers and the constants
// of <metal_math> (sections 6.1 and 6.5).
var limits = makeLimits()

func makeLimits() map[string]tree.Value {
	m := map[string]tree.Value{
		"INFINITY":  {Kind: tree.Float, Float: math.Inf(1)},
		"HUGE_VALF": {Kind: tree.Float, Float: math.Inf(1)},
		"HUGE_VALH": {Kind: tree.Half, Float: math.Inf(1)},
		"NAN":       {Kind: tree.Float, Float: math.NaN()},
		"MAXFLOAT":  tree.FloatValue(tree.Float, math.MaxFloat32),
		"MAXHALF":   tree.FloatValue(tree.Half, 65504),
		"CHAR_BIT":  tree.IntValue(tree.Int, 8),
		"FP_ILOGB0": tree.IntValue(tree.Int, 1<<31), "FP_ILOGBNAN": tree.IntValue(tree.Int, 1<<31),
	}
	for name, k := range map[string]tree.ScalarKind{
		"SCHAR": tree.Char, "CHAR": tree.Char, "UCHAR": tree.UChar, "SHRT": tree.Short, "USHRT": tree.UShort,
		"INT": tree.Int, "UINT": tree.UInt, "LONG": tree.Long, "ULONG": tree.ULong,
	} {
		kind := max(k, tree.Int)
		m[name+"_MAX"] = tree.IntValue(kind, highest(k).Bits)
		if k.Signed() {
			m[name+"_MIN"] = tree.IntValue(kind, lowest(k).Bits)
		}
	}
	for name, k := range map[string]tree.ScalarKind{"FLT": tree.Float, "HALF": tree.Half, "BFLT": tree.BFloat} {
		f := formats[k]
		m[name+"_MAX"] = highest(k)
		m[name+"_MIN"] = tree.Value{Kind: k, Bits: 0, Float: math.Ldexp(1, f.minExp)}
		m[name+"_EPSILON"] = tree.Value{Kind: k, Bits: 0, Float: math.Ldexp(1, 1-f.digits)}
		m[name+"_MANT_DIG"] = tree.IntValue(tree.Int, uint64(f.digits))
		m[name+"_MAX_EXP"] = tree.IntValue(tree.Int, uint64(f.maxExp))
		m[name+"_MIN_EXP"] = tree.IntValue(tree.Int, uint64(int64(f.minExp+1)))
		m[name+"_RADIX"] = tree.IntValue(tree.Int, 2)
		m[name+"_DIG"] = tree.IntValue(tree.Int, uint64(f.decimals))
		m[name+"_MAX_10_EXP"] = tree.IntValue(tree.Int, uint64(f.max10))
		m[name+"_MIN_10_EXP"] = tree.IntValue(tree.Int, uint64(int64(f.min10)))
	}
	for name, x := range map[string]float64{
		"E": math.E, "LOG2E": math.Log2E, "LOG10E": math.Log10E, "LN2": math.Ln2, "LN10": math.Ln10,
		"PI": math.Pi, "PI_2": math.Pi / 2, "PI_4": math.Pi / 4, "1_PI": 1 / math.Pi, "2_PI": 2 / math.Pi,
		"2_SQRTPI": 2 / math.Sqrt(math.Pi), "SQRT2": math.Sqrt2, "SQRT1_2": 1 / math.Sqrt2,
	} {
		for suffix, k := range map[string]tree.ScalarKind{"F": tree.Float, "H": tree.Half, "BF": tree.BFloat} {
			m["M_"+name+"_"+suffix] = tree.FloatValue(k, x)
		}
	}
	for i, name := range []string{"FP_NAN", "FP_INFINITE", "FP_ZERO", "FP_SUBNORMAL", "FP_NORMAL"} {
		m[name] = tree.IntValue(tree.Int, uint64(i))
	}
	return m
}

// formats are the floating-point types: bits of the significand, the exponent
// of the least normal number and of the power of two above all numbers.
var formats = map[tree.ScalarKind]struct{ digits, minExp, maxExp, decimals, max10, min10 int }{
	tree.Half:   {11, -14, 16, 2, 4, -4},
	tree.BFloat: {8, -126, 128, 2, 38, -37},
	tree.Float:  {24, -126, 128, 6, 38, -37},
}

// highest is the largest finite value of a type.
func highest(k tree.ScalarKind) tree.Value {
	switch {
	case k.Floating():
		f := formats[k]
		return tree.Value{Kind: k, Bits: 0, Float: math.Ldexp(2-math.Ldexp(1, 1-f.digits), f.maxExp-1)}
	case k == tree.Bool:
		return tree.Value{Kind: tree.Bool, Bits: 1}
	case k.Signed():
		return tree.Value{Kind: k, Bits: 1<<(8*k.Bytes()-1) - 1}
	}
	return tree.IntValue(k, math.MaxUint64)
}

// lowest is the least finite value of a type.
func lowest(k tree.ScalarKind) tree.Value {
	switch {
	case k.Floating():
		return tree.Value{Kind: k, Float: -highest(k).Float}
	case k.Signed():
		return tree.IntValue(k, 1<<(8*k.Bytes()-1))
	}
	return tree.Value{Kind: k}
}

// VoteTypes are the types of the library's votes.
var VoteTypes = map[string]*tree.Type{
	"simd_vote": types.SimdVote, "quad_vote": types.QuadVote,
	"simd_vote::vote_t": tree.Named("ulong"), "quad_vote::vote_t": tree.Named("uint"),
}

// Type is the type of the library that a name stands for, beyond those
// that a signature may hold, or nil.
func Type(path parser.Path) *tree.Type {
	name := strings.Join(Path(path), "::")
	if t := Enums[name]; t != nil {
		return t
	}
	if o := SamplingOptions[name]; o != nil {
		return o.Type
	}
	if name == tree.LogType.Name {
		return tree.LogType
	}
	return VoteTypes[name]
}

// Value is the constant of the library that a name stands for, or nil.
func Value(path parser.Path, pos parser.Pos) tree.Expr {
	path = Path(path)
	last := path[len(path)-1]
	if len(path) == 1 {
		if last == defaultLog.Name {
			return &tree.VarRef{Node: tree.At(pos, tree.LogType), Var: defaultLog}
		}
		if v, ok := mathModes[last]; ok {
			return &tree.Const{Node: tree.At(pos, tree.ScalarType(v.Kind)), Value: v}
		}
		if v, ok := limits[last]; ok {
			return &tree.Const{Node: tree.At(pos, tree.ScalarType(v.Kind)), Value: v}
		}
	}
	if v := Enumerator(path); v != nil {
		return &tree.Const{Node: tree.At(pos, v.enum), Value: v.Value}
	}
	return nil
}
