// Package pass has the passes that improve a kernel, one a file. None changes what a kernel computes, which faults it
// has, or where they are: with any of them left out, all results are the same to the bit.
//
// pass.go has their order. What several of them need to know of a kernel is in uses.go.
package pass
