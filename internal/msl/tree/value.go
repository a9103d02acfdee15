package tree

import (
	"fmt"
	"math"
	"strconv"
)

// Value is the value of a constant expression.
type Value struct {
	Kind  ScalarKind
	Bits  uint64  // of integers and bool, sign-extended to 64 bits
	Float float64 // of floating kinds
}

// BoolValue is true or false.
func BoolValue(b bool) Value { return Value{Kind: Bool, Bits: b2u(b)} }

// IntValue is an integer or bool of a kind: as many of the bits as it holds.
func IntValue(k ScalarKind, bits uint64) Value {
	switch scalars[k].size {
	case 1:
		if k == Bool {
			bits = b2u(bits != 0)
		} else if k.Signed() {
			bits = uint64(int8(bits))
		} else {
			bits = uint64(uint8(bits))
		}
	case 2:
		if k.Signed() {
			bits = uint64(int16(bits))
		} else {
			bits = uint64(uint16(bits))
		}
	case 4:
		if k.Signed() {
			bits = uint64(int32(bits))
		} else {
			bits = uint64(uint32(bits))
		}
	}
	return Value{Kind: k, Bits: bits}
}

// FloatValue is f in the precision and range of k: rounded to nearest, ties to
// even.
func FloatValue(k ScalarKind, f float64) Value {
	if _, exp := math.Frexp(f); f != 0 && !math.IsInf(f, 0) && !math.IsNaN(f) {
		format := floatFormats[k]
		last := max(exp-format.digits, format.least)
		sign := f
		f = math.Ldexp(math.RoundToEven(math.Ldexp(f, -last)), last)
		if math.Abs(f) > format.greatest {
			f = math.Inf(1)
		}
		f = math.Copysign(f, sign)
	}
	return Value{Kind: k, Float: f}
}

