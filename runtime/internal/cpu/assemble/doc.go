// Package assemble makes programs of kernels in ir.
//
// assemble.go makes the objects and what is there before the first instruction. facts.go finds what is known of
// values, and steps.go lays a function out as a list of steps. webs.go finds which values share a register. emit.go
// writes the instructions of the steps, flow.go what changes the active lanes, and memory.go, texture.go and
// together.go what is particular to accesses, textures and functions of simd-groups. order.go finds in which order
// simd-groups run between barriers.
package assemble
