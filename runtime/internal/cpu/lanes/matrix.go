package lanes

import (
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
)

// Side is the number of rows and columns of a matrix.
const Side = 8

// Element returns the row and column of the first of the two elements that a lane has of a matrix, as Apple's GPUs
// arrange them. The other is its neighbour in the next column.
func Element(lane int) (row, column int) {
	quad := lane / 4
	return quad&4 + lane/2%4, quad&2*2 + lane%2*2
}

// Matrices are the operations of matrices of 8 rows and 8 columns. Each is in the lanes of two registers.
type Matrices struct {
	// Multiply is x * y + w. To w come the products of a row's first element, then of the second, and so on. Each
	// product and each sum is rounded.
	Multiply func(z0, z1, x0, x1, y0, y1, w0, w1 *[Width]float32)

	Float, Half, BFloat MatrixMemory
}

// MatrixMemory moves matrices from and to memory where the elements of a row, or of a column, are side by side.
// From one row, or column, to the next are step bytes.
type MatrixMemory struct {
	LoadRows, LoadColumns   func(z0, z1 *[Width]float32, p *byte, step int)
	StoreRows, StoreColumns func(x0, x1 *[Width]float32, p *byte, step int)
}

// Matrix are the operations.
var Matrix = Matrices{
	Multiply: multiply,
	Float:    matrixMemory(func(v float32) float32 { return v }, func(v float32) float32 { return v }),
	Half:     matrixMemory(fmath.HalfFromBits, fmath.HalfBits),
	BFloat:   matrixMemory(fmath.BFloatFromBits, fmath.BFloatBits),
}

func multiply(z0, z1, x0, x1, y0, y1, w0, w1 *[Width]float32) {
	var x, y, z [Side * Side]float32
	collect(&x, x0, x1)
	collect(&y, y0, y1)
	collect(&z, w0, w1)
	for r := range Side {
		row := (*[Side]float32)(z[r*Side:])
		for k := range Side {
			v := x[r*Side+k]
			with := (*[Side]float32)(y[k*Side:])
			for c := range row {
				row[c] += float32(v * with[c]) // not fused
			}
		}
	}
	distribute(&z, z0, z1)
}

// ElementAt is the index of a lane's first element among the 64, row by row.
var ElementAt = func() (at [Width]int) {
	for l := range at {
		row, column := Element(l)
		at[l] = row*Side + column
	}
	return at
}()

// collect puts the elements of a matrix together, row by row.
func collect(m *[Side * Side]float32, x, y *[Width]float32) {
	for l, i := range &ElementAt {
		m[i&63], m[(i+1)&63] = x[l], y[l]
	}
}

// distribute is the inverse of collect.
func distribute(m *[Side * Side]float32, x, y *[Width]float32) {
	for l, i := range &ElementAt {
		x[l], y[l] = m[i&63], m[(i+1)&63]
	}
}

// matrixMemory makes the operations in Go. A line is what lies side by side: a row, or a column.
func matrixMemory[M uint16 | float32](load func(M) float32, store func(float32) M) MatrixMemory {
	size := int(unsafe.Sizeof(M(0)))
	loads := func(z0, z1 *[Width]float32, p *byte, step, line, along int) {
		var m [Side * Side]float32
		for i := range Side {
			for j := range Side {
				m[i*line+j*along] = load(peek[M](unsafe.Add(unsafe.Pointer(p), i*step+j*size)))
			}
		}
		distribute(&m, z0, z1)
	}
	stores := func(x0, x1 *[Width]float32, p *byte, step, line, along int) {
		var m [Side * Side]float32
		collect(&m, x0, x1)
		for i := range Side {
			for j := range Side {
				poke(unsafe.Add(unsafe.Pointer(p), i*step+j*size), store(m[i*line+j*along]))
			}
		}
	}
	return MatrixMemory{
		LoadRows:     func(z0, z1 *[Width]float32, p *byte, step int) { loads(z0, z1, p, step, Side, 1) },
		LoadColumns:  func(z0, z1 *[Width]float32, p *byte, step int) { loads(z0, z1, p, step, 1, Side) },
		StoreRows:    func(x0, x1 *[Width]float32, p *byte, step int) { stores(x0, x1, p, step, Side, 1) },
		StoreColumns: func(x0, x1 *[Width]float32, p *byte, step int) { stores(x0, x1, p, step, 1, Side) },
	}
}
