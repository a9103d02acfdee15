package program

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Object is what is known of an object when the kernel is compiled.
type Object struct {
	Name    string
	Element *tree.Type // which messages count; nil of a resource, whose bytes they count
	Whole   *tree.Type // of a variable; nil for an argument, which may have any number of elements
	Source  Source     // of its memory
	// Optional is set for an argument that is there under a function constant.
	Optional bool
	// Constant is set for memory of the constant address space.
	Constant bool
	ReadOnly bool       // an argument of the kernel that is const
	Pos      parser.Pos // where it is declared
	Number   int        // see origin
}
