package cpu

import (
	"github.com/metalgen/metalgen/parser"
)

// program is a kernel, compiled.
type program struct {
	name      string
	code      []instruction
	prologue  []instruction // run once for each simd-group of a dispatch, before all else
	positions []parser.Pos
	sites     []site     // where it touches memory, for the sanitizer
	barriers  [][]around // the constructs around each, the innermost last
	backward  []bool     // whether simd-groups run last to first, from the start and behind each barrier
	counters  int        // of constructs around barriers, for the sanitizer
	leaves    [][]int32
	parts     map[int32]parts // by the number of a position where an index of them is checked
	routines  []*routineInfo
	saves     []saved
	size      int32 // bytes of a frame
	constants []constant
	objects   []objectInfo
	builtins  []builtinValue
	variables []objectInfo // in registers, that have no value from the start
	pointers  []pointerValue
	hoisted   []hoistedLoad // of the prologue
	private   int           // bytes of thread memory of a lane
	forging   bool          // it makes pointers of numbers, or loads them from memory, where they may have been anything
	addresses bool          // it loads pointers from device or constant memory, or stores them there
	alive     int32         // offset of the mask of lanes that have not returned
	// castsConst is set where the kernel makes a pointer to what is not const of one to
	// what is, and so may write arguments that it says it only reads.
	castsConst bool
	tracks     bool          // it says what is unset
	infos      []*objectInfo // by their numbers, see origin
	fences     bool          // the kernel has fences, of which the sanitizer wants to know
	logs       []logObject
	logSites   []logSite
	faults     []string // messages
	textures   []textureCall
	// zeroed are the positions of variables in threadgroup memory. All threads store their
	// initial values there, which are zero and no race.
	zeroed   map[parser.Pos]bool
	matrices []*matrixOperands // of instructions that have their numbers, as have those below
	derived  []derivedUnset
	groups   []groupUnset
	picks    [][]int32
}

// routineInfo is what the execution of calls needs to know of a routine.
type routineInfo struct {
	name   string
	locals []local
	memory int // bytes of its variables in the memory of a thread
}

// local is a variable of a routine that is in memory. Each activation has an object for
// it, and a pointer to that in a register.
type local struct {
	info    objectInfo
	pointer int32
}

// parts is what messages call the parts of a vector or an array in registers.
type parts struct {
	of      string // the variable
	element string // the type of one
}

// hoistedLoad is a load that the prologue does whether or not the kernel would.
type hoistedLoad struct {
	object int
	end    int64 // bytes that the object must have
}

// constant is a register or a mask that holds the same bits in all frames.
type constant struct {
	at    int32
	class class
	bits  uint64
}

// pointerValue is a register that begins as a pointer to an object.
type pointerValue struct {
	at      int32
	object  int
	changes bool // the kernel changes it
}

// addObject returns the number of a new object.
func (p *program) addObject(info objectInfo) int {
	p.objects = append(p.objects, info)
	return len(p.objects) - 1
}

// ownedRegister is a register or a mask of a routine.
type ownedRegister struct {
	class class
	at    int32
}

// saved are the registers of its caller that a call keeps.
type saved struct {
	registers []ownedRegister
	words     int
}
