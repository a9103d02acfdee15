// Package exec places machine code in memory and enters it.
//
// [Load] takes the code and returns a [Code], whose memory was written first and made executable
// then: it is never both. It goes when the collector finds that nothing refers to the Code.
// [Available] reports why that does not work: the build tag purego is set, the system or the processor
// is one that the package does not know, or the system permits no such memory.
//
// # What entered code may do
//
// [Code.Call] enters code with its argument in a register, and returns what another one holds then. All registers are
// free but those below: the wrappers that the compiler puts around assembly restore what Go expects of the others.
//
//	amd64  argument in RDI, result in RAX, ends with RET, and VZEROUPPER before where it used vectors longer than 128
//	       bits. RSP and RBP are then what they were, MXCSR was never anything else. R14 is free. [Scratch] bytes at
//	       RSP+8 are the code's, and so many below RSP for calls and pushes.
//	arm64  argument in X0, result in X0, ends with RET to X30. SP, X18, X28 and X29 are never anything else, nor is
//	       FPCR: signals find the goroutine in X28. Scratch bytes at SP+16 are the code's, and none below SP.
//
// The scheduler cannot interrupt entered code: there are no maps of its stack, and what is not in Go's text
// is not a safe point. A collection that wants to begin waits for it. So code returns after a bounded amount
// of work, some tens of microseconds, and goes on in another call. Call itself is a Go function that is
// not inlined, whose prologue lets the scheduler in each time, even in a loop without other calls.
//
// Nothing moves while code runs, and the argument may be on the stack. Code does not store addresses
// of Go's memory in places where the collector looks for them, since it has no write barriers.
//
// Signals find the goroutine in memory of the thread on amd64, and run on a stack of their own, so they may come at any
// time. SIGURG, which asks for preemption, has no effect until the code returns. SIGPROF counts for
// runtime._ExternalCode, without callers. An access to what is not mapped ends the process: it cannot be recovered
// from, so code checks each address before it uses it.
package exec
