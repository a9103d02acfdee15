package program

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Component is one scalar of a type: a float4 has four, a struct those of its fields.
type Component struct {
	Kind   tree.ScalarKind
	Handle tree.Kind // of a pointer, a texture or a sampler; Void of a number
	Offset int       // bytes from the start of the type
}

// Class is how a leaf is held while a kernel runs.
type Class uint8

const (
	MaskClass  Class = iota // bool: one bit a lane
	WordClass               // 32 bits
	LongClass               // 64 bits, and pointers
	UnsetClass              // not of a leaf: see unset
	Classes
)

// ClassBytes are the bytes that registers and masks take in a frame.
var ClassBytes = [Classes]int32{MaskClass: 8, WordClass: WordBytes, LongClass: LongBytes, UnsetClass: UnsetBytes}

// Class returns how the scalar is held.
func (l Component) Class() Class {
	if l.IsHandle() {
		return LongClass
	}
	return classOf(l.Kind)
}

// IsHandle reports whether the leaf says which object it is.
func (l Component) IsHandle() bool { return l.Handle != tree.Void }

func classOf(k tree.ScalarKind) Class {
	switch k {
	case tree.Bool:
		return MaskClass
	case tree.Long, tree.ULong:
		return LongClass
	}
	return WordClass
}

// Signed reports whether an integer type has negative values.
func Signed(k tree.ScalarKind) bool {
	return k == tree.Char || k == tree.Short || k == tree.Int || k == tree.Long
}

// Floating reports whether a type holds fractions.
func Floating(k tree.ScalarKind) bool { return k >= tree.Half }

// ScalarBytes are the bytes of scalars.
var ScalarBytes = [...]int{
	tree.Bool: 1, tree.Char: 1, tree.UChar: 1, tree.Short: 2, tree.UShort: 2, tree.Int: 4, tree.UInt: 4,
	tree.Long: 8, tree.ULong: 8, tree.Half: 2, tree.BFloat: 2, tree.Float: 4,
}

// Cut returns bits as a register of the class has them.
func (c Class) Cut(v uint64) uint64 {
	switch c {
	case WordClass:
		return uint64(uint32(v))
	case MaskClass:
		return min(v, 1)
	}
	return v
}

// Bytes returns the size of what a register of the class holds.
func (c Class) Bytes() int {
	if c == LongClass {
		return 8
	}
	return 4
}

// MaskOf returns the mask of a bool that is the same for all lanes.
func MaskOf(v bool) uint32 {
	if v {
		return ^uint32(0)
	}
	return 0
}
