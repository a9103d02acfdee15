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

// blocks are all that were made, by their addresses. They stay for ever, because C may call a
// block at any time, from any thread.
var blocks struct {
	sync.RWMutex
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
	if blocks.handlers == nil {
		blocks.handlers = map[uintptr]func(a, b ID, c uintptr, d ID){}
	}
	b := &block{isa: isa, flags: blockIsGlobal, invoke: invokeAddress}
	b.descriptor = &blockDescriptor{size: uint64(unsafe.Sizeof(*b))}
	address := uintptr(unsafe.Pointer(b))
	blocks.blocks = append(blocks.blocks, b)
	blocks.handlers[address] = handle
	return address, nil
}

// invokeAddress is that of a C function in assembly that all blocks call, and that calls blockHandler with its
// arguments: void invoke(struct block *b, id first, id second, uintptr_t third, id fourth). Callbacks of purego do
// the same by reflection, with ten allocations.
var invokeAddress uintptr

// blockHandler is handleBlock: assembly finds its address here.
//
//lint:ignore U1000 assembly reads it
var blockHandler = handleBlock

// blockArguments are what C calls a block with.
type blockArguments struct {
	block         uintptr
	first, second ID
	third         uintptr
	fourth        ID
}

// handleBlock calls the handler of a block, on a thread of C's.
func handleBlock(a *blockArguments) {
	blocks.RLock()
	handle := blocks.handlers[a.block]
	blocks.RUnlock()
	if handle != nil {
		handle(a.first, a.second, a.third, a.fourth)
	}
}
