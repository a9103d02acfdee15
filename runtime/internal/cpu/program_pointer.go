package cpu

// A pointer is the number of an object in its upper 16 bits and a byte offset,
// which may be negative, in the others. Pointers whose offset comes out farther
// than reach become null pointers, so arithmetic never gets into another object.
const (
	offsetBits = 48
	reach      = int64(1) << 46
)

// pointerTo returns the pointer to the first byte of an object.
func pointerTo(object int) uint64 { return uint64(object) << offsetBits }

// objectOf returns the number of the object that a pointer points into.
func objectOf(p uint64) uint64 { return (p + 1<<(offsetBits-1)) >> offsetBits }

// displacement returns the byte offset of a pointer.
func displacement(p uint64) int64 { return int64(p<<(64-offsetBits)) >> (64 - offsetBits) }

// An access to memory goes to pointer a, moved by register b times target bytes
// where c says what b holds, and by imm bytes.
const (
	noIndex int32 = iota
	intIndex
	uintIndex
	longIndex
)

// The 32-bit forms have elements of at most maxElement bytes, so that one step is
// well within reach.
const maxElement = 1 << 12
