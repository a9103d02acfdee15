package program

// Instruction is one step of a simd-group: either an operation on registers, or
// a change of what runs next and for which lanes. Registers are offsets into the
// memory of a frame. What an instruction's fields hold depends on its family:
//
//	operation          d = a op b op c; imm, and for a fourth operand target, as the operation says
//	access to memory   d, loaded or stored; a the pointer, b an index of kind c and scale target; imm bytes more
//	choice of element  d; a the number, b the first of c registers that lie imm bytes apart
//	flow               masks: a the condition, b the active lanes, d those to go on later; target
type Instruction struct {
	Flow    flow
	Op      Opcode
	D       int32
	A, B, C int32
	Target  int32
	Imm     int64
	// Masked is set for an operation that writes a variable's register. Where
	// fewer lanes are active than the mask at scope says, masked[0] computes
	// into another register and masked[1] blends that in.
	Masked *[2]Instruction
	Scope  int32
	Pos    int32 // index into program.positions
}

// flow says what an instruction does to control flow.
type flow uint8

const (
	FlowNone   flow = iota // op
	FlowLoop               // to target, backwards
	FlowIf                 // d, b = mask: those of lanes where a holds; none: to target, where b = mask
	FlowElse               // those of d where a does not hold; none: to target
	FlowEnd                // mask = d; none: to target
	FlowEnter              // d, b = mask
	FlowTest               // mask of b where a holds; none: to target
	FlowNext               // mask = b; none: to target
	FlowCase               // b gains the lanes of d where a holds, mask = b; none: to target
	FlowSwitch             // d = mask, b = none
	FlowLeave              // the active lanes leave the masks of leaves[imm]; to target
	FlowCall               // of routine d, keeping the registers of saves[imm] unless that is -1; to target
	FlowReturn             // of a routine, to after its call
	FlowBarrier
	FlowPause // of a schedule
	FlowStop
	FlowNative // where native code may go on
)
