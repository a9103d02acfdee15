// Package sanitize finds mistakes in kernels that run to their end.
//
// A program that is assembled for it has instructions that say what is going to be touched, and how often constructs
// around barriers are entered: [Operations] are what they do. race.go hands accesses to package shadow, which knows who
// touched which bytes. shape.go and texture.go compare them with what a call states, barrier.go looks at who comes to
// barriers, and nan.go at results. A register that may hold uninitialised values has a second one, an unset, which
// marks the uninitialised bits. unset*.go compute the unsets, and uninit.go reports where a result depends on one.
//
// findings.go keeps each mistake once, and advice.go says how to mend it.
package sanitize
