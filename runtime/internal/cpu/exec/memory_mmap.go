//go:build (linux || darwin) && (amd64 || arm64) && !purego

package exec

import (
	"errors"
	"syscall"
	"unsafe"
)

// place returns executable memory that begins with code.
func place(code []byte) ([]byte, error) {
	const writable, executable = syscall.PROT_READ | syscall.PROT_WRITE, syscall.PROT_READ | syscall.PROT_EXEC
	memory, err := syscall.Mmap(-1, 0, len(code), writable, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, err
	}
	copy(memory, code)
	from := uintptr(unsafe.Pointer(&memory[0]))
	synchronize(from, from+uintptr(len(memory)))
	if err := syscall.Mprotect(memory, executable); err != nil {
		return nil, errors.Join(err, syscall.Munmap(memory))
	}
	return memory, nil
}

// release returns memory to the system.
func release(memory []byte) {
	if err := syscall.Munmap(memory); err != nil {
		panic(err) // it is not what place returned
	}
}
