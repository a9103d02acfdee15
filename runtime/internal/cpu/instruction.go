package cpu

// instruction is one step of a simd-group: either an operation on registers, or
// a change of what runs next and for which lanes. Registers are offsets into the
// memory of a frame. What an instruction's fields hold depends on its family:
//
//	operation          d = a op b op c; imm, and for a fourth operand target, as the operation says
//	access to memory   d, loaded or stored; a the pointer, b an index of kind c and scale target; imm bytes more
//	choice of element  d; a the number, b the first of c registers that lie imm bytes apart
//	flow               masks: a the condition, b the active lanes, d those to go on later; target
type instruction struct {
	flow    flow
	op      opcode
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
	flowNone   flow = iota // op
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
	flowCall               // of routine d, keeping the registers of saves[imm] unless that is -1; to target
	flowReturn             // of a routine, to behind its call
	flowBarrier
	flowPause // of a schedule
	flowStop
	flowNative // where native code may go on
)
