// Package ptxtest reads PTX, verifies it and executes it, for tests on machines without a card.
//
// It takes the text of a module, and returns mistakes that NVIDIA's assembler would reject (verify.go), or what the
// kernel writes (machine.go). It knows the part of PTX that package ptx writes, and rejects the rest. Start reading at
// parse.go.
//
// The machine is stricter than a card. Each thread runs by itself, in an order that a seed decides, until it comes to
// an instruction with a mask, and goes on when all threads of the mask have come to the same instruction with the
// same mask: a kernel that counts on lockstep ends with an error. So does an address that is nobody's.
package ptxtest
