package interp

import "unsafe"

// All operations but the atomic ones reach the bytes of objects through the functions of
// this file, which keep them out of the race detector's sight: threads of a kernel may
// touch the same bytes in no order, which concerns the author of the kernel. The
// detector's build does not inline such functions; in others nothing is left of them.
// Atomic operations may stay in sight, as they do not race with one another.

// memoryWord is what one access moves.
type memoryWord interface {
	uint8 | int8 | uint16 | int16 | uint32 | uint64 | float32
}

// Peek loads a word.
//
//go:norace
func Peek[M memoryWord](from unsafe.Pointer) M { return *(*M)(from) }

// poke stores a word.
//
//go:norace
func poke[M memoryWord](to unsafe.Pointer, v M) { *(*M)(to) = v }

// peekRow loads a word for each lane from words side by side.
//
//go:norace
func peekRow(z *[width]uint32, from unsafe.Pointer) { *z = *(*[width]uint32)(from) }

// pokeRow stores a word for each lane to words side by side.
//
// poke stores a word.
//
//go:norace
func pokeRow(to unsafe.Pointer, x *[width]uint32) { *(*[width]uint32)(to) = *x }
