package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The sanitizer finds what is wrong with a kernel though it runs through. A device that
// was opened with it compiles its kernels with instructions that say what is going to
// be touched, see assemble_sanitize.go; other devices know nothing of it.

// sanitizer is what the threadgroups of a dispatch share: the shadow of device memory, and
// what was found.
type sanitizer struct {
	checks   driver.Checks
	dispatch *dispatch
	text     *string // of the kernel's source
	device   *shadow.Memory
	found    findings
}

// newSanitizer returns what looks at a dispatch of a kernel, whose source is text.
func newSanitizer(d *dispatch, checks driver.Checks, text *string) *sanitizer {
	s := &sanitizer{checks: checks, dispatch: d, text: text, device: shadow.NewMemory(shadow.Device)}
	if checks&(driver.CheckRace|driver.CheckRaceSimdgroup) == 0 {
		return s
	}
	for i := range d.objects {
		o := &d.objects[i]
		switch o.info.source.kind {
		case ofGroup, fromThreadgroup:
			o.watched = inThreadgroupMemory
		case fromBuffer, fromValue:
			if !o.missing && (d.program.castsConst || !o.info.readOnly || s.overlapsWritten(o)) {
				o.watched = inDeviceMemory
			}
		case fromTexture:
			if !o.missing && (writesTexture(o) || s.overlapsWritten(o)) {
				o.watched = inTextureMemory
			}
		case fromResource:
			if d.program.castsConst || !o.info.readOnly || s.overlapsWritten(o) {
				o.watched = inDeviceMemory
				if o.texture != nil {
					o.watched = inTextureMemory
				}
			}
		}
	}
	return s
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

// overlapsWritten reports whether the kernel may write the bytes of a read-only argument
// through another one.
func (s *sanitizer) overlapsWritten(o *object) bool {
	for i := range s.dispatch.objects {
		other := &s.dispatch.objects[i]
		writes := false
		switch other.info.source.kind {
		case fromBuffer, fromResource:
			writes = !other.info.readOnly
		case fromTexture:
			writes = writesTexture(other)
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

// watcher is the sanitizer of a worker, which runs one threadgroup after the other.
type watcher struct {
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

// watcherOf returns the sanitizer of a simd-group.
func watcherOf(f *frame) *watcher { return f.group.watch.(*watcher) }

// watch returns the sanitizer of a worker.
func (s *sanitizer) watch(g *threadgroup) watch {
	w := &watcher{sanitizer: s, threadgroup: g, local: shadow.NewMemory(shadow.Threadgroup)}
	w.views[inThreadgroupMemory] = w.local.View(&w.clocks, w.race)
	w.views[inDeviceMemory] = s.device.View(&w.clocks, w.race)
	w.views[inTextureMemory] = s.device.ViewIn(shadow.Texture, &w.clocks, w.race)
	for i := range w.counts[:g.dispatch.simdgroups()] {
		w.counts[i] = make([]int32, g.dispatch.program.counters)
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
