//go:build linux && (amd64 || arm64)

package metaltest

import (
	"structs"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// argKind is what is particular to one kind of argument, as Metal tells them apart:
// values are buffers to it. Each has a file of its own, here and in the library.
type argKind struct {
	// number is that of fake.h: an MTLBindingType, or functionConstant.
	number uint64

	// takes reports whether a parameter is of the kind, which Metal's reflection lists
	// then. It is nil where it lists none.
	takes func(p *tree.Param) bool

	// access returns the MTLBindingAccess of a parameter. Where it is nil, it is 0.
	access func(s *source, k *tree.Kernel, p *tree.Param) uint64

	// describe sets what reflection lists of a parameter of the kind only. It may be nil.
	describe func(p *tree.Param, n *bindingNumbers)

	// read adds an argument of the library's to a dispatch.
	read func(d *Dispatch, r *argRecord)

	// bind adds the arguments of a dispatch to what the CPU device is given.
	bind func(to *driver.Dispatch, from *Dispatch)

	// announce says what a driver is given, as far as Metal is not told.
	announce func(d *driver.Dispatch, to *views)
}

// argKinds is the table of kinds.
var argKinds = []*argKind{
	&bufferKind, &threadgroupKind, &textureKind, &samplerKind, &constantKind,
	&residentBufferKind, &residentTextureKind, &residentSamplerKind,
}

// argRecord is a fakeArg of fake.h.
type argRecord struct {
	_           structs.HostLayout
	kind, index uint64
	address     *byte
	length      uint64
	number      uint64         // of the buffer, 0 for bytes; the type of a constant; the element of an array
	numbers     unsafe.Pointer // of a buffer, a texture or a sampler
	writes      uint64         // of a buffer
}
