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

// UploadArguments returns a buffer with a copy of s in it, as [Upload] does, where T has pointers to other buffers, or
// references to textures and samplers: what Metal calls an argument buffer. The buffer remembers to what they lead; see
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

// WriteArguments copies s to the first elements of b, and b remembers to what the references in them lead: each field
// that is a [Pointer], a [TextureRef] or a [SamplerRef], also in arrays and in structs within T. A call that gets b, or
// the part of it with such an element, hands the memory and the textures to the device as if they were arguments, with
// all that pointers there lead to. The call fails where any of it was freed, and the batch keeps it alive and runs its
// calls in order of what they do with it.
//
// A pointer has to lead into memory of the device, or to its end, a TextureRef to a texture of it, or be null. Else
// WriteArguments writes nothing and returns a [*PointerError]. Whether a texture is one that the kernel can use is
// checked by the call, where the kernel's own argument says what it is for. b must not be private, and s no longer than
// b.
//
// What is written to [Buffer.Data] or by kernels is not remembered: change other fields there, and references with
// WriteArguments. To change one element, write it to a [Buffer.Slice].
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

// PointerError is the error of [UploadArguments] and [WriteArguments] for a reference that leads nowhere.
type PointerError struct {
	Element int    // of what was to be written
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

// from returns the index of the first reference at an offset or behind it.
func (s *arguments) from(offset int) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].offset >= offset })
}
