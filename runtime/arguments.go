package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// UploadArguments returns a buffer with a copy of s in it, as [Upload] does, for a T with pointers to other buffers or
// references to textures and samplers: Metal's argument buffers. The buffer remembers where they lead; see
// [WriteArguments].
func UploadArguments[T any](dev *Device, s []T) (Buffer[T], error) {
	b, err := NewBuffer[T](dev, len(s))
	if err != nil {
		return Buffer[T]{}, err
	}
	if err := writeArguments("UploadArguments", b, s); err != nil {
		b.Free()
		return Buffer[T]{}, err
	}
	return b, nil
}

// WriteArguments copies s to the first elements of b, and b remembers where their references lead: all fields that are
// a [Pointer], a [TextureRef] or a [SamplerRef], including those in arrays and structs within T. A call that uses b, or
// a slice of it with such an element, passes the memory and textures to the device as if they were arguments, and so on
// through all pointers found there. The call fails if any of it was freed. The batch keeps all of it alive and orders
// its calls by what they read and write there.
//
// A reference must be null, or lead to memory, a texture or a sampler of the device; a pointer may also lead to the end
// of memory. Otherwise WriteArguments writes nothing and returns a [*PointerError]. The call checks whether the kernel
// can use a texture. b must not be private, and s must not be longer than b.
//
// References written to [Buffer.Data] or by kernels are not remembered: change only other fields there. To change one
// element, write it to a [Buffer.Slice].
func WriteArguments[T any](b Buffer[T], s []T) error { return writeArguments("WriteArguments", b, s) }

// writeArguments is WriteArguments for the function of that name.
func writeArguments[T any](function string, b Buffer[T], s []T) error {
	to := b.Data()
	switch {
	case b.mem != nil && b.mem.mistake != nil:
		return fmt.Errorf("%s: %w", function, b.mem.mistake)
	case len(s) == 0:
		return nil
	case b.mem == nil:
		return fmt.Errorf("%s: %w", function, ErrNilBuffer)
	case to == nil && b.mem.freed.Load():
		return fmt.Errorf("%s: %w", function, ErrFreed)
	case to == nil:
		return fmt.Errorf("%s: the buffer is private", function)
	case len(s) > len(to):
		return fmt.Errorf("%s: need a buffer of at least %d elements, have %d", function, len(s), len(to))
	}
	err := b.mem.guard(func() error {
		list, err := argumentsIn(b, s)
		if mistake := (*PointerError)(nil); errors.As(err, &mistake) {
			mistake.function = function
		}
		if err != nil {
			return err
		}
		copy(to, s)
		b.mem.remember(b.offset, b.offset+len(s)*sizeof[T](), list)
		return nil
	})
	if err == ErrFreed {
		return fmt.Errorf("%s: %w", function, err)
	}
	return err
}

// argumentsIn returns what the references in elements lead to, which are about to be written to b.
func argumentsIn[T any](b Buffer[T], s []T) (list []argument, err error) {
	for i := range s {
		for _, f := range referencesIn(reflect.TypeFor[T]()) {
			number := *(*uint64)(unsafe.Add(unsafe.Pointer(&s[i]), f.offset))
			to, have, err := b.mem.dev.lookUp(f.kind, number)
			if err != nil {
				return nil, &PointerError{Element: i, Field: f.path, Need: f.kind.what, Have: have, Err: err}
			}
			if to != (target{}) {
				list = append(list, argument{b.offset + i*sizeof[T]() + f.offset, f.path, to})
			}
		}
	}
	return list, nil
}

// PointerError is the error of [UploadArguments] and [WriteArguments] for an invalid reference.
type PointerError struct {
	Element int    // index of the element that was to be written
	Field   string // in Go: "Pos", "Lists[2]"; "" where the elements are references
	Need    string // "a pointer to a buffer", "a texture" or "a sampler"
	Have    string // what the reference is
	Err     error  // ErrFreed, ErrNoMemory, or errors.ErrUnsupported where the device has no such references

	function string // that was called
}

// Error returns, say, "WriteArguments: [3].Pos: need a pointer to a buffer of the device, have one of a
// buffer that was freed".
func (e *PointerError) Error() string {
	return fmt.Sprintf("%s: %s: need %s of the device, have %s", e.function,
		driver.PathTo(e.Element, e.Field), e.Need, e.Have)
}

// Unwrap returns Err.
func (e *PointerError) Unwrap() error { return e.Err }

// arguments are the references that the program wrote into memory, but those to samplers.
type arguments struct {
	mu     sync.Mutex
	list   []argument // by their offsets
	writes uint64     // how often it has become another list
}

type argument struct {
	offset int    // in the memory
	field  string // the reference in its element: "Pos"
	to     target
}

// remember keeps what the references in the bytes from one offset to another lead to, and forgets those before.
func (a *allocation) remember(from, to int, list []argument) {
	known := a.arguments.Load()
	if known == nil {
		if len(list) == 0 {
			return
		}
		a.arguments.CompareAndSwap(nil, &arguments{})
		known = a.arguments.Load()
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	first, last := known.from(from), known.from(to)
	if slices.Equal(known.list[first:last], list) {
		return
	}
	known.list = slices.Replace(known.list, first, last, list...)
	known.writes++
}

// from returns the index of the first reference at an offset or after it.
func (s *arguments) from(offset int) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].offset >= offset })
}
