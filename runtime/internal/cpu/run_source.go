package cpu

import (
	"encoding/binary"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// preparers do what is left to do for each simd-group before it executes a dispatch: they find memory of its threads or
// its threadgroup, or set registers.
var preparers = [sourceKinds]func(f *frame, o *object){
	fromConstant: prepareConstant, fromThreadgroup: prepareGroup, ofGroup: prepareGroup, ofThread: prepareThread,
}

// prepareGroup finds the memory of an object in that of the threadgroup.
func prepareGroup(f *frame, o *object) {
	if memory := f.group.memory; len(memory) > 0 {
		o.base = unsafe.Add(unsafe.Pointer(&memory[0]), o.start)
		if f.program.tracks {
			o.unset = unsafe.Add(unsafe.Pointer(&f.group.unset[0]), o.start)
		}
	}
}

// prepareThread finds the memory of a variable in that of each lane.
func prepareThread(f *frame, o *object) {
	at := o.info.source.offset * width
	o.base = unsafe.Add(unsafe.Pointer(&f.private[0]), at)
	if f.program.tracks {
		o.unset = unsafe.Add(unsafe.Pointer(&f.unset[0]), at)
	}
	o.striped = true
}

// prepareConstant sets the registers of a function constant.
func prepareConstant(f *frame, o *object) {
	a, bytes := o.info.source.constant, unsafe.Slice((*byte)(o.base), o.size)
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
