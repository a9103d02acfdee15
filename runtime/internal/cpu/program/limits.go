package program

// Limits on what a program may come to, so that none takes the memory of the machine. They are checked before anything
// is allocated. The largest kernels in use stay below a tenth of each.
const (
	// MaxCode bounds the instructions of a program, with its prologue: calls of calls of
	// calls multiply. Each takes up to 300 bytes.
	MaxCode = 1 << 20
	// MaxFrame bounds the bytes of a frame. Offsets of registers are int32.
	MaxFrame = 1 << 26
	// MaxPrivate bounds the thread memory of one lane.
	MaxPrivate = 1 << 18
	// MaxObjects bounds the objects of a program, with those of calls of functions that call themselves.
	MaxObjects = 1 << 15
)
