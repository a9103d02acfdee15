package vcode

// Reg is a register. Those above 0 are virtual until they have been chosen, and those of the machine from then on,
// which counts them from 1 in each class. Those below 0 are pinned: general-purpose registers with one purpose.
type Reg int32

// The pinned registers.
const (
	None    Reg = 0
	Run     Reg = -1 // the address of what the code works on
	Frame   Reg = -2 // of the simd-group that runs
	Memory  Reg = -3 // of its registers
	Objects Reg = -4 // that it can reach
	Active  Reg = -5 // the bits of the active lanes
)

// Label is a place in the code.
type Label int32

// Instr is an instruction.
type Instr struct {
	Op         Op
	Cond       Cond
	D, A, B, C Reg
	Imm        int64
	Imm2       int64
	More       int32 // bytes that a lane reads of a RowAddress
	Target     Label
	Exit       *Exit    // where it jumps, in place of Target, until registers are chosen
	Args       []Reg    // more operands
	Words      []uint32 // a constant
	Tile       *TileWords
	T          Temps // registers that it may change
}

// Temps are registers that an instruction needs beside its operands, three of each class at most.
type Temps [Classes][3]Reg

// Exit is a way out of the code, to whom goes on at an instruction of the program, or if it is Bare to a place in the
// code where nothing is known of registers.
type Exit struct {
	PC     int32
	Result int64 // what the code returns
	Bare   bool
	To     Label
}

// Traits are what is to be known of a machine.
type Traits struct {
	Name  string
	Lanes int // elements of 32 bits of a vector

	// Registers are how many there are of a class to choose from. A machine whose predicates are vectors has none of
	// these.
	Registers [Classes]int
	// Local are how many of them are left to each block.
	Local [Classes]int
	// Temps are how many temporary registers an Op needs of each class, and Lacks what there is no instruction for.
	Temps [Ops][Classes]uint8
	Lacks [Ops]bool
}

// Parts returns how many vectors have the 32-bit values of all lanes.
func (t *Traits) Parts() int { return 32 / t.Lanes }

// VectorBytes returns the bytes of a vector.
func (t *Traits) VectorBytes() int32 { return int32(4 * t.Lanes) }

// file returns the class whose registers hold values of a class.
func (t *Traits) file(c Class) Class {
	if c == P && t.Registers[P] == 0 {
		return V
	}
	return c
}

// Machine makes machine code of instructions whose registers are chosen.
type Machine interface {
	Traits() *Traits
	// Label returns a label that is not bound yet.
	Label() Label
	// Emit appends an instruction.
	Emit(in *Instr)
	// Size returns how many bytes the code takes, with what is kept to put it together.
	Size() int
	// Code returns the code, or what was wrong first.
	Code() ([]byte, error)
}

// CountingWords returns the words of a vector that counts up.
func CountingWords(first int64, step int32, longs bool) []uint32 {
	v := make([]uint32, 16)
	for i := range v {
		if longs {
			n := first + int64(i/2)*int64(step)
			v[i] = uint32(uint64(n) >> (i & 1 * 32))
		} else {
			v[i] = uint32(first) + uint32(i)*uint32(step)
		}
	}
	return v
}
