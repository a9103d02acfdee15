// Package ir is a kernel as data, between the checked tree of its source and the machines
// that execute it.
//
// Package build makes a [Kernel] from a tree, and [Parse] makes one from text. Passes (package pass) improve it, and
// [Verify] accepts it. A Kernel says everything that the source means, and nothing about lanes, masks or registers.
//
// Read type.go and op.go first, the types of values and the table of operations; then
// kernel.go and object.go, what a kernel consists of; access.go, memory. eval.go says what
// operations on constants come to. print.go and parse.go are the text.
//
// # Values
//
// A kernel is scalar: it says what one thread does. A value is assigned once, by the
// instruction that has it as a result or by the region that has it as a parameter, and holds a
// bool, 32 or 64 bits, a float or a pointer. Vectors, matrices and structs are several values.
// Narrower integers are held in 32 bits, in the range of their type: an instruction of op [OpWrap]
// brings them there. half and bfloat are held as the float of the same value, which [OpRoundHalf]
// and [OpRoundBFloat] make. So there are no rules of promotion, and no type has to be looked up to
// know what an instruction does.
//
// # Control flow
//
// Instructions lie in regions, and regions in instructions: [OpBlock], [OpIf], [OpLoop] and [OpSwitch]. Each region
// ends with one instruction that says where the thread goes on: [OpLeave] goes to the end of a construct around it, and
// gives that its results; [OpAgain] begins the next turn of a loop, and gives it its parameters; [OpFall] goes to the
// next case of a switch; [OpReturn] ends the function. Threads that part within a construct meet again at its end, and
// there only: that is what a machine which runs several in lockstep, and operations that communicate between threads,
// rely on. An instruction without a region has no effect on where a thread goes on, except a trap, which ends the whole
// dispatch.
//
// Before pass "values" a kernel also has locals: variables that [OpGet] reads and [OpSet] writes.
//
// # Memory
//
// A pointer leads to an object and a byte in it (see [Object]). Loads and stores say in which
// address space, how many bytes, and how they are aligned. Each traps where the bytes are not
// within the object, unless it says that they were checked.
package ir
