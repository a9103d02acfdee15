package metal

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// To make an MTLBuffer takes the system microseconds for each page that it has to find and clear. So what is freed is
// kept for the next buffer of the same length, up to a limit, and small buffers are parts of large ones, the slabs.

// block is the memory of a buffer: an MTLBuffer, or a part of a slab.
type block struct {
	id      objc.ID
	at      uintptr // where it begins in the MTLBuffer
	length  uintptr
	start   uintptr // its address, as a memory has it
	private bool
	slab    *slab // nil where it is all of the MTLBuffer
}

// counter counts bytes. It is read without the lock, which the code that reports a lack of memory holds.
type counter struct{ atomic.Int64 }

func (c *counter) add(n int) { c.Add(int64(n)) }
func (c *counter) get() int  { return int(c.Load()) }

// Blocks of slabs are as long as a power of two from smallest to largest. The smallest one begins where a constant
// argument may.
const (
	smallest  = constantAlign
	largest   = 32 << 10
	slabBytes = 256 << 10
	classes   = 8
)

// slab is an MTLBuffer of blocks of one length.
type slab struct {
	block        // all of it
	class int    // of its blocks
	free  []bool // by their numbers
	left  int    // how many are free
	lost  int    // how many are not used again, because code beside the driver has seen them
}

// reuse is what a device keeps for buffers to come.
type reuse struct {
	mu    sync.Mutex
	limit int     // bytes of kept; 0 is no reuse, nor slabs
	kept  []block // whole MTLBuffers that are free, the oldest first
	bytes counter // of these, and of slabs without a block that is used
	slabs [2 * classes][]*slab
}

// classOf returns which slabs have blocks for a buffer.
func classOf(size uintptr, private bool) int {
	class := bits.Len(uint(max(size, smallest)-1)) - bits.Len(uint(smallest-1))
	if private {
		class += classes
	}
	return class
}

func lengthOf(class int) uintptr { return smallest << (class % classes) }

// page is what the length of a whole buffer is a multiple of, so that more of them fit each other. Those of Apple's
// systems have 16 KB, and shorter ones take as much.
const page = 16 << 10

// take returns a block for so many bytes. What is in it is anything. It is called within a pool.
func (d *Device) take(size int, private, apart bool) (block, error) {
	u, need := &d.reuse, bufferLength(size)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.limit > 0 && need <= largest && !apart {
		return d.takePart(classOf(need, private), size)
	}
	if u.limit > 0 {
		need = (need + page - 1) &^ (page - 1)
	}
	for i := len(u.kept) - 1; i >= 0; i-- {
		if b := u.kept[i]; b.length == need && b.private == private {
			u.kept = slices.Delete(u.kept, i, i+1)
			u.bytes.add(-int(need))
			return b, nil
		}
	}
	return d.newBlock(need, private, size)
}

// takePart returns a block of a slab for a buffer of so many bytes.
func (d *Device) takePart(class, size int) (block, error) {
	u := &d.reuse
	i := slices.IndexFunc(u.slabs[class], func(s *slab) bool { return s.left > 0 })
	if i < 0 {
		whole, err := d.newBlock(slabBytes, class >= classes, size)
		if err != nil {
			return block{}, err
		}
		n := slabBytes / int(lengthOf(class))
		i = len(u.slabs[class])
		made := &slab{block: whole, class: class, free: slices.Repeat([]bool{true}, n), left: n}
		u.slabs[class] = append(u.slabs[class], made)
		u.bytes.add(slabBytes)
	}
	s := u.slabs[class][i]
	if s.left == len(s.free) {
		u.bytes.add(-slabBytes)
	}
	number := slices.Index(s.free, true)
	s.free[number] = false
	s.left--
	length := lengthOf(class)
	at := uintptr(number) * length
	return block{s.id, at, length, s.start + at, s.private, s}, nil
}

// newBlock makes an MTLBuffer, for a buffer of so many bytes. Where there is no memory for it, what is kept goes first.
func (d *Device) newBlock(length uintptr, private bool, size int) (block, error) {
	options := uintptr(storageShared)
	if private {
		options = storagePrivate
	}
	id := objc.ID(d.id.Send(selNewBuffer, length, options))
	if id == 0 && d.reuse.bytes.get() > 0 {
		d.dropTo(0)
		id = objc.ID(d.id.Send(selNewBuffer, length, options))
	}
	if id == 0 {
		return block{}, d.noMemory(size)
	}
	d.wired.add(id)
	b := block{id: id, length: length, private: private}
	if private {
		b.start, _ = d.privates.add(id, length)
	} else {
		b.start = id.Send(selContents)
	}
	return b, nil
}

// give takes back a block that is no longer in use. One that code beside the driver has seen is not used again, because
// that code may have kept the object. It is called within a pool.
func (d *Device) give(b block, shown bool) {
	u := &d.reuse
	u.mu.Lock()
	defer u.mu.Unlock()
	switch s := b.slab; {
	case s != nil && shown:
		s.lost++
		d.drop(s)
	case s != nil:
		s.free[b.at/b.length] = true
		if s.left++; s.left == len(s.free) {
			u.bytes.add(slabBytes)
		}
		d.drop(s)
	case shown:
		d.release(b)
	case u.limit > 0:
		u.kept = append(u.kept, b)
		u.bytes.add(int(b.length))
	default:
		d.release(b)
	}
	d.dropTo(u.limit)
}

// drop releases a slab with lost blocks once all others are free.
func (d *Device) drop(s *slab) {
	if s.lost == 0 || s.left+s.lost < len(s.free) {
		return
	}
	list := &d.reuse.slabs[s.class]
	*list = slices.DeleteFunc(*list, func(other *slab) bool { return other == s })
	d.release(s.block)
}

// dropTo releases what is kept beyond so many bytes, the oldest first, and slabs last.
func (d *Device) dropTo(limit int) {
	u := &d.reuse
	n := 0
	for ; u.bytes.get() > limit && n < len(u.kept); n++ {
		d.release(u.kept[n])
		u.bytes.add(-int(u.kept[n].length))
	}
	u.kept = slices.Delete(u.kept, 0, n)
	for class := range u.slabs {
		u.slabs[class] = slices.DeleteFunc(u.slabs[class], func(s *slab) bool {
			if u.bytes.get() <= limit || s.left < len(s.free) {
				return false
			}
			d.release(s.block)
			u.bytes.add(-slabBytes)
			return true
		})
	}
}

// release releases an MTLBuffer.
func (d *Device) release(b block) {
	d.wired.remove(b.id, int(b.length))
	d.privates.remove(b.id)
	b.id.Release()
}

// Trim releases what is kept.
func (d *Device) Trim() {
	objc.WithPool(func() {
		d.reuse.mu.Lock()
		defer d.reuse.mu.Unlock()
		d.dropTo(0)
		d.wired.commitRemoved()
	})
}

// end is Trim for a device that is closed: nothing is kept any more.
func (u *reuse) end(d *Device) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.limit = 0
	d.dropTo(0)
}

// bytes returns what the host sees of a block, nil of one that is private.
func (b *block) bytes(size int) []byte {
	if b.private {
		return nil
	}
	return unsafe.Slice((*byte)(pointerTo(b.start)), size)
}
