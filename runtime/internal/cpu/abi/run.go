package abi

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/texel"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// Run is what native code works on: the simd-groups of a threadgroup, one after the other, which
// the caller keeps alive, and those of threadgroups after it.
type Run struct {
	Frame  uintptr // the simd-group that goes on, and then the one that made the code return
	End    uintptr // after the last simd-group that runs
	Budget int64   // instructions in loops, and in simd-groups, until the code returns

	// Fresh is the first simd-group that has not begun: the code begins it and those after. Each Builtin
	// is then the sum of its number in Values, which are those of the threadgroup, and its Words in the row of the
	// simd-group, which has the mask of its threads after them.
	Fresh  uintptr
	Values uintptr

	// Stride is how far the next simd-group is from one: negative where they run from the last to the first.
	Stride int64

	// If Last is not 0 the code may go on after a barrier when all simd-groups, from First to Last, have come to it.
	// It counts the barriers that it has passed in Passed. Back is not 0 where the last to come says that they run
	// from the last to the first from there on.
	First, Last  uintptr
	Passed, Back uint32

	// More is how many threadgroups may follow, in the same simd-groups. Values grow by Steps with each. Both have as
	// many words as fill vectors. All bits of threadgroup memory become ones: it is from Shared to SharedEnd, whole
	// vectors.
	Steps             uintptr
	Shared, SharedEnd uintptr
	More              uint32

	// In some loops simd-groups take turns, of so many Rounds: Turn is how many are left. Paused counts those that have
	// been paused since the turn of Start, the first to run. If it is not 0 when all have had a turn, the turns begin
	// again: then Again is not 0, and only simd-groups that are paused have a turn.
	Paused, Again, _ uint32
	Rounds, Turn     int64
	Start            uintptr

	// Ahead is how many rounds of such a loop before they are read rows come to the cache, or 0. The code keeps the
	// addresses of the last ones.
	Ahead   uint64
	fetched [MaxFetches]uint64

	// Sweeps is not 0 where the code sweeps so many Rounds of simd-groups: Values are those of the first, and Steps points
	// to those of the last.
	Sweeps, _ uint32

	_       [256 - 19*8 - MaxFetches*8]byte
	scratch [ScratchBytes + RowBytes + texel.ScratchBytes]byte
	tiles   [vcode.TilesSize]byte
}

// MaxFetches is how many rows may be fetched ahead.
const MaxFetches = 8

// What the code has for itself in a Run: memory for values that find no register, and for rows of memory where not
// all may be read where they are. After these are texels that are written.
const (
	ScratchBytes = 1 << 15
	RowBytes     = 1 << 12
)

// Where the fields of Run are.
const (
	RunFrame  = int32(unsafe.Offsetof(Run{}.Frame))
	RunEnd    = int32(unsafe.Offsetof(Run{}.End))
	RunBudget = int32(unsafe.Offsetof(Run{}.Budget))
	RunFresh  = int32(unsafe.Offsetof(Run{}.Fresh))
	RunValues = int32(unsafe.Offsetof(Run{}.Values))

	RunStride = int32(unsafe.Offsetof(Run{}.Stride))
	RunFirst  = int32(unsafe.Offsetof(Run{}.First))
	RunLast   = int32(unsafe.Offsetof(Run{}.Last))
	RunPassed = int32(unsafe.Offsetof(Run{}.Passed))
	RunBack   = int32(unsafe.Offsetof(Run{}.Back))
	RunSteps  = int32(unsafe.Offsetof(Run{}.Steps))
	RunMore   = int32(unsafe.Offsetof(Run{}.More))

	RunShared    = int32(unsafe.Offsetof(Run{}.Shared))
	RunSharedEnd = int32(unsafe.Offsetof(Run{}.SharedEnd))

	RunPaused = int32(unsafe.Offsetof(Run{}.Paused))
	RunAgain  = int32(unsafe.Offsetof(Run{}.Again))
	RunRounds = int32(unsafe.Offsetof(Run{}.Rounds))
	RunTurn   = int32(unsafe.Offsetof(Run{}.Turn))
	RunStart  = int32(unsafe.Offsetof(Run{}.Start))

	RunSweeps = int32(unsafe.Offsetof(Run{}.Sweeps))

	RunAhead = int32(unsafe.Offsetof(Run{}.Ahead))

	RunFetched = int32(unsafe.Offsetof(Run{}.fetched))

	RunScratch = int32(unsafe.Offsetof(Run{}.scratch))

	RunTexels = int64(RunScratch + ScratchBytes + RowBytes)
	RunTiles  = int64(unsafe.Offsetof(Run{}.tiles))
)

// Result is why native code returned.
type Result uint64

const (
	Waits     Result = iota // all simd-groups have come to a barrier, or ended
	Interpret               // the instruction at which the simd-group is needs the interpreter
	Exhausted               // the budget
	Turns                   // never returned: a turn ends, and each of its rounds took the result less Turns of the budget
)
