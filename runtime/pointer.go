package runtime

import (
	"errors"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Pointer is a pointer to elements of a [Buffer], for structs that kernels read from memory. [Buffer.Pointer] returns
// one. The zero Pointer is null.
//
// To Go a Pointer is a number, and it keeps no memory alive. A call finds the memory if the struct was written by
// [UploadArguments] or [WriteArguments], or is itself an argument of the call.
type Pointer[T any] struct {
	_       [0]*T // a pointer to T is no pointer to U
	address uint64
}

// IsNull reports whether p points to nothing.
func (p Pointer[T]) IsNull() bool { return p.address == 0 }

// Address returns the number that kernels see: an address of the device, not of the host.
func (p Pointer[T]) Address() uint64 { return p.address }

func (Pointer[T]) reference() *referenceKind { return &pointers }

// Pointer returns the pointer to the first element of b, null for the zero Buffer. It is valid until Free. If b was
// freed, comes from a mistaken Slice or Cast, or is of a device without addresses, [UploadArguments] and calls refuse
// the pointer.
//
// On a device with [CheckShape], kernels cannot reach beyond b through the pointer. Each slice then has an address of
// its own, and the difference of two addresses means nothing.
func (b Buffer[T]) Pointer() Pointer[T] {
	if b.mem == nil {
		return Pointer[T]{}
	}
	address := b.mem.address()
	if address <= lastNumber {
		address = b.mem.partAddress(address, b.offset, b.length*sizeof[T]())
	}
	return Pointer[T]{address: address}
}

// partAddress returns the address of a part of the memory, which is at an address.
func (a *allocation) partAddress(address uint64, offset, size int) uint64 {
	if parts, ok := a.mem.(driver.Parts); ok && a.retain() {
		defer a.release()
		if at := parts.PartAddress(offset, size); at != 0 {
			a.dev.addresses.addPart(a, at, size)
			return at
		}
	}
	return address + uint64(offset)
}

// address returns the address of the memory, or a number that leads nowhere.
func (a *allocation) address() uint64 {
	if a.mistake != nil {
		return mistakenNumber
	}
	number := freedNumber
	_ = a.guard(func() error { // else it was freed
		number = a.dev.addresses.of(a)
		return nil
	})
	return number
}

// pointers are the references that are Pointers.
var pointers = referenceKind{
	what: "a pointer to a buffer",
	bad: map[uint64]badNumber{
		freedNumber:    {"one of a buffer that was freed", ErrFreed},
		mistakenNumber: {"one of a mistaken Slice or Cast", ErrNoMemory},
		noNumber:       {"one of a device that has no addresses for kernels", errors.ErrUnsupported},
	},
	find: func(d *Device, address uint64) (target, bool) {
		a := d.addresses.find(address)
		return target{memory: a}, a != nil
	},
}
