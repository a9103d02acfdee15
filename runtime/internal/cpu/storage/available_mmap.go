//go:build linux || darwin

package storage

import "syscall"

// SystemHas reports whether the system has as many bytes. Go ends the program where it has not.
func SystemHas(size int) bool {
	const writable, anonymous = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_PRIVATE | syscall.MAP_ANON
	memory, err := syscall.Mmap(-1, 0, size, writable, anonymous)
	return err == nil && syscall.Munmap(memory) == nil
}
