package interp

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

func copyWord[T word](f *Frame, in *program.Instruction) {
	At[T](f, in.D).copyFrom(At[T](f, in.A))
}

func blendWord[T word](f *Frame, in *program.Instruction) {
	At[T](f, in.D).blend(At[T](f, in.A), f.Mask)
}

// selectWord is c ? a : b where both sides are known already.
func selectWord[T word](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	switch m := *MaskAt(f, in.C) & f.Mask; m {
	case f.Mask:
		d.copyFrom(a)
		return
	case 0:
		d.copyFrom(b)
		return
	}
	m := *MaskAt(f, in.C)
	x, y := a.Lanes(), b.Lanes()
	lanes.Select(d.vector(), x, y, m)
}

func selectMask(f *Frame, in *program.Instruction) {
	c := *MaskAt(f, in.C)
	*MaskAt(f, in.D) = *MaskAt(f, in.A)&c | *MaskAt(f, in.B)&^c
}

// elementOf picks the element of a vector whose number a register holds: the
// elements are in registers imm bytes apart from b on, c of them.
func elementOf[T word](f *Frame, in *program.Instruction) {
	index, d := At[uint32](f, in.A), At[T](f, in.D)
	if index.uniform() {
		f.checkElement(in, index.Base, bits.TrailingZeros32(f.Mask))
		d.copyFrom(At[T](f, in.B+int32(index.Base)*int32(in.Imm)))
		return
	}
	n := index.Lanes()
	var out [width]T
	for i := range out {
		if f.Mask>>i&1 == 0 {
			continue
		}
		f.checkElement(in, n[i], i)
		out[i] = At[T](f, in.B+int32(n[i])*int32(in.Imm)).Value(i)
	}
	*d.vector() = out
}

// checkIndex faults where an active lane asks for an element that there is not.
func checkIndex(f *Frame, in *program.Instruction) {
	index := At[uint32](f, in.A)
	if index.uniform() {
		f.checkElement(in, index.Base, bits.TrailingZeros32(f.Mask))
		return
	}
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		f.checkElement(in, index.Value(l), l)
	}
}

// checkElement faults where a vector or an array has no element n.
func (f *Frame) checkElement(in *program.Instruction, n uint32, lane int) {
	if n >= uint32(in.C) {
		message := fmt.Sprintf("index %d: out of bounds of %d elements", int32(n), in.C)
		if p, named := f.Code.Parts[in.Pos]; named {
			message = fmt.Sprintf("%s[%d]: out of bounds of %d elements of %s", p.Of, int32(n), in.C, p.Element)
		}
		f.faultLane(in, lane&(width-1), errOutOfBounds, message)
	}
}

func maskNone(f *Frame, in *program.Instruction) { *MaskAt(f, in.D) = 0 }

func nothing(*Frame, *program.Instruction) {}
