package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// The result of a comparison is a mask. Where a linear register is compared with one
// that is the same in all lanes, and the first and the last lane agree, so do the
// lanes between them.

// ends returns the values of the first and the last lane of a register that counts up
// without wrapping around.
func ends[T word](r *Register[T]) (first, last T, ok bool) {
	if !r.Linear {
		return 0, 0, false
	}
	first, last = r.Base, r.Base+(width-1)*r.Step
	if r.Step == 0 {
		return first, last, true
	}
	small := r.Step < 1<<16
	return first, last, small && r.Step > 0 && last > first
}

func equal[T word](f *Frame, in *program.Instruction) {
	a, b := At[T](f, in.A), At[T](f, in.B)
	if a.uniform() && b.uniform() {
		*MaskAt(f, in.D) = program.MaskOf(a.Base == b.Base)
		return
	}
	*MaskAt(f, in.D) = lanes.Equal(a.Lanes(), b.Lanes())
}

func notEqual[T word](f *Frame, in *program.Instruction) {
	equal[T](f, in)
	*MaskAt(f, in.D) ^= full
}

func less[T word](f *Frame, in *program.Instruction) {
	a, b := At[T](f, in.A), At[T](f, in.B)
	low, high, ok := endsCompare(a, b, func(x, y T) bool { return x < y })
	if ok && low == high {
		*MaskAt(f, in.D) = program.MaskOf(low)
		return
	}
	*MaskAt(f, in.D) = lanes.Less(a.Lanes(), b.Lanes())
}

func lessEqual[T word](f *Frame, in *program.Instruction) {
	a, b := At[T](f, in.A), At[T](f, in.B)
	low, high, ok := endsCompare(a, b, func(x, y T) bool { return x <= y })
	if ok && low == high {
		*MaskAt(f, in.D) = program.MaskOf(low)
		return
	}
	*MaskAt(f, in.D) = lanes.LessEqual(a.Lanes(), b.Lanes())
}

// endsCompare compares the first and the last lanes, where one side is the same
// for all lanes and the other counts up.
func endsCompare[T word](a, b *Register[T], compare func(x, y T) bool) (low, high, ok bool) {
	firstA, lastA, okA := ends(a)
	firstB, lastB, okB := ends(b)
	if !okA || !okB || a.Step != 0 && b.Step != 0 {
		return false, false, false
	}
	return compare(firstA, firstB), compare(lastA, lastB), true
}

// The operations of masks, which bools are.

func maskAnd(f *Frame, in *program.Instruction) {
	*MaskAt(f, in.D) = *MaskAt(f, in.A) & *MaskAt(f, in.B)
}
func maskOr(f *Frame, in *program.Instruction) {
	*MaskAt(f, in.D) = *MaskAt(f, in.A) | *MaskAt(f, in.B)
}
func maskXor(f *Frame, in *program.Instruction) {
	*MaskAt(f, in.D) = *MaskAt(f, in.A) ^ *MaskAt(f, in.B)
}
func maskNot(f *Frame, in *program.Instruction) { *MaskAt(f, in.D) = ^*MaskAt(f, in.A) }

// maskEqual is equality of bools.
func maskEqual(f *Frame, in *program.Instruction) {
	*MaskAt(f, in.D) = ^(*MaskAt(f, in.A) ^ *MaskAt(f, in.B))
}

// moveMask assigns a bool in the active lanes.
func moveMask(f *Frame, in *program.Instruction) {
	d := MaskAt(f, in.D)
	*d = *d&^f.Mask | *MaskAt(f, in.A)&f.Mask
}

// copyMask copies a bool in all lanes.
func copyMask(f *Frame, in *program.Instruction) { *MaskAt(f, in.D) = *MaskAt(f, in.A) }
