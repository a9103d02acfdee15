// Package arith writes vcode of arithmetic on vectors: one operation at a time, on what one vector of each operand
// holds, with the same bits as the interpreter. table.go has the operations.
//
// It is for package native, which knows where operands are, and which lanes are active.
package arith
