package interp

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Threadgroup executes the threadgroups of a dispatch, one after the other, with
// memory that it keeps.
type Threadgroup struct {
	Dispatch *Dispatch
	Frames   []Frame
	memory   []uint64 // threadgroup memory
	texels   sample.Scratch
	unset    []uint64 // what is unset of that, where the program wants to know
	spare    []*activation
	broken   bool    // by a mistake of the device: not to be used again
	Failed   int     // the simd-group that made the last fault, or was stopped
	Backward bool    // simd-groups run from the last to the first, until the next barrier
	Watch    Watch   // where the device has a sanitizer
	Turns    *Turns  // where the device has a schedule
	machine  Machine // where the device has one

	Position [3]int // threadgroup_position_in_grid
	Threads  [3]int // of this threadgroup: fewer at the edge of a grid that Size bounds
	count    int    // threads in all
	begun    int64  // threadgroups that the last Run has begun
	phase    int    // barriers that the threadgroup has passed
	logged   int    // messages
}

// Prepare makes the threadgroup ready for a dispatch.
func (g *Threadgroup) Prepare(d *Dispatch) (err error) {
	defer g.recover(&err)
	g.Dispatch, g.Position = d, [3]int{}
	g.setThreads(d.Threads)
	n := d.Simdgroups()
	for len(g.Frames) < n {
		g.Frames = append(g.Frames, Frame{})
	}
	if need := d.sharedWords(); need > len(g.memory) {
		g.memory = make([]uint64, need)
	}
	if d.Code.Tracks {
		g.unset = sized(g.unset, len(g.memory))
	}
	if g.Watch = nil; d.Watch != nil {
		g.Watch = d.Watch(g)
	}
	if g.machine == nil && d.Machine != nil {
		g.machine = d.Machine(g)
	}
	if g.machine != nil {
		g.machine.Prepare()
	}
	for i := range g.Frames[:n] {
		g.Frames[i].Index = i
		g.Frames[i].prepare(g)
	}
	return nil
}

// Reset drops what belongs to a dispatch. It reports false where the threadgroup is not to be kept.
func (g *Threadgroup) Reset() bool {
	if g.broken || g.Dispatch.Frames() > maxIdle {
		return false
	}
	if g.Watch != nil {
		g.Watch.Forget()
	}
	g.Dispatch, g.Watch, g.Turns = nil, nil, nil
	for i := range g.Frames {
		clear(g.Frames[i].Objects)
	}
	return true
}

// recover turns the panics that end the execution of a kernel into errors.
func (g *Threadgroup) recover(err *error) {
	switch r := recover().(type) {
	case nil:
	case *driver.Fault:
		*err = r
	default:
		g.broken = true
		*err = &InternalError{What: g.Dispatch.Code.Name, Panic: r, Stack: debug.Stack()}
	}
}

// InternalError is a mistake of the device itself.
type InternalError struct {
	What  string // the kernel or source that the device worked on
	Panic any
	Stack []byte
}

// Error names What and the panic; Stack says where.
func (e *InternalError) Error() string {
	return fmt.Sprintf("%s: internal error of the CPU device: %v", e.What, e.Panic)
}

// RecoverInternal turns a panic while a source is read or compiled into an error.
func RecoverInternal(err *error, what string) {
	if r := recover(); r != nil {
		*err = &InternalError{What: what, Panic: r, Stack: debug.Stack()}
	}
}

// Run executes the threadgroup at a position, and may execute some of those that follow, up to most in all. It returns
// how many it has begun, and makes the position that of the last. Of several simd-groups that fail before the same
// barrier, it returns the fault of the first.
func (g *Threadgroup) Run(position *[3]int, most int64) (begun int64, err error) {
	g.begun = 1
	err = g.runAll(position, most-1)
	for {
		if g.begun > 1 {
			*position = g.Position
		}
		if _, ok := err.(*driver.Fault); !ok {
			return g.begun, err
		}
		earlier := g.runBefore(g.Failed)
		if earlier == nil || errors.Is(earlier, ErrStopped) { // it may never end
			return g.begun, err
		}
		err = earlier
	}
}

// Followed is told that the threadgroup has become one after it in its row, the n-th, without Start.
func (g *Threadgroup) Followed(n int64) {
	_, along := g.Followers()
	g.Position[along] += int(n)
	g.begun += n
	g.phase, g.logged, g.Backward = 0, 0, false
}

