// Package native makes machine code of programs, for machines of package vcode.
//
// It compiles a program of package wide, with what that package knows of it. [Compile] returns its [Code], which goes
// through the simd-groups of a threadgroup, each until its next barrier or its end, and on from a barrier at which all
// threads have met (pass, in prologue.go). The code returns early at an instruction that needs the interpreter: one of
// a kind that only the interpreter knows, or one that goes wrong, or looks as if it might. So only the interpreter
// reports faults. [Code.Entries] are the instructions at which code can go on. If an instruction that only the
// interpreter knows has Operands, it is executed alone ([Code.Outside]) between two calls of the code.
//
// # From programs to vcode
//
// lowering.go writes vcode, some blocks at a time. A register that varies is several vectors, its parts. What is the
// same in all lanes, or counts up, is one number, or one vector (units.go). table.go says for each operation how it is
// written: on vectors (package arith), on numbers (scalar.go), or in its own way (memory.go, pointer.go, group.go,
// matrix.go). Operations on vectors wait in a queue (queue.go) and are written for the first part, then for
// the second, and so on: values stay in registers from one to the next, however few lanes a vector has.
//
// Each type knows those before it, and none after it:
//
//   - writer collects vcode (writer.go);
//   - lanes knows how registers are held, and reads and writes them (value.go, cache.go);
//   - queue knows what waits, and wide.Chain what the blocks that are written read later;
//   - addresses finds where accesses are, and checks that (address.go, near.go, row.go);
//   - accesses is all of these, for loads and stores;
//   - lowering goes through the instructions, and writes what changes the active lanes (flow.go);
//   - prologue writes how the code begins and ends (prologue.go).
//
// Operations are functions of lanes, or of accesses.
//
// plan.go finds which instructions wait together, and which registers are hot: they have a register of the machine in
// all of the program. All others are in their memory in the frame of the simd-group, where the interpreter has them
// too, and in registers as long as a few blocks need them.
//
// Every address is checked before it is used, for the active lanes: the object's bounds and its alignment
// (address.go). Nothing is written before all checks of an instruction have passed, so the interpreter can begin it
// anew. Accesses by the same pointer and index, some bytes apart, share the checks of the first of them (near.go), and
// what is less than a word is cut out of words (narrow.go). Rows that begin or end outside of their object are copied,
// as far as lanes are active. Lanes that depend on where threads are alone (wide.Kind.Placed) are looked at before a
// gather: if they are side by side they are loaded as a row, and if they are the same or within a vector, out of that.
// Lanes that read a few words each, one after the other, are loaded as rows too, and every second word is kept,
// several times if need be (apart.go). If they are no power of two apart, constants say which words are whose, and what
// they store right after one another is stored as rows (packed.go). Lanes that read or store along rows of their own
// have these in tiles (tile.go), and constants of a few numbers are in vectors (lookup.go), which need no check where
// it is known how large an index may be: then bytes in memory are in vectors as well. Texels are read and written by
// package texel (texels.go). Simd-groups go by turns through loops that read rows far apart (turn.go). Outside of loops
// they fetch ahead what those after them read and store (row.go). Where they go straight on, many of them are swept:
// what they access is checked at both ends before the first begins (sweep.go, wide.Sweep).
//
// # What it takes
//
// The length of the code is unknown before it is written: a power is a thousand times as long as a sum. So a
// wide.Budget counts the bytes of tables before they are made, and those of code between instructions. Long code
// without loops has places where it pauses (wide.Stretch), since nothing can interrupt it.
package native
