package cpu

import "github.com/metalgen/metalgen/runtime/internal/cpu/lanes"

// lineSize is the bytes of a cache line, and of the widest vector instructions.
const lineSize = 64

// Bytes that registers take in a frame: those of their lanes, and a line with what else is known of them. An unset has
// bits and an origin for each lane.
const (
	size32    = int32(4*lanes.Width + lineSize)
	size64    = int32(8*lanes.Width + lineSize)
	sizeUnset = int32(16*lanes.Width + 8)
)
