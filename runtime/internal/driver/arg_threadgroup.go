package driver

import "fmt"

// Shared is the memory of a threadgroup pointer argument.
type Shared struct {
	Arg    *Arg
	Length int // in bytes, a multiple of 16
}

// ThreadgroupMemoryError returns the error of a kernel that needs more bytes of threadgroup
// memory, with its own variables, than the limit of the device.
func ThreadgroupMemoryError(need, limit int) error {
	return fmt.Errorf("the kernel needs %d bytes of threadgroup memory, with its own variables, "+
		"and the device has %d", need, limit)
}
