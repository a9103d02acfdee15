package program

// A pointer is the number of an object in its upper 16 bits and a byte offset,
// which may be negative, in the others. Pointers whose offset comes out farther
// than reach become null pointers, so arithmetic never gets into another object.
const (
	OffsetBits = 48
	Reach      = int64(1) << 46
)

// PointerTo returns the pointer to the first byte of an object.
func PointerTo(object int) uint64 { return uint64(object) << OffsetBits }

// ObjectOf returns the number of the object that a pointer points into.
func ObjectOf(p uint64) uint64 { return (p + 1<<(OffsetBits-1)) >> OffsetBits }

// Displacement returns the byte offset of a pointer.
func Displacement(p uint64) int64 { return int64(p<<(64-OffsetBits)) >> (64 - OffsetBits) }

// An access to memory goes to pointer a, moved by register b times target bytes
// where c says what b holds, and by imm bytes.
const (
	NoIndex int32 = iota
	IntIndex
	UintIndex
	LongIndex
)

// The 32-bit forms have elements of at most MaxElement bytes, so that one step is
// well within reach.
const MaxElement = 1 << 12
