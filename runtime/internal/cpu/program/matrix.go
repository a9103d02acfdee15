package program

// MatrixLeaves are the elements of a simdgroup_matrix that each thread holds.
const MatrixLeaves = 2

// Matrices are the registers of an operation on matrices, which has more
// of them than an instruction holds.
type Matrices struct {
	Elements, Other, Add, Result [MatrixLeaves]int32
	Pointer, Stride              int32
	X, Y                         int32 // of the origin
	Transpose                    int32
	Accumulate                   bool
}

// AddMatrices returns the number of the operands of operations on matrices.
func (p *Program) AddMatrices(o *Matrices) int64 {
	p.Matrices = append(p.Matrices, o)
	return int64(len(p.Matrices) - 1)
}
