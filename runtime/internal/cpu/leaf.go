package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// leaf is one scalar of a type: a float4 has four, a struct those of its fields.
type leaf struct {
	kind   tree.ScalarKind
	handle tree.Kind // of a pointer, a texture or a sampler; Void of a number
	offset int       // bytes from the start of the type
	// packed is set for what may lie at any byte.
	packed bool
}

// class is how a leaf is held while a kernel runs.
type class uint8

const (
	maskClass  class = iota // bool: one bit a lane
	wordClass               // 32 bits
	longClass               // 64 bits, and pointers
	unsetClass              // not of a leaf: see unset
	classes
)

var classSizes = [classes]int32{maskClass: 8, wordClass: size32, longClass: size64, unsetClass: sizeUnset}

func (l leaf) class() class {
	if l.isHandle() {
		return longClass
	}
	return classOf(l.kind)
}

// isHandle reports whether the leaf says which object it is.
func (l leaf) isHandle() bool { return l.handle != tree.Void }

func classOf(k tree.ScalarKind) class {
	switch k {
	case tree.Bool:
		return maskClass
	case tree.Long, tree.ULong:
		return longClass
	}
	return wordClass
}

// signed reports whether an integer type has negative values.
func signed(k tree.ScalarKind) bool {
	return k == tree.Char || k == tree.Short || k == tree.Int || k == tree.Long
}

// floating reports whether a type holds fractions.
func floating(k tree.ScalarKind) bool { return k >= tree.Half }

// sizes are the bytes of scalars.
var sizes = [...]int{
	tree.Bool: 1, tree.Char: 1, tree.UChar: 1, tree.Short: 2, tree.UShort: 2, tree.Int: 4, tree.UInt: 4,
	tree.Long: 8, tree.ULong: 8, tree.Half: 2, tree.BFloat: 2, tree.Float: 4,
}

// cut returns bits as a register of the class has them.
func (c class) cut(v uint64) uint64 {
	switch c {
	case wordClass:
		return uint64(uint32(v))
	case maskClass:
		return min(v, 1)
	}
	return v
}

// bytes returns the size of what a register of the class holds.
func (c class) bytes() int {
	if c == longClass {
		return 8
	}
	return 4
}

// maskOf returns the mask of a bool that is the same for all lanes.
func maskOf(v bool) uint32 {
	if v {
		return ^uint32(0)
	}
	return 0
}
