package wide

import "math/bits"

// objectBits are those of a pointer that say where in its object it points to; the others are
// the number of the object. Pointers point no farther than reach from the beginning.
const (
	OffsetBits = 48
	ReachBits  = 46
)

// objectOf returns the number of the object that a pointer points into, which may be in front of its first byte.
func objectOf(p uint64) int16 { return int16((p + 1<<(OffsetBits-1)) >> OffsetBits) }

// maxNearElement bounds the sizes of elements by which no number of 32 bits moves a pointer beyond half of its reach.
const maxNearElement = 1 << 13

// IsNear reports whether no index of an AddPointer moves a pointer beyond half of its reach.
func IsNear(in *Instruction) bool {
	return in.Op != AddPointerLong && in.Imm >= 0 && in.Imm <= maxNearElement
}

// movedWithin returns Within of a pointer that an AddPointer has moved, or 0 where it may be out of reach.
func movedWithin(p Kind, in *Instruction) uint8 {
	if p.Within == 0 || p.Object == 0 || !IsNear(in) {
		return 0
	}
	if n := max(int(p.Within), 32+bits.Len64(uint64(in.Imm))) + 1; n <= ReachBits {
		return uint8(n)
	}
	return 0
}

// pointing returns what is known of a pointer whose bits are.
func pointing(p uint64) Kind {
	k := Kind{Form: Uniform, Object: objectOf(p)}
	if offset := OffsetOf(p); k.Object > 0 {
		k.Within = uint8(bits.Len64(uint64(max(offset, -offset)))) + 1
	}
	return k
}

// OffsetOf returns where in its object a pointer points to.
func OffsetOf(p uint64) int64 { return int64(p<<(64-OffsetBits)) >> (64 - OffsetBits) }
