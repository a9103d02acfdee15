//go:build unix

package weights

import (
	"errors"
	"os"
	"syscall"
)

// mapped returns a file as memory. Nothing of it is read before someone looks, and processes that map it share it.
func mapped(file *os.File) (data []byte, unmap func() error, err error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || int64(int(info.Size())) != info.Size() {
		return nil, nil, errors.New("not a file that can be mapped")
	}
	data, err = syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}
