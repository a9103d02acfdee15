package cpu

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// unsetMatrix is what is unset of the elements of a simdgroup_matrix, row by row.
type unsetMatrix struct {
	bits [matrixSide * matrixSide]uint64
	from [matrixSide * matrixSide]origin
}

// collectUnset adds what is unset of a matrix in registers to m. It reports whether there is anything.
func collectUnset(f *frame, m *unsetMatrix, unsets [matrixLeaves]int32) bool {
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

func distributeUnset(f *frame, m *unsetMatrix, unsets [matrixLeaves]int32) {
	for i, at := range unsets {
		u := unsetAt(f, at)
		u.lanes = 0
		for l, first := range &lanes.ElementAt {
			u.set(l, m.bits[first+i], m.from[first+i])
		}
	}
}

// multiplyUnset makes the unsets of a product of matrices, of those of its factors and of what is added.
func multiplyUnset(f *frame, in *instruction) {
	o := f.program.matrices[in.imm]
	var mx, my, z unsetMatrix
	factors, sum := collectUnset(f, &mx, o.elements), collectUnset(f, &z, o.add)
	if !collectUnset(f, &my, o.other) && !factors && !sum {
		for _, r := range o.result {
			unsetAt(f, r).lanes = 0
		}
		return
	}
	for i := range z.bits {
		row, column := i/matrixSide*matrixSide, i%matrixSide
		for k := range matrixSide {
			if a := row + k; mx.bits[a] != 0 {
				z.bits[i], z.from[i] = 1, mx.from[a]
			}
			if b := k*matrixSide + column; my.bits[b] != 0 {
				z.bits[i], z.from[i] = 1, my.from[b]
			}
		}
		if z.bits[i] != 0 {
			z.bits[i] = wordClass.cut(math.MaxUint64)
		}
	}
	distributeUnset(f, &z, o.result)
}

func loadUnsetMatrix(f *frame, in *instruction) {
	o, size := f.program.matrices[in.imm], int(in.c)
	var m unsetMatrix
	object, offset, row, column := f.matrixMemory(in, o, int64(size))
	if object.unset != nil {
		for i := range m.bits {
			at := offset + int64(i/matrixSide)*row + int64(i%matrixSide)*column
			m.bits[i], m.from[i] = unsetOf(f, in, object, at, 0, size)
		}
	}
	distributeUnset(f, &m, [matrixLeaves]int32{in.a, in.b})
}

func storeUnsetMatrix(f *frame, in *instruction) {
	o, size := f.program.matrices[in.imm], int(in.c)
	var m unsetMatrix
	object, offset, row, column := f.matrixMemory(in, o, int64(size))
	if object.unset == nil {
		return
	}
	collectUnset(f, &m, [matrixLeaves]int32{in.a, in.b})
	for i := range m.bits {
		at := offset + int64(i/matrixSide)*row + int64(i%matrixSide)*column
		setUnsetOf(f, object, at, 0, size, m.bits[i], m.from[i])
	}
}
