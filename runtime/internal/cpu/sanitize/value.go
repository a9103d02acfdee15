package sanitize

import (
	"fmt"
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
)

// values says what the threads of a race have read and written, where that is known: memory
// holds what was written or read before, and what is going to be written is in a register.
// While other threadgroups run, it is not.
func (w *watcher) values(r shadow.Race) string {
	if r.Kind == shadow.Between || r.Before.Atomic || r.Now.Atomic {
		return ""
	}
	offset := int64(r.Address - addressIn(w.object, 0))
	now, ok := w.valueNow(r.Now, offset)
	if !ok {
		return ""
	}
	if r.Kind == shadow.Simultaneous {
		if before, ok := w.valueNow(r.Before, offset); ok {
			return fmt.Sprintf(", %s and %s", now, before)
		}
		return ""
	}
	before, ok := w.valueBefore(r, offset)
	switch {
	case !ok:
		return ""
	case !r.Before.Writes:
		return fmt.Sprintf("; here %s was read, then %s written", before, now)
	case r.Now.Writes:
		return fmt.Sprintf("; here %s was written, then %s", before, now)
	}
	return fmt.Sprintf("; here %s was written, then %s read", before, now)
}

// sameValue reports whether both accesses of a race are known to write one value.
func (w *watcher) sameValue(r shadow.Race) bool {
	if !r.Before.Writes || !r.Now.Writes {
		return false
	}
	offset := int64(r.Address - addressIn(w.object, 0))
	now, ok := w.valueNow(r.Now, offset)
	before, also := w.valueBefore(r, offset)
	return ok && also && now == before
}

// valueNow returns what a lane of the simd-group that touches memory now reads or writes there.
func (w *watcher) valueNow(p shadow.Party, offset int64) (string, bool) {
	f, s := w.frame, &w.threadgroup.Dispatch.Code.Sites[p.Site]
	if p.Lane < 0 || len(s.Components) == 0 {
		return "", false
	}
	start := program.Displacement(f.Addresses(w.instruction)[p.Lane]) + w.instruction.Imm
	for i, l := range s.Components {
		at := start + int64(l.Offset-s.Components[0].Offset)
		switch {
		case l.IsHandle() || offset < at || offset >= at+int64(program.ScalarBytes[l.Kind]):
		case !p.Writes:
			return valueIn(w.object, l.Kind, at)
		case s.Stored != nil:
			return shown(l.Kind, bitsIn(f, l.Class(), s.Stored[i], p.Lane)), true
		}
	}
	return "", false
}

// valueBefore returns what the earlier access has left in memory or found there. Where its
// bytes began is known of scalars that are all alike and aligned.
func (w *watcher) valueBefore(r shadow.Race, offset int64) (string, bool) {
	s := &w.threadgroup.Dispatch.Code.Sites[r.Before.Site]
	if r.Before.Lane < 0 || len(s.Components) == 0 {
		return "", false
	}
	first := s.Components[0]
	for _, l := range s.Components {
		if l.Kind != first.Kind || l.IsHandle() {
			return "", false
		}
	}
	return valueIn(w.object, first.Kind, offset-int64(r.Address)&int64(program.ScalarBytes[first.Kind]-1))
}

// valueIn returns the scalar that memory holds at an offset.
func valueIn(o *interp.Object, k tree.ScalarKind, offset int64) (string, bool) {
	if !o.Holds(offset, program.ScalarBytes[k]) {
		return "", false
	}
	bits := uint64(0)
	for i := range program.ScalarBytes[k] {
		bits |= uint64(interp.Peek[uint8](o.At(offset+int64(i), 0))) << (8 * i)
	}
	switch k {
	case tree.Half:
		return fmt.Sprint(fmath.HalfFromBits(uint16(bits))), true
	case tree.BFloat:
		return fmt.Sprint(fmath.BFloatFromBits(uint16(bits))), true
	}
	return shown(k, bits), true
}

// bitsIn returns what a register holds for a lane.
func bitsIn(f *interp.Frame, c program.Class, r int32, lane int) uint64 {
	switch c {
	case program.MaskClass:
		return uint64(*interp.MaskAt(f, r) >> lane & 1)
	case program.LongClass:
		return interp.At[uint64](f, r).Value(lane)
	}
	return uint64(interp.At[uint32](f, r).Value(lane))
}

// shown returns a scalar as messages have it. Half and bfloat are float32 in registers.
func shown(k tree.ScalarKind, bits uint64) string {
	switch k {
	case tree.Bool:
		return fmt.Sprint(bits != 0)
	case tree.Half, tree.BFloat, tree.Float:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	}
	shift := 64 - 8*program.ScalarBytes[k]
	if program.Signed(k) {
		return fmt.Sprint(int64(bits<<shift) >> shift)
	}
	return fmt.Sprint(bits << shift >> shift)
}
