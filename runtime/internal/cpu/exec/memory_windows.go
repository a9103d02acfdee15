//go:build amd64 && !purego

package exec

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// place returns executable memory that begins with code.
func place(code []byte) ([]byte, error) {
	size := uintptr(len(code))
	const commit = windows.MEM_COMMIT | windows.MEM_RESERVE
	address, err := windows.VirtualAlloc(0, size, commit, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The memory is not Go's, so the number is its address for as long as it is there.
	memory := unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)
	copy(memory, code)
	var before uint32
	if err := windows.VirtualProtect(address, size, windows.PAGE_EXECUTE_READ, &before); err != nil {
		release(memory)
		return nil, err
	}
	return memory, nil
}

// release returns memory to the system.
func release(memory []byte) {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	if err := windows.VirtualFree(address, 0, windows.MEM_RELEASE); err != nil {
		panic(err) // it is not what place returned
	}
}
