// Package program has a kernel as the CPU device executes it: instructions on registers of 32 lanes and on masks.
//
// It is data, which package assemble writes and packages interp, sanitize and machine read. An [Instruction] has the
// number of its operation, an [Opcode]: those of ir on each type, and some that ir does not have. What an operation
// needs beyond the fields of an instruction is in a table of its [Program], at the number in Imm. [Program.String]
// prints it all.
//
// Registers and masks are places in the memory of a simd-group, a frame; frame.go says how many bytes they take. A
// pointer is the number of an [Object] and an offset (pointer.go). Where the memory of an object comes from is its
// [Source].
package program
