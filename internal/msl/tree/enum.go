package tree

import "github.com/metalgen/metalgen/parser"

// Enum is an enumeration.
type Enum struct {
	Name   string
	Decl   *parser.Decl
	Pos    parser.Pos
	Under  *Type
	Values []EnumValue
	Scoped bool // enum class: its values are no integers
	Fixed  bool // the source says the underlying type
	Flags  bool // of the library: its values combine with |
}

// EnumValue is one enumerator.
type EnumValue struct {
	Name  string
	Value Value
	Pos   parser.Pos
}