// floatFormats are the digits of a significand, the exponent of the least
// subnormal number, and the greatest number.
var floatFormats = map[ScalarKind]struct {
	digits, least int
	greatest      float64
}{
	Half: {11, -24, 65504}, BFloat: {8, -133, 0x1.fep127}, Float: {24, -149, math.MaxFloat32},
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Int is the value as an int64, and whether it is an integer that fits.
func (v Value) Int() (int64, bool) {
	if v.Kind.Floating() || v.Kind == ULong && v.Bits > math.MaxInt64 {
		return 0, false
	}
	return int64(v.Bits), true
}

// IsTrue reports whether the value is not zero.
func (v Value) IsTrue() bool {
	if v.Kind.Floating() {
		return v.Float != 0
	}
	return v.Bits != 0
}

// asFloat is the value as a number of its sign.
func (v Value) asFloat() float64 {
	switch {
	case v.Kind.Floating():
		return v.Float
	case v.Kind.Signed():
		return float64(int64(v.Bits))
	}
	return float64(v.Bits)
}

// Convert changes the kind of a value as C++ does.
func (v Value) Convert(k ScalarKind) (Value, error) {
	if k.Floating() {
		return FloatValue(k, v.asFloat()), nil
	}
	if k == Bool {
		return Value{Kind: Bool, Bits: b2u(v.IsTrue())}, nil
	}
	if v.Kind.Floating() {
		f := math.Trunc(v.Float)
		// C++ leaves open what comes of what is out of range, so it is no constant
		bits := 8 * scalars[k].size
		low, high := 0.0, math.Ldexp(1, bits)
		if k.Signed() {
			high /= 2
			low = -high
		}
		if math.IsNaN(f) || f < low || f >= high {
			return Value{}, fmt.Errorf("%s does not fit %s", v, scalars[k].name)
		}
		if f < 0 {
			return IntValue(k, uint64(int64(f))), nil
		}
		return IntValue(k, uint64(f)), nil
	}
	return IntValue(k, v.Bits), nil
}

// Promote returns the type in which a binary operator computes (C++14 5.10).
func Promote(a, b ScalarKind) ScalarKind {
	if a == Half && b == BFloat || a == BFloat && b == Half {
		return Float // neither holds the other
	}
	if a.Floating() || b.Floating() {
		return max(a, b)
	}
	a, b = max(a, Int), max(b, Int) // integral promotions
	return max(a, b)                // the order of the kinds is that of their ranks
}

// BinaryOp computes x op y.
func BinaryOp(op string, x, y Value) (Value, error) {
	switch op {
	case "&&", "||": // the left side has decided nothing
		return Value{Kind: Bool, Bits: b2u(y.IsTrue())}, nil
	case "<<", ">>":
		return shift(op, x, y)
	}
	k := Promote(x.Kind, y.Kind)
	x, errX := x.Convert(k)
	y, errY := y.Convert(k)
	if errX != nil || errY != nil {
		return Value{}, fmt.Errorf("the operands of %s do not fit", op)
	}
	if k.Floating() {
		return floatOp(op, k, x.Float, y.Float)
	}
	if c, ok := compare(op, cmpInt(k, x.Bits, y.Bits)); ok {
		return c, nil
	}
	a, b := x.Bits, y.Bits
	switch op {
	case "+":
		return IntValue(k, a+b), nil
	case "-":
		return IntValue(k, a-b), nil
	case "*":
		return IntValue(k, a*b), nil
	case "&":
		return IntValue(k, a&b), nil
	case "|":
		return IntValue(k, a|b), nil
	case "^":
		return IntValue(k, a^b), nil
	case "/", "%":
		if b == 0 {
			return Value{}, fmt.Errorf("division by zero")
		}
		if k.Signed() {
			if op == "/" {
				return IntValue(k, uint64(int64(a)/int64(b))), nil
			}
			return IntValue(k, uint64(int64(a)%int64(b))), nil
		}
		if op == "/" {
			return IntValue(k, a/b), nil
		}
		return IntValue(k, a%b), nil
	}
	return Value{}, fmt.Errorf("%s has no place in a constant expression", op)
}

func cmpInt(k ScalarKind, a, b uint64) int {
	switch {
	case a == b:
		return 0
	case k.Signed() && int64(a) < int64(b), !k.Signed() && a < b:
		return -1
	}
	return 1
}

// unordered is how a value that is no number compares with any.
const unordered = 2

// compare applies a comparison to operands where the first is less (-1), equal (0),
// greater (1) or unordered.
func compare(op string, c int) (Value, bool) {
	var r bool
	switch op {
	case "==":
		r = c == 0
	case "!=":
		r = c != 0
	case "<":
		r = c < 0
	case "<=":
		r = c <= 0
	case ">":
		r = c == 1
	case ">=":
		r = c == 0 || c == 1
	default:
		return Value{}, false
	}
	return Value{Kind: Bool, Bits: b2u(r)}, true
}

func floatOp(op string, k ScalarKind, a, b float64) (Value, error) {
	switch op {
	case "+":
		return FloatValue(k, a+b), nil
	case "-":
		return FloatValue(k, a-b), nil
	case "*":
		return FloatValue(k, a*b), nil
	case "/":
		return FloatValue(k, a/b), nil
	}
	c := unordered
	switch {
	case a == b:
		c = 0
	case a < b:
		c = -1
	case a > b:
		c = 1
	}
	if v, ok := compare(op, c); ok {
		return v, nil
	}
	return Value{}, fmt.Errorf("%s does not take floating-point operands", op)
}

// shift computes x << y or x >> y; the count is taken modulo the width, as
// section 3.1 has it.
func shift(op string, x, y Value) (Value, error) {
	if x.Kind.Floating() || y.Kind.Floating() {
		return Value{}, fmt.Errorf("%s does not take floating-point operands", op)
	}
	k := max(x.Kind, Int)
	n := uint(y.Bits) % uint(8*scalars[k].size)
	switch {
	case op == "<<":
		return IntValue(k, x.Bits<<n), nil
	case k.Signed():
		return IntValue(k, uint64(int64(x.Bits)>>n)), nil
	}
	return IntValue(k, x.Bits>>n), nil
}

// String is the value as a literal.
func (v Value) String() string {
	switch {
	case v.Kind == Bool:
		return strconv.FormatBool(v.Bits != 0)
	case v.Kind.Floating():
		return strconv.FormatFloat(v.Float, 'g', -1, 32)
	case v.Kind.Signed():
		return strconv.FormatInt(int64(v.Bits), 10)
	}
	return strconv.FormatUint(v.Bits, 10)
}
