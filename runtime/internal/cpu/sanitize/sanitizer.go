package sanitize

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// width is the number of lanes of a simd-group, and full the mask of all.
const (
	width = lanes.Width
	full  = ^uint32(0)
)

// Sanitizer is what the threadgroups of a dispatch share: the shadow of device memory, and
// what was found.
type Sanitizer struct {
	checks   driver.Checks
	dispatch *interp.Dispatch
	text     *string // of the kernel's source
	Device   *shadow.Memory
	found    findings
}

// New returns what looks at a dispatch of a kernel, whose source is text.
func New(d *interp.Dispatch, checks driver.Checks, text *string) *Sanitizer {
	s := &Sanitizer{checks: checks, dispatch: d, text: text, Device: shadow.NewMemory(shadow.Device)}
	if checks&(driver.CheckRace|driver.CheckRaceSimdgroup) == 0 {
		return s
	}
	for i := range d.Objects {
		o := &d.Objects[i]
		switch o.Info.Source.Kind {
		case program.OfGroup, program.FromThreadgroup:
			o.Watched = interp.InThreadgroupMemory
		case program.FromBuffer, program.FromValue:
			if !o.Missing && (!o.Info.ReadOnly || s.overlapsWritten(o)) {
				o.Watched = interp.InDeviceMemory
			}
		case program.FromTexture:
			if !o.Missing && (writesTexture(o) || s.overlapsWritten(o)) {
				o.Watched = interp.InTextureMemory
			}
		case program.FromResource:
			if !o.Info.ReadOnly || s.overlapsWritten(o) {
				o.Watched = interp.InDeviceMemory
				if o.Texture != nil {
					o.Watched = interp.InTextureMemory
				}
			}
		}
	}
	return s
}

// Begin begins a run of the dispatch. A batch that is kept has several.
func (s *Sanitizer) Begin() {
	if s != nil {
		s.found = findings{}
	}
}

// End ends a dispatch. What was found stays.
func (s *Sanitizer) End() {
	if s != nil {
		s.Device.Forget()
	}
}

// overlapsWritten reports whether the kernel may write the bytes of a read-only argument
// through another one.
func (s *Sanitizer) overlapsWritten(o *interp.Object) bool {
	for i := range s.dispatch.Objects {
		other := &s.dispatch.Objects[i]
		writes := false
		switch other.Info.Source.Kind {
		case program.FromBuffer, program.FromResource:
			writes = !other.Info.ReadOnly
		case program.FromTexture:
			writes = writesTexture(other)
		}
		if !writes || other.Missing {
			continue
		}
		a, b := uintptr(o.Base), uintptr(other.Base)
		if a < b+uintptr(other.Size) && b < a+uintptr(o.Size) {
			return true
		}
	}
	return false
}

// watcher is the sanitizer of a worker, which runs one threadgroup after the other.
type watcher struct {
	*Sanitizer
	threadgroup *interp.Threadgroup
	clocks      shadow.Group
	local       *shadow.Memory
	views       [interp.InTextureMemory + 1]*shadow.View
	// The frame and the instruction that touch an object.
	frame       *interp.Frame
	instruction *program.Instruction
	object      *interp.Object
	passed      passedBarrier
	// diverged is set when not all threads have come to a barrier: what happens then is
	// not to be looked at any more.
	diverged bool
	counts   [maxSimdgroups][]int32        // how often simd-groups have entered constructs around barriers
	left     [maxSimdgroups][width]parting // how lanes have last left one of them early
	handed   map[*byte]program.Origin      // of bytes that were stored unset: what was not written
}

// watcherOf returns the sanitizer of a simd-group.
func watcherOf(f *interp.Frame) *watcher { return f.Group.Watch.(*watcher) }

// Watch returns the sanitizer of a worker.
func (s *Sanitizer) Watch(g *interp.Threadgroup) interp.Watch {
	w := &watcher{Sanitizer: s, threadgroup: g, local: shadow.NewMemory(shadow.Threadgroup)}
	w.views[interp.InThreadgroupMemory] = w.local.View(&w.clocks, w.race)
	w.views[interp.InDeviceMemory] = s.Device.View(&w.clocks, w.race)
	w.views[interp.InTextureMemory] = s.Device.ViewIn(shadow.Texture, &w.clocks, w.race)
	for i := range w.counts[:g.Dispatch.Simdgroups()] {
		w.counts[i] = make([]int32, g.Dispatch.Code.Counters)
	}
	return w
}

// Forget drops what is known of threadgroup memory.
func (w *watcher) Forget() { w.local.Forget() }

// looksFor reports whether the sanitizer makes a check.
func (w *watcher) looksFor(c driver.Checks) bool { return w.checks&c != 0 }

// Enter begins a threadgroup.
func (w *watcher) Enter() {
	w.passed.pos, w.diverged = -1, false
	clear(w.handed)
	if w.threadgroup.Dispatch.Code.Fences {
		w.local.ForgetFences()
	}
	for i := range w.counts {
		clear(w.counts[i])
		clear(w.left[i][:])
	}
	if !w.clocks.Enter(uint32(w.threadgroup.Number())) {
		w.local.Forget()
		w.views[interp.InThreadgroupMemory].Forget()
	}
}

// maxSimdgroups bounds the simd-groups of a threadgroup.
const maxSimdgroups = shadow.MaxSimdgroups
