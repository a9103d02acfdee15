package cpu

import "unsafe"

// object is memory that pointers point into: a buffer, a variable that needs an
// address. Nothing outside of it can be reached.
type object struct {
	base unsafe.Pointer
	size int64 // bytes that may be reached, of one lane where striped
	// striped is set for thread memory, of which each lane has its own: the
	// 32-bit words of all lanes lie side by side, so that what all lanes do at
	// once touches memory in one piece.
	striped bool
	skew    int64 // how far base is from the alignment of the largest scalar
	start   int   // of threadgroup memory: where in it
	missing bool  // an argument that was left out
	info    *objectInfo
}

// objectInfo is what is known of an object when the kernel is compiled.
type objectInfo struct {
	name    string
	typ     string // of an element
	element int    // bytes
	kind    objectKind
	arg     int    // index of a buffer, value or threadgroup argument
	size    int    // of variables, in bytes; of thread memory of one lane
	offset  int    // of thread memory: where in that of the lane
	bytes   []byte // of a table of constants
	// optional is set for an argument that is there under a function constant.
	optional bool
}

// objectKind says where the memory of an object comes from.
type objectKind uint8

const (
	nullObject   objectKind = iota
	bufferObject            // bound by the dispatch
	valueObject             // a value of the dispatch
	sharedObject            // threadgroup memory that the dispatch sizes
	groupObject             // a threadgroup variable of the source
	threadObject            // a variable of a thread
	tableObject             // a constant of the source
)

// A pointer is the number of an object in its upper 16 bits and a byte offset,
// which may be negative, in the others. Pointers whose offset comes out farther
// than reach become null pointers, so arithmetic never gets into another object.
const (
	offsetBits = 48
	reach      = int64(1) << 46
)

// pointerTo is the pointer to the first byte of an object.
func pointerTo(object int) uint64 { return uint64(object) << offsetBits }

// displacement is the byte offset of a pointer.
func displacement(p uint64) int64 { return int64(p<<(64-offsetBits)) >> (64 - offsetBits) }

// object is what a pointer points into.
func (f *frame) object(p uint64) *object {
	n := (p + 1<<(offsetBits-1)) >> offsetBits
	if n >= uint64(len(f.objects)) { // a pointer made of other bits: the null object
		n = 0
	}
	return &f.objects[n]
}

// at gives the address of a byte, for one lane.
func (o *object) at(offset int64, lane int) unsafe.Pointer {
	if o.striped {
		return unsafe.Add(o.base, (offset>>2*width+int64(lane))*4+offset&3)
	}
	return unsafe.Add(o.base, offset)
}

// clearObject zeroes a variable in thread memory, which begins its life.
func clearObject(f *frame, in *instruction) {
	o := &f.objects[in.imm]
	clear(unsafe.Slice((*byte)(o.base), (o.size+7)&^7*width))
}

// aligned reports whether an offset is at a multiple of the size of a scalar.
func (o *object) aligned(offset int64, size int) bool { return (offset+o.skew)&int64(size-1) == 0 }

// holds reports whether size bytes at an offset are inside.
func (o *object) holds(offset int64, size int) bool {
	return offset >= 0 && offset <= o.size-int64(size)
}
