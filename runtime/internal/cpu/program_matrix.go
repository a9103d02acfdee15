package cpu

// matrixLeaves are the elements of a simdgroup_matrix that each thread holds.
const matrixLeaves = 2

// matrixOperands are the registers of an operation on matrices, which has more
// of them than an instruction holds.
type matrixOperands struct {
	elements, other, add, result [matrixLeaves]int32
	pointer, stride              int32
	x, y                         int32 // of the origin
	transpose                    int32
	accumulate                   bool
}

// addMatrices returns the number of the operands of operations on matrices.
func (p *program) addMatrices(o *matrixOperands) int64 {
	p.matrices = append(p.matrices, o)
	return int64(len(p.matrices) - 1)
}
