package fmath

import (
	"math"
	"math/big"
)

// References of some 300 bits, slow and independent of package math but for the
// starting value of a Newton iteration. Arguments are finite and not 0, of
// magnitudes that float32 has; the precision covers what its least subnormal
// loses in 1+x, and its greatest number in a reduction by pi.

const bigPrec = 384

func bigNew() *big.Float             { return new(big.Float).SetPrec(bigPrec) }
func bigOf(x float64) *big.Float     { return bigNew().SetFloat64(x) }
func add(x, y *big.Float) *big.Float { return bigNew().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return bigNew().Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return bigNew().Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return bigNew().Quo(x, y) }
func sqrt(x *big.Float) *big.Float   { return bigNew().Sqrt(x) }

func scale(x *big.Float, n int) *big.Float { return bigNew().SetMantExp(x, n) }

var (
	bigOne = bigOf(1)
	// 4 atan(1/2) + 4 atan(1/3) = pi
	bigPi   = scale(add(bigAtan(bigOf(0.5)), bigAtan(quo(bigOne, bigOf(3)))), 2)
	bigLn2  = bigLn2Series()
	bigLn10 = bigLog(bigOf(10))
)

// ln 2 = sum of 1/(n 2^n)
func bigLn2Series() *big.Float {
	s := bigNew()
	for n := 1; n < bigPrec+8; n++ {
		s.Add(s, scale(quo(bigOne, bigOf(float64(n))), -n))
	}
	return s
}

// series sums t + t*f(1) + t*f(1)*f(2) + ... until nothing changes.
func series(t *big.Float, f func(n int) *big.Float) *big.Float {
	s := bigNew().Set(t)
	for n := 1; t.Sign() != 0 && t.MantExp(nil) > s.MantExp(nil)-bigPrec-4; n++ {
		t = mul(t, f(n))
		s.Add(s, t)
	}
	return s
}

func nearest(x *big.Float) (int64, *big.Float) {
	h := 0.5
	if x.Sign() < 0 {
		h = -h
	}
	i, _ := add(x, bigOf(h)).Int(nil)
	return new(big.Int).And(i, big.NewInt(3)).Int64(), bigNew().SetInt(i)
}

func bigExp(x *big.Float) *big.Float {
	k, _ := quo(x, bigLn2).Int64()
	const halvings = 16
	r := scale(sub(x, mul(bigLn2, bigOf(float64(k)))), -halvings)
	s := series(bigOne, func(n int) *big.Float { return quo(r, bigOf(float64(n))) })
	for range halvings {
		s = mul(s, s)
	}
	return scale(s, int(k))
}

func bigLog(x *big.Float) *big.Float {
	m := bigNew()
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := bigOf(math.Log(f))
	for range 3 { // each triples the 50 bits of the start
		v := bigExp(y)
		y = add(y, scale(quo(sub(m, v), add(m, v)), 1))
	}
	return add(y, mul(bigLn2, bigOf(float64(e))))
}

func bigAtan(x *big.Float) *big.Float {
	const halvings = 8
	for range halvings {
		x = quo(x, add(bigOne, sqrt(add(bigOne, mul(x, x)))))
	}
	z := mul(x, x)
	z.Neg(z)
	return scale(series(x, func(n int) *big.Float {
		return mul(z, quo(bigOf(float64(2*n-1)), bigOf(float64(2*n+1))))
	}), halvings)
}

// bigSinCos returns the sine and cosine of x*unit, unit being 1 or pi.
func bigSinCos(x *big.Float, unit *big.Float) (s, c *big.Float) {
	half := scale(quo(bigPi, unit), -1)
	k, q := nearest(quo(x, half))
	r := mul(sub(x, mul(q, half)), unit)
	z := mul(r, r)
	z.Neg(z)
	s = series(r, func(n int) *big.Float { return quo(z, bigOf(float64(2*n*(2*n+1)))) })
	c = series(bigOne, func(n int) *big.Float { return quo(z, bigOf(float64(2*n*(2*n-1)))) })
	if k&1 != 0 {
		s, c = c, s.Neg(s)
	}
	if k&2 != 0 {
		s.Neg(s)
		c.Neg(c)
	}
	return s, c
}

var bigFuncs = map[string]func(x *big.Float) *big.Float{
	"Exp":   bigExp,
	"Exp2":  func(x *big.Float) *big.Float { return bigExp(mul(x, bigLn2)) },
	"Exp10": func(x *big.Float) *big.Float { return bigExp(mul(x, bigLn10)) },
	"Log":   bigLog,
	"Log2":  func(x *big.Float) *big.Float { return quo(bigLog(x), bigLn2) },
	"Log10": func(x *big.Float) *big.Float { return quo(bigLog(x), bigLn10) },
	"Sin":   func(x *big.Float) *big.Float { s, _ := bigSinCos(x, bigOne); return s },
	"Cos":   func(x *big.Float) *big.Float { _, c := bigSinCos(x, bigOne); return c },
	"Tan":   func(x *big.Float) *big.Float { s, c := bigSinCos(x, bigOne); return quo(s, c) },
	"SinPi": func(x *big.Float) *big.Float { s, _ := bigSinCos(x, bigPi); return s },
	"CosPi": func(x *big.Float) *big.Float { _, c := bigSinCos(x, bigPi); return c },
	"TanPi": func(x *big.Float) *big.Float { s, c := bigSinCos(x, bigPi); return quo(s, c) },
	"Atan":  bigAtan,
	"Asin": func(x *big.Float) *big.Float {
		return scale(bigAtan(quo(x, add(bigOne, sqrt(sub(bigOne, mul(x, x)))))), 1)
	},
	"Acos": func(x *big.Float) *big.Float {
		return scale(bigAtan(sqrt(quo(sub(bigOne, x), add(bigOne, x)))), 1)
	},
	"Sinh": func(x *big.Float) *big.Float {
		e := bigExp(x)
		return scale(sub(e, quo(bigOne, e)), -1)
	},
	"Cosh": func(x *big.Float) *big.Float {
		e := bigExp(x)
		return scale(add(e, quo(bigOne, e)), -1)
	},
	"Tanh": func(x *big.Float) *big.Float {
		e := bigExp(scale(x, 1))
		return quo(sub(e, bigOne), add(e, bigOne))
	},
	"Asinh": func(x *big.Float) *big.Float {
		a := bigNew().Abs(x)
		v := bigLog(add(a, sqrt(add(mul(a, a), bigOne))))
		if x.Sign() < 0 {
			v.Neg(v)
		}
		return v
	},
	"Acosh": func(x *big.Float) *big.Float { return bigLog(add(x, sqrt(sub(mul(x, x), bigOne)))) },
	"Atanh": func(x *big.Float) *big.Float {
		return scale(bigLog(quo(add(bigOne, x), sub(bigOne, x))), -1)
	},
	"Rsqrt": func(x *big.Float) *big.Float { return quo(bigOne, sqrt(x)) },
	"Sqrt":  sqrt,
}
