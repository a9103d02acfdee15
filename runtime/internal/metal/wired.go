package metal

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// The GPU may lose memory that no command buffer uses for a while, so that the first batch after a pause waits for its
// weights. A residency set keeps it. It holds all buffers and textures of a device, from macOS 15 and iOS 18 on.

var (
	selNewResidencySet  = objc.Selector("newResidencySetWithDescriptor:error:", "@@^@")
	selAddResidencySet  = objc.Selector("addResidencySet:", "v@")
	selAddAllocation    = objc.Selector("addAllocation:", "v@")
	selRemoveAllocation = objc.Selector("removeAllocation:", "v@")
	selCommitResidency  = objc.Selector("commit", "v")
	selRequestResidency = objc.Selector("requestResidency", "v")
)

// wired is the residency set of a device. It does nothing where the system has none.
type wired struct {
	mu      sync.Mutex
	set     objc.ID
	uses    map[objc.ID]int // of what is in the set: a buffer may be wrapped more than once
	changed bool            // something was added since residency was requested
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

// remove removes what is about to be released, at once: its memory is to be free. Views of textures were never added.
func (w *wired) remove(id objc.ID) {
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
		w.set.Send(selCommitResidency)
	default:
		w.uses[id] = n - 1
	}
}

// commit makes resident what was added.
func (w *wired) commit() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set != 0 && w.changed {
		w.set.Send(selCommitResidency)
		w.set.Send(selRequestResidency)
		w.changed = false
	}
}

// release releases the set. Memory may be freed later.
func (w *wired) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set.Release()
	w.set = 0
}
