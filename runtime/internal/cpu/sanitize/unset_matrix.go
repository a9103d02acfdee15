package sanitize

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// unsetMatrix is what is unset of the elements of a simdgroup_matrix, row by row.
type unsetMatrix struct {
	bits [interp.MatrixSide * interp.MatrixSide]uint64
	from [interp.MatrixSide * interp.MatrixSide]program.Origin
}

// collectUnset adds what is unset of a matrix in registers to m. It reports whether there is anything.
func collectUnset(f *interp.Frame, m *unsetMatrix, unsets [program.MatrixLeaves]int32) bool {
	some := false
	for i, at := range unsets {
		u := unsetIn(f, at)
		some = some || u.lanes != 0
		for l, first := range &lanes.ElementAt {
			if v := u.of(l); v != 0 {
				m.bits[first+i], m.from[first+i] = v, u.from[l]
			}
		}
	}
	return some
}

func distributeUnset(f *interp.Frame, m *unsetMatrix, unsets [program.MatrixLeaves]int32) {
	for i, at := range unsets {
		u := unsetAt(f, at)
		u.lanes = 0
		for l, first := range &lanes.ElementAt {
			u.set(l, m.bits[first+i], m.from[first+i])
		}
	}
}

// multiplyUnset makes the unsets of a product of matrices, of those of its factors and of what is added.
func multiplyUnset(f *interp.Frame, in *program.Instruction) {
	o := f.Code.Matrices[in.Imm]
	var mx, my, z unsetMatrix
	factors, sum := collectUnset(f, &mx, o.Elements), collectUnset(f, &z, o.Add)
	if !collectUnset(f, &my, o.Other) && !factors && !sum {
		for _, r := range o.Result {
			unsetAt(f, r).lanes = 0
		}
		return
	}
	for i := range z.bits {
		row, column := i/interp.MatrixSide*interp.MatrixSide, i%interp.MatrixSide
		for k := range interp.MatrixSide {
			if a := row + k; mx.bits[a] != 0 {
				z.bits[i], z.from[i] = 1, mx.from[a]
			}
			if b := k*interp.MatrixSide + column; my.bits[b] != 0 {
				z.bits[i], z.from[i] = 1, my.from[b]
			}
		}
		if z.bits[i] != 0 {
			z.bits[i] = program.WordClass.Cut(math.MaxUint64)
		}
	}
	distributeUnset(f, &z, o.Result)
}

func loadUnsetMatrix(f *interp.Frame, in *program.Instruction) {
	o, size := f.Code.Matrices[in.Imm], int(in.C)
	var m unsetMatrix
	object, offset, row, column := f.MatrixMemory(in, o, int64(size))
	if object.Unset != nil {
		for i := range m.bits {
			at := offset + int64(i/interp.MatrixSide)*row + int64(i%interp.MatrixSide)*column
			m.bits[i], m.from[i] = unsetOf(f, in, object, at, 0, size)
		}
	}
	distributeUnset(f, &m, [program.MatrixLeaves]int32{in.A, in.B})
}

func storeUnsetMatrix(f *interp.Frame, in *program.Instruction) {
	o, size := f.Code.Matrices[in.Imm], int(in.C)
	var m unsetMatrix
	object, offset, row, column := f.MatrixMemory(in, o, int64(size))
	if object.Unset == nil {
		return
	}
	collectUnset(f, &m, [program.MatrixLeaves]int32{in.A, in.B})
	for i := range m.bits {
		at := offset + int64(i/interp.MatrixSide)*row + int64(i%interp.MatrixSide)*column
		setUnsetOf(f, object, at, 0, size, m.bits[i], m.from[i])
	}
}
