package cpu

// An access to memory goes to pointer a, moved by register b times target bytes
// where c says what b holds, and by imm bytes.
const (
	noIndex int32 = iota
	intIndex
	uintIndex
	longIndex
)

// address gives the address of an access, without imm, where it counts along
// with the lanes.
func (f *frame) address(in *instruction) (base uint64, step int64, ok bool) {
	p := at[uint64](f, in.a)
	if !p.linear {
		return 0, 0, false
	}
	if in.c == noIndex {
		return p.base, int64(p.step), true
	}
	var first, by, last int64
	switch in.c {
	case intIndex:
		n := at[int32](f, in.b)
		if !n.linear {
			return 0, 0, false
		}
		first, by = int64(n.base), int64(n.step)
		if last = first + (width-1)*by; last != int64(int32(last)) {
			return 0, 0, false
		}
	case uintIndex:
		n := at[uint32](f, in.b)
		if !n.linear {
			return 0, 0, false
		}
		first, by = int64(n.base), int64(int32(n.step))
		if last = first + (width-1)*by; last != int64(uint32(last)) {
			return 0, 0, false
		}
	default:
		n := at[int64](f, in.b)
		const limit = reach / maxElement
		if !n.linear || n.base > limit || n.base < -limit || n.step > limit/width || n.step < -limit/width {
			return 0, 0, false
		}
		first, by = n.base, n.step
	}
	size := int64(in.target)
	base, step = p.base+uint64(first*size), int64(p.step)+by*size
	if far(displacement(base)) || far(displacement(base+uint64((width-1)*step))) {
		return 0, 0, false
	}
	return base, step, true
}

// addresses gives the address of an access, without imm, for each lane.
func (f *frame) addresses(in *instruction) *[width]uint64 {
	p := at[uint64](f, in.a)
	if in.c == noIndex {
		return p.lanes()
	}
	size := int64(in.target)
	x, z := p.lanes(), &f.scratch
	var all uint64
	switch in.c {
	case intIndex:
		for i, n := range at[int32](f, in.b).lanes() {
			q := x[i] + uint64(int64(n)*size)
			z[i] = q
			all |= uint64(displacement(q) + reach)
		}
	case uintIndex:
		for i, n := range at[uint32](f, in.b).lanes() {
			q := x[i] + uint64(int64(n)*size)
			z[i] = q
			all |= uint64(displacement(q) + reach)
		}
	default:
		for i, n := range at[int64](f, in.b).lanes() {
			z[i] = moved(x[i], n, size)
		}
	}
	dropFar(z, all)
	return z
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
	return o.holds(low, size) && o.holds(high, size) && (low|step)&int64(size-1) == 0
}
