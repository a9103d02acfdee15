// Package interp executes programs, in plain Go: a simd-group is a frame of 32 lanes, which go through the program in
// lockstep.
//
// [Load] gives each instruction the operation that its number stands for. table.go has the operations, op_*.go what
// they are: each a loop over the lanes, and those of numbers alone are in package lanes. frame.go steps a
// simd-group through the program, threadgroup.go runs those of a threadgroup from barrier to barrier, and turns.go in
// the order of a schedule. A mistake of a kernel ends it with a fault, and only this package makes faults
// (fault.go).
//
// A register knows when it holds the same value in all lanes, or one that counts up with them, as thread indexes do
// ([Register]). Then an operation is one operation and not 32.
//
// Two others may take part, each by an interface, so that neither is known here. A [Machine] executes simd-groups in
// the place of the interpreter, and a [Watch] is told what a threadgroup does. Operations that only the sanitizer
// knows are handed to [Load].
package interp
