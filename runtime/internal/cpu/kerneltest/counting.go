package kerneltest

import "fmt"

// What counts up from thread to thread is held by its first value and its step where a device can, and so are sums and
// products of it with what is the same in all threads. Steps that nearly fit are where that goes wrong.

// counting returns integers of a type that count up along with the threads.
func (w *writer) counting(t *typ) string {
	at := pick(w, integerTypes...)
	x := w.cast(pick(w, "gid", "gid", "lane", "tid"), uintType, at)
	if w.one(2) {
		x = fmt.Sprintf("(%s * %s)", x, w.same(at))
	}
	for range 1 + w.random.IntN(4) {
		switch w.random.IntN(8) {
		case 0:
			x = "(-" + x + ")"
		case 1:
			x = "(~" + x + ")"
		case 2:
			x = fmt.Sprintf("(%s %s %s)", x, pick(w, "+", "-"), w.same(at))
		case 3:
			x = fmt.Sprintf("(%s %s %s)", w.same(at), pick(w, "+", "-"), x)
		case 4:
			x = fmt.Sprintf("(%s << %d)", x, w.random.IntN(at.bits))
		case 5:
			to := pick(w, integerTypes...)
			x, at = w.cast(x, at, to), to
		case 6:
			x = fmt.Sprintf("(%s %s %s)", x, pick(w, "+", "-"), w.cast(pick(w, "gid", "lane", "tid"), uintType, at))
		default:
			x = fmt.Sprintf("(%s * %s)", x, w.same(at))
		}
	}
	if at.bits == 64 {
		w.has(LongOfThread)
	}
	return w.cast(x, at, t)
}

// same returns what is the same in all threads of a threadgroup: a number at which something changes, or an argument.
func (w *writer) same(t *typ) string {
	if w.one(4) {
		return w.cast(pick(w, "p.a", "p.d", "group.x", "total", "in[7]"), uintType, t)
	}
	if t.bits == 32 {
		return fmt.Sprintf("%s(%du)", t.name, awkward(w.random))
	}
	bit := w.random.IntN(64)
	if w.one(2) {
		bit = pick(w, 0, 1, 30, 31, 31, 32, 62, 63)
	}
	v := uint64(1) << bit
	if w.one(2) {
		v = -v
	}
	if w.one(3) {
		v += uint64(w.random.IntN(3)) - 1
	}
	return fmt.Sprintf("%s(%dul)", t.name, v)
}
