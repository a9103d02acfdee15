package interp

import (
	"log/slog"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Dispatch is a kernel with the memory that it works on, as threadgroups execute it.
type Dispatch struct {
	Code      *Code
	Grid      driver.Grid
	Threads   [3]int
	Objects   []Object
	Resources Resources
	Shared    int // bytes of threadgroup memory
	Stop      *atomic.Bool
	messages  messages // of os_log
	Logger    func() *slog.Logger

	// What makes the sanitizer and the machine of a threadgroup; nil where there is none.
	Watch   func(g *Threadgroup) Watch
	Machine func(g *Threadgroup) Machine
}

// size returns threads_per_grid.
func (d *Dispatch) size() [3]int {
	size := d.Grid.Size
	for i := range size {
		if size[i] == 0 {
			size[i] = d.Grid.Threadgroups[i] * d.Threads[i]
		}
	}
	return size
}

// Frames returns the bytes that the frames of a threadgroup take.
func (d *Dispatch) Frames() int {
	each := int(d.Code.Size) + d.Code.Private*width
	if len(d.Code.Routines) > 0 {
		each += maxStacked
	}
	return d.Simdgroups() * each
}

// Simdgroups returns the simd-groups of a whole threadgroup.
func (d *Dispatch) Simdgroups() int {
	return (d.Threads[0]*d.Threads[1]*d.Threads[2] + width - 1) / width
}

// threadsAt returns the extent of the threadgroup at a position.
func (d *Dispatch) threadsAt(position [3]int) [3]int {
	t := d.Threads
	for i := range t {
		if d.Grid.Size[i] > 0 {
			t[i] = min(t[i], d.Grid.Size[i]-position[i]*d.Threads[i])
		}
	}
	return t
}

// Number returns the number of the threadgroup among all of the dispatch.
func (g *Threadgroup) Number() int64 {
	n, at := g.Dispatch.Grid.Threadgroups, g.Position
	return int64(at[0]) + int64(n[0])*(int64(at[1])+int64(n[1])*int64(at[2]))
}

// GroupAt returns the position of the threadgroup of a number.
func (d *Dispatch) GroupAt(number int64) [3]int {
	n := d.Grid.Threadgroups
	rest := int(number) / n[0]
	return [3]int{int(number) % n[0], rest % n[1], rest / n[1]}
}

// Next goes on to the position of the next threadgroup.
func (d *Dispatch) Next(position *[3]int) {
	for i, n := range d.Grid.Threadgroups {
		if position[i]++; position[i] < n {
			return
		}
		position[i] = 0
	}
}

// ThreadOf returns thread_position_in_grid and threadgroup_position_in_grid of a lane.
func (d *Dispatch) ThreadOf(group int64, simdgroup, lane int) (thread, position [3]int) {
	position = d.GroupAt(group)
	t := d.threadsAt(position)
	index := simdgroup*width + lane
	thread = [3]int{index % t[0], index / t[0] % t[1], index / (t[0] * t[1])}
	for i := range thread {
		thread[i] += position[i] * d.Threads[i]
	}
	return thread, position
}

// stoppedAt returns the error of a dispatch that was stopped at an instruction.
func (d *Dispatch) stoppedAt(pc int32, thread, group [3]int) error {
	at := d.Code.Positions[d.Code.Code[pc].Pos]
	return &driver.StoppedError{
		Kernel: d.Code.Name, Pos: program.Position(at), Thread: thread, Group: group, Err: ErrStopped,
	}
}

// StoppedBefore returns the error of a dispatch that was stopped before it came to a threadgroup.
func (d *Dispatch) StoppedBefore(group [3]int) error {
	thread := group
	for i := range thread {
		thread[i] *= d.Threads[i]
	}
	return d.stoppedAt(0, thread, group)
}

// BytesOf returns the bytes of words.
func BytesOf(words []uint64) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}
