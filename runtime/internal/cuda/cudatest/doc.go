// Package cudatest is NVIDIA's driver for tests on machines without a card: a libcuda.so in C, which tests compile
// and load. It checks what it is called with: contexts of threads, lifetimes of all that is made, sizes, the order of
// captures and events, and what is left when a test ends. Modules are verified, and kernels executed, by package
// ptxtest.
//
// Start reading at start.go, then fake/fake.h.
package cudatest
