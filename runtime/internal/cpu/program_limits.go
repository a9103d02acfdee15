package cpu

// Limits on what a program may come to, so that none takes the memory of the machine. They are checked before anything is
// allocated. The largest kernels in use stay below a tenth of each.
const (
	// maxCode bounds the instructions of a program, with its prologue: calls of calls of
	// calls multiply. Each takes up to 300 bytes.
	maxCode = 1 << 20
	// maxFrame bounds the bytes of a frame. Offsets of registers are int32.
	maxFrame = 1 << 26
	// maxPrivate bounds the thread memory of one lane.
	maxPrivate = 1 << 18
	// maxObjects bounds the objects of a program, with those of calls of functions that call themselves.
	maxObjects = 1 << 15
)
