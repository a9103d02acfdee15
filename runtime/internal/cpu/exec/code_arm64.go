//go:build (linux || darwin) && !purego

package exec

// returns is code that does nothing.
var returns = []byte{0xc0, 0x03, 0x5f, 0xd6}

// synchronize makes what was written to memory the instructions there.
//
//go:noescape
func synchronize(from, to uintptr)
