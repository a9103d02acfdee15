// Package irtest has what tests of kernels as data need: random kernels ([Random]), and what one thread of a kernel
// computes ([Execute]), by the meaning that the table of operations gives. It is the reference of passes and machines.
package irtest
