//go:build (darwin || (linux && !android)) && (amd64 || arm64)

package objc

import "github.com/ebitengine/purego"

func dlopen(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func dlsym(library uintptr, name string) uintptr {
	address, err := purego.Dlsym(library, name)
	if err != nil {
		return 0
	}
	return address
}

// call calls a C function. The words have to be on the heap.
func call(fn uintptr, words []uintptr) uintptr {
	if fn == 0 {
		panic("objc: used before Load")
	}
	result, _, _ := purego.SyscallN(fn, words...)
	return result
}

// register makes a Go function of a C function, for what SyscallN cannot return.
func register(function any, address uintptr) { purego.RegisterFunc(function, address) }
