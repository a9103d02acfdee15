package abi

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
)

// Site is an operation that may fault.
type Site struct {
	Pos  parser.Pos
	Kind SiteKind
	// Object is what an access reaches, 0 where only the record says so. Scalar and Count are of the access.
	Object int
	Scalar ir.Scalar
	Count  int
	Store  bool
	Parts  *ir.Parts // of a choice, or nil
	Limit  int       // of a choice
	Msg    string    // of a fault that the kernel asks for; or the function that is called
}

// SiteKind says what went wrong.
type SiteKind uint8

// The kinds of sites.
const (
	AccessSite   SiteKind = iota // At of the record is where the access begins, in bytes of the object
	DivisionSite                 // of an integer by zero
	ChoiceSite                   // At is an index that is not below Limit
	BarrierSite                  // not all threads of a simd-group came to it
	ConstantSite                 // a store to Object, which is constant memory
	FaultSite                    // Msg
	HandleSite                   // At is a handle, without the number of its object, which leads to no Msg
	CallSite                     // of the function Msg, with which the call stack is full; At is how many calls there are
)

// Record is what a module writes in device memory when threads fault: the first of all faults. It begins as zeros.
type Record struct {
	Lock   uint32
	Count  uint32 // of faults
	Order  uint64 // where it comes among those of a dispatch, plus 1
	Site   uint32
	Object uint32
	At     int64
	Thread [3]uint32 // thread_position_in_grid
	Group  [3]uint32
}

// RecordSize is the size of a Record in bytes.
const RecordSize = 56
