package libcuda

import (
	"bytes"
	"runtime"
	"strings"
	"unsafe"
)

// inputPTX is what a linker is given (CUjitInputType in cuda.h).
const inputPTX = 1

// Compile compiles the text of a module to what the GPU executes, which ModuleLoadImage takes. What the compiler says of
// a mistake is in log.
func (l *Library) Compile(text string) (image []byte, log string, r Result) {
	source := append([]byte(text), 0)
	buffer := make([]byte, 8<<10)
	options := [...]int32{jitErrorLogBuffer, jitErrorLogBufferSize}
	values := [...]uintptr{uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer))}
	var pin runtime.Pinner
	pin.Pin(&buffer[0])
	defer pin.Unpin()
	var state uintptr
	r = l.call(cuLinkCreate, uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)),
		uintptr(unsafe.Pointer(&state)))
	if r != Success {
		return nil, "", r
	}
	defer l.call(cuLinkDestroy, state)
	name := [...]byte{'k', 0}
	r = l.call(cuLinkAddData, state, inputPTX, uintptr(unsafe.Pointer(&source[0])), uintptr(len(source)),
		uintptr(unsafe.Pointer(&name)), 0, 0, 0)
	var made *byte
	var size uintptr
	if r == Success {
		r = l.call(cuLinkComplete, state, uintptr(unsafe.Pointer(&made)), uintptr(unsafe.Pointer(&size)))
	}
	if r == Success {
		image = bytes.Clone(unsafe.Slice(made, size)) // the linker's own goes with it
	}
	buffer[len(buffer)-1] = 0
	return image, strings.TrimSpace(goString(&buffer[0])), r
}

// ModuleLoadImage loads what Compile has made.
func (l *Library) ModuleLoadImage(image []byte) (m Module, r Result) {
	r = l.call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0])), 0, 0, 0)
	return m, r
}
