//go:build !(((linux || darwin) && (amd64 || arm64)) || (windows && amd64)) || purego

package exec

import (
	"errors"
	"unsafe"
)

// returns is no code.
var returns = []byte{0}

// place returns why there is no executable memory.
func place([]byte) ([]byte, error) { return nil, errors.ErrUnsupported }

func release([]byte) {}

// call is never reached, since there is no Code.
func call(*byte, unsafe.Pointer) uint64 { return 0 }
