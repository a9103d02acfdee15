package cpu

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
