package interp

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
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
func (g *Threadgroup) pass(frames []Frame) error {
	first := &frames[0]
	for i := range frames {
		if first = &frames[i]; !first.Done {
			break
		}
	}
	all := g.Watch != nil && g.Watch.MissesReturned()
	if !g.met(frames, first, all) {
		reached, missing := g.meeting(frames, first, all)
		if !all {
			g.Failed = 0 // what the simd-groups before it do is done
			return first.newFault(first.WaitsAt(), bits.TrailingZeros32(first.Mask), ErrDivergentBarrier,
				Divergence(g.Dispatch.Code.Program, reached, missing...))
		}
		g.Watch.Diverge(first.WaitsAt(), reached, missing)
	}
	if g.Watch != nil {
		g.Watch.PassBarrier(first)
	}
	g.Backward = first.Code.Backward[1+first.WaitsAt().Imm]
	return nil
}

// PassBarriers is told that all threads have met at so many barriers without pass, and in which order simd-groups run
// now.
func (g *Threadgroup) PassBarriers(n int, backward bool) {
	g.phase += n
	g.Backward = backward
}

// expected returns the mask of the lanes that a barrier waits for: all, or those that have not
// returned.
func (f *Frame) expected(all bool) uint32 {
	if !all {
		return *MaskAt(f, f.Code.Alive)
	}
	return uint32(1<<min(width, f.Group.count-f.Index*width) - 1)
}

// met reports whether all expected threads wait at the barrier of the first simd-group that
// waits.
func (g *Threadgroup) met(frames []Frame, first *Frame, all bool) bool {
	for i := range frames {
		f := &frames[i]
		switch want := f.expected(all); {
		case f.Done && want == 0:
		case f.Done, f.PC != first.PC, f.Mask != want, all && g.Watch.OtherRound(f, first) != nil:
			return false
		}
	}
	return true
}

// Absence is why a thread is not at a barrier, and the index of the position that shows it, or
// -1.
type Absence struct {
	Why string
	At  int32
}

// Party are threads that have come to a barrier, or those with one absence in common.
type Party struct {
	Absence
	First [3]int
	count int
}

// add counts a thread.
func (p *Party) add(thread [3]int) {
	if p.count == 0 {
		p.First = thread
	}
	p.count++
}

// String returns, say, "thread (64, 0, 0) and 63 more".
func (p Party) String() string {
	if p.count == 1 {
		return "thread " + program.Tuple(p.First)
	}
	return fmt.Sprintf("thread %s and %d more", program.Tuple(p.First), p.count-1)
}

// meeting returns who of the expected threads has come to the barrier of the first simd-group
// that waits, and who has not.
func (g *Threadgroup) meeting(frames []Frame, first *Frame, all bool) (reached Party, missing []Party) {
	index := map[Absence]int{}
	for i := range frames {
		f := &frames[i]
		here := !f.Done && f.PC == first.PC
		other := here && all && g.Watch.OtherRound(f, first) != nil
		for m := f.expected(all); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if here && !other && f.Mask>>l&1 != 0 {
				reached.add(g.Thread(f, l))
				continue
			}
			why := g.absenceOf(f, l, first)
			n, ok := index[why]
			if !ok {
				n = len(missing)
				index[why] = n
				missing = append(missing, Party{Absence: why})
			}
			missing[n].add(g.Thread(f, l))
		}
	}
	return reached, missing
}

// absenceOf returns why a lane is not at the barrier at which another simd-group waits.
func (g *Threadgroup) absenceOf(f *Frame, lane int, first *Frame) Absence {
	barrier, waits := f.Code.Barriers[first.WaitsAt().Imm], !f.Done && f.Mask>>lane&1 != 0
	here := !f.Done && f.PC == first.PC
	switch {
	case waits && here:
		return Absence{"in another round of the loop", g.Watch.OtherRound(f, first).Pos}
	case waits:
		return Absence{"waiting at another barrier", f.WaitsAt().Pos}
	}
	if g.Watch != nil {
		if why, ok := g.Watch.Departure(f, lane, barrier); ok {
			return why
		}
	}
	if here {
		for _, c := range barrier {
			if *MaskAt(f, c.Active)>>lane&1 == 0 {
				return missed(&c)
			}
		}
		for _, c := range slices.Backward(barrier) {
			if c.Kind == program.LoopConstruct {
				return Absence{"in the next round of the loop", c.Pos}
			}
		}
	} else if g.Watch != nil {
		for _, c := range barrier {
			if !g.Watch.Entered(f, first, &c) {
				return missed(&c)
			}
		}
	}
	if inside := barrier[1:]; len(inside) == 1 || len(inside) > 0 && inside[0].Kind == program.LoopConstruct {
		return missed(&inside[0])
	}
	return Absence{"at the end of the kernel", -1}
}

// missed returns the absence of a thread that is not in a construct.
func missed(c *program.Around) Absence {
	switch c.Kind {
	case program.LoopConstruct:
		return Absence{"out of the loop", c.Pos}
	case program.CallConstruct:
		return Absence{"out of the function called", c.Pos}
	}
	return Absence{"passed it by", c.Pos}
}

// Divergence returns the message of a barrier that some threads have not reached.
func Divergence(p *program.Program, reached Party, missing ...Party) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %v did", driver.ErrDivergentBarrier, reached)
	for _, m := range missing {
		fmt.Fprintf(&b, ", and %v did not: %s", m, m.Why)
		if m.At >= 0 {
			b.WriteString(" at " + program.Position(p.Positions[m.At]))
		}
	}
	return b.String()
}

// WaitsAt returns the barrier at which the frame waits.
func (f *Frame) WaitsAt() *program.Instruction { return &f.Code.Code[f.PC-1] }
