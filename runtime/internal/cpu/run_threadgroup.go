package cpu

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// threadgroup executes the threadgroups of a dispatch, one after the other, with
// memory that it keeps.
type threadgroup struct {
	dispatch *dispatch
	frames   []frame
	memory   []uint64 // threadgroup memory
	texels   sample.Scratch
	unset    []uint64 // what is unset of that, where the program wants to know
	spare    []*activation
	broken   bool    // by a mistake of the device: not to be used again
	failed   int     // the simd-group that made the last fault, or was stopped
	backward bool    // simd-groups run from the last to the first, until the next barrier
	watch    watch   // where the device has a sanitizer
	turns    *turns  // where the device has a schedule
	machine  machine // where the device has one

	position [3]int // threadgroup_position_in_grid
	threads  [3]int // of this threadgroup: fewer at the edge of a grid that Size bounds
	count    int    // threads in all
	phase    int    // barriers that the threadgroup has passed
	logged   int    // messages
}

// prepare makes the threadgroup ready for a dispatch.
func (g *threadgroup) prepare(d *dispatch) (err error) {
	defer g.recover(&err)
	g.dispatch, g.threads, g.position = d, d.threads, [3]int{}
	n := d.simdgroups()
	for len(g.frames) < n {
		g.frames = append(g.frames, frame{})
	}
	if need := (d.shared + 7) / 8; need > len(g.memory) {
		g.memory = make([]uint64, need)
	}
	if d.program.tracks {
		g.unset = sized(g.unset, len(g.memory))
	}
	if g.watch = nil; d.watch != nil {
		g.watch = d.watch(g)
	}
	if g.machine == nil && d.machine != nil {
		g.machine = d.machine(g)
	}
	if g.machine != nil {
		g.machine.Prepare()
	}
	for i := range g.frames[:n] {
		g.frames[i].index = i
		g.frames[i].prepare(g)
	}
	return nil
}

// reset drops what belongs to a dispatch. It reports false where the threadgroup is not to be kept.
func (g *threadgroup) reset() bool {
	if g.broken || g.dispatch.frames() > maxIdle {
		return false
	}
	if g.watch != nil {
		g.watch.Forget()
	}
	g.dispatch, g.watch, g.turns = nil, nil, nil
	for i := range g.frames {
		clear(g.frames[i].objects)
	}
	return true
}

// recover turns the panics that end the execution of a kernel into errors.
func (g *threadgroup) recover(err *error) {
	switch r := recover().(type) {
	case nil:
	case *driver.Fault:
		*err = r
	default:
		g.broken = true
		*err = &internalError{What: g.dispatch.program.name, Panic: r, Stack: debug.Stack()}
	}
}

// internalError is a mistake of the device itself.
type internalError struct {
	What  string // the kernel or source that the device worked on
	Panic any
	Stack []byte
}

// Error names What and the panic; Stack says where.
func (e *internalError) Error() string {
	return fmt.Sprintf("%s: internal error of the CPU device: %v", e.What, e.Panic)
}

// recoverInternal turns a panic while a source is read or compiled into an error.
func recoverInternal(err *error, what string) {
	if r := recover(); r != nil {
		*err = &internalError{What: what, Panic: r, Stack: debug.Stack()}
	}
}

// run executes the threadgroup at a position. Of several simd-groups that fail before
// the same barrier, it returns the fault of the first.
func (g *threadgroup) run(position [3]int) error {
	err := g.runAll(position)
	for {
		if _, ok := err.(*driver.Fault); !ok {
			return err
		}
		earlier := g.runBefore(g.failed)
		if earlier == nil || errors.Is(earlier, errStopped) { // it may never end
			return err
		}
		err = earlier
	}
}

// runBefore executes the simd-groups before one that failed, where that is the last of them to
// run: they are where the last barrier let them go. In the other order they have been run.
func (g *threadgroup) runBefore(failed int) (err error) {
	defer g.recover(&err)
	if !g.backward {
		return nil
	}
	for i := range slices.Backward(g.frames[:failed]) {
		if f := &g.frames[i]; !f.done && !g.advance(g.frames[i:i+1]) {
			return g.stopped()
		}
	}
	return nil
}

// runAll executes all simd-groups, from barrier to barrier, until one fails.
func (g *threadgroup) runAll(position [3]int) (err error) {
	defer g.recover(&err)
	g.start(position)
	frames := g.frames[:g.simdgroups()]
	for running := len(frames); running > 0; {
		if !g.advance(frames) {
			return g.stopped()
		}
		running = 0
		for i := range frames {
			if !frames[i].done {
				running++
			}
		}
		if running > 0 {
			if err := g.pass(frames); err != nil {
				return err
			}
			g.phase++
		}
	}
	return nil
}

// advance executes all simd-groups until the next barrier. It reports false where one was stopped.
func (g *threadgroup) advance(frames []frame) bool {
	hasCode := g.hasCode()
	if hasCode && !g.backward {
		return g.machine.Run(frames)
	}
	for i := range frames {
		if g.backward {
			i = len(frames) - 1 - i
		}
		f := &frames[i]
		switch {
		case f.done:
		case hasCode:
			if !g.machine.Run(frames[i : i+1]) {
				return false
			}
		case !f.execute():
			return false
		}
	}
	return true
}

// start makes the threadgroup the one at a position, whose simd-groups have done nothing yet.
func (g *threadgroup) start(position [3]int) {
	g.position, g.threads = position, g.dispatch.threadsAt(position)
	g.count = g.threads[0] * g.threads[1] * g.threads[2]
	g.phase, g.logged, g.backward = 0, 0, g.dispatch.program.backward[0]
	g.poison()
	if g.watch != nil {
		g.watch.Enter()
	}
	if g.machine != nil && g.machine.Begin() {
		return
	}
	for i := range g.simdgroups() {
		g.frames[i].enter(i)
	}
	if g.machine != nil {
		g.machine.Entered()
	}
}

// simdgroups returns the number of simd-groups, the last of which may be partial.
func (g *threadgroup) simdgroups() int { return (g.count + width - 1) / width }

// poison fills threadgroup memory, which begins undefined, with all ones. As floats they
// are no numbers, so a read before the first write shows.
func (g *threadgroup) poison() {
	words := (g.dispatch.shared + 7) / 8
	for i := range g.memory[:words] {
		g.memory[i] = ^uint64(0)
	}
	if g.dispatch.program.tracks {
		copy(g.unset[:words], g.memory)
	}
}

// thread returns thread_position_in_grid of a lane.
func (g *threadgroup) thread(f *frame, lane int) [3]int {
	index := f.index*width + lane
	t := g.threads
	in := [3]int{index % t[0], index / t[0] % t[1], index / (t[0] * t[1])}
	for i := range in {
		in[i] += g.position[i] * g.dispatch.threads[i]
	}
	return in
}
