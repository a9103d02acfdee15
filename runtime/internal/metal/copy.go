package metal

import (
	_ "embed"
	"encoding/binary"
	"math"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Copies are dispatches of the driver's own kernels. A blit encoder could do them too,
// but not within the one encoder of a batch: it would come between two compute encoders,
// all three would run one after the other, and it takes whole words only.

//go:embed copy.metal
var copySource string

var copyLibrary = driver.Library{File: "metalgen/copy.metal", Source: &copySource}

// copier is a kernel of copy.metal.
type copier struct {
	kernel driver.Kernel
	width  int // bytes that a thread copies
}

// copiers are all of them, the widest first.
var copiers = []*copier{newCopier("copy16", 16), newCopier("copy4", 4), newCopier("copy1", 1)}

func newCopier(name string, width int) *copier {
	const pos = "metalgen/copy.metal"
	return &copier{width: width, kernel: driver.Kernel{
		Name:    name,
		Library: &copyLibrary,
		Pos:     pos,
		Buffers: []*driver.Arg{
			{Index: 0, Name: "to", Type: "uchar", Size: 1, Writes: true, Pos: pos},
			{Index: 1, Name: "from", Type: "uchar", Size: 1, Reads: true, Pos: pos},
		},
		Values: []*driver.Arg{{Index: 2, Name: "length", Type: "ulong", Size: 8, Pos: pos}},
	}}
}

const (
	copyThreads    = 256                          // of a threadgroup
	maxCopyThreads = math.MaxUint32 - copyThreads // of a grid, whose positions are uint
)

// copying is the dispatch of a copy, which a recorder uses over and over.
type copying struct {
	dispatch driver.Dispatch
	buffers  [2]driver.Buffer
	values   [1]driver.Value
	length   [8]byte
}

// Copy records one dispatch, or several where there are more bytes than threads.
func (r *recorder) Copy(to, from driver.Buffer) error {
	r.calls++
	c := copierOf(to.Offset | from.Offset)
	for most := maxCopyThreads * c.width; from.Length > most; {
		piece := from
		piece.Length = most
		if err := r.copy(c, to, piece); err != nil {
			return err
		}
		to.Offset += most
		from.Offset += most
		from.Length -= most
	}
	return r.copy(c, to, from)
}

// copierOf returns the widest one for offsets that have these bits. Buffers begin at a
// multiple of any width.
func copierOf(offsets int) *copier {
	for _, c := range copiers {
		if offsets%c.width == 0 {
			return c
		}
	}
	panic("unreachable: every offset is a multiple of 1")
}

func (r *recorder) copy(by *copier, to, from driver.Buffer) error {
	n := from.Length
	to.Length = n
	to.Arg, from.Arg = by.kernel.Buffers[0], by.kernel.Buffers[1]
	c := &r.copying
	binary.LittleEndian.PutUint64(c.length[:], uint64(n))
	c.buffers = [...]driver.Buffer{to, from}
	c.values = [...]driver.Value{{Arg: by.kernel.Values[0], Bytes: c.length[:]}}
	threads := n/by.width + n%by.width
	c.dispatch = driver.Dispatch{
		Kernel:  &by.kernel,
		Buffers: c.buffers[:],
		Values:  c.values[:],
		Grid:    driver.Grid{Threads: [3]int{min(threads, copyThreads), 1, 1}, Size: [3]int{threads, 1, 1}},
	}
	return r.record(&c.dispatch, r.calls)
}
