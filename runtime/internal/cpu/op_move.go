package cpu

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

func copyWord[T word](f *frame, in *instruction) {
	at[T](f, in.d).copyFrom(at[T](f, in.a))
}

func blendWord[T word](f *frame, in *instruction) {
	at[T](f, in.d).blend(at[T](f, in.a), f.mask)
}

// selectWord is c ? a : b where both sides are known already.
func selectWord[T word](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	switch m := *maskAt(f, in.c) & f.mask; m {
	case f.mask:
		d.copyFrom(a)
		return
	case 0:
		d.copyFrom(b)
		return
	}
	m := *maskAt(f, in.c)
	x, y := a.lanes(), b.lanes()
	lanes.On[T]().Select(d.vector(), x, y, m)
}

func selectMask(f *frame, in *instruction) {
	c := *maskAt(f, in.c)
	*maskAt(f, in.d) = *maskAt(f, in.a)&c | *maskAt(f, in.b)&^c
}

// elementOf picks the element of a vector whose number a register holds: the
// elements are in registers imm bytes apart from b on, c of them.
func elementOf[T word](f *frame, in *instruction) {
	index, d := at[uint32](f, in.a), at[T](f, in.d)
	if index.uniform() {
		f.checkElement(in, index.base, bits.TrailingZeros32(f.mask))
		d.copyFrom(at[T](f, in.b+int32(index.base)*int32(in.imm)))
		return
	}
	n := index.lanes()
	var out [width]T
	for i := range out {
		if f.mask>>i&1 == 0 {
			continue
		}
		f.checkElement(in, n[i], i)
		out[i] = at[T](f, in.b+int32(n[i])*int32(in.imm)).value(i)
	}
	*d.vector() = out
}

// checkIndex faults where an active lane asks for an element that there is not.
func checkIndex(f *frame, in *instruction) {
	index := at[uint32](f, in.a)
	if index.uniform() {
		f.checkElement(in, index.base, bits.TrailingZeros32(f.mask))
		return
	}
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		f.checkElement(in, index.value(l), l)
	}
}

// checkElement faults where a vector or an array has no element n.
func (f *frame) checkElement(in *instruction, n uint32, lane int) {
	if n >= uint32(in.c) {
		message := fmt.Sprintf("index %d: out of bounds of %d elements", int32(n), in.c)
		if p, named := f.program.parts[in.pos]; named {
			message = fmt.Sprintf("%s[%d]: out of bounds of %d elements of %s", p.of, int32(n), in.c, p.element)
		}
		f.faultLane(in, lane&(width-1), errOutOfBounds, message)
	}
}

func maskNone(f *frame, in *instruction) { *maskAt(f, in.d) = 0 }

func nothing(*frame, *instruction) {}

// nestedIndex is a*imm + b, or, where a*imm could wrap around, beyond all parts.
func nestedIndex(f *frame, in *instruction) {
	x, y := at[int32](f, in.a).lanes(), at[int32](f, in.b).lanes()
	n := int32(in.imm)
	z := at[int32](f, in.d).vector()
	for i := range z {
		z[i] = min(max(x[i], -1), 1<<16)*n + y[i]
	}
}
