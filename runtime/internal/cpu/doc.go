// Package cpu is the device that executes kernels on the CPU, in pure Go, from the
// MSL source that Metal would compile.
//
// In comes a [driver.Dispatch] with its source; out go the bytes that the kernel
// writes, or a [driver.Fault]. The way of a kernel through the files:
//
//	device.go, library.go   a source is parsed, analysed and checked: a tree of each kernel's body
//	lower_*.go              the tree becomes a program: lower_kernel.go begins, lower_statement.go and
//	                        lower_expression.go walk the tree, the others lower what they are named after.
//	                        lower_builder.go lists the parts that write the program: lower_assembler.go,
//	                        lower_masks.go, lower_access.go and lower_variable.go
//	op_*.go                 the operations, each over the lanes of a simd-group, and the tables that say
//	                        which one an operator or a function of the library takes
//	run_*.go                a program executes: run_recorder.go and run_queue.go have the batches, run_dispatch.go
//	                        spreads a dispatch over the cores, run_threadgroup.go runs the simd-groups of a
//	                        threadgroup, and the loop of run_frame.go steps one of them through the program
//
// What is particular to a kind of argument, lowering its parameter and binding it in a
// dispatch, is in one file: arg_buffer.go, arg_value.go, arg_threadgroup.go, arg_constant.go
// and arg_builtin.go. The table in arg.go lists the kinds.
//
// The other files hold what the halves share: program.go and instruction.go what
// lowering makes and execution reads, register.go and leaf.go how values are held,
// object.go what pointers are.
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
