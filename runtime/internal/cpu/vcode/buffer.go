package vcode

import "sync"

// buffers have the memory of code that has been made, for the next one.
var buffers sync.Pool

// maxKept bounds the instructions of a buffer that is kept: about a megabyte.
const maxKept = 1 << 12

// Buffer returns memory for instructions, without any.
func Buffer() []Instr {
	if b, ok := buffers.Get().(*[]Instr); ok {
		return *b
	}
	return nil
}

// Keep leaves the memory of instructions, which nobody needs any more, to Buffer.
func Keep(code []Instr) {
	if code = code[:0]; cap(code) > 0 && cap(code) <= maxKept {
		clear(code[:cap(code)])
		buffers.Put(&code)
	}
}
