package program

import "github.com/metalgen/metalgen/runtime/internal/cpu/lanes"

// LineSize is the bytes of a cache line, and of the widest vector instructions.
const LineSize = 64

// Bytes that registers take in a frame: those of their lanes, and a line with what else is known of them. An unset has
// bits and an origin for each lane.
const (
	WordBytes  = int32(4*lanes.Width + LineSize)
	LongBytes  = int32(8*lanes.Width + LineSize)
	UnsetBytes = int32(16*lanes.Width + 8)
)
