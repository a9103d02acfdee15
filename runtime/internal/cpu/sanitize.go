package cpu

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The sanitizer finds what is wrong with a kernel though it runs through. A device that
// was opened with it compiles its kernels with instructions that say what is going to
// be touched, see assemble_sanitize.go; other devices know nothing of it.

// sanitizer is what the threadgroups of a dispatch share: the shadow of device memory, and
// what was found.
type sanitizer struct {
	checks driver.Checks
	device *shadow.Memory
	found  findings
}

// sanitize makes the dispatch one that is looked at.
func (d *dispatch) sanitize(checks driver.Checks) {
	d.sanitizer = &sanitizer{checks: checks, device: shadow.NewMemory(shadow.Device)}
	if checks&(driver.CheckRace|driver.CheckRaceSimdgroup) == 0 {
		return
	}
	for i := range d.objects {
		o := &d.objects[i]
		switch o.info.source.(type) {
		case groupMemory, threadgroupArg:
			o.watched = inThreadgroupMemory
		case bufferArg, valueArg:
			if !o.missing && (d.program.castsConst || !o.info.readOnly || d.overlapsWritten(o)) {
				o.watched = inDeviceMemory
			}
		case textureArg:
			if !o.missing && (o.writesTexture() || d.overlapsWritten(o)) {
				o.watched = inTextureMemory
			}
		case *resource:
			if d.program.castsConst || !o.info.readOnly || d.overlapsWritten(o) {
				o.watched = inDeviceMemory
				if o.texture != nil {
					o.watched = inTextureMemory
				}
			}
		}
	}
}

// begin begins a run of the dispatch, of which there are several in a batch that is kept.
func (s *sanitizer) begin() {
	if s != nil {
		s.found = findings{}
	}
}

// end ends a dispatch. What was found stays.
func (s *sanitizer) end() {
	if s != nil {
		s.device.Forget()
	}
}

// watching says which shadow an object's memory has.
type watching uint8

const (
	notWatched watching = iota // nothing can race with what touches it
	inThreadgroupMemory
	inDeviceMemory
	inTextureMemory
)

// overlapsWritten reports whether the kernel may write the bytes of a read-only argument
// through another one.
func (d *dispatch) overlapsWritten(o *object) bool {
	for i := range d.objects {
		other := &d.objects[i]
		writes := false
		switch other.info.source.(type) {
		case bufferArg, *resource:
			writes = !other.info.readOnly
		case textureArg:
			writes = other.writesTexture()
		}
		if !writes || other.missing {
			continue
		}
		a, b := uintptr(o.base), uintptr(other.base)
		if a < b+uintptr(other.size) && b < a+uintptr(o.size) {
			return true
		}
	}
	return false
}

// watch is the sanitizer of a worker, which runs one threadgroup after the other.
type watch struct {
	*sanitizer
	threadgroup *threadgroup
	clocks      shadow.Group
	local       *shadow.Memory
	views       [inTextureMemory + 1]*shadow.View
	// The frame and the instruction that touch an object.
	frame       *frame
	instruction *instruction
	object      *object
	passed      passedBarrier
	// diverged is set when not all threads have come to a barrier: what happens then is
	// not to be looked at any more.
	diverged bool
	counts   [maxSimdgroups][]int32        // how often simd-groups have entered constructs around barriers
	left     [maxSimdgroups][width]parting // how lanes have last left one of them early
	handed   map[*byte]origin              // of bytes that were stored unset: what was not written
}

// prepareWatch makes the sanitizer of the worker ready for a dispatch.
func (g *threadgroup) prepareWatch() {
	s := g.dispatch.sanitizer
	if s == nil {
		g.watch = nil
		return
	}
	w := &watch{sanitizer: s, threadgroup: g, local: shadow.NewMemory(shadow.Threadgroup)}
	w.views[inThreadgroupMemory] = w.local.View(&w.clocks, w.race)
	w.views[inDeviceMemory] = s.device.View(&w.clocks, w.race)
	w.views[inTextureMemory] = s.device.ViewIn(shadow.Texture, &w.clocks, w.race)
	for i := range w.counts[:g.dispatch.simdgroups()] {
		w.counts[i] = make([]int32, g.dispatch.program.counters)
	}
	g.watch = w
}

// looksFor reports whether the sanitizer, if there is one, makes a check.
func (w *watch) looksFor(c driver.Checks) bool { return w != nil && w.checks&c != 0 }

// enter begins a threadgroup.
func (w *watch) enter() {
	w.passed.pos, w.diverged = -1, false
	clear(w.handed)
	if w.threadgroup.dispatch.program.fences {
		w.local.ForgetFences()
	}
	for i := range w.counts {
		clear(w.counts[i])
		clear(w.left[i][:])
	}
	if !w.clocks.Enter(uint32(w.threadgroup.number())) {
		w.local.Forget()
		w.views[inThreadgroupMemory].Forget()
	}
}

// maxSimdgroups bounds the simd-groups of a threadgroup.
const maxSimdgroups = shadow.MaxSimdgroups

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

// tuple returns a position as messages have it.
func tuple(p [3]int) string { return fmt.Sprintf("(%d, %d, %d)", p[0], p[1], p[2]) }
