package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// The 64 elements of a simdgroup_matrix (section 2.3) lie in the
// registers of 32 lanes, two neighbours of a row in each, arranged as Apple's
// GPUs do.

// matrixSide is the number of rows and columns.
const matrixSide = lanes.Side

// diagonal makes the elements of a matrix that has a value on its diagonal.
func diagonal(f *frame, in *instruction) {
	v, z := at[float32](f, in.a).lanes(), at[float32](f, in.d).vector()
	for l := range z {
		row, column := lanes.Element(l)
		if column+int(in.imm) == row {
			z[l] = v[l]
		} else {
			z[l] = 0
		}
	}
}

// matrices returns those of an instruction, which has their number.
func (f *frame) matrices(in *instruction) *matrixOperands { return f.program.matrices[in.imm] }

func multiplyMatrices(f *frame, in *instruction) {
	o := f.matrices(in)
	x0, x1 := f.matrix(o.elements)
	y0, y1 := f.matrix(o.other)
	w0, w1 := &noMatrix, &noMatrix
	if o.accumulate {
		w0, w1 = f.matrix(o.add)
	}
	z0, z1 := f.newMatrix(o.result)
	lanes.Matrix.Multiply(z0, z1, x0, x1, y0, y1, w0, w1)
}

// noMatrix has the elements of a matrix of zeros.
var noMatrix [width]float32

// matrix returns the elements of a matrix in registers. Those that inactive lanes should have are zeros: MSL has all
// lanes take part (section 2.3), and what a register holds in others depends on who executes the kernel.
func (f *frame) matrix(regs [matrixLeaves]int32) (x, y *[width]float32) {
	x, y = at[float32](f, regs[0]).lanes(), at[float32](f, regs[1]).lanes()
	if f.mask != full {
		return inLanes(f.mask, x), inLanes(f.mask, y)
	}
	return x, y
}

// inLanes returns a copy of v with zeros but in the lanes of a mask.
func inLanes(mask uint32, v *[width]float32) *[width]float32 {
	z := new([width]float32)
	for l := range z {
		if mask>>l&1 != 0 {
			z[l] = v[l]
		}
	}
	return z
}

// newMatrix returns those that the caller sets.
func (f *frame) newMatrix(regs [matrixLeaves]int32) (x, y *[width]float32) {
	return at[float32](f, regs[0]).vector(), at[float32](f, regs[1]).vector()
}

// transposes reports whether the elements of a matrix are side by side in columns in memory, as a lane has it.
func (f *frame) transposes(o *matrixOperands, lane int) bool {
	return *maskAt(f, o.transpose)>>lane&1 != 0
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
	if f.transposes(o, lane) {
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

// matrixLoad loads a matrix of elements of so many bytes.
func matrixLoad(size int64, by *lanes.MatrixMemory) operation {
	return func(f *frame, in *instruction) {
		o := f.matrices(in)
		object, offset, row, column := f.matrixMemory(in, o, size)
		start := (*byte)(unsafe.Add(object.base, offset))
		z0, z1 := f.newMatrix(o.elements)
		if f.transposes(o, bits.TrailingZeros32(f.mask)&(width-1)) {
			by.LoadColumns(z0, z1, start, int(column))
		} else {
			by.LoadRows(z0, z1, start, int(row))
		}
	}
}

// matrixStore stores a matrix, line after line: where they overlap, the last one counts.
func matrixStore(size int64, by *lanes.MatrixMemory) operation {
	return func(f *frame, in *instruction) {
		o := f.matrices(in)
		object, offset, row, column := f.matrixMemory(in, o, size)
		start := (*byte)(unsafe.Add(object.base, offset))
		lane := bits.TrailingZeros32(f.mask) & (width - 1)
		f.checkStore(in, at[uint64](f, o.pointer).value(lane), lane)
		x0, x1 := f.matrix(o.elements)
		if f.transposes(o, lane) {
			by.StoreColumns(x0, x1, start, int(column))
		} else {
			by.StoreRows(x0, x1, start, int(row))
		}
	}
}
