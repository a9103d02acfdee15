package wide

import "github.com/metalgen/metalgen/runtime/internal/pixel"

// Width is the number of lanes of a simd-group.
const Width = 32

// Program is a kernel: instructions on registers of 32 lanes and on masks. All are places in
// the memory of a simd-group, by their offset in bytes.
type Program struct {
	Code      []Instruction
	Leaves    [][]int32 // the masks that a Leave takes lanes from, by its Imm
	Size      int32     // bytes of the registers of a simd-group
	Alive     int32     // the mask of lanes that have not returned
	Constants []Constant
	Uniform   []int32 // registers that hold the same in all lanes before the first instruction
	Pointers  []Pointer
	Builtins  []Builtin
	Objects   []Object
	Backward  []bool // by the Imm of a Barrier: simd-groups go on from the last to the first
	Shares    bool   // lanes may read what others hold that are not active
}

// Instruction is one step of all lanes. D, A, B and C are registers or masks, as Op says.
//
//	operation          D = A op B op C; Imm as Op says
//	access to memory   D, loaded or stored; A the pointer, B an index of kind C and scale Target; Imm bytes more
//	flow               masks: A the condition, B the active lanes, D those to go on later; Target
type Instruction struct {
	Op         Op
	D, A, B, C int32
	Target     int32
	Imm        int64
	// Masked is set where D is written only in the active lanes, unless they are those of
	// the mask at Scope.
	Masked bool
	Scope  int32
	// Matrices are the operands of an operation on matrices, else nil.
	Matrices *Matrices
	// Texels says what an operation on a texture is about, else nil.
	Texels *Texels
	// Operands are those of a foreign instruction or an operation on a texture, else nil.
	Operands *Operands
}

// Texels are the texels of a texture that the lanes read or write: those of the first level, at X and Y. Without Y the
// texture is a row.
type Texels struct {
	Object     int32 // the texture
	Format     pixel.Format
	X, Y       int32    // registers, or 0
	Components [4]int32 // registers, red to alpha: a read makes them, except 0, and a write takes 0 for zeros
}

// Operands are the registers that an instruction reads and writes.
type Operands struct {
	Reads, Writes Registers
	Together      bool // what it writes is the same in all lanes where all that it reads is
}

// Registers are some of each class.
type Registers struct{ Masks, Words, Longs []int32 }

// Len returns how many there are.
func (r *Registers) Len() int { return len(r.Masks) + len(r.Words) + len(r.Longs) }

// Each calls yield with them, while that returns true.
func (r *Registers) Each(yield func(Operand) bool) {
	for c, list := range [...][]int32{Mask: r.Masks, Word: r.Words, Long: r.Longs} {
		for _, at := range list {
			if !yield(Operand{at, Class(c)}) {
				return
			}
		}
	}
}

// Matrices are the operands of an operation on matrices of 8 rows and 8 columns, whose elements are in the lanes of two
// registers: Z = X * Y, and + W where it Adds. A load makes Z, a store takes X. Their rows, or columns where Transpose
// holds, are Stride elements apart, and the first element is in row Row and column Column from Pointer.
type Matrices struct {
	X, Y, W, Z                              [2]int32
	Adds                                    bool
	Pointer, Stride, Column, Row, Transpose int32
}

// Constant is a register that never changes.
type Constant struct {
	At   int32
	Bits uint64
}

// Pointer is a register that points to the first byte of an object before the first instruction.
type Pointer struct {
	At, Object int32
}

// Builtin is a register that says where a thread is. Before the first instruction it counts up
// from lane to lane by Step, unless it varies. If it is Placed then, each 16 lanes count up so.
type Builtin struct {
	At, Step int32
	Varies   bool
	Placed   bool
}

// Words returns how many words of a row say what a builtin is in a simd-group: one, or one for each lane.
func (b Builtin) Words() int {
	if b.Varies {
		return Width
	}
	return 1
}

// Object is what is known of memory that pointers point into.
type Object struct {
	Striped  bool   // each lane has its own
	Size     int    // bytes of a lane's own, and 0 of others
	Constant bool   // nothing may store to it
	Own      bool   // other threadgroups do not reach it
	Table    []byte // what is in it, where that never changes
}

// The kinds of an index of an access.
const (
	NoIndex int32 = iota
	IntIndex
	UintIndex
	LongIndex
)
