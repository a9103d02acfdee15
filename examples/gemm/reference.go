package main

import (
	"math"
	"math/rand/v2"

	"github.com/metalgen/metalgen/examples/gemm/gen"
	"github.com/x448/float16"
)

// randomise sets the elements of a matrix to numbers about 0.
func randomise[T gen.GemmElement](m matrix[T], seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	switch elements := any(m.elements.Data()).(type) {
	case []float32:
		for i := range elements {
			elements[i] = float32(random.NormFloat64())
		}
	case []float16.Float16:
		for i := range elements {
			elements[i] = float16.Fromfloat32(float32(random.NormFloat64()))
		}
	}
}

// values returns the elements of a matrix.
func values[T gen.GemmElement](m matrix[T]) []float64 {
	v := make([]float64, m.elements.Len())
	switch elements := any(m.elements.Data()).(type) {
	case []float32:
		for i, e := range elements {
			v[i] = float64(e)
		}
	case []float16.Float16:
		for i, e := range elements {
			v[i] = float64(e.Float32())
		}
	}
	return v
}

// product returns the product of two matrices, and for each of its elements the sum of the sizes of what is added for
// it, to which errors of rounding are relative.
func product[T gen.GemmElement](x, y matrix[T]) (z, sizes []float64) {
	a, b := values(x), values(y)
	z, sizes = make([]float64, x.rows*y.columns), make([]float64, x.rows*y.columns)
	for row := range x.rows {
		for k := range x.columns {
			factor := a[row*x.columns+k]
			for column := range y.columns {
				part := factor * b[k*y.columns+column]
				z[row*y.columns+column] += part
				sizes[row*y.columns+column] += math.Abs(part)
			}
		}
	}
	return z, sizes
}

// worst returns the largest error among the elements of z, as a part of the sizes.
func worst[T gen.GemmElement](z matrix[T], want, sizes []float64) float64 {
	off := 0.0
	for i, v := range values(z) {
		if !(math.Abs(v-want[i]) <= off*sizes[i]) { // so a NaN is worse than anything
			off = math.Abs(v-want[i]) / sizes[i]
		}
	}
	return off
}
