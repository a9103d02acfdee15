package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

// Pointer is where kernels find elements of a [Buffer]: what a struct that kernels read from memory has in place of a
// pointer. [Buffer.Pointer] returns one. The zero Pointer is null.
//
// A Pointer is a number to Go. It keeps no memory alive: what makes sure that a call finds the memory is
// [UploadArguments] or [WriteArguments], or that the struct is itself an argument of the call.
type Pointer[T any] struct {
	_       [0]*T // a pointer to T is no pointer to U
	address uint64
}

// IsNull reports whether p points to nothing.
func (p Pointer[T]) IsNull() bool { return p.address == 0 }

// Address returns the number that kernels see, which is an address of the device and none of the host.
func (p Pointer[T]) Address() uint64 { return p.address }

func (p Pointer[T]) pointer() {}

// Pointer returns the pointer to the first element of b, null for the zero Buffer. It is good until Free. Of a buffer
// that was freed, that comes from a mistaken Slice or Cast, or whose device has no addresses, it is one that
// [UploadArguments] and calls refuse.
func (b Buffer[T]) Pointer() Pointer[T] {
	if b.mem == nil {
		return Pointer[T]{}
	}
	address := b.mem.address()
	if address >= firstAddress {
		address += uint64(b.offset)
	}
	return Pointer[T]{address: address}
}

// Numbers that pointers have which nothing can be reached by, instead of addresses.
const (
	freedPointer uint64 = 1 + iota
	mistakenPointer
	noPointers
	firstAddress
)

// badPointers are what messages call them.
var badPointers = [firstAddress]struct {
	have string
	err  error
}{
	freedPointer:    {"one of a buffer that was freed", ErrFreed},
	mistakenPointer: {"one of a mistaken Slice or Cast", ErrNoMemory},
	noPointers:      {"one of a device that has no addresses for kernels", errors.ErrUnsupported},
}

// address returns the address of the memory, or one of the numbers above.
func (a *allocation) address() uint64 {
	switch {
	case a.mistake != nil:
		return mistakenPointer
	case !a.retain():
		return freedPointer
	}
	defer a.release()
	return a.dev.addresses.of(a)
}

// pointed returns the memory that an address leads to, nil for null.
func (d *Device) pointed(address uint64) (a *allocation, have string, err error) {
	switch {
	case address == 0:
		return nil, "", nil
	case address < firstAddress:
		bad := &badPointers[address]
		return nil, bad.have, bad.err
	}
	if a = d.addresses.find(address); a == nil {
		return nil, fmt.Sprintf("%#x, where there is none", address), ErrNoMemory
	}
	if a.freed.Load() {
		return nil, badPointers[freedPointer].have, ErrFreed
	}
	return a, "", nil
}

// pointerField is a Pointer within a value.
type pointerField struct {
	offset int
	path   string // "Pos", "Lists[2]", "" for the value itself
}

var pointerFields sync.Map // reflect.Type -> []pointerField

// pointersIn returns the Pointers that values of a type have.
func pointersIn(t reflect.Type) []pointerField {
	switch t.Kind() {
	case reflect.Struct, reflect.Array:
	default:
		return nil
	}
	if known, ok := pointerFields.Load(t); ok {
		return known.([]pointerField)
	}
	var list []pointerField
	appendPointers(&list, t, 0, "")
	pointerFields.Store(t, list)
	return list
}

var pointerType = reflect.TypeFor[interface{ pointer() }]()

func appendPointers(list *[]pointerField, t reflect.Type, offset int, path string) {
	switch {
	case t.Kind() == reflect.Array:
		if t.Len() == 0 || len(pointersIn(t.Elem())) == 0 {
			return
		}
		for i := range t.Len() {
			appendPointers(list, t.Elem(), offset+i*int(t.Elem().Size()), path+"["+strconv.Itoa(i)+"]")
		}
	case t.Kind() != reflect.Struct:
	case t.Implements(pointerType):
		*list = append(*list, pointerField{offset, path})
	default:
		for f := range t.Fields() {
			name := f.Name
			if path != "" {
				name = path + "." + name
			}
			appendPointers(list, f.Type, offset+int(f.Offset), name)
		}
	}
}
