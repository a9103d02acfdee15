package program

import "github.com/metalgen/metalgen/runtime/bind"

// Source says where the memory of an object comes from, or what it is in place of memory.
type Source struct {
	Kind sourceKind
	// The argument, and the element of an array of textures or samplers.
	Index, Element int
	Size           int // bytes: of a variable, of one lane where it is a thread's
	Offset         int // in the memory of a lane
	Bytes          []byte
	Sampler        *bind.Sampler
	Constant       *ConstantArg
}

// sourceKind is the kind of a source.
type sourceKind uint8

// The kinds.
const (
	FromNothing     sourceKind = iota // the null object
	FromBuffer                        // the buffer that is bound to an index
	FromValue                         // the value that is bound to an index
	FromTexture                       // the texture that an element of an argument is set to
	FromSampler                       // likewise
	FromConstant                      // the function constant of an index, in registers of its own
	FromThreadgroup                   // threadgroup memory that the dispatch sizes for an index
	OfSampler                         // a sampler that the source of the kernel makes
	OfTable                           // a constant of the source
	OfGroup                           // a threadgroup variable
	OfThread                          // a variable of a thread
	FromResource                      // what pointers in the memory of arguments may lead to
	FromElsewhere                     // what numbers that lead nowhere stand for, and samplers by their IDs
	SourceKinds
)

// ConstantArg is where a function constant is.
type ConstantArg struct {
	Components []Component
	Regs       []int32
	Defined    int32 // mask: the dispatch has a value
}
