package cpu

import "github.com/metalgen/metalgen/runtime/internal/cpu/lanes"

// address returns the address of an access, without imm, where that is linear.
func (f *frame) address(in *instruction) (base uint64, step int64, ok bool) {
	p := at[uint64](f, in.a)
	if !p.linear {
		return 0, 0, false
	}
	if in.c == noIndex {
		return p.base, int64(p.step), true
	}
	var first, by int64
	switch in.c {
	case intIndex:
		first, by, ok = widened(at[int32](f, in.b))
	case uintIndex:
		first, by, ok = widened(at[uint32](f, in.b))
	default:
		n := at[int64](f, in.b)
		const limit = reach / maxElement
		first, by = n.base, n.step
		ok = n.linear && first <= limit && first >= -limit && by <= limit/width && by >= -limit/width
	}
	if !ok {
		return 0, 0, false
	}
	size := int64(in.target)
	base, step = p.base+uint64(first*size), int64(p.step)+by*size
	if far(displacement(base)) || far(displacement(base+uint64((width-1)*step))) {
		return 0, 0, false
	}
	return base, step, true
}

// addresses returns the address of an access, without imm, for each lane.
func (f *frame) addresses(in *instruction) *[width]uint64 {
	p := at[uint64](f, in.a)
	if in.c == noIndex {
		return p.lanes()
	}
	size := int64(in.target)
	x, z := p.lanes(), &f.scratch
	switch in.c {
	case intIndex:
		indexAll(z, x, at[int32](f, in.b).lanes(), size)
	case uintIndex:
		indexAll(z, x, at[uint32](f, in.b).lanes(), size)
	default:
		for i, n := range at[int64](f, in.b).lanes() {
			z[i] = moved(x[i], n, size)
		}
	}
	return z
}

// indexAll moves pointers by numbers of elements.
func indexAll[T int32 | uint32](z, x *[width]uint64, n *[width]T, size int64) {
	dropFar(z, lanes.OnWords[T]().Index(z, x, n, size, reach))
}

// maxStep bounds what a lane's address may be away from its neighbour's: with
// more, the ends could wrap around into an object that the lanes between miss.
const maxStep = reach / width

// holdsAll reports whether an access of size bytes by the lanes from first to
// last, step bytes apart, is inside of an object and aligned.
func (o *object) holdsAll(offset, step int64, first, last, size int) bool {
	if step > maxStep || step < -maxStep {
		return false
	}
	low, high := offset+int64(first)*step, offset+int64(last)*step
	return o.holds(low, size) && o.holds(high, size) && o.aligned(low, size) && step&int64(size-1) == 0
}
