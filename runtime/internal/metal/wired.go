package metal

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// The GPU may lose memory that no command buffer uses for a while, so that the first batch after a pause waits for its
// weights. A residency set keeps it. It holds all buffers and textures of a device, from macOS 15 and iOS 18 on.

var (
	selNewResidencySet  = objc.SelectorSince(15, "newResidencySetWithDescriptor:error:", "@@^@")
	selAddResidencySet  = objc.SelectorSince(15, "addResidencySet:", "v@")
	selAddAllocation    = objc.SelectorSince(15, "addAllocation:", "v@")
	selRemoveAllocation = objc.SelectorSince(15, "removeAllocation:", "v@")
	selCommitResidency  = objc.Selector("commit", "v")
	selRequestResidency = objc.SelectorSince(15, "requestResidency", "v")
)

// wired is the residency set of a device. It does nothing where the system has none.
type wired struct {
	mu      sync.Mutex
	set     objc.ID
	uses    map[objc.ID]int // of what is in the set: a buffer may be wrapped more than once
	changed bool            // something was added since residency was requested
	removed int             // bytes of what was removed since the last commit
}

// open makes the set and tells the queue. Callers are within a pool.
func (w *wired) open(device, queue objc.ID) {
	descriptor, err := objc.New("MTLResidencySetDescriptor")
	if err != nil {
		return
	}
	defer descriptor.Release()
	set, err := device.SendError(selNewResidencySet, uintptr(descriptor))
	if err != nil {
		return // an older GPU, or a system that tells no more: everything works without
	}
	w.set, w.uses = objc.ID(set), map[objc.ID]int{}
	queue.Send(selAddResidencySet, set)
}

// add adds a buffer or texture, with the next commit.
func (w *wired) add(id objc.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set == 0 {
		return
	}
	if w.uses[id]++; w.uses[id] == 1 {
		w.set.Send(selAddAllocation, uintptr(id))
		w.changed = true
	}
}

// mostRemoved bounds the bytes of what is released and still in the set, which has references to it. A commit costs as
// much as an allocation, and so it waits for the next batch where there is little to be gained.
const mostRemoved = 64 << 20

// remove removes what is about to be released. Views of textures were never added.
func (w *wired) remove(id objc.ID, size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set == 0 {
		return
	}
	switch n := w.uses[id]; n {
	case 0:
	case 1:
		delete(w.uses, id)
		w.set.Send(selRemoveAllocation, uintptr(id))
		if w.removed += max(size, 1); w.removed >= mostRemoved {
			w.commitAll()
		}
	default:
		w.uses[id] = n - 1
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

// release releases the set. Memory may be freed later.
func (w *wired) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set.Release()
	w.set = 0
}
