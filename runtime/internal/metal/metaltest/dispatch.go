//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"
	"structs"
	"unsafe"
)

// Dispatch is one kernel call, with the memory that it is to work on. Its bytes
// are those of the Metal buffers, and valid during the call only.
type Dispatch struct {
	Source       string // of the library, behind its macros; #line makes up for them
	Kernel       string
	Label        string // of the command buffer
	Buffers      []Buffer
	Constants    []Constant
	Shared       []Shared
	Threadgroups [3]int
	Threads      [3]int // of a threadgroup
	Size         [3]int // in threads, of which the last threadgroups may lack some
}

// Buffer is what is bound to an argument: bytes from the offset to the end of the
// buffer, or of the view that was announced ([View]).
type Buffer struct {
	Index  int
	Bytes  []byte
	Buffer int // n of MTLBuffer#n, 0 for setBytes
}

// Constant is the value of a function constant.
type Constant struct {
	Index int
	Type  int // MTLDataType
	Bytes []byte
}

// Shared is the length of a threadgroup argument.
type Shared struct{ Index, Length int }

// bufferRecord, constantRecord and dispatchRecord are those of fake.h.
type bufferRecord struct {
	_              structs.HostLayout
	index          uint64
	address        *byte
	length, buffer uint64
}

type constantRecord struct {
	_           structs.HostLayout
	index, kind uint64
	bytes       *byte
	length      uint64
}

type dispatchRecord struct {
	_             structs.HostLayout
	library       uint64
	kernel, label *byte
	buffers       *bufferRecord
	bufferCount   uint64
	constants     *constantRecord
	constantCount uint64
	shared        [31]uint64
	threadgroups  [3]uint64
	threads, size [3]uint64
	error         [4096]byte
}

// executeCallback is called by the library for each dispatch.
func executeCallback(r *dispatchRecord) uintptr {
	world.Lock()
	execute, library := world.options.Execute, world.sources[r.library]
	world.Unlock()
	if execute == nil {
		return 0
	}
	if err := safely(func() error { return execute(r.dispatch(library)) }); err != nil {
		copy(r.error[:len(r.error)-1], err.Error())
		return ErrorPageFault
	}
	return 0
}

// safely makes an error of a panic, which must not cross C.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

func (r *dispatchRecord) dispatch(library *source) Dispatch {
	d := Dispatch{
		Kernel:       goString(r.kernel),
		Label:        goString(r.label),
		Threadgroups: ints(r.threadgroups),
		Threads:      ints(r.threads),
		Size:         ints(r.size),
	}
	if library != nil {
		d.Source = library.text
	}
	for _, b := range unsafe.Slice(r.buffers, r.bufferCount) {
		d.Buffers = append(d.Buffers, Buffer{Index: int(b.index), Bytes: unsafe.Slice(b.address, b.length), Buffer: int(b.buffer)})
	}
	for _, c := range unsafe.Slice(r.constants, r.constantCount) {
		d.Constants = append(d.Constants, Constant{Index: int(c.index), Type: int(c.kind), Bytes: unsafe.Slice(c.bytes, c.length)})
	}
	for i, n := range r.shared {
		if n > 0 {
			d.Shared = append(d.Shared, Shared{i, int(n)})
		}
	}
	return d
}

func ints(v [3]uint64) [3]int { return [3]int{int(v[0]), int(v[1]), int(v[2])} }
