// Package cpu is the device that executes kernels on the CPU, in pure Go, from the
// MSL source that Metal would compile.
//
// In comes a [driver.Dispatch] with its source; out go the bytes that the kernel
// writes, or a [driver.Fault]. The way of a kernel through the files:
//
//	library.go                            source -> parser -> internal/msl: a checked tree
//	compile.go, builder.go                the tree -> a program: instructions on registers
//	  statement.go, expression.go,        what each node of the tree becomes
//	  variable.go, place.go, access.go,
//	  call.go, operator.go, builtin.go, ...
//	assigned.go                           which variables change, the lambdas that it calls included
//	overlap.go, table.go                  unions and bit-fields; constants of the source
//	recorder.go, queue.go, dispatch.go    batches, in order; a dispatch spread over the cores
//	threadgroup.go, frame.go              a threadgroup, its simd-groups, the loop that executes
//	register.go, arithmetic.go, load.go,  the operations, each over the lanes of a simd-group
//	  simd.go, atomic.go, ...
//
// # How it executes
//
// A simd-group of 32 lanes is a frame. All its lanes go through the program in
// lockstep: an instruction is one loop over 32 values, and a mask says which
// lanes are active. The frames of a threadgroup run one after the other, from the
// last to the first, each until its next barrier. Functions are inlined.
//
// A register knows when it holds the same value in all lanes, or one that counts
// up with them, as thread indexes do (see register). Then an operation is one
// operation and not 32, a comparison of the ends decides for all lanes, and
// memory is copied in one piece. No analysis finds that out beforehand: registers
// carry it along, so it holds for whatever is the same at run time.
//
// # Memory
//
// A pointer is the number of an object and an offset, and every access is checked
// against its object, for the active lanes. Nothing that a kernel does reaches
// other memory. What MSL leaves undefined is settled so: a division of integers by
// zero in an active lane is a [driver.Fault], as is an access that is not aligned to its
// scalar type; shift counts are taken modulo the width; a float out of range
// becomes the nearest integer, and what is no number becomes 0; threadgroup memory
// begins as all ones; variables without a value are 0; subnormal numbers count; an
// argument that a function constant switches off and that is left out reads as 0.
// Pointers compare by what they point to, also those into different arguments.
//
// # Tests on public sources
//
// Two tests read sources that are not in this repository, where an environment
// variable says: METALGEN_CORPUS="dir -Idir -DNAME=1" compiles all kernels of a folder
// (corpus_test.go), METALGEN_PROJECTS="ggml=dir mlx=dir candle=dir mlx-native=dir" runs
// some of known projects against float64 references (projects_*_test.go).
package cpu
