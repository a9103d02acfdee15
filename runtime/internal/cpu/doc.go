// Package cpu is the device that executes kernels on the CPU, without cgo, from the
// MSL source that Metal would compile.
//
// In comes a [driver.Dispatch] with its source; out go the bytes that the kernel
// writes, or a [driver.Fault]. The way of a kernel through the files:
//
//	compilation.go         a kernel is compiled, while anybody waits for it
//	library.go             a source is parsed, analysed and checked: a tree of each kernel
//	compile.go             the tree becomes ir, see package ir, which passes improve
//	assemble*.go           the ir becomes a program, instructions on registers
//	opcode*.go             the table of operations: what does them to the lanes of a
//	                       simd-group, and what they are to package native
//	op_*.go                the operations of instructions, each over the lanes of a
//	                       simd-group, and tables of operators and library functions;
//	                       loops over all lanes are in package lanes
//	run_*.go               the program executes
//	native_*.go            the program becomes machine code, see package native
//
// Assembling begins in assemble.go. assemble_facts.go and assemble_steps.go lay a function out as a list of
// steps, assemble_webs.go finds which values share a register, and assemble_emit.go writes the steps, with
// assemble_flow.go for what changes the active lanes. Execution begins in run_recorder.go and
// run_queue.go, with batches, on the goroutines of run_crew.go. run_dispatch.go spreads a
// dispatch over the cores in the shares of run_shares.go, run_threadgroup.go runs the simd-groups
// of a threadgroup, and the loop in run_frame.go steps one of them through the program.
//
// What the halves share keeps its own name: program.go and instruction.go are what
// lowering writes and execution reads, register.go and leaf.go how values are held,
// object.go what pointers are. What is particular to a kind of argument, from its
// parameter to its memory, is in one file, arg_*.go; the table in arg.go lists them.
//
// # How it executes
//
// A simd-group is a frame of 32 lanes, one for each thread. They go through the program
// in lockstep: an instruction is one loop over 32 values, and a mask says which lanes
// are active. The frames of a threadgroup run one after the other, each until its
// next barrier: from the first to the last, or the other way round where they may hand
// one another what is in memory (assemble_order.go). Functions are inlined, but for those
// that call themselves, directly or not (assemble_together.go, run_call.go).
//
// A register knows when it holds the same value in all lanes, or one that counts
// up with them, as thread indexes do (see register). Then an operation is one
// operation and not 32, a comparison of the ends decides for all lanes, and
// memory is copied in one piece. Registers carry that along, so it holds for whatever is the
// same at run time.
//
// Where the processor has AVX-512, a program that has run for some simd-groups becomes machine
// code (native_program.go). run_native.go lets it go through the simd-groups of a threadgroup, and
// has the interpreter do what the code gives back to it: instructions that go wrong, or that only
// the interpreter knows. Both hold registers in the same memory.
//
// # Memory
//
// A pointer is the number of an object and an offset, and every access is checked
// against its object, for the active lanes. Nothing that a kernel does reaches
// other memory. A texture or a sampler is an object without bytes, and as a value a pointer
// to it, which package sample reads. Pointers compare by what they point to, also those into different
// arguments that show the same memory; nothing depends on addresses of the host.
//
// What MSL leaves undefined has a result here:
//
//   - a division of integers by zero in an active lane is a [driver.Fault], as is an
//     access that is not aligned to its scalar type;
//   - shift counts are taken modulo the width;
//   - a float out of range becomes the nearest integer, and one that is no number 0;
//   - a barrier that threads pass by is a fault, but those that have returned are not missed;
//   - threadgroup memory begins as all ones, variables as 0;
//   - subnormal numbers are kept;
//   - a texel outside of its texture reads as 0, and nothing is written there;
//   - an argument that a function constant switches off, and that is left out, reads as 0.
//
// # The sanitizer
//
// A device that was opened with [driver.Options].Sanitize compiles its kernels with
// instructions that say what is going to be touched (assemble_sanitize.go), and how often constructs
// around barriers are entered. sanitize_*.go hand that to package shadow,
// which knows who touched which bytes, and make findings of what it reports. Registers that may
// hold what nothing has written have another one that says so (assemble_unset.go, op_unset*.go).
// Other devices have none of it.
//
// With [driver.Options].Schedule, run_schedule.go runs simd-groups in turns and in another
// order. The same seed makes the same order, because one goroutine does it all.
//
// # Messages
//
// What os_log writes is formatted by the instruction of the message (run_format.go), kept by
// its dispatch, and sent to the logger of the options when that has ended (run_log.go).
//
// # Tests
//
// The tests that compare combinations of types, and random programs, with models take a
// part of them; with -long they take all. With -long, and with -programs N, random programs
// are compared with what clang makes of them (package randomtest). operation_rows_test.go has an
// expression for each operation, which Go, assembly and native code compute alike: a test names those
// that it lacks. Two tests read sources that are not in this
// repository, where an environment variable names them:
//
//   - METALGEN_CORPUS="dir -Idir -DNAME=1" compiles all kernels of a folder
//     (corpus_test.go);
//   - METALGEN_PROJECTS="ggml=dir mlx=dir candle=dir mlx-native=dir" runs some kernels of
//     known projects against float64 references (projects_*_test.go).
package cpu
