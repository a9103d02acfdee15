// Package vcode is code for a processor whose registers are not chosen yet, and what chooses them.
//
// An [Instr] is about one instruction of a machine. It works on general-purpose registers of 64 bits, on vectors, and
// on predicates, which say for each element of a vector whether something holds. How many elements a vector has is
// the machine's ([Traits]); a simd-group of 32 lanes is several vectors, its parts. op.go lists what there is.
//
// Registers are virtual at first. [Allocator] gives them registers of the machine: some keep theirs for the whole
// program, as [Fix] chooses, and the others for as long as a block needs them. What [Fix] leaves is for constants. A
// register with a home in memory is loaded from there and stored there; at an [Exit], the interpreter finds its value
// there.
//
// A [Machine] makes bytes of instructions whose registers are its own.
package vcode
