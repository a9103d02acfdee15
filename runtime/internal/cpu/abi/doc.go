// Package abi is what machine code and those who call it agree on: what a [Run] holds, which the code works on, and in
// a [Layout] where the fields are of what the interpreter has, registers, simd-groups and objects.
package abi
