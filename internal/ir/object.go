package ir

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Object is what pointers lead to: an argument of the kernel, a variable in memory, a constant of the source.
// A texture or a sampler is an object without bytes.
type Object struct {
	Kind  ObjectKind
	Name  string
	Space Space
	Index int // of an argument
	Pos   parser.Pos
	// Element is the place of a texture or a sampler in an argument that is an array of them.
	Element int

	Size int // bytes; of a buffer and of a threadgroup argument 0: as the call says
	// Elem is the type whose elements messages count, and Whole that of the object, nil of a buffer, which may have
	// any number of elements. Both are nil in a kernel that was read as text.
	Elem, Whole *tree.Type

	ReadOnly bool // what the kernel says it only reads, and all constant memory
	Optional bool // an argument that is there under a function constant only
	Zeroed   bool // a variable of the threadgroup: all threads store its initial value, 0

	Bytes   []byte             // of a Table
	Handles []int              // of a Table of pointers: the objects that they lead to, instead of its Bytes
	Sampler *tree.SamplerState // of a SamplerConstant
	// Routine is the routine each of whose activations has such an object of its own, or -1: there is one a thread.
	Routine int
}

// Holds reports whether an access is a load at a known place in a constant argument of known size, or in a table: in an
// argument, where that is there.
func (o *Object) Holds(a *Access) bool {
	argument := o.Whole != nil && (o.Kind == PassedValue || o.Kind == Buffer)
	if o.Kind != Table && !argument || o.Handles != nil || a.Space != ConstantSpace || a.Index != Void || a.Bits ||
		a.Packed {
		return false
	}
	return a.Offset >= 0 && a.Offset+int64(a.Kind.Bytes()*a.Count) <= int64(o.Size)
}

// ObjectKind says where the memory of an object comes from.
type ObjectKind uint8

// The kinds of objects.
const (
	Buffer          ObjectKind = iota // an argument: [[buffer(n)]]
	PassedValue                       // an argument that is passed by its bytes, in constant memory
	GroupArgument                     // [[threadgroup(n)]]
	TextureArgument                   // [[texture(n)]]
	SamplerArgument                   // [[sampler(n)]]
	SamplerConstant                   // a sampler that the source makes
	ThreadVariable                    // of each thread
	GroupVariable                     // of the threadgroup
	Table                             // a constant of the source
	objectKinds
)

var objectKindNames = [objectKinds]string{
	Buffer: "buffer", PassedValue: "value", GroupArgument: "groupargument", TextureArgument: "texture",
	SamplerArgument: "sampler", SamplerConstant: "samplerconstant", ThreadVariable: "threadvariable",
	GroupVariable: "groupvariable", Table: "table",
}

// String returns the name of the kind in the text.
func (k ObjectKind) String() string { return objectKindNames[k] }
