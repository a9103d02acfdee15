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

// UploadArguments returns a buffer with a copy of s in it, as [Upload] does, where T has pointers to other buffers:
// what Metal calls an argument buffer. The buffer remembers to which memory they lead; see [WriteArguments].
func UploadArguments[T any](dev *Device, s []T) (Buffer[T], error) {
	b, err := NewBuffer[T](dev, len(s))
	if err != nil {
		return Buffer[T]{}, err
	}
	if err := WriteArguments(b, s); err != nil {
		b.Free()
		return Buffer[T]{}, err
	}
	return b, nil
}

// WriteArguments copies s to the first elements of b, and b remembers to which memory the pointers in them lead: each
// field that is a [Pointer], also in arrays and in structs within T. A call that gets b, or the part of it with such an
// element, hands that memory to the device as if it were an argument, with all that pointers there lead to. The call
// fails where any of it was freed, and the batch keeps it alive and runs its calls in order of what they do with it.
//
// A pointer has to lead into memory of the device, or to its end, or be null. Else WriteArguments writes nothing and
// returns a [*PointerError]. b must not be private, and s no longer than b.
//
// What is written to [Buffer.Data] or by kernels is not remembered: change other fields there, and pointers with
// WriteArguments. To change one element, write it to a [Buffer.Slice].
func WriteArguments[T any](b Buffer[T], s []T) error {
	to := b.Data()
	switch {
	case b.mem != nil && b.mem.mistake != nil:
		return fmt.Errorf("metalgen: write arguments: %w", b.mem.mistake)
	case len(s) == 0:
		return nil
	case b.mem == nil:
		return fmt.Errorf("metalgen: write arguments: %w", ErrNilBuffer)
	case to == nil && b.mem.freed.Load():
		return fmt.Errorf("metalgen: write arguments: %w", ErrFreed)
	case to == nil:
		return errors.New("metalgen: write arguments: the buffer is private")
	case len(s) > len(to):
		return fmt.Errorf("metalgen: write arguments: %d elements are more than the %d of the buffer", len(s), len(to))
	}
	fields := pointersIn(reflect.TypeFor[T]())
	var list []argument
	for i := range s {
		for _, f := range fields {
			address := *(*uint64)(unsafe.Add(unsafe.Pointer(&s[i]), f.offset))
			target, have, err := b.mem.dev.pointed(address)
			if err != nil {
				return &PointerError{Element: i, Field: f.path, Have: have, Err: err}
			}
			if target != nil {
				list = append(list, argument{b.offset + i*sizeof[T]() + f.offset, f.path, target})
			}
		}
	}
	copy(to, s)
	b.mem.remember(b.offset, b.offset+len(s)*sizeof[T](), list)
	return nil
}

// PointerError is the error of [UploadArguments] and [WriteArguments] for a pointer that leads nowhere.
type PointerError struct {
	Element int    // of what was to be written
	Field   string // in Go: "Pos", "Lists[2]"; "" where the elements are pointers
	Have    string // what the pointer is
	Err     error  // ErrFreed, ErrNoMemory, or errors.ErrUnsupported where the device has no addresses
}

// Error returns, say, "metalgen: write arguments: [3].Pos: need a pointer to a buffer of the device, have one of a
// buffer that was freed".
func (e *PointerError) Error() string {
	return fmt.Sprintf("metalgen: write arguments: %s: need a pointer to a buffer of the device, have %s",
		driver.PathTo(e.Element, e.Field), e.Have)
}

// Unwrap returns Err.
func (e *PointerError) Unwrap() error { return e.Err }

// arguments are the pointers that the program wrote into memory.
type arguments struct {
	mu   sync.Mutex
	list []argument // by their offsets
}

type argument struct {
	offset int    // in the memory
	field  string // the pointer in its element: "Pos"
	to     *allocation
}

// remember keeps what the pointers in the bytes from one offset to another lead to, and forgets those before.
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
	known.list = slices.Replace(known.list, known.from(from), known.from(to), list...)
}

// from returns the index of the first pointer at an offset or behind it.
func (s *arguments) from(offset int) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].offset >= offset })
}
