package tree

import "github.com/metalgen/metalgen/parser"

// Struct is a struct, class or union with its layout.
type Struct struct {
	Name   string // qualified: "ns::P"
	Decl   *parser.Decl
	Pos    parser.Pos
	Fields []*Field
	Size   int
	Align  int
	Union  bool
	Empty  bool // it has no fields, nor has what it inherits from, in which it takes no space
}

// Field is one member variable, or without a name what a struct inherits, and a
// struct or union whose fields are as if they were its own.
type Field struct {
	Name   string
	Type   *Type
	Offset int
	Pos    parser.Pos
	Base   bool
	Ref    bool // a reference: Type is a pointer
	Const  bool
	// Bits is the width of a bit-field, whose lowest bit is bit Shift of
	// the integer at Offset; 0 for other fields. In a packed struct there is room for
	// its bits alone, which may be more than an integer holds.
	Bits, Shift int
}

// Bases are the structs that a struct inherits from.
func (s *Struct) Bases() []*Struct {
	var list []*Struct
	for _, f := range s.Fields {
		if f.Base {
			list = append(list, f.Type.Struct)
		}
	}
	return list
}
