package cpu

import "github.com/metalgen/metalgen/parser"

// Limits on what a kernel may come to, so that none takes the memory of the machine or
// goes on being compiled. They are checked before anything is allocated. The largest
// kernels in use stay below a tenth of each.
const (
	// maxCode bounds the instructions of a program, with its prologue: calls of calls of
	// calls multiply. Each takes up to 300 bytes.
	maxCode = 1 << 20
	// maxFrame bounds the bytes of a frame. Offsets of registers are int32.
	maxFrame = 1 << 26
	// maxPrivate bounds the thread memory of one lane.
	maxPrivate = 1 << 16
	// maxTables bounds the bytes of the constant tables of a program.
	maxTables = 1 << 24
	// maxLeaves bounds the scalars of one value.
	maxLeaves = 1 << 10
	// maxFrames bounds the bytes of all frames that work on one dispatch: fewer
	// threadgroups run at once where frames are large.
	maxFrames = 1 << 29
	// maxIdle bounds the bytes of frames that a threadgroup keeps while it is idle.
	maxIdle = 1 << 24

	// maxCalls bounds the calls of functions that call themselves, and maxStacked the bytes
	// that they take for a simd-group.
	maxCalls   = 256
	maxStacked = 1 << 20
	// maxObjects bounds the objects of a program, with those of such calls.
	maxObjects = 1 << 15

	// maxInline bounds calls within calls.
	maxInline = 200
	// maxDepth bounds the statements and expressions within one another, with those of
	// the inlined calls around. Each takes up to 2 KB of stack, and Go ends a process
	// whose stack comes to 1 GB.
	maxDepth = 1 << 15
	// maxWork bounds the statements and expressions that are lowered, also of those that
	// come to no instruction.
	maxWork = 1 << 22

	// patience is how often a compilation asks whether to stop, once in 256 steps, before
	// a call does not wait for it any more. The longest ones in use ask 500 times.
	patience = 1 << 10
)

// Limits on what is done to make kernels fast. Beyond them loops stay loops, and arrays in memory.
const (
	// maxRoundsUnrolled bounds the rounds of a loop that is written out, and maxUnrolled the expressions that it
	// comes to, about; maxUnrolledAll bounds those of all such loops.
	maxRoundsUnrolled = 64
	maxUnrolled       = 1 << 12
	maxUnrolledAll    = 1 << 14
	// maxArrayLeaves bounds the scalars of an array that is in registers.
	maxArrayLeaves = 64
)

// work counts what has been lowered, against the limits.
type work struct {
	steps, depth int
	stop         func() bool // asked now and then whether the program is of no use any more; or nil
}

// descend begins a statement or an expression, which ascend ends.
func (w *work) descend(pos parser.Pos) {
	if w.depth++; w.depth > maxDepth {
		fail(pos, "statements and expressions nest deeper than %d here, with those of the calls around", maxDepth)
	}
	w.step(pos)
}

func (w *work) ascend() { w.depth-- }

// step notes that an expression is lowered.
func (w *work) step(pos parser.Pos) {
	if w.steps++; w.steps > maxWork {
		fail(pos, "the kernel comes to more than %d expressions with its calls inlined", maxWork)
	}
	if w.steps&(1<<8-1) == 0 && w.stop != nil && w.stop() {
		panic(unsupportedError{errStopped})
	}
}
