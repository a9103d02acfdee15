package cpu

import (
	"log/slog"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// dispatch is a kernel with the memory that it works on, as threadgroups execute it.
type dispatch struct {
	program   *code
	grid      driver.Grid
	threads   [3]int
	objects   []object
	resources resources
	shared    int // bytes of threadgroup memory
	stop      *atomic.Bool
	messages  messages // of os_log
	logger    func() *slog.Logger

	// What makes the sanitizer and the machine of a threadgroup; nil where there is none.
	watch   func(g *threadgroup) watch
	machine func(g *threadgroup) machine
}

// size returns threads_per_grid.
func (d *dispatch) size() [3]int {
	size := d.grid.Size
	for i := range size {
		if size[i] == 0 {
			size[i] = d.grid.Threadgroups[i] * d.threads[i]
		}
	}
	return size
}

// frames returns the bytes that the frames of a threadgroup take.
func (d *dispatch) frames() int {
	each := int(d.program.size) + d.program.private*width
	if len(d.program.routines) > 0 {
		each += maxStacked
	}
	return d.simdgroups() * each
}

func (d *dispatch) simdgroups() int {
	return (d.threads[0]*d.threads[1]*d.threads[2] + width - 1) / width
}

// threadsAt returns the extent of the threadgroup at a position.
func (d *dispatch) threadsAt(position [3]int) [3]int {
	t := d.threads
	for i := range t {
		if d.grid.Size[i] > 0 {
			t[i] = min(t[i], d.grid.Size[i]-position[i]*d.threads[i])
		}
	}
	return t
}

// number returns the number of the threadgroup among all of the dispatch.
func (g *threadgroup) number() int64 {
	n, at := g.dispatch.grid.Threadgroups, g.position
	return int64(at[0]) + int64(n[0])*(int64(at[1])+int64(n[1])*int64(at[2]))
}

// groupAt returns the position of the threadgroup of a number.
func (d *dispatch) groupAt(number int64) [3]int {
	n := d.grid.Threadgroups
	rest := int(number) / n[0]
	return [3]int{int(number) % n[0], rest % n[1], rest / n[1]}
}

// threadOf returns thread_position_in_grid and threadgroup_position_in_grid of a lane.
func (d *dispatch) threadOf(group int64, simdgroup, lane int) (thread, position [3]int) {
	position = d.groupAt(group)
	t := d.threadsAt(position)
	index := simdgroup*width + lane
	thread = [3]int{index % t[0], index / t[0] % t[1], index / (t[0] * t[1])}
	for i := range thread {
		thread[i] += position[i] * d.threads[i]
	}
	return thread, position
}

// stoppedAt returns the error of a dispatch that was stopped at an instruction.
func (d *dispatch) stoppedAt(pc int32, thread, group [3]int) error {
	at := d.program.positions[d.program.code[pc].pos]
	return &driver.StoppedError{
		Kernel: d.program.name, Pos: position(at), Thread: thread, Group: group, Err: errStopped,
	}
}

// stoppedBefore returns the error of a dispatch that was stopped before it came to a threadgroup.
func (d *dispatch) stoppedBefore(group [3]int) error {
	thread := group
	for i := range thread {
		thread[i] *= d.threads[i]
	}
	return d.stoppedAt(0, thread, group)
}

// bytesOf returns the bytes of words.
func bytesOf(words []uint64) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}
