package sanitize

import (
	"math/bits"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// parting says how a lane has left a construct around a barrier early.
type parting struct {
	id  int32 // of the construct; 0 for none
	pos int32
	how program.Departure
}

// noteLeave notes where lanes leave the construct c, in the way imm.
func noteLeave(f *interp.Frame, in *program.Instruction) {
	for m := f.Mask; m != 0; m &= m - 1 {
		watcherOf(f).left[f.Index][bits.TrailingZeros32(m)] = parting{in.C, in.Pos, program.Departure(in.Imm)}
	}
}

// countEntry counts in b that the simd-group enters the construct c.
func countEntry(f *interp.Frame, in *program.Instruction) {
	w := watcherOf(f)
	w.counts[f.Index][in.B]++
	for m := f.Mask; m != 0; m &= m - 1 {
		if left := &w.left[f.Index][bits.TrailingZeros32(m)]; left.id == in.C {
			*left = parting{}
		}
	}
}

// Departure returns how a lane has left one of the constructs around a barrier early.
func (w *watcher) Departure(f *interp.Frame, lane int, barrier []program.Around) (interp.Absence, bool) {
	left := w.left[f.Index][lane]
	for _, c := range barrier {
		if c.Id == left.id {
			return interp.Absence{Why: program.Departures[left.how], At: left.pos}, true
		}
	}
	return interp.Absence{}, false
}

// OtherRound returns a loop around the barrier at which the first simd-group waits, where f is
// in another round of it, or nil.
func (w *watcher) OtherRound(f, first *interp.Frame) *program.Around {
	barrier := f.Code.Barriers[first.WaitsAt().Imm]
	for i := range barrier {
		c := &barrier[i]
		if c.Kind == program.LoopConstruct && w.counts[f.Index][c.Count] != w.counts[first.Index][c.Count] {
			return c
		}
	}
	return nil
}

// Entered reports whether two simd-groups have entered a construct equally often.
func (w *watcher) Entered(f, first *interp.Frame, c *program.Around) bool {
	return w.counts[f.Index][c.Count] == w.counts[first.Index][c.Count]
}

// MissesReturned reports whether the sanitizer looks at barriers.
func (w *watcher) MissesReturned() bool { return w.looksFor(driver.CheckBarrier) }

// Diverge reports the threads that are missing at a barrier. After that the threads of the
// threadgroup are not where their kernel would have them, so nothing more of it is reported.
func (w *watcher) Diverge(barrier *program.Instruction, reached interp.Party, missing []interp.Party) {
	if w.diverged {
		return
	}
	w.diverged = true
	g, d := w.threadgroup, w.threadgroup.Dispatch
	for _, m := range missing {
		places := []parser.Pos{d.Code.Positions[barrier.Pos]}
		key := findingKey{kind: driver.CheckBarrier, object: m.Why, first: places[0]}
		if m.At >= 0 {
			key.second = d.Code.Positions[m.At]
			places = append(places, key.second)
		}
		w.found.add(key, g.Number(), func() driver.Finding {
			f := driver.Finding{
				Kind: driver.CheckBarrier, Kernel: d.Code.Name, Msg: interp.Divergence(d.Code.Program, reached,
					m), Group: g.Position,
			}
			for i, pos := range places {
				f.Places = append(f.Places, w.place(pos, [2]interp.Party{reached, m}[i].First, g.Position))
			}
			return f
		})
	}
}
