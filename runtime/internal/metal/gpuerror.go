package metal

import (
	"errors"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// What a Metal device that has lost its GPU, or the memory for it, does not give.
var (
	errNoCommandBuffer = errors.New("the Metal device gives no command buffer")
	errNoEncoder       = errors.New("the Metal device gives no command encoder")
	errNoFence         = errors.New("the Metal device gives no fence")
)

// commandBufferDomain is MTLCommandBufferErrorDomain. Apple: MTLCommandBuffer.h.
const commandBufferDomain = "MTLCommandBufferErrorDomain"

// gpuError makes a [*driver.GPUError] of the NSError of a command buffer, which ran
// the piece, or something else where that is nil; it returns nil for nil.
//
// All of them are named: Metal can tell which encoder failed
// (MTLCommandBufferEncoderInfo), not which dispatch of it, and a piece has one
// encoder. Its debug groups are those that were inserted, run or not.
func gpuError(id objc.ID, p *piece) error {
	if id == 0 {
		return nil // as nearly always, and without an allocation
	}
	var from *objc.Error
	if !errors.As(objc.NewError(id), &from) {
		return nil
	}
	e := &driver.GPUError{Code: driver.GPUErrorCode(from.Code), Msg: from.Description}
	if p != nil {
		e.Kernels, e.First, e.Last = namesOf(p.kernels), p.first, p.last
	}
	if from.Domain != commandBufferDomain {
		e.Code, e.Msg = driver.GPUInternal, from.Error()
	}
	return e
}

// namesOf returns the names of kernels, each once, in the order of their first dispatch.
func namesOf(kernels []*driver.Kernel) []string {
	var names []string
	seen := map[*driver.Kernel]bool{}
	for _, k := range kernels {
		if !seen[k] {
			seen[k] = true
			names = append(names, k.Name)
		}
	}
	return names
}
