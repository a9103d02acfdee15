package cpu

import (
	"unsafe"

	"github.com/metalgen/metalgen/parser"
)

// instruction is one step of a simd-group: either an operation on registers, or
// a change of what runs next and for which lanes. Registers are offsets into the
// memory of a frame. What an instruction's fields hold depends on its family:
//
//	operation          d = a op b op c; imm, and for a fourth operand target, as the operation says
//	access to memory   d, loaded or stored; a the pointer, b an index of kind c and scale target; imm bytes more
//	choice of element  d; a the number, b the first of c registers that lie imm bytes apart
//	flow               masks: a the condition, b the active lanes, d those to go on later; target
type instruction struct {
	run     func(f *frame, in *instruction)
	flow    flow
	d       int32
	a, b, c int32
	target  int32
	imm     int64
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
	hoisted   []hoistedLoad // of the prologue
	private   int           // bytes of thread memory of a lane
	alive     int32         // offset of the mask of lanes that have not returned
}

// hoistedLoad is a load that the prologue does whether or not the kernel would: it
// needs an object to have so many bytes.
type hoistedLoad struct {
	object int
	end    int64
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
