package cpu

import "github.com/metalgen/metalgen/runtime/internal/cpu/lanes"

// The result of a comparison is a mask. Where a linear register is compared with one
// that is the same in all lanes, and the first and the last lane agree, so do the
// lanes between them.

// ends returns the values of the first and the last lane of a register that counts up
// without wrapping around.
func ends[T word](r *register[T]) (first, last T, ok bool) {
	if !r.linear {
		return 0, 0, false
	}
	first, last = r.base, r.base+(width-1)*r.step
	if r.step == 0 {
		return first, last, true
	}
	small := r.step < 1<<16
	return first, last, small && r.step > 0 && last > first
}

func equal[T word](f *frame, in *instruction) {
	a, b := at[T](f, in.a), at[T](f, in.b)
	if a.uniform() && b.uniform() {
		*maskAt(f, in.d) = maskOf(a.base == b.base)
		return
	}
	*maskAt(f, in.d) = lanes.On[T]().Equal(a.lanes(), b.lanes())
}

func notEqual[T word](f *frame, in *instruction) {
	equal[T](f, in)
	*maskAt(f, in.d) ^= full
}

func less[T word](f *frame, in *instruction) {
	a, b := at[T](f, in.a), at[T](f, in.b)
	low, high, ok := endsCompare(a, b, func(x, y T) bool { return x < y })
	if ok && low == high {
		*maskAt(f, in.d) = maskOf(low)
		return
	}
	*maskAt(f, in.d) = lanes.On[T]().Less(a.lanes(), b.lanes())
}

func lessEqual[T word](f *frame, in *instruction) {
	a, b := at[T](f, in.a), at[T](f, in.b)
	low, high, ok := endsCompare(a, b, func(x, y T) bool { return x <= y })
	if ok && low == high {
		*maskAt(f, in.d) = maskOf(low)
		return
	}
	*maskAt(f, in.d) = lanes.On[T]().LessEqual(a.lanes(), b.lanes())
}

// endsCompare compares the first and the last lanes, where one side is the same
// for all lanes and the other counts up.
func endsCompare[T word](a, b *register[T], compare func(x, y T) bool) (low, high, ok bool) {
	firstA, lastA, okA := ends(a)
	firstB, lastB, okB := ends(b)
	if !okA || !okB || a.step != 0 && b.step != 0 {
		return false, false, false
	}
	return compare(firstA, firstB), compare(lastA, lastB), true
}

// The operations of masks, which bools are.

func maskAnd(f *frame, in *instruction) { *maskAt(f, in.d) = *maskAt(f, in.a) & *maskAt(f, in.b) }
func maskOr(f *frame, in *instruction)  { *maskAt(f, in.d) = *maskAt(f, in.a) | *maskAt(f, in.b) }
func maskXor(f *frame, in *instruction) { *maskAt(f, in.d) = *maskAt(f, in.a) ^ *maskAt(f, in.b) }
func maskNot(f *frame, in *instruction) { *maskAt(f, in.d) = ^*maskAt(f, in.a) }

// maskEqual is equality of bools.
func maskEqual(f *frame, in *instruction) { *maskAt(f, in.d) = ^(*maskAt(f, in.a) ^ *maskAt(f, in.b)) }

// moveMask assigns a bool in the active lanes.
func moveMask(f *frame, in *instruction) {
	d := maskAt(f, in.d)
	*d = *d&^f.mask | *maskAt(f, in.a)&f.mask
}

// copyMask copies a bool in all lanes.
func copyMask(f *frame, in *instruction) { *maskAt(f, in.d) = *maskAt(f, in.a) }
