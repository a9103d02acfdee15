package libcuda

import "syscall"

const systemLibrary = "nvcuda.dll"

func load(path string) (uintptr, error) {
	handle, err := syscall.LoadLibrary(path)
	return uintptr(handle), err
}

// find returns the address of a function, or 0.
func find(handle uintptr, name string) uintptr {
	address, err := syscall.GetProcAddress(syscall.Handle(handle), name)
	if err != nil {
		return 0
	}
	return address
}
