// Package native makes machine code for amd64 with AVX-512 of the programs that package cpu
// executes.
//
// In comes a [Program]: instructions on registers of 32 lanes, as the interpreter has them.
// [Compile] returns its [Code], which goes through the simd-groups of a threadgroup, each until
// its next barrier or its end. It returns before, with the instruction at which it is, where that
// needs the interpreter: because it is of a kind that only the interpreter knows, or because it
// goes wrong, or looks as if it might. The interpreter is so the only one that reports faults.
// [Code.Entries] are the instructions at which code can go on.
//
// # Analysis
//
// analysis.go goes along all ways through a program and finds, for each point, what is known of
// each register (kind.go): that it is the same in all lanes, that it counts up from lane to lane,
// which object it points into. The interpreter finds these out while it runs and knows more; what
// is found here holds for all runs. It also finds which masks are equal, so that what is assigned in
// all lanes of a variable's scope needs no blending. liveness.go finds which registers are still
// read.
//
// # What it takes
//
// Of what instructions become nobody knows beforehand: a power is a thousand times as long as a sum. So a [Budget]
// counts the bytes of tables before they are made, and those of code between instructions. Code that goes straight on
// for long has places where it pauses (stretch), since nothing can interrupt it.
//
// # Where values are
//
// Each register has its memory in the frame of the simd-group, where the interpreter has it too.
// What is the same in all lanes, or counts up, is in its base there. Lanes are in pairs of vector
// registers as well, until others need those or ways join (cache.go). Masks are in memory; the
// active lanes are in a register, and in K1 and K2.
//
// Every address is checked before it is used, for the active lanes: the object's bounds and its
// alignment (memory.go). Nothing is written before all checks of an instruction have passed, so the
// interpreter can begin it anew.
//
// op.go lists what there is, and table.go says for each what is known of its result and what writes
// its code; value.go, integer.go, float.go, convert.go, pointer.go, access.go, matrix.go and mask.go are
// these writers, flow.go is what comes next and for which lanes.
package native
