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
