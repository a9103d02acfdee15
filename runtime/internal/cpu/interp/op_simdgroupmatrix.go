package interp

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// The 64 elements of a simdgroup_matrix (section 2.3) lie in the
// registers of 32 lanes, two neighbours of a row in each, arranged as Apple's
// GPUs do.

// MatrixSide is the number of rows and columns.
const MatrixSide = lanes.Side

// diagonal makes the elements of a matrix that has a value on its diagonal.
func diagonal(f *Frame, in *program.Instruction) {
	v, z := At[float32](f, in.A).Lanes(), At[float32](f, in.D).vector()
	for l := range z {
		row, column := lanes.Element(l)
		if column+int(in.Imm) == row {
			z[l] = v[l]
		} else {
			z[l] = 0
		}
	}
}

// matrices returns those of an instruction, which has their number.
func (f *Frame) matrices(in *program.Instruction) *program.Matrices { return f.Code.Matrices[in.Imm] }

func multiplyMatrices(f *Frame, in *program.Instruction) {
	o := f.matrices(in)
	x0, x1 := f.matrix(o.Elements)
	y0, y1 := f.matrix(o.Other)
	w0, w1 := &noMatrix, &noMatrix
	if o.Accumulate {
		w0, w1 = f.matrix(o.Add)
	}
	z0, z1 := f.newMatrix(o.Result)
	lanes.Matrix.Multiply(z0, z1, x0, x1, y0, y1, w0, w1)
}

// noMatrix has the elements of a matrix of zeros.
var noMatrix [width]float32

// matrix returns the elements of a matrix in registers. Those that inactive lanes should have are zeros: MSL has all
// lanes take part (section 2.3), and what a register holds in others depends on who executes the kernel.
func (f *Frame) matrix(regs [program.MatrixLeaves]int32) (x, y *[width]float32) {
	x, y = At[float32](f, regs[0]).Lanes(), At[float32](f, regs[1]).Lanes()
	if f.Mask != full {
		return inLanes(f.Mask, x), inLanes(f.Mask, y)
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
func (f *Frame) newMatrix(regs [program.MatrixLeaves]int32) (x, y *[width]float32) {
	return At[float32](f, regs[0]).vector(), At[float32](f, regs[1]).vector()
}

// transposes reports whether the elements of a matrix are side by side in columns in memory, as a lane has it.
func (f *Frame) transposes(o *program.Matrices, lane int) bool {
	return *MaskAt(f, o.Transpose)>>lane&1 != 0
}

// MatrixMemory finds the first element in memory, and the bytes from one row to
// the next and from one column to the next.
func (f *Frame) MatrixMemory(
	in *program.Instruction, o *program.Matrices, size int64,
) (object *Object, offset, row, column int64) {
	lane := bits.TrailingZeros32(f.Mask) & (width - 1)
	p := At[uint64](f, o.Pointer).Value(lane)
	stride := At[int64](f, o.Stride).Value(lane)
	x, y := At[int64](f, o.X).Value(lane), At[int64](f, o.Y).Value(lane)
	const limit = 1 << 20
	if stride > limit*limit || stride < -limit*limit || x > limit*limit || y > limit || x < 0 || y < 0 {
		f.faultLane(in, lane, errOutOfBounds, "a matrix beyond all buffers")
	}
	p = moved(p, y*stride+x, size)
	row, column = stride*size, size
	if f.transposes(o, lane) {
		row, column = column, row
	}
	object, offset = f.Object(p), program.Displacement(p)
	for _, corner := range []int64{0, 7 * row, 7 * column, 7*row + 7*column} {
		if !object.Holds(offset+corner, int(size)) || !object.aligned(offset+corner, int(size)) || object.Striped {
			f.faultLane(in, lane, errOutOfBounds, f.access(p, corner, int(size)))
		}
	}
	return object, offset, row, column
}

// matrixLoad loads a matrix of elements of so many bytes.
func matrixLoad(size int64, by *lanes.MatrixMemory) Operation {
	return func(f *Frame, in *program.Instruction) {
		o := f.matrices(in)
		object, offset, row, column := f.MatrixMemory(in, o, size)
		start := (*byte)(unsafe.Add(object.Base, offset))
		z0, z1 := f.newMatrix(o.Elements)
		if f.transposes(o, bits.TrailingZeros32(f.Mask)&(width-1)) {
			by.LoadColumns(z0, z1, start, int(column))
		} else {
			by.LoadRows(z0, z1, start, int(row))
		}
	}
}

// matrixStore stores a matrix, line after line: where they overlap, the last one counts.
func matrixStore(size int64, by *lanes.MatrixMemory) Operation {
	return func(f *Frame, in *program.Instruction) {
		o := f.matrices(in)
		object, offset, row, column := f.MatrixMemory(in, o, size)
		start := (*byte)(unsafe.Add(object.Base, offset))
		lane := bits.TrailingZeros32(f.Mask) & (width - 1)
		f.checkStore(in, At[uint64](f, o.Pointer).Value(lane), lane)
		x0, x1 := f.matrix(o.Elements)
		if f.transposes(o, lane) {
			by.StoreColumns(x0, x1, start, int(column))
		} else {
			by.StoreRows(x0, x1, start, int(row))
		}
	}
}
