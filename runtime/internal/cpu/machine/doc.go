// Package machine has simd-groups executed by machine code, where the processor can and a program runs often enough.
//
// [Codes] are those of a program, one for each shape of threadgroups. program.go has them made by package native, for
// which table.go says what each operation is. run.go lets code go through the simd-groups of a threadgroup, and has the
// interpreter do what it gives back: instructions that go wrong, or that only the interpreter knows. Both hold
// registers in the same memory, so going from one to the other is a matter of what is known of them (handoff.go). Many
// threadgroups at once are swept where the code knows how (sweep.go).
package machine
