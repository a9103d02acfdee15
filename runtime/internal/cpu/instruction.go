package cpu

import (
	"unsafe"

	"github.com/metalgen/metalgen/parser"
)

// instruction is one step of a simd-group: either an operation on registers, or
// a change of what runs next and for which lanes. Operands are offsets into the
// memory of a frame.
type instruction struct {
	run     func(f *frame, in *instruction)
	flow    flow
	d       int32 // destination
	a, b, c int32 // sources
	target  int32 // of flow: index of an instruction
	imm     int64 // a constant: a byte offset, a size, a table's index
	// masked is set for an operation that writes a variable's register. Where
	// fewer lanes are active than the mask at scope says, masked[0] computes
	// into another register and masked[1] blends that in.
	masked *[2]instruction
	scope  int32
	pos    int32 // index into program.positions
}

// flow says what an instruction does to control flow.
type flow uint8

const (
	flowNone   flow = iota // run
	flowJump               // to target
	flowLoop               // to target, backwards
	flowIf                 // d, b = mask: those of lanes where a holds; none: to target
	flowElse               // those of d where a does not hold; none: to target
	flowEnd                // mask = d; none: to target
	flowEnter              // d, b = mask
	flowTest               // mask of b where a holds; none: to target
	flowNext               // mask = b; none: to target
	flowCase               // b gains the lanes of d where a holds, mask = b; none: to target
	flowSwitch             // d = mask, b = none
	flowLeave              // the active lanes leave the masks of leaves[imm]; to target
	flowBarrier
	flowStop
)

// program is a kernel, compiled.
type program struct {
	name      string
	code      []instruction
	prologue  []instruction // run once for each simd-group of a dispatch, before all else
	positions []parser.Pos
	leaves    [][]int32
	size      int32 // bytes of a frame
	constants []constant
	objects   []objectInfo
	builtins  []builtinValue
	values    []constantValue // function constants
	pointers  []pointerValue
	private   int   // bytes of thread memory of a lane
	alive     int32 // offset of the mask of lanes that have not returned
	static    int   // bytes of threadgroup memory that the source declares
}

// constant is a register that holds the same in all frames.
type constant struct {
	at   int32
	wide bool
	bits uint64
}

func at[T word](f *frame, offset int32) *register[T] {
	return (*register[T])(unsafe.Add(f.memory, offset))
}

func maskAt(f *frame, offset int32) *uint32 {
	return (*uint32)(unsafe.Add(f.memory, offset))
}
