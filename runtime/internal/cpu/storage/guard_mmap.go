//go:build linux || darwin

package storage

import (
	"sync"
	"syscall"
)

// mapMemory returns memory of the system, nil where it gives none. Of much memory it might promise more than it has.
func mapMemory(size int) []byte {
	const much = 1 << 28
	if size > much {
		return nil
	}
	bytes, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	return bytes
}

// forbidden is the memory that was freed last. To touch it ends the program, at the line that does.
var forbidden struct {
	sync.Mutex
	list [][]byte
	size int
}

// What is kept of it: the system has only so many mappings, and so much memory.
const (
	maxForbidden      = 4096
	maxForbiddenBytes = 1 << 28
)

// forbid has the program end where it touches memory that mapMemory has returned.
func forbid(bytes []byte) {
	if syscall.Mprotect(bytes, syscall.PROT_NONE) != nil {
		return
	}
	f := &forbidden
	f.Lock()
	defer f.Unlock()
	f.list, f.size = append(f.list, bytes), f.size+len(bytes)
	for len(f.list) > maxForbidden || f.size > maxForbiddenBytes {
		f.size -= len(f.list[0])
		_ = syscall.Munmap(f.list[0])
		f.list = f.list[1:]
	}
}
