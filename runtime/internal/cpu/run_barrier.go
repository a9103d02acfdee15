package cpu

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// pass ends the wait of those simd-groups that wait at a threadgroup_barrier: all that have
// not ended. It returns a fault where they do not wait at the same one, or where one of the
// others came to the end of the kernel without it. Threads that have returned are not missed:
// hardware goes on without them, and kernels in use return early where there is nothing to do
// for a thread. The sanitizer does miss them.
func (g *threadgroup) pass(frames []frame) error {
	var first *frame
	for i := range frames {
		if f := &frames[i]; !f.done {
			first = f
			break
		}
	}
	if g.watch.looksFor(driver.CheckBarrier) {
		g.watch.meet(frames, first)
	} else if err := g.meet(frames, first); err != nil {
		return err
	}
	if g.watch != nil {
		g.watch.passBarrier(first)
	}
	return nil
}

// meet returns a fault where the simd-groups do not meet at one barrier. The first of them waits
// at its own.
func (g *threadgroup) meet(frames []frame, first *frame) error {
	g.failed = 0 // what the simd-groups before it do is done
	last := first
	for i := range slices.Backward(frames) {
		f := &frames[i]
		switch alive := *maskAt(f, f.program.alive); {
		case f.done && alive != 0:
			msg := fmt.Sprintf("%v: thread %s came to the end of the kernel without it",
				errDivergentBarrier, tuple(g.thread(f, bits.TrailingZeros32(alive))))
			return first.fault(first.waitsAt(), bits.TrailingZeros32(first.mask), errDivergentBarrier, msg)
		case f.done:
		case last == first:
			last = f
		case f.pc != last.pc:
			return f.fault(f.waitsAt(), bits.TrailingZeros32(f.mask), errDifferentBarriers, errDifferentBarriers.Error())
		}
	}
	return nil
}

// waitsAt returns the barrier at which the frame waits.
func (f *frame) waitsAt() *instruction { return &f.program.code[f.pc-1] }
