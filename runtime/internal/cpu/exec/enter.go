//go:build (((linux || darwin) && (amd64 || arm64)) || (windows && amd64)) && !purego

package exec

import "unsafe"

// call enters code with an argument and returns its result.
//
//go:noescape
func call(code *byte, argument unsafe.Pointer) uint64
