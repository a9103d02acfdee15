package cpu

import (
	"encoding/binary"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// constantArg is the function constant of an index, in registers of its own.
type constantArg struct {
	index   int
	leaves  []leaf
	regs    []int32
	defined int32 // mask: the dispatch has a value
}

func (a *constantArg) bind(d *dispatch, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Constants {
		if c := &from.Constants[i]; c.Arg.Index == a.index {
			o.missing = false
			o.hold(d.keep(c.Bytes))
			return
		}
	}
}

func (a *constantArg) prepare(f *frame, o *object) {
	bytes := unsafe.Slice((*byte)(o.base), o.size)
	for i, l := range a.leaves {
		setLeaf(f, l, a.regs[i], bytes)
	}
	*maskAt(f, a.defined) = maskOf(!o.missing)
}

// setLeaf sets a register from the bytes of a function constant, or to 0 where it has
// none.
func setLeaf(f *frame, l leaf, r int32, bytes []byte) {
	var b [8]byte
	if l.offset < len(bytes) {
		copy(b[:sizes[l.kind]], bytes[l.offset:])
	}
	word := binary.LittleEndian.Uint64(b[:])
	switch l.kind {
	case tree.Bool:
		*maskAt(f, r) = 0
		if word != 0 {
			*maskAt(f, r) = full
		}
	case tree.Long, tree.ULong:
		at[uint64](f, r).set(word)
	case tree.Half:
		at[float32](f, r).set(fmath.HalfFromBits(uint16(word)))
	case tree.BFloat:
		at[float32](f, r).set(fmath.BFloatFromBits(uint16(word)))
	case tree.Char:
		at[int32](f, r).set(int32(int8(word)))
	case tree.Short:
		at[int32](f, r).set(int32(int16(word)))
	default:
		at[uint32](f, r).set(uint32(word))
	}
}
