package objc

import (
	"sync"
	"unsafe"
)

// block is a block without captured variables, as C has it. Clang: Block Implementation Specification.
type block struct {
	isa        uintptr // _NSConcreteGlobalBlock: nobody copies or releases it
	flags, _   int32
	invoke     uintptr
	descriptor *blockDescriptor
}

type blockDescriptor struct{ _, size uint64 }

const blockIsGlobal = 1 << 28

// blocks are all that were made, by their addresses. They stay for ever: whoever has one may
// call it at any time, from any thread.
var blocks struct {
	sync.RWMutex
	invoke   uintptr // one callback for all: purego has a limited number
	blocks   []*block
	handlers map[uintptr]func(a, b ID, c uintptr, d ID)
}

// NewBlock returns the address of a block that takes two objects, a word and an object, and
// calls handle with them. A block is never freed: make few.
func NewBlock(handle func(a, b ID, c uintptr, d ID)) (uintptr, error) {
	isa, err := Symbol("_NSConcreteGlobalBlock")
	if err != nil {
		return 0, err
	}
	blocks.Lock()
	defer blocks.Unlock()
	if blocks.invoke == 0 {
		blocks.invoke = newCallback(invokeBlock)
		blocks.handlers = map[uintptr]func(a, b ID, c uintptr, d ID){}
	}
	b := &block{isa: isa, flags: blockIsGlobal, invoke: blocks.invoke}
	b.descriptor = &blockDescriptor{size: uint64(unsafe.Sizeof(*b))}
	address := uintptr(unsafe.Pointer(b))
	blocks.blocks = append(blocks.blocks, b)
	blocks.handlers[address] = handle
	return address, nil
}

// invokeBlock is what C calls with the block and its arguments.
func invokeBlock(b, first, second, third, fourth uintptr) uintptr {
	blocks.RLock()
	handle := blocks.handlers[b]
	blocks.RUnlock()
	if handle != nil {
		handle(ID(first), ID(second), third, ID(fourth))
	}
	return 0
}
