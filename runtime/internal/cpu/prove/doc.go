// Package prove has kernels prove of themselves that the sanitizer would find nothing.
//
// [Instrument] adds to a kernel in ir what looks at its own accesses, in operations like all others. So it is compiled
// as any kernel is, and is machine code. It is coarser than package sanitize: what it cannot tell from a mistake counts
// as one. Then the kernel ends with a fault, and the dispatch is executed again, interpreted, under the sanitizer, and
// that alone says what was wrong. Where no thread comes to the fault, there is nothing to be said.
//
// Memory that threads share has shadow, objects of the same kind that the kernel gets as well: a word for each piece of
// memory that an access may reach alone. A word of the first shadow says which thread was the last to write the piece,
// by a number that is greater after each barrier that orders the memory. One of the second says so of readers. It has a
// number of its own where there were several, and another one after atomics (stamps.go). Objects that no thread both
// reads and writes between two barriers have one word for all their readers (stretch.go). access.go has the rules.
// Thread memory has shadow as well, which says whether it was written.
//
// Texels have a word each (texture.go). What a simd-group does to matrices counts as done by itself and by none of its
// threads (matrix.go).
//
// Some kernels cannot prove anything, such as those that call themselves or log messages (plan.go). What remains
// unknown here is which threads of several cores touch the same memory, see [Shadow], and how long a buffer may be.
package prove
