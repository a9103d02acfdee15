package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// objectInfo is what is known of an object when the kernel is compiled.
type objectInfo struct {
	name    string
	element *tree.Type // which messages count; nil of a resource, of which they count bytes
	whole   *tree.Type // of a variable; nil for an argument, which may have any number of elements
	source  source     // of its memory
	// optional is set for an argument that is there under a function constant.
	optional bool
	// constant is set for memory of the constant address space.
	constant bool
	readOnly bool       // an argument of the kernel that is const
	pos      parser.Pos // where it is declared
	number   int        // see origin
}

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
