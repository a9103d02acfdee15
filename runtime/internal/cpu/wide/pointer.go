package wide

// objectBits are those of a pointer that say where in its object it points to; the others are
// the number of the object. Pointers point no farther than reach from the beginning.
const (
	OffsetBits = 48
	ReachBits  = 46
)

// objectOf returns the number of the object that a pointer points into, which may be in front of its first byte.
func objectOf(p uint64) int16 { return int16((p + 1<<(OffsetBits-1)) >> OffsetBits) }

// OffsetOf returns where in its object a pointer points to.
func OffsetOf(p uint64) int64 { return int64(p<<(64-OffsetBits)) >> (64 - OffsetBits) }
