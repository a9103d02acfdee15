package main

import (
	"github.com/metalgen/metalgen/examples/gemm/gen"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/x448/float16"
)

// matrix is a matrix in memory of a device, row by row.
type matrix[T gen.GemmElement] struct {
	rows, columns int
	elements      mtl.Buffer[T]
}

// newMatrix returns a matrix of zeros.
func newMatrix[T gen.GemmElement](dev *mtl.Device, rows, columns int) (matrix[T], error) {
	elements, err := mtl.NewBuffer[T](dev, rows*columns)
	return matrix[T]{rows, columns, elements}, err
}

// multiply records a call of a kernel that writes the product of x and y to z. The columns of x are as many as the rows
// of y, and z is as high as x and as wide as y.
func multiply[T gen.GemmElement](b *mtl.Batch, kernel gen.GemmVariant[T], z, x, y matrix[T]) {
	gen.Gemm(b, gen.GemmArgs[T]{
		Variant: kernel,
		A:       x.elements, B: y.elements, C: z.elements,
		M: uint32(z.rows), N: uint32(z.columns), K: uint32(x.columns),
	})
}

// kernels are the instances of the template for elements of one type. They are not generic any more, so which one runs
// may depend on anything that is known when it is called.
type kernels[T gen.GemmElement] struct {
	all          []gen.GemmVariant[T]
	small, large gen.GemmVariant[T] // tiles
}

var (
	float32s = kernels[float32]{
		all: []gen.GemmVariant[float32]{
			gen.GemmThreads32F32, gen.GemmThreads64F32, gen.GemmSimdgroups32F32, gen.GemmSimdgroups64F32,
		},
		small: gen.GemmSimdgroups32F32,
		large: gen.GemmSimdgroups64F32,
	}
	float16s = kernels[float16.Float16]{
		all: []gen.GemmVariant[float16.Float16]{
			gen.GemmThreads32F16, gen.GemmThreads64F16, gen.GemmSimdgroups32F16, gen.GemmSimdgroups64F16,
		},
		small: gen.GemmSimdgroups32F16,
		large: gen.GemmSimdgroups64F16,
	}
)

// choose returns the kernel for products of m x n elements. Larger tiles read less memory, but there are fewer of them,
// and a GPU has some tens of cores to keep busy.
func (k kernels[T]) choose(m, n int) gen.GemmVariant[T] {
	const enough = 32
	grid := gen.GemmGrid(k.large.BM(), k.large.BN(), k.large.THREADS(), uint32(m), uint32(n))
	if grid.Threadgroups[0]*grid.Threadgroups[1] < enough {
		return k.small
	}
	return k.large
}