// Followers returns how many of the next threadgroups are like this one, in a row of the grid, and the direction of the
// row.
func (g *Threadgroup) Followers() (n int64, along int) {
	d := g.Dispatch
	for along < 2 && d.Grid.Threadgroups[along] == 1 {
		along++
	}
	end := d.Grid.Threadgroups[along]
	if size := d.Grid.Size[along]; size > 0 {
		end = size / d.Threads[along]
	}
	return int64(max(end-1-g.Position[along], 0)), along
}

// Shared returns the threadgroup memory, in whole vectors.
func (g *Threadgroup) Shared() []uint64 { return g.memory[:g.Dispatch.sharedWords()] }

// sharedWords returns how many words the threadgroup memory of a dispatch takes, in whole vectors of 64 bytes.
func (d *Dispatch) sharedWords() int { return (d.Shared + 63) / 64 * 8 }

// runBefore executes the simd-groups before one that failed, where that is the last of them to
// run: they are where the last barrier let them go. In the other order they have been run.
func (g *Threadgroup) runBefore(failed int) (err error) {
	defer g.recover(&err)
	if !g.Backward {
		return nil
	}
	for i := range slices.Backward(g.Frames[:failed]) {
		if f := &g.Frames[i]; !f.Done && !g.advance(g.Frames[i:i+1]) {
			return g.Stopped()
		}
	}
	return nil
}

// runAll executes all simd-groups, from barrier to barrier, until one fails, and may go on with more threadgroups.
func (g *Threadgroup) runAll(position *[3]int, more int64) (err error) {
	defer g.recover(&err)
	g.start(position, more)
	frames := g.Frames[:g.Simdgroups()]
	for running := len(frames); running > 0; {
		if !g.advance(frames) {
			return g.Stopped()
		}
		running = 0
		for i := range frames {
			if !frames[i].Done {
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
func (g *Threadgroup) advance(frames []Frame) bool {
	if g.hasCode() {
		return g.machine.Run(frames)
	}
	for i := range frames {
		if g.Backward {
			i = len(frames) - 1 - i
		}
		if f := &frames[i]; !f.Done && !f.Execute() {
			return false
		}
	}
	return true
}

// Start makes the threadgroup the one at a position, whose simd-groups have done nothing yet.
func (g *Threadgroup) Start(position *[3]int) { g.start(position, 0) }

func (g *Threadgroup) start(position *[3]int, more int64) {
	// A copy of the array would wait for what has just been written one by one.
	g.Position[0], g.Position[1], g.Position[2] = position[0], position[1], position[2]
	if g.Dispatch.Grid.Size != [3]int{} {
		g.setThreads(g.Dispatch.threadsAt(*position))
	}
	g.phase, g.logged, g.Backward = 0, 0, g.Dispatch.Code.Backward[0]
	g.poison()
	if g.Watch != nil {
		g.Watch.Enter()
	}
	if g.machine != nil && g.machine.Begin(more) {
		return
	}
	for i := range g.Simdgroups() {
		g.Frames[i].enter(i)
	}
	if g.machine != nil {
		g.machine.Entered()
	}
}

// setThreads sets the extent of the threadgroup.
func (g *Threadgroup) setThreads(t [3]int) { g.Threads, g.count = t, t[0]*t[1]*t[2] }

// Simdgroups returns the number of simd-groups, the last of which may be partial.
func (g *Threadgroup) Simdgroups() int { return (g.count + width - 1) / width }

// poison fills threadgroup memory, which begins undefined, with all ones. As floats they
// are no numbers, so a read before the first write shows.
func (g *Threadgroup) poison() {
	words := (g.Dispatch.Shared + 7) / 8
	for i := range g.memory[:words] {
		g.memory[i] = ^uint64(0)
	}
	if g.Dispatch.Code.Tracks {
		copy(g.unset[:words], g.memory)
	}
}

// Thread returns thread_position_in_grid of a lane.
func (g *Threadgroup) Thread(f *Frame, lane int) [3]int {
	index := f.Index*width + lane
	t := g.Threads
	in := [3]int{index % t[0], index / t[0] % t[1], index / (t[0] * t[1])}
	for i := range in {
		in[i] += g.Position[i] * g.Dispatch.Threads[i]
	}
	return in
}
