package fmath

import "math"

// The functions here are rare in kernels and left to package math, whose float64
// results are right to a few float64 ulps: after rounding that is 0.51 ulp of
// float32, and the special cases are those of C99.

// Asin returns the arcsine of x, to 0.51 ulp (MSL: 4).
func Asin(x float32) float32 { return float32(math.Asin(float64(x))) }

// Acos returns the arccosine of x, to 0.51 ulp (MSL: 4).
func Acos(x float32) float32 { return float32(math.Acos(float64(x))) }

// Atan returns the arctangent of x, to 0.51 ulp (MSL: 5).
func Atan(x float32) float32 { return float32(math.Atan(float64(x))) }

// Atan2 returns the angle of the point (x, y), to 0.51 ulp (MSL: 6).
func Atan2(y, x float32) float32 { return float32(math.Atan2(float64(y), float64(x))) }

// Sinh returns the hyperbolic sine of x, to 0.51 ulp (MSL: 4).
func Sinh(x float32) float32 { return float32(math.Sinh(float64(x))) }

// Cosh returns the hyperbolic cosine of x, to 0.51 ulp (MSL: 4).
func Cosh(x float32) float32 { return float32(math.Cosh(float64(x))) }

// Asinh returns the inverse hyperbolic sine of x, to 0.51 ulp (MSL: 4).
func Asinh(x float32) float32 { return float32(math.Asinh(float64(x))) }

// Acosh returns the inverse hyperbolic cosine of x, to 0.51 ulp (MSL: 4).
func Acosh(x float32) float32 { return float32(math.Acosh(float64(x))) }

// Atanh returns the inverse hyperbolic tangent of x, to 0.51 ulp (MSL: 5).
func Atanh(x float32) float32 { return float32(math.Atanh(float64(x))) }
