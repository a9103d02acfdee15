package cpu

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Where not all threads come to a barrier, a message says why not: which of the constructs
// around the barrier they are not in. Masks say that of the lanes of one simd-group. The
// sanitizer counts how often each simd-group enters the constructs that have a barrier in
// them, and notes where lanes leave them early.

// pass ends the wait of those simd-groups that wait at a threadgroup_barrier: all that have
// not ended. It returns a fault where not all threads are there. Threads that have returned are
// not missed: hardware goes on without them, and kernels in use return early where there is
// nothing to do for a thread. The sanitizer does miss them, and makes findings of those who are
// missing.
func (g *threadgroup) pass(frames []frame) error {
	first := &frames[0]
	for i := range frames {
		if first = &frames[i]; !first.done {
			break
		}
	}
	all := g.watch != nil && g.watch.MissesReturned()
	if !g.met(frames, first, all) {
		reached, missing := g.meeting(frames, first, all)
		if !all {
			g.failed = 0 // what the simd-groups before it do is done
			return first.newFault(first.waitsAt(), bits.TrailingZeros32(first.mask), errDivergentBarrier,
				divergence(g.dispatch.program.program, reached, missing...))
		}
		g.watch.Diverge(first.waitsAt(), reached, missing)
	}
	if g.watch != nil {
		g.watch.PassBarrier(first)
	}
	g.backward = first.program.backward[1+first.waitsAt().imm]
	return nil
}

// expected returns the mask of the lanes that a barrier waits for: all, or those that have not
// returned.
func (f *frame) expected(all bool) uint32 {
	if !all {
		return *maskAt(f, f.program.alive)
	}
	return uint32(1<<min(width, f.group.count-f.index*width) - 1)
}

// met reports whether all expected threads wait at the barrier of the first simd-group that
// waits.
func (g *threadgroup) met(frames []frame, first *frame, all bool) bool {
	for i := range frames {
		f := &frames[i]
		switch want := f.expected(all); {
		case f.done && want == 0:
		case f.done, f.pc != first.pc, f.mask != want, all && g.watch.OtherRound(f, first) != nil:
			return false
		}
	}
	return true
}

// absence is why a thread is not at a barrier, and the index of the position that shows it, or
// -1.
type absence struct {
	why string
	at  int32
}

// party are threads that have come to a barrier, or those with one absence in common.
type party struct {
	absence
	first [3]int
	count int
}

// add counts a thread.
func (p *party) add(thread [3]int) {
	if p.count == 0 {
		p.first = thread
	}
	p.count++
}

// String returns, say, "thread (64, 0, 0) and 63 more".
func (p party) String() string {
	if p.count == 1 {
		return "thread " + tuple(p.first)
	}
	return fmt.Sprintf("thread %s and %d more", tuple(p.first), p.count-1)
}

// meeting returns who of the expected threads has come to the barrier of the first simd-group
// that waits, and who has not.
func (g *threadgroup) meeting(frames []frame, first *frame, all bool) (reached party, missing []party) {
	index := map[absence]int{}
	for i := range frames {
		f := &frames[i]
		here := !f.done && f.pc == first.pc
		other := here && all && g.watch.OtherRound(f, first) != nil
		for m := f.expected(all); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if here && !other && f.mask>>l&1 != 0 {
				reached.add(g.thread(f, l))
				continue
			}
			why := g.absenceOf(f, l, first)
			n, ok := index[why]
			if !ok {
				n = len(missing)
				index[why] = n
				missing = append(missing, party{absence: why})
			}
			missing[n].add(g.thread(f, l))
		}
	}
	return reached, missing
}

// absenceOf returns why a lane is not at the barrier at which another simd-group waits.
func (g *threadgroup) absenceOf(f *frame, lane int, first *frame) absence {
	barrier, waits := f.program.barriers[first.waitsAt().imm], !f.done && f.mask>>lane&1 != 0
	here := !f.done && f.pc == first.pc
	switch {
	case waits && here:
		return absence{"in another round of the loop", g.watch.OtherRound(f, first).pos}
	case waits:
		return absence{"waiting at another barrier", f.waitsAt().pos}
	}
	if g.watch != nil {
		if why, ok := g.watch.Departure(f, lane, barrier); ok {
			return why
		}
	}
	if here {
		for _, c := range barrier {
			if *maskAt(f, c.active)>>lane&1 == 0 {
				return missed(&c)
			}
		}
		for _, c := range slices.Backward(barrier) {
			if c.kind == loopConstruct {
				return absence{"in the next round of the loop", c.pos}
			}
		}
	} else if g.watch != nil {
		for _, c := range barrier {
			if !g.watch.Entered(f, first, &c) {
				return missed(&c)
			}
		}
	}
	if inside := barrier[1:]; len(inside) == 1 || len(inside) > 0 && inside[0].kind == loopConstruct {
		return missed(&inside[0])
	}
	return absence{"at the end of the kernel", -1}
}

// missed returns the absence of a thread that is not in a construct.
func missed(c *around) absence {
	switch c.kind {
	case loopConstruct:
		return absence{"out of the loop", c.pos}
	case callConstruct:
		return absence{"out of the function called", c.pos}
	}
	return absence{"passed it by", c.pos}
}

// divergence returns the message of a barrier that some threads have not reached.
func divergence(p *program, reached party, missing ...party) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %v did", driver.ErrDivergentBarrier, reached)
	for _, m := range missing {
		fmt.Fprintf(&b, ", and %v did not: %s", m, m.why)
		if m.at >= 0 {
			b.WriteString(" at " + position(p.positions[m.at]))
		}
	}
	return b.String()
}

// waitsAt returns the barrier at which the frame waits.
func (f *frame) waitsAt() *instruction { return &f.program.code[f.pc-1] }
