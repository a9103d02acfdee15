// Package cpu is the device that executes kernels on the CPU, without cgo, from the
// MSL source that Metal would compile.
//
// It takes a [driver.Dispatch] with its source, and makes the bytes that the kernel writes, or a [driver.Fault]. The
// rooms, in the order in which a kernel goes through them:
//
//	cpu        the device: compilations, batches, and the cores that run dispatches
//	assemble   ir becomes a program, instructions on registers of 32 lanes
//	program    a program, which is data
//	interp     executes programs, and is the one author of faults
//	sanitize   looks at what they do, on devices with a sanitizer
//	prove      has kernels prove that it would find nothing
//	machine    has machine code execute them, which package native makes
//	storage    memory and textures
//
// Here compilation.go has a kernel compiled while anybody waits for it: library.go parses and checks a source, see
// package frontend, and compile.go makes ir of it, has passes improve that, and assembles it. recorder.go and queue.go
// have batches, which run on the goroutines of crew.go. dispatch.go binds arguments. runner.go spreads a dispatch over
// the cores, in the shares of shares.go and for as long as the shift of shift.go lasts; schedule.go runs one in an
// order of its own. How a kind of argument finds its memory is in one file, arg_*.go; the table in arg.go lists them.
//
// # How it executes
//
// A simd-group is a frame of 32 lanes, one for each thread. They go through the program in lockstep: an instruction is
// one loop over 32 values, and a mask says which lanes are active. The frames of a threadgroup run one after the other,
// each until its next barrier: from the first to the last, or the other way round where they may hand one another what
// is in memory (assemble/order.go). Functions are inlined, except those that call themselves, directly or not
// (interp/call.go).
//
// A register knows when it holds the same value in all lanes, or one that counts
// up with them, as thread indexes do (interp.Register). Then an operation is one
// operation and not 32, a comparison of the ends decides for all lanes, and
// memory is copied in one piece. Registers carry that along, so it holds for whatever is the
// same at run time.
//
// Where the processor has AVX-512, AVX2 or NEON, a program that has run for some simd-groups becomes machine code
// (package machine).
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
//   - a float out of range becomes the nearest integer, and a NaN becomes 0;
//   - a barrier that some threads miss is a fault, unless they have returned;
//   - threadgroup memory begins as all ones, variables as 0;
//   - subnormal numbers are kept;
//   - a texel outside of its texture reads as 0, and nothing is written there;
//   - an argument that a function constant switches off, and that is left out, reads as 0.
//
// # The sanitizer
//
// A device that was opened with [driver.Options].Sanitize assembles its kernels with instructions for package sanitize.
// Other devices have none of it. Before a large dispatch is interpreted so, its kernel may prove, as machine code,
// that there is nothing to be found (package prove): proof.go binds and runs such a proof, and proof_shadow.go has the
// shadow of each core.
//
// With [driver.Options].Schedule, schedule.go runs simd-groups in turns and in another
// order. The same seed makes the same order, because one goroutine does it all.
//
// # Messages
//
// What os_log writes is formatted by the instruction of the message, kept by its dispatch, and sent to the logger of
// the options when that has ended (interp/log.go).
//
// # Tests
//
// The tests that compare combinations of types, and random programs, with models take a
// part of them; with -long they take all. With -long, and with -programs N, random programs
// are compared with what clang makes of them (package randomtest). operation_rows_test.go has an
// expression for each operation, which the interpreter and machine code compute alike: a test names those
// that it lacks. Two tests read sources that are not in this
// repository, where an environment variable names them:
//
//   - METALGEN_CORPUS="dir -Idir -DNAME=1" compiles all kernels of a folder
//     (corpus_test.go);
//   - METALGEN_PROJECTS="ggml=dir mlx=dir candle=dir mlx-native=dir" runs some kernels of
//     known projects against float64 references (projects_*_test.go).
package cpu
