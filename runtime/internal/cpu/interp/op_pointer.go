package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Pointer arithmetic: a is a pointer, b a number of elements of imm bytes.

// far reports whether a displacement is beyond reach.
func far(displacement int64) bool {
	return displacement+program.Reach < 0 || displacement+program.Reach >= 2*program.Reach
}

// moved returns a pointer moved by n elements, or the null pointer where that goes too
// far.
func moved(p uint64, n, size int64) uint64 {
	if size != 0 && (n > program.Reach/size || n < -program.Reach/size) {
		return 0
	}
	q := p + uint64(n*size)
	if far(program.Displacement(p) + n*size) {
		return 0
	}
	return q
}

func addPointer(f *Frame, in *program.Instruction, n *Register[int64]) {
	p, d := At[uint64](f, in.A), At[uint64](f, in.D)
	size := in.Imm
	if limit := maxStep / max(size, 1); p.Linear && n.Linear && n.Step <= limit && n.Step >= -limit {
		first := moved(p.Base, n.Base, size)
		last := moved(p.Base+(width-1)*p.Step, n.Base+(width-1)*n.Step, size)
		if first != 0 && last != 0 {
			d.setLinear(first, p.Step+uint64(n.Step*size))
			return
		}
	}
	x, y := p.Lanes(), n.Lanes()
	z := d.vector()
	limit := program.Reach / max(size, 1)
	var all uint64
	for i := range z {
		v := y[i]
		if v > limit || v < -limit {
			z[i] = 0
			continue
		}
		q := x[i] + uint64(v*size)
		z[i] = q
		all |= q + uint64(program.Reach)
	}
	dropFar(z, all)
}

func addPointerLong(f *Frame, in *program.Instruction) { addPointer(f, in, At[int64](f, in.B)) }

func addPointerWord[T int32 | uint32](f *Frame, in *program.Instruction) {
	p, n, d := At[uint64](f, in.A), At[T](f, in.B), At[uint64](f, in.D)
	size := in.Imm
	if base, step, ok := widened(n); ok {
		addLinear(p, d, base*size, step*size)
		return
	}
	x, y := p.Lanes(), n.Lanes()
	indexAll(d.vector(), x, y, size)
}

// widened returns a linear register of 32 bits in 64, where no lane wraps around.
func widened[T int32 | uint32](n *Register[T]) (base, step int64, ok bool) {
	if !n.Linear {
		return 0, 0, false
	}
	base, step = int64(n.Base), int64(int32(n.Step))
	last := base + (width-1)*step
	return base, step, last == int64(T(last))
}

// addLinear moves a pointer by a number of bytes that counts along with the lanes.
func addLinear(p, d *Register[uint64], base, step int64) {
	if p.Linear {
		first, last := p.Base+uint64(base), p.Base+uint64(base)+(width-1)*(p.Step+uint64(step))
		if !far(program.Displacement(first)) && !far(program.Displacement(last)) {
			d.setLinear(first, p.Step+uint64(step))
			return
		}
	}
	x, z := p.Lanes(), d.vector()
	v, by := uint64(base), uint64(step)
	var all uint64
	for i := range z {
		q := x[i] + v
		z[i] = q
		v += by
		all |= q + uint64(program.Reach)
	}
	dropFar(z, all)
}

// dropFar makes null pointers of those that went beyond reach. all is the union of all
// pointers plus reach: a displacement that is far has one more bit then.
func dropFar(z *[width]uint64, all uint64) {
	if all&uint64(2*program.Reach) == 0 {
		return
	}
	for i := range z {
		if far(program.Displacement(z[i])) {
			z[i] = 0
		}
	}
}

// diffPointer is the distance of two pointers in elements of imm bytes.
func diffPointer(f *Frame, in *program.Instruction) {
	a, b, d := At[uint64](f, in.A), At[uint64](f, in.B), At[int64](f, in.D)
	if a.uniform() && b.uniform() {
		d.Set(int64(a.Base-f.beside(a.Base, b.Base)) / in.Imm)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	z := d.vector()
	for i := range z {
		z[i] = int64(x[i]-f.beside(x[i], y[i])) / in.Imm
	}
}

// besidePointer makes pointers b comparable with pointers a.
func besidePointer(f *Frame, in *program.Instruction) {
	a, b, d := At[uint64](f, in.A), At[uint64](f, in.B), At[uint64](f, in.D)
	if a.uniform() && b.uniform() {
		d.Set(f.beside(a.Base, b.Base))
		return
	}
	x, y := a.Lanes(), b.Lanes()
	z := d.vector()
	for i := range z {
		z[i] = f.beside(x[i], y[i])
	}
}

// beside returns pointer q as one into the object of p, where both objects show the same
// memory, as two arguments may. Kernels compare arguments to find that out. Where they do
// not, the numbers of the objects decide: what a kernel computes must not depend on
// addresses of the host, nor tell them.
func (f *Frame) beside(p, q uint64) uint64 {
	if p>>program.OffsetBits == q>>program.OffsetBits {
		return q
	}
	a, b := f.Object(p), f.Object(q)
	if a.Base == nil || b.Base == nil || a.Striped || b.Striped {
		return q
	}
	distance := int64(uintptr(b.Base)) - int64(uintptr(a.Base))
	if distance > a.Size || -distance > b.Size {
		return q
	}
	return q + (program.ObjectOf(p)-program.ObjectOf(q))<<program.OffsetBits + uint64(distance)
}
