package cpu

import "github.com/metalgen/metalgen/runtime/bind"

// source says where the memory of an object comes from, or what it is in place of memory.
type source struct {
	kind sourceKind
	// The argument, and the element of an array of textures or samplers.
	index, element int
	size           int // bytes: of a variable, of one lane where it is a thread's
	offset         int // in the memory of a lane
	bytes          []byte
	sampler        *bind.Sampler
	constant       *constantArg
}

// sourceKind is the kind of a source.
type sourceKind uint8

// The kinds.
const (
	fromNothing     sourceKind = iota // the null object
	fromBuffer                        // the buffer that is bound to an index
	fromValue                         // the value that is bound to an index
	fromTexture                       // the texture that an element of an argument is set to
	fromSampler                       // likewise
	fromConstant                      // the function constant of an index, in registers of its own
	fromThreadgroup                   // threadgroup memory that the dispatch sizes for an index
	ofSampler                         // a sampler that the source of the kernel makes
	ofTable                           // a constant of the source
	ofGroup                           // a threadgroup variable
	ofThread                          // a variable of a thread
	fromResource                      // what pointers in the memory of arguments may lead to
	fromElsewhere                     // what numbers that lead nowhere stand for, and samplers by their IDs
	sourceKinds
)

// constantArg is where a function constant is.
type constantArg struct {
	leaves  []leaf
	regs    []int32
	defined int32 // mask: the dispatch has a value
}
