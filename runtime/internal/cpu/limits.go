package cpu

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
	maxPrivate = 1 << 18
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

	// maxNative bounds the bytes that are taken to make a program native code, and maxNatives the codes of one
	// program: each is for another shape of threadgroups. What exceeds one stays with the interpreter.
	maxNative  = 1 << 26
	maxNatives = 8
	// maxSearched bounds the steps of finding out how registers are where native code gives back a simd-group. With
	// more such places, the program goes back to the interpreter.
	maxSearched = 1 << 26

	// patience is how often a compilation asks whether to stop, once in 256 steps, before
	// a call does not wait for it any more. The longest ones in use ask 500 times.
	patience = 1 << 10
)
