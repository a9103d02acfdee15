package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Address returns the address of an access, without imm, where that is linear.
func (f *Frame) Address(in *program.Instruction) (base uint64, step int64, ok bool) {
	p := At[uint64](f, in.A)
	if !p.Linear {
		return 0, 0, false
	}
	if in.C == program.NoIndex {
		return p.Base, int64(p.Step), true
	}
	var first, by int64
	switch in.C {
	case program.IntIndex:
		first, by, ok = widened(At[int32](f, in.B))
	case program.UintIndex:
		first, by, ok = widened(At[uint32](f, in.B))
	default:
		n := At[int64](f, in.B)
		const limit = program.Reach / program.MaxElement
		first, by = n.Base, n.Step
		ok = n.Linear && first <= limit && first >= -limit && by <= limit/width && by >= -limit/width
	}
	if !ok {
		return 0, 0, false
	}
	size := int64(in.Target)
	base, step = p.Base+uint64(first*size), int64(p.Step)+by*size
	if far(program.Displacement(base)) || far(program.Displacement(base+uint64((width-1)*step))) {
		return 0, 0, false
	}
	return base, step, true
}

// Addresses returns the address of an access, without imm, for each lane.
func (f *Frame) Addresses(in *program.Instruction) *[width]uint64 {
	p := At[uint64](f, in.A)
	if in.C == program.NoIndex {
		return p.Lanes()
	}
	size := int64(in.Target)
	x, z := p.Lanes(), &f.scratch
	switch in.C {
	case program.IntIndex:
		indexAll(z, x, At[int32](f, in.B).Lanes(), size)
	case program.UintIndex:
		indexAll(z, x, At[uint32](f, in.B).Lanes(), size)
	default:
		for i, n := range At[int64](f, in.B).Lanes() {
			z[i] = moved(x[i], n, size)
		}
	}
	return z
}

// indexAll moves pointers by numbers of elements.
func indexAll[T int32 | uint32](z, x *[width]uint64, n *[width]T, size int64) {
	dropFar(z, lanes.Index(z, x, n, size, program.Reach))
}

// maxStep bounds what a lane's address may be away from its neighbour's: with
// more, the ends could wrap around into an object that the lanes between miss.
const maxStep = program.Reach / width

// holdsAll reports whether an access of size bytes by the lanes from first to
// last, step bytes apart, is inside of an object and aligned.
func (o *Object) holdsAll(offset, step int64, first, last, size int) bool {
	if step > maxStep || step < -maxStep {
		return false
	}
	low, high := offset+int64(first)*step, offset+int64(last)*step
	return o.Holds(low, size) && o.Holds(high, size) && o.aligned(low, size) && step&int64(size-1) == 0
}
