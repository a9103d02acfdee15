package cpu

import (
	"math/bits"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// parting says how a lane has left a construct around a barrier early.
type parting struct {
	id  int32 // of the construct; 0 for none
	pos int32
	how departure
}

// noteLeave notes where lanes leave the construct c, in the way imm.
func noteLeave(f *frame, in *instruction) {
	for m := f.mask; m != 0; m &= m - 1 {
		watcherOf(f).left[f.index][bits.TrailingZeros32(m)] = parting{in.c, in.pos, departure(in.imm)}
	}
}

// countEntry counts in b that the simd-group enters the construct c.
func countEntry(f *frame, in *instruction) {
	w := watcherOf(f)
	w.counts[f.index][in.b]++
	for m := f.mask; m != 0; m &= m - 1 {
		if left := &w.left[f.index][bits.TrailingZeros32(m)]; left.id == in.c {
			*left = parting{}
		}
	}
}

// Departure returns how a lane has left one of the constructs around a barrier early.
func (w *watcher) Departure(f *frame, lane int, barrier []around) (absence, bool) {
	left := w.left[f.index][lane]
	for _, c := range barrier {
		if c.id == left.id {
			return absence{departures[left.how], left.pos}, true
		}
	}
	return absence{}, false
}

// OtherRound returns the loop around the barrier of the first simd-group that waits of which
// another one is in another round, or nil.
func (w *watcher) OtherRound(f, first *frame) *around {
	barrier := f.program.barriers[first.waitsAt().imm]
	for i := range barrier {
		c := &barrier[i]
		if c.kind == loopConstruct && w.counts[f.index][c.count] != w.counts[first.index][c.count] {
			return c
		}
	}
	return nil
}

// Entered reports whether two simd-groups have entered a construct equally often.
func (w *watcher) Entered(f, first *frame, c *around) bool {
	return w.counts[f.index][c.count] == w.counts[first.index][c.count]
}

// MissesReturned reports whether the sanitizer looks at barriers.
func (w *watcher) MissesReturned() bool { return w.looksFor(driver.CheckBarrier) }

// Diverge reports the threads that are missing at a barrier. After that the threads of the
// threadgroup are not where their kernel would have them, so nothing more of it is reported.
func (w *watcher) Diverge(barrier *instruction, reached party, missing []party) {
	if w.diverged {
		return
	}
	w.diverged = true
	g, d := w.threadgroup, w.threadgroup.dispatch
	for _, m := range missing {
		places := []parser.Pos{d.program.positions[barrier.pos]}
		key := findingKey{kind: driver.CheckBarrier, object: m.why, first: places[0]}
		if m.at >= 0 {
			key.second = d.program.positions[m.at]
			places = append(places, key.second)
		}
		w.found.add(key, g.number(), func() driver.Finding {
			f := driver.Finding{
				Kind: driver.CheckBarrier, Kernel: d.program.name, Msg: divergence(d.program.program, reached, m), Group: g.position,
			}
			for i, pos := range places {
				f.Places = append(f.Places, w.place(pos, [2]party{reached, m}[i].first, g.position))
			}
			return f
		})
	}
}
