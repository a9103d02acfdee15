package cpu

import "github.com/metalgen/metalgen/runtime/internal/cpu/sample"

// watch looks at what a threadgroup does. There is none without a sanitizer.
type watch interface {
	// Enter is told that a threadgroup begins.
	Enter()
	// Forget drops what it knows of threadgroup memory.
	Forget()
	// MissesReturned reports whether barriers wait for threads that have returned, and others that do not come are
	// reported by Diverge and are no faults.
	MissesReturned() bool
	// Diverge is told of threads that are missing at a barrier.
	Diverge(barrier *instruction, reached party, missing []party)
	// PassBarrier is told that simd-groups go on, of which f is one.
	PassBarrier(f *frame)
	// OtherRound returns the loop around the barrier of the first simd-group that waits of which another one is in
	// another round, or nil.
	OtherRound(f, first *frame) *around
	// Entered reports whether two simd-groups have entered a construct equally often.
	Entered(f, first *frame, c *around) bool
	// Departure returns how a lane has left one of the constructs around a barrier early.
	Departure(f *frame, lane int, barrier []around) (absence, bool)
	// Outside is told of lanes that write outside of a texture.
	Outside(f *frame, in *instruction, o *object, place *sample.Place, lanes uint32)
	// Written is told of the texels that lanes have written, by their offsets.
	Written(o *object, at *[width]int, lanes uint32)
}
