package metal

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// The GPU may lose memory that no command buffer uses for a while, so that the first batch after a pause waits for its
// weights. A residency set keeps it. It holds the buffers and textures of a device, up to a limit, from macOS 15 and
// iOS 18 on. The system may let go of it all the same once nothing runs; with Options.Linger it is asked again for a
// while.

var (
	selNewResidencySet  = objc.SelectorSince(15, "newResidencySetWithDescriptor:error:", "@@^@")
	selAddResidencySet  = objc.SelectorSince(15, "addResidencySet:", "v@")
	selAddAllocation    = objc.SelectorSince(15, "addAllocation:", "v@")
	selRemoveAllocation = objc.SelectorSince(15, "removeAllocation:", "v@")
	selCommitResidency  = objc.Selector("commit", "v")
	selRequestResidency = objc.SelectorSince(15, "requestResidency", "v")
	selResourceSize     = objc.Selector("allocatedSize", "Q")
)

// wired is the residency set of a device. It does nothing where the system has none.
type wired struct {
	mu      sync.Mutex
	set     objc.ID
	uses    map[objc.ID]use // of buffers and textures that are in the set, or wait for room there
	limit   int             // bytes that may be in the set
	bytes   int             // that are
	waiting []objc.ID       // in their order
	changed bool            // something was added since residency was requested
	removed int             // bytes of what was removed since the last commit

	linger time.Duration // how long after the last work residency is requested
	until  time.Time
	timer  *time.Timer // of the next request, nil where there is none
}

// use is what the set knows of a buffer or texture.
type use struct {
	count int // it may be wrapped more than once
	bytes int
	in    bool // the set
}

// beat is the time between two requests. What the system takes to let go of memory is not documented.
const beat = time.Second / 2

// open makes the set and tells the queue. Callers are within a pool.
func (w *wired) open(d *Device, o *driver.Options) {
	if w.limit = o.Wired; w.limit < 0 {
		return
	}
	descriptor, err := objc.New("MTLResidencySetDescriptor")
	if err != nil {
		return
	}
	defer descriptor.Release()
	set, err := d.id.SendError(selNewResidencySet, uintptr(descriptor))
	if err != nil {
		return // an older GPU, or a system that tells no more: everything works without
	}
	if w.limit == 0 {
		w.limit = int(d.id.Send(selRecommendedSize))
	}
	if w.limit == 0 {
		w.limit = math.MaxInt
	}
	w.set, w.uses, w.linger = objc.ID(set), map[objc.ID]use{}, o.Linger
	d.queue.Send(selAddResidencySet, set)
}

// add adds a buffer or texture, with the next commit, where there is room.
func (w *wired) add(id objc.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set == 0 {
		return
	}
	u := w.uses[id]
	u.count++
	w.uses[id] = u
	if u.count == 1 {
		u.bytes = int(id.Send(selResourceSize))
		w.uses[id] = u
		if !w.put(id) {
			w.waiting = append(w.waiting, id)
		}
	}
}

// put puts a buffer or texture into the set, or reports false where there is no room.
func (w *wired) put(id objc.ID) bool {
	u := w.uses[id]
	if u.bytes > w.limit-w.bytes {
		return false
	}
	u.in = true
	w.uses[id] = u
	w.bytes += u.bytes
	w.set.Send(selAddAllocation, uintptr(id))
	w.changed = true
	return true
}

// mostRemoved bounds the bytes of what is released and still in the set, which has references to it. A commit costs as
// much as an allocation, and so it waits for the next batch where there is little to be gained.
const mostRemoved = 64 << 20

// remove removes what is about to be released, and gives its room to what waits for it. Views of textures were never
// added.
func (w *wired) remove(id objc.ID, size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.uses[id]
	if u.count--; u.count > 0 {
		w.uses[id] = u
	}
	if w.set == 0 || u.count != 0 {
		return
	}
	delete(w.uses, id)
	if !u.in {
		w.waiting = slices.DeleteFunc(w.waiting, func(other objc.ID) bool { return other == id })
		return
	}
	w.set.Send(selRemoveAllocation, uintptr(id))
	w.bytes -= u.bytes
	w.waiting = slices.DeleteFunc(w.waiting, w.put)
	if w.removed += max(size, 1); w.removed >= mostRemoved {
		w.commitAll()
	}
}

// commit makes resident what was added, and lets go of what was removed.
func (w *wired) commit() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set != 0 && (w.changed || w.removed > 0) {
		w.commitAll()
		if w.changed {
			w.set.Send(selRequestResidency)
			w.changed = false
		}
	}
}

// commitRemoved lets go of what was removed.
func (w *wired) commitRemoved() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set != 0 && w.removed > 0 {
		w.commitAll()
	}
}

func (w *wired) commitAll() {
	w.set.Send(selCommitResidency)
	w.removed = 0
}

// near has residency requested for a while: there is work, or there was just now.
func (w *wired) near() {
	if w.linger <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = time.Now().Add(w.linger)
	if w.set != 0 && w.timer == nil {
		w.timer = time.AfterFunc(beat, w.request)
	}
}

// request requests residency, and does so again where work is near.
func (w *wired) request() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set == 0 || time.Now().After(w.until) {
		w.timer = nil
		return
	}
	objc.WithPool(func() {
		if w.changed || w.removed > 0 {
			w.commitAll()
		}
		w.set.Send(selRequestResidency)
		w.changed = false
	})
	w.timer.Reset(beat)
}

// release releases the set, which the next request notices. Memory may be freed later.
func (w *wired) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set.Release()
	w.set = 0
}
