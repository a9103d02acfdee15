//go:build !unix

package weights

import (
	"io"
	"os"
	"unsafe"
)

// mapped reads a file into memory that begins at a page.
func mapped(file *os.File) (data []byte, unmap func() error, err error) {
	read, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, err
	}
	page := os.Getpagesize()
	memory := make([]byte, len(read)+page)
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) & (page - 1)
	data = memory[start:][:len(read):len(read)]
	copy(data, read)
	return data, func() error { return nil }, nil
}
