package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
)

// Watch looks at what a threadgroup does. There is none without a sanitizer.
type Watch interface {
	// Enter is told that a threadgroup begins.
	Enter()
	// Forget drops what it knows of threadgroup memory.
	Forget()
	// MissesReturned reports whether barriers wait for threads that have returned, and others that do not come are
	// reported by Diverge and are no faults.
	MissesReturned() bool
	// Diverge is told of threads that are missing at a barrier.
	Diverge(barrier *program.Instruction, reached Party, missing []Party)
	// PassBarrier is told that simd-groups go on; f is one of them.
	PassBarrier(f *Frame)
	// OtherRound returns a loop around the barrier at which the first simd-group waits, where f is in another round of
	// it, or nil.
	OtherRound(f, first *Frame) *program.Around
	// Entered reports whether two simd-groups have entered a construct equally often.
	Entered(f, first *Frame, c *program.Around) bool
	// Departure returns how a lane has left one of the constructs around a barrier early.
	Departure(f *Frame, lane int, barrier []program.Around) (Absence, bool)
	// Outside is told of lanes that write outside of a texture.
	Outside(f *Frame, in *program.Instruction, o *Object, place *sample.Place, lanes uint32)
	// Written is told of the texels that lanes have written, by their offsets.
	Written(o *Object, at *[width]int, lanes uint32)
}
