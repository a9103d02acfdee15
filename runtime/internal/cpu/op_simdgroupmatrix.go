package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// The 64 elements of a simdgroup_matrix (section 2.3) lie in the
// registers of 32 lanes, two neighbours of a row in each, arranged as Apple's
// GPUs do.

// matrixSide is the number of rows and columns.
const matrixSide = 8

// matrixElement returns the row and column of the first of a lane's two elements.
func matrixElement(lane int) (row, column int) {
	quad := lane / 4
	return quad&4 + lane/2%4, quad&2*2 + lane%2*2
}

// matrixAt is the index of a lane's first element among the 64, row by row.
var matrixAt = func() (at [width]int) {
	for l := range at {
		row, column := matrixElement(l)
		at[l] = row*matrixSide + column
	}
	return at
}()

// diagonal makes the elements of a matrix that has a value on its diagonal.
func diagonal(f *frame, in *instruction) {
	v, z := at[float32](f, in.a).lanes(), at[float32](f, in.d).vector()
	for l := range z {
		row, column := matrixElement(l)
		if column+int(in.imm) == row {
			z[l] = v[l]
		} else {
			z[l] = 0
		}
	}
}

// matrixOperands are the registers of an operation on matrices, which has more
// of them than an instruction holds.
type matrixOperands struct {
	elements, other, add, result [matrixLeaves]int32
	pointer, stride              int32
	x, y                         int32 // of the origin
	transpose                    int32
	accumulate                   bool
}

func multiplyMatrices(f *frame, o *matrixOperands) {
	var x, y, z [matrixSide * matrixSide]float32
	f.collect(&x, o.elements)
	f.collect(&y, o.other)
	if o.accumulate {
		f.collect(&z, o.add)
	}
	for r := range matrixSide {
		row := (*[matrixSide]float32)(z[r*matrixSide:])
		for k := range matrixSide {
			v := x[r*matrixSide+k]
			with := (*[matrixSide]float32)(y[k*matrixSide:])
			for c := range row {
				row[c] += float32(v * with[c]) // not fused
			}
		}
	}
	f.distribute(&z, o.result)
}

// collect puts the elements of a matrix together, row by row.
func (f *frame) collect(m *[matrixSide * matrixSide]float32, regs [matrixLeaves]int32) {
	x, y := at[float32](f, regs[0]).lanes(), at[float32](f, regs[1]).lanes()
	for l, i := range &matrixAt {
		m[i&63], m[(i+1)&63] = x[l], y[l]
	}
}

func (f *frame) distribute(m *[matrixSide * matrixSide]float32, regs [matrixLeaves]int32) {
	x, y := at[float32](f, regs[0]).vector(), at[float32](f, regs[1]).vector()
	for l, i := range &matrixAt {
		x[l], y[l] = m[i&63], m[(i+1)&63]
	}
}

// matrixMemory finds the first element in memory, and the bytes from one row to
// the next and from one column to the next.
func (f *frame) matrixMemory(
	in *instruction, o *matrixOperands, size int64,
) (object *object, offset, row, column int64) {
	lane := bits.TrailingZeros32(f.mask) & (width - 1)
	p := at[uint64](f, o.pointer).value(lane)
	stride := at[int64](f, o.stride).value(lane)
	x, y := at[int64](f, o.x).value(lane), at[int64](f, o.y).value(lane)
	const limit = 1 << 20
	if stride > limit*limit || stride < -limit*limit || x > limit*limit || y > limit || x < 0 || y < 0 {
		f.faultLane(in, lane, errOutOfBounds, "a matrix beyond all buffers")
	}
	p = moved(p, y*stride+x, size)
	row, column = stride*size, size
	if *maskAt(f, o.transpose)>>lane&1 != 0 {
		row, column = column, row
	}
	object, offset = f.object(p), displacement(p)
	for _, corner := range []int64{0, 7 * row, 7 * column, 7*row + 7*column} {
		if !object.holds(offset+corner, int(size)) || !object.aligned(offset+corner, int(size)) || object.striped {
			f.faultLane(in, lane, errOutOfBounds, f.access(p, corner, int(size)))
		}
	}
	return object, offset, row, column
}

// matrixLoad loads a matrix. It is not inlined for the reason of store.
//
//go:noinline
func matrixLoad[M uint16 | float32](convert func(M) float32) func(*frame, *instruction, *matrixOperands) {
	size := int64(unsafe.Sizeof(M(0)))
	return func(f *frame, in *instruction, o *matrixOperands) {
		object, offset, row, column := f.matrixMemory(in, o, size)
		start := unsafe.Add(object.base, offset)
		var m [matrixSide * matrixSide]float32
		for r := range matrixSide {
			for c := range matrixSide {
				m[r*matrixSide+c] = convert(peek[M](unsafe.Add(start, int64(r)*row+int64(c)*column)))
			}
		}
		f.distribute(&m, o.elements)
	}
}

// matrixStore stores a matrix. It is not inlined for the reason of store.
//
//go:noinline
func matrixStore[M uint16 | float32](convert func(float32) M) func(*frame, *instruction, *matrixOperands) {
	size := int64(unsafe.Sizeof(M(0)))
	return func(f *frame, in *instruction, o *matrixOperands) {
		object, offset, row, column := f.matrixMemory(in, o, size)
		start := unsafe.Add(object.base, offset)
		lane := bits.TrailingZeros32(f.mask) & (width - 1)
		f.checkStore(in, at[uint64](f, o.pointer).value(lane), lane)
		var m [matrixSide * matrixSide]float32
		f.collect(&m, o.elements)
		for r := range matrixSide {
			for c := range matrixSide {
				poke(unsafe.Add(start, int64(r)*row+int64(c)*column), convert(m[r*matrixSide+c]))
			}
		}
	}
}

var matrixLoads = map[tree.ScalarKind]func(*frame, *instruction, *matrixOperands){
	tree.Float:  matrixLoad(same[float32]),
	tree.Half:   matrixLoad(fmath.HalfFromBits),
	tree.BFloat: matrixLoad(fmath.BFloatFromBits),
}

var matrixStores = map[tree.ScalarKind]func(*frame, *instruction, *matrixOperands){
	tree.Float:  matrixStore(same[float32]),
	tree.Half:   matrixStore(fmath.HalfBits),
	tree.BFloat: matrixStore(fmath.BFloatBits),
}
