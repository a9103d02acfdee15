package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// View is a [Buffer] without its element type, as [Call.Buffer] takes it. Get one
// from [Buffer.View].
type View struct {
	mem    *allocation
	offset int // in bytes
	length int // in elements
	size   int // bytes of one element
}

// Len is the number of elements.
func (v View) Len() int { return v.length }

// Elements returns the bytes of v as elements of size bytes each, for programs
// that learn the type of an argument at run time. As with [Cast], where the bytes
// are no whole number of elements the view carries the mistake to its call.
func (v View) Elements(size int) View {
	if v.mem != nil && v.mem.mistake != nil {
		return v
	}
	bytes := v.length * v.size
	if size <= 0 || bytes%size != 0 {
		reason := fmt.Sprintf("the length is not a multiple of %d", size)
		return View{mem: mistaken(&CastError{fmt.Sprintf("elements of %d bytes", size), v.offset, bytes, reason})}
	}
	return View{mem: v.mem, offset: v.offset, length: bytes / size, size: size}
}

// bound is v as drivers know it, bound to an argument.
func (v View) bound(arg *driver.Arg) driver.Buffer {
	return driver.Buffer{Arg: arg, Memory: v.mem.mem, Offset: v.offset, Length: v.length * v.size}
}
