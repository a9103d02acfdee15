package metal

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// What dispatches reach through pointers, and textures that memory names, Metal has to
// make resident, and to track from piece to piece. It is told before the first dispatch,
// of everything that the piece reaches, once and with all that is done with it.

// residency is what the dispatches of a piece reach.
type residency struct {
	list  []reached
	index map[objc.ID]int // in list
	words []uintptr       // what Metal is sent
}

type reached struct {
	id     objc.ID // an MTLBuffer or MTLTexture
	writes bool
}

var selUseResources = objc.Selector("useResources:count:usage:", "vr^@QQ")

// usages are the sets of MTLResourceUsage for what is only read, and for what may be written.
// Apple: MTLCommandEncoder.h.
var usages = [...]struct {
	writes bool
	usage  uintptr
}{
	{false, 1 << 0},
	{true, 1<<0 | 1<<1},
}

// add adds what a dispatch reaches.
func (r *residency) add(list []driver.Resource) {
	for i := range list {
		r.use(objectOf(&list[i]), list[i].Writes)
	}
}

// use adds a buffer or texture.
func (r *residency) use(id objc.ID, writes bool) {
	at, known := r.index[id]
	if !known {
		if r.index == nil {
			r.index = map[objc.ID]int{}
		}
		at = len(r.list)
		r.index[id] = at
		r.list = append(r.list, reached{id: id})
	}
	r.list[at].writes = r.list[at].writes || writes
}

func objectOf(r *driver.Resource) objc.ID {
	if r.Texture != nil {
		return r.Texture.(*texture).id
	}
	id, _ := locate(&driver.Buffer{Memory: r.Memory})
	return objc.ID(id)
}

// send tells an encoder.
func (r *residency) send(s *objc.Sender, encoder objc.ID) {
	for _, u := range usages {
		r.words = r.words[:0]
		for _, one := range r.list {
			if one.writes == u.writes {
				r.words = append(r.words, uintptr(one.id))
			}
		}
		if n := len(r.words); n > 0 {
			s.Send(encoder, selUseResources, s.Hold(unsafe.Pointer(&r.words[0])), uintptr(n), u.usage)
		}
	}
}

func (r *residency) reset() {
	r.list = r.list[:0]
	clear(r.index)
}

// spansOf appends what a dispatch touches through pointers, which may lead anywhere in
// memory.
func spansOf(list []span, resources []driver.Resource) []span {
	for i := range resources {
		r := &resources[i]
		if r.Texture != nil {
			list = r.Texture.(*texture).spans(list, r.Writes)
			continue
		}
		m := r.Memory.(*memory)
		list = append(list, span{start: m.start, end: m.end, writes: r.Writes})
	}
	return list
}
