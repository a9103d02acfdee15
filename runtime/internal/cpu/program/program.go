package program

import (
	"github.com/metalgen/metalgen/parser"
)

// Program is a kernel, compiled.
type Program struct {
	Name      string
	Code      []Instruction
	Prologue  []Instruction // run once for each simd-group of a dispatch, before all else
	Positions []parser.Pos
	Sites     []Site     // where it touches memory, for the sanitizer
	Barriers  [][]Around // the constructs around each, the innermost last
	Backward  []bool     // whether simd-groups run last to first, from the start and after each barrier
	Counters  int        // of constructs around barriers, for the sanitizer
	Leaves    [][]int32
	Parts     map[int32]Parts // by the number of a position where an index of them is checked
	Routines  []*Routine
	Saves     []Saved
	Size      int32 // bytes of a frame
	Constants []Constant
	Objects   []Object
	Builtins  []BuiltinValue
	Variables []Object  // in registers, that have no value from the start
	Hoisted   []Hoisted // of the prologue
	Private   int       // bytes of thread memory of a lane
	Forging   bool      // it makes pointers of numbers, or loads them from memory, where they may have been anything
	Addresses bool      // it loads pointers from device or constant memory, or stores them there
	Alive     int32     // offset of the mask of lanes that have not returned
	Tracks    bool      // it says what is unset
	infos     []*Object // by their numbers, see origin
	Fences    bool      // the kernel has fences, which the sanitizer wants to know about
	Logs      []LogObject
	LogSites  []LogSite
	Faults    []string // messages
	Textures  []TextureCall
	// Zeroed are the positions of variables in threadgroup memory. All threads store their
	// initial values there, which are zero and no race.
	Zeroed   map[parser.Pos]bool
	Matrices []*Matrices // of instructions that have their numbers, as have those below
	Derived  []DerivedUnset
	Groups   []GroupUnset
	Picks    [][]int32
}

// Routine is what the execution of calls needs to know of a routine.
type Routine struct {
	Name   string
	Locals []Local
	Memory int // bytes of its variables in the memory of a thread
}

// Local is a variable of a routine that is in memory. Each activation has an object for
// it, and a pointer to that in a register.
type Local struct {
	Info    Object
	Pointer int32
}

// Parts is what messages call the parts of a vector or an array in registers.
type Parts struct {
	Of      string // the variable
	Element string // the type of one
}

// Hoisted is a load that the prologue does whether or not the kernel would.
type Hoisted struct {
	Object int
	End    int64 // bytes that the object must have
}

// Constant is a register or a mask that holds the same bits in all frames.
type Constant struct {
	At    int32
	Class Class
	Bits  uint64
}

// AddObject returns the number of a new object.
func (p *Program) AddObject(info Object) int {
	p.Objects = append(p.Objects, info)
	return len(p.Objects) - 1
}

// OwnedRegister is a register or a mask of a routine.
type OwnedRegister struct {
	Class Class
	At    int32
}

// Saved are the registers of its caller that a call keeps.
type Saved struct {
	Registers []OwnedRegister
	Words     int
}
