package cpu

// Pointer arithmetic: a is a pointer, b a number of elements of imm bytes.

// far reports whether a displacement is beyond reach.
func far(displacement int64) bool { return displacement+reach < 0 || displacement+reach >= 2*reach }

// moved returns a pointer moved by n elements, or the null pointer where that goes too
// far.
func moved(p uint64, n, size int64) uint64 {
	if size != 0 && (n > reach/size || n < -reach/size) {
		return 0
	}
	q := p + uint64(n*size)
	if far(displacement(p) + n*size) {
		return 0
	}
	return q
}

func addPointer(f *frame, in *instruction, n *register[int64]) {
	p, d := at[uint64](f, in.a), at[uint64](f, in.d)
	size := in.imm
	if limit := maxStep / max(size, 1); p.linear && n.linear && n.step <= limit && n.step >= -limit {
		first := moved(p.base, n.base, size)
		last := moved(p.base+(width-1)*p.step, n.base+(width-1)*n.step, size)
		if first != 0 && last != 0 {
			d.setLinear(first, p.step+uint64(n.step*size))
			return
		}
	}
	x, y := p.lanes(), n.lanes()
	z := d.vector()
	limit := reach / max(size, 1)
	var all uint64
	for i := range z {
		v := y[i]
		if v > limit || v < -limit {
			z[i] = 0
			continue
		}
		q := x[i] + uint64(v*size)
		z[i] = q
		all |= q + uint64(reach)
	}
	dropFar(z, all)
}

func addPointerLong(f *frame, in *instruction) { addPointer(f, in, at[int64](f, in.b)) }

func addPointerWord[T int32 | uint32](f *frame, in *instruction) {
	p, n, d := at[uint64](f, in.a), at[T](f, in.b), at[uint64](f, in.d)
	size := in.imm
	if base, step, ok := widened(n); ok {
		addLinear(p, d, base*size, step*size)
		return
	}
	x, y := p.lanes(), n.lanes()
	indexAll(d.vector(), x, y, size)
}

// widened returns a linear register of 32 bits in 64, where no lane wraps around.
func widened[T int32 | uint32](n *register[T]) (base, step int64, ok bool) {
	if !n.linear {
		return 0, 0, false
	}
	base, step = int64(n.base), int64(int32(n.step))
	last := base + (width-1)*step
	return base, step, last == int64(T(last))
}

// addLinear moves a pointer by a number of bytes that counts along with the lanes.
func addLinear(p, d *register[uint64], base, step int64) {
	if p.linear {
		first, last := p.base+uint64(base), p.base+uint64(base)+(width-1)*(p.step+uint64(step))
		if !far(displacement(first)) && !far(displacement(last)) {
			d.setLinear(first, p.step+uint64(step))
			return
		}
	}
	x, z := p.lanes(), d.vector()
	v, by := uint64(base), uint64(step)
	var all uint64
	for i := range z {
		q := x[i] + v
		z[i] = q
		v += by
		all |= q + uint64(reach)
	}
	dropFar(z, all)
}

// dropFar makes null pointers of those that went beyond reach. all is the union of all
// pointers plus reach: a displacement that is far has one more bit then.
func dropFar(z *[width]uint64, all uint64) {
	if all&uint64(2*reach) == 0 {
		return
	}
	for i := range z {
		if far(displacement(z[i])) {
			z[i] = 0
		}
	}
}

// diffPointer is the distance of two pointers in elements of imm bytes.
func diffPointer(f *frame, in *instruction) {
	a, b, d := at[uint64](f, in.a), at[uint64](f, in.b), at[int64](f, in.d)
	if a.uniform() && b.uniform() {
		d.set(int64(a.base-f.beside(a.base, b.base)) / in.imm)
		return
	}
	x, y := a.lanes(), b.lanes()
	z := d.vector()
	for i := range z {
		z[i] = int64(x[i]-f.beside(x[i], y[i])) / in.imm
	}
}

// besidePointer makes pointers b comparable with pointers a.
func besidePointer(f *frame, in *instruction) {
	a, b, d := at[uint64](f, in.a), at[uint64](f, in.b), at[uint64](f, in.d)
	if a.uniform() && b.uniform() {
		d.set(f.beside(a.base, b.base))
		return
	}
	x, y := a.lanes(), b.lanes()
	z := d.vector()
	for i := range z {
		z[i] = f.beside(x[i], y[i])
	}
}

// beside returns pointer q as one into the object of p, where both objects show the same
// memory, as two arguments may. Kernels compare arguments to find that out. Where they do
// not, the numbers of the objects decide: what a kernel computes must not depend on
// addresses of the host, nor tell them.
func (f *frame) beside(p, q uint64) uint64 {
	if p>>offsetBits == q>>offsetBits {
		return q
	}
	a, b := f.object(p), f.object(q)
	if a.base == nil || b.base == nil || a.striped || b.striped {
		return q
	}
	distance := int64(uintptr(b.base)) - int64(uintptr(a.base))
	if distance > a.size || -distance > b.size {
		return q
	}
	return q + (objectOf(p)-objectOf(q))<<offsetBits + uint64(distance)
}
