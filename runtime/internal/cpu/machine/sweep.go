package machine

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
)

// sweptAtOnce bounds the cost of the simd-groups that are swept before the code returns: some microseconds. Fewer than
// leastSwept are not swept: checks and a call would take longer than they save, as in narrow images.
const (
	sweptAtOnce = 1 << 16
	leastSwept  = 16
)

// sweep runs all simd-groups of a threadgroup that has not begun, and of those after it that are in a row with it, as a
// sweep. It reports whether it has: else nothing has been done.
func (n *natively) sweep(frames []interp.Frame) bool {
	g, r, s := n.group, n.run, n.native.Parts.Sweep
	first := uintptr(unsafe.Pointer(&frames[0]))
	if !n.row || r.Fresh != first || len(frames) != g.Simdgroups() || len(g.Shared()) > 0 {
		return false
	}
	threadgroups := 1
	if _, along := g.Followers(); r.More > 0 && n.goesOn(along, len(frames)) {
		threadgroups += int(r.More)
	}
	threadgroups = min(threadgroups, max(sweptAtOnce/s.Cost/len(frames), 1))
	steps := r.Steps
	for ; threadgroups*len(frames) >= leastSwept; threadgroups /= 2 {
		rounds := threadgroups * len(frames)
		if !n.notesLasts(rounds, s.Reach) {
			continue
		}
		r.Frame, r.Steps, r.Rounds, r.Sweeps = first, uintptr(unsafe.Pointer(&n.lasts[0])), int64(rounds), 1
		done := n.native.code.Call(0, unsafe.Pointer(r))
		if r.Sweeps, r.Steps = 0, steps; done == 0 {
			continue
		}
		if more := threadgroups - 1; more > 0 {
			r.More -= uint32(more)
			g.Followed(int64(more))
		}
		for i := range frames {
			frames[i].Done, frames[i].Handoff.Holds = true, true
		}
		for j, b := range n.native.Builtins { // the code counts up, and the interpreter sets some of them only once
			if s.Reads[j] {
				interp.At[uint32](&frames[0], b.At).Base = n.values[j]
			}
		}
		r.Fresh = ^uintptr(0)
		return true
	}
	return false
}

// isRow reports whether the simd-groups of a threadgroup are a row of threads: all of them are whole, and what counts
// up goes on from each to the next, while all else stays the same. Each has so many words in n.rows.
func (n *natively) isRow(each int) bool {
	s := n.native.Parts.Sweep
	if s == nil || each == 1 { // there are no builtins
		return false
	}
	for i := range n.group.Simdgroups() {
		row := n.rows[i*each:][:each]
		for j, b := range n.native.Builtins {
			if s.Reads[j] && (b.Varies || row[0] != uint32(i)*width*uint32(b.Step)) {
				return false
			}
			row = row[b.Words():]
		}
		if row[0] != 1<<width-1 {
			return false
		}
	}
	return true
}

// goesOn reports whether what counts up goes on from a threadgroup to the next one, in a direction, while all else
// that the program reads stays the same.
func (n *natively) goesOn(along, simdgroups int) bool {
	for j, b := range n.native.Builtins {
		if n.native.Parts.Sweep.Reads[j] && n.along[along][j] != uint32(simdgroups)*width*uint32(b.Step) {
			return false
		}
	}
	return true
}

// notesLasts finds the builtins of the last of some simd-groups that are swept. It reports false where they are so
// large that what is computed of them may wrap around.
func (n *natively) notesLasts(rounds int, reach int64) bool {
	more := int64(rounds-1) * width
	if (more+width)*reach > 1<<29 {
		return false
	}
	n.lasts = append(n.lasts[:0], n.values...)
	for j, b := range n.native.Builtins {
		if b.Step == 0 {
			continue
		}
		last := int64(n.values[j]) + more*int64(b.Step)
		if (last+width)*reach >= 1<<31 {
			return false
		}
		n.lasts[j] = uint32(last)
	}
	return true
}
