// Package sanitize finds what is wrong with a kernel though it runs through.
//
// A program that is assembled for it has instructions that say what is going to be touched, and how often constructs
// around barriers are entered: [Operations] are what they do. race.go hands accesses to package shadow, which knows who
// touched which bytes. shape.go and texture.go compare them with what a call states, barrier.go looks at who comes to
// barriers, and nan.go at results. Registers that may hold what nothing has written have another one that says so, an
// unset: unset*.go follow these, and uninit.go reports what decides something by them.
//
// findings.go keeps each mistake once, and advice.go says how to mend it.
package sanitize
