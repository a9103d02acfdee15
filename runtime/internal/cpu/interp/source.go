package interp

import (
	"encoding/binary"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// preparers do what is left to do for each simd-group before it executes a dispatch: they find memory of its threads or
// its threadgroup, or set registers.
var preparers = [program.SourceKinds]func(f *Frame, o *Object){
	program.FromConstant: prepareConstant, program.FromThreadgroup: prepareGroup, program.OfGroup: prepareGroup,
	program.OfThread: prepareThread,
}

// prepareGroup finds the memory of an object in that of the threadgroup.
func prepareGroup(f *Frame, o *Object) {
	if memory := f.Group.memory; len(memory) > 0 {
		o.Base = unsafe.Add(unsafe.Pointer(&memory[0]), o.Start)
		if f.Code.Tracks {
			o.Unset = unsafe.Add(unsafe.Pointer(&f.Group.unset[0]), o.Start)
		}
	}
}

// prepareThread finds the memory of a variable in that of each lane.
func prepareThread(f *Frame, o *Object) {
	at := o.Info.Source.Offset * width
	o.Base = unsafe.Add(unsafe.Pointer(&f.private[0]), at)
	if f.Code.Tracks {
		o.Unset = unsafe.Add(unsafe.Pointer(&f.unset[0]), at)
	}
	o.Striped = true
}

// prepareConstant sets the registers of a function constant.
func prepareConstant(f *Frame, o *Object) {
	a, bytes := o.Info.Source.Constant, unsafe.Slice((*byte)(o.Base), o.Size)
	for i, l := range a.Components {
		setLeaf(f, l, a.Regs[i], bytes)
	}
	*MaskAt(f, a.Defined) = program.MaskOf(!o.Missing)
}

// setLeaf sets a register from the bytes of a function constant, or to 0 where it has
// none.
func setLeaf(f *Frame, l program.Component, r int32, bytes []byte) {
	var b [8]byte
	if l.Offset < len(bytes) {
		copy(b[:program.ScalarBytes[l.Kind]], bytes[l.Offset:])
	}
	word := binary.LittleEndian.Uint64(b[:])
	switch l.Kind {
	case tree.Bool:
		*MaskAt(f, r) = 0
		if word != 0 {
			*MaskAt(f, r) = full
		}
	case tree.Long, tree.ULong:
		At[uint64](f, r).Set(word)
	case tree.Half:
		At[float32](f, r).Set(fmath.HalfFromBits(uint16(word)))
	case tree.BFloat:
		At[float32](f, r).Set(fmath.BFloatFromBits(uint16(word)))
	case tree.Char:
		At[int32](f, r).Set(int32(int8(word)))
	case tree.Short:
		At[int32](f, r).Set(int32(int16(word)))
	default:
		At[uint32](f, r).Set(uint32(word))
	}
}
