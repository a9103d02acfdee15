package cpu

import (
	"math"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// unsetMatrix is what is unset of the elements of a simdgroup_matrix, row by row.
type unsetMatrix struct {
	bits [matrixSide * matrixSide]uint64
	from [matrixSide * matrixSide]origin
}

// collectUnset adds what is unset of a matrix in registers to m. It reports whether there is anything.
func (f *frame) collectUnset(m *unsetMatrix, unsets [matrixLeaves]int32) bool {
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

func (f *frame) distributeUnset(m *unsetMatrix, unsets [matrixLeaves]int32) {
	for i, at := range unsets {
		u := unsetAt(f, at)
		u.lanes = 0
		for l, first := range &lanes.ElementAt {
			u.set(l, m.bits[first+i], m.from[first+i])
		}
	}
}

// unsetOfMatrix returns the unsets of the registers of a matrix; 0 for those that have none.
func (asm *assembler) unsetOfMatrix(regs [matrixLeaves]int32) (unsets [matrixLeaves]int32) {
	for i, r := range regs {
		unsets[i] = asm.of[r]
	}
	return unsets
}

// newUnsetOfMatrix returns the unsets of registers that a matrix is about to be written to.
func (asm *assembler) newUnsetOfMatrix(regs [matrixLeaves]int32) (unsets [matrixLeaves]int32) {
	for i, r := range regs {
		unsets[i] = asm.newUnset(r)
	}
	return unsets
}

// deriveProduct adds what makes the unset of a product: an element depends on a row and a column.
func (asm *assembler) deriveProduct(o *matrixOperands) {
	if !asm.hasUnset(o.elements[:]...) && !asm.hasUnset(o.other[:]...) && !(o.accumulate && asm.hasUnset(o.add[:]...)) {
		return
	}
	x, y, add := asm.unsetOfMatrix(o.elements), asm.unsetOfMatrix(o.other), [matrixLeaves]int32{}
	if o.accumulate {
		add = asm.unsetOfMatrix(o.add)
	}
	result := asm.newUnsetOfMatrix(o.result)
	asm.emit(instruction{run: func(f *frame, _ *instruction) {
		var mx, my, z unsetMatrix
		factors, sum := f.collectUnset(&mx, x), f.collectUnset(&z, add)
		if !f.collectUnset(&my, y) && !factors && !sum {
			for _, r := range result {
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
		f.distributeUnset(&z, result)
	}})
}

// moveUnsetMatrix adds what simdgroup_load and simdgroup_store do to what is unset.
func (b *builder) moveUnsetMatrix(o *matrixOperands, e *tree.Builtin) {
	if !b.track() {
		return
	}
	b.decides("computes an address of it", o.pointer, o.stride, o.x, o.y, o.transpose)
	size, set := sizes[e.Args[0].Type().Scalar], e.Args[1].Type().Space == "device"
	switch {
	case e.Name == "simdgroup_load" && !set:
		to := b.newUnsetOfMatrix(o.elements)
		b.emit(instruction{run: func(f *frame, in *instruction) { f.loadUnsetMatrix(in, o, to, size) }})
	case e.Name == "simdgroup_store" && set:
		b.decides("stores to device memory what depends on it", o.elements[:]...)
	case e.Name == "simdgroup_store":
		from := b.unsetOfMatrix(o.elements)
		b.emit(instruction{run: func(f *frame, in *instruction) { f.storeUnsetMatrix(in, o, from, size) }})
	}
}

func (f *frame) loadUnsetMatrix(in *instruction, o *matrixOperands, to [matrixLeaves]int32, size int) {
	var m unsetMatrix
	object, offset, row, column := f.matrixMemory(in, o, int64(size))
	if object.unset != nil {
		for i := range m.bits {
			at := offset + int64(i/matrixSide)*row + int64(i%matrixSide)*column
			m.bits[i], m.from[i] = f.unsetOf(in, object, at, 0, size)
		}
	}
	f.distributeUnset(&m, to)
}

func (f *frame) storeUnsetMatrix(in *instruction, o *matrixOperands, from [matrixLeaves]int32, size int) {
	var m unsetMatrix
	object, offset, row, column := f.matrixMemory(in, o, int64(size))
	if object.unset == nil {
		return
	}
	f.collectUnset(&m, from)
	for i := range m.bits {
		at := offset + int64(i/matrixSide)*row + int64(i%matrixSide)*column
		f.setUnsetOf(object, at, 0, size, m.bits[i], m.from[i])
	}
}
