// Package abi is what machine code and its callers agree on: a [Run] is what the code works on, and a [Layout] says
// where the fields of the interpreter's registers, simd-groups and objects are.
package abi
