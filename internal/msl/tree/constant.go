package tree

import "github.com/metalgen/metalgen/parser"

// FunctionConstant is a constant whose value comes with the pipeline
// (section 5.8).
type FunctionConstant struct {
	Name  string
	Type  *Type
	Index int
	Pos   parser.Pos
	// Defaulted is set where the source asks whether the constant has a value:
	// a pipeline may be made without one.
	Defaulted bool
}
