package cpu

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// noteReturn notes where threads return from the kernel.
func noteReturn(f *frame, in *instruction) {
	for m := f.mask; m != 0; m &= m - 1 {
		f.group.watch.returned[f.index][bits.TrailingZeros32(m)] = in.pos
	}
}

// absence is why a thread is not at a barrier, and the index of the position that shows it, or
// -1.
type absence struct {
	why string
	at  int32
}

// absent are the threads that have one absence in common.
type absent struct {
	first [3]int
	count int
}

// meet reports the threads that are missing at the barrier at which the first simd-group
// waits. After that the threads of the threadgroup are not where their kernel would have
// them, so nothing more of it is reported.
func (w *watch) meet(frames []frame, first *frame) {
	if w.diverged {
		return
	}
	g := w.threadgroup
	reached := absent{first: g.thread(first, bits.TrailingZeros32(first.mask))}
	missing := map[absence]*absent{}
	for i := range frames {
		f := &frames[i]
		for l := range min(width, g.count-i*width) {
			if !f.done && f.pc == first.pc && f.mask>>l&1 != 0 {
				reached.count++
				continue
			}
			why := w.absenceOf(f, l, first)
			if missing[why] == nil {
				missing[why] = &absent{first: g.thread(f, l)}
			}
			missing[why].count++
		}
	}
	w.diverged = len(missing) > 0
	for why, threads := range missing {
		w.divergent(first.waitsAt().pos, reached, *threads, why)
	}
}

// absenceOf returns why a lane is not at the barrier at which another simd-group waits.
func (w *watch) absenceOf(f *frame, lane int, first *frame) absence {
	in := first.waitsAt()
	switch at := w.returned[f.index][lane]; {
	case at >= 0:
		return absence{"returned", at}
	case !f.done && f.pc != first.pc && f.mask>>lane&1 != 0:
		return absence{"waiting at another barrier", f.waitsAt().pos}
	case in.c == 0:
		return absence{"not there yet", -1}
	case constructKind(in.c-1) == loopConstruct:
		return absence{"out of the loop", int32(in.imm)}
	}
	return absence{"passed it by", int32(in.imm)}
}

// divergent reports a barrier that some threads have not reached.
func (w *watch) divergent(at int32, reached, missing absent, why absence) {
	g, d := w.threadgroup, w.threadgroup.dispatch
	places := []parser.Pos{d.program.positions[at]}
	msg := fmt.Sprintf("%v: %v did, and %v did not: %s", driver.ErrDivergentBarrier, reached, missing, why.why)
	key := findingKey{kind: driver.CheckBarrier, object: why.why, first: places[0]}
	if why.at >= 0 {
		key.second = d.program.positions[why.at]
		places = append(places, key.second)
		msg += " at " + position(key.second)
	}
	w.found.add(key, g.number(), func() driver.Finding {
		f := driver.Finding{Kind: driver.CheckBarrier, Kernel: d.program.name, Msg: msg, Group: g.position}
		for i, pos := range places {
			f.Places = append(f.Places, d.place(pos, [2]absent{reached, missing}[i].first, g.position))
		}
		return f
	})
}

// String returns, say, "thread (64, 0, 0) and 63 more".
func (a absent) String() string {
	if a.count == 1 {
		return "thread " + tuple(a.first)
	}
	return fmt.Sprintf("thread %s and %d more", tuple(a.first), a.count-1)
}
