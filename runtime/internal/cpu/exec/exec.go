package exec

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Scratch is the number of bytes above the return address, and of those below, that code may write to.
const Scratch = 256

// Code is machine code in memory.
type Code struct {
	memory []byte
}

// Load places code in memory of its own, at a multiple of 4096. It does not keep the slice.
func Load(code []byte) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("no code")
	}
	size := int64(max(len(code), leastMapped))
	if mapped.Add(size) > maxMapped {
		mapped.Add(-size)
		return nil, errFull
	}
	memory, err := place(code)
	if err != nil {
		mapped.Add(-size)
		return nil, fmt.Errorf("%d bytes of executable memory: %w", len(code), err)
	}
	c := &Code{memory}
	runtime.AddCleanup(c, func(memory []byte) {
		release(memory)
		mapped.Add(-size)
	}, memory)
	return c, nil
}

// The collector does not know of the memory of code, so the process has no more than maxMapped bytes of it. Each code
// counts for leastMapped at least: a system has so many pieces of memory for a process, 65,530 on Linux.
const (
	maxMapped   = 1 << 28
	leastMapped = 1 << 14
)

var mapped atomic.Int64

var errFull = fmt.Errorf("the process has %d bytes of machine code already", int64(maxMapped))

// Call enters the code at an offset. It returns what the code leaves in the register of results.
//
//go:noinline
func (c *Code) Call(offset int, argument unsafe.Pointer) uint64 {
	result := call(&c.memory[offset], argument)
	runtime.KeepAlive(c)
	return result
}

// Available returns why there is no entering code here, or nil.
var Available = sync.OnceValue(func() error {
	_, err := Load(returns)
	return err
})
