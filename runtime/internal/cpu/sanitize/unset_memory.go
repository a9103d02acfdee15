package sanitize

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// The memory of threads and of threadgroups has as much memory again where the sanitizer looks for
// what is used without being written: the bits that nothing has written are 1 there. What it stands
// for is stored there as well, so that copies hand on what is unset. Device memory begins as zeros.

// loadUnsetOf are the operations that load what is unset of a scalar to register d.
var loadUnsetOf = [...]interp.Operation{
	ir.Byte:     loadUnset(1, func(v uint64) uint64 { return min(v, 1) }),
	ir.Int8:     loadUnset(1, func(v uint64) uint64 { return uint64(uint32(int8(v))) }),
	ir.Uint8:    loadUnset(1, same[uint64]),
	ir.Int16:    loadUnset(2, func(v uint64) uint64 { return uint64(uint32(int16(v))) }),
	ir.Uint16:   loadUnset(2, same[uint64]),
	ir.Half16:   loadUnset(2, same[uint64]),
	ir.BFloat16: loadUnset(2, same[uint64]),
	ir.Word32:   loadUnset(4, same[uint64]), ir.Float32: loadUnset(4, same[uint64]),
	ir.Word64: loadUnset(8, same[uint64]), ir.Address64: loadUnset(8, same[uint64]),
}

func same[T any](v T) T { return v }

// loadUnset is not inlined for the reason of store.
//
//go:noinline
func loadUnset(size int, extend func(uint64) uint64) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		d := unsetAt(f, in.D)
		d.lanes = 0
		if allSet(f, in, size) {
			return
		}
		x := f.Addresses(in)
		for m := f.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			o, offset := f.Object(x[l]), program.Displacement(x[l])+in.Imm
			if o.Unset == nil || !o.Holds(offset, size) {
				continue
			}
			if v, from := unsetOf(f, in, o, offset, l, size); v != 0 {
				d.set(l, extend(v), from)
			}
		}
	}
}

// unsetOf returns the unset bits of bytes of a lane, and where the first of them come from.
func unsetOf(f *interp.Frame, in *program.Instruction, o *interp.Object, offset int64, lane, size int) (v uint64,
	from program.Origin) {
	for i := range int64(size) {
		b := unsetByte(o, offset+i, lane)
		if *b != 0 && v == 0 {
			handed, ok := watcherOf(f).handed[b]
			if from = handed; !ok {
				from = program.OriginOf(o.Info.Number, offset+i, in.Pos)
			}
		}
		v |= uint64(*b) << (8 * i)
	}
	return v, from
}

// setUnsetOf makes bytes of a lane as unset as v.
func setUnsetOf(f *interp.Frame, o *interp.Object, offset int64, lane, size int, v uint64, from program.Origin) {
	for i := range int64(size) {
		b := unsetByte(o, offset+i, lane)
		*b = byte(v >> (8 * i))
		switch elsewhere := !from.IsAt(o.Info.Number, offset+i); {
		case *b != 0 && elsewhere:
			watcherOf(f).hand(b, from)
		case *b != 0:
			delete(watcherOf(f).handed, b)
		}
	}
}

// allSet reports whether the bytes that an access reads are known to be set: most often they are
// side by side.
func allSet(f *interp.Frame, in *program.Instruction, size int) bool {
	base, step, ok := f.Address(in)
	if !ok {
		return false
	}
	o, offset := f.Object(base), program.Displacement(base)+in.Imm
	switch {
	case o.Unset == nil:
		return true
	case o.Striped:
		if step != 0 || !o.Holds(offset, size) || offset&3+int64(size) > 4 {
			return false
		}
		var all uint32
		row := (*[width]uint32)(unsafe.Add(o.Unset, offset>>2*(4*width)))
		for _, v := range row {
			all |= v
		}
		return all == 0
	}
	first, last := bits.TrailingZeros32(f.Mask), 31-bits.LeadingZeros32(f.Mask)
	low, high := offset+int64(first)*step, offset+int64(last)*step
	if low > high {
		low, high = high, low
	}
	if step > int64(size) || -step > int64(size) || !o.Holds(low, size) || !o.Holds(high, size) {
		return false
	}
	for _, b := range unsafe.Slice((*byte)(unsafe.Add(o.Unset, low)), high-low+int64(size)) {
		if b != 0 {
			return false
		}
	}
	return true
}

// setAll makes the bytes of a store set where they lie side by side, or the store is to memory that
// always is. It reports false where it has done nothing.
func setAll(f *interp.Frame, in *program.Instruction, size int) bool {
	base, step, ok := f.Address(in)
	if !ok {
		return false
	}
	o, offset := f.Object(base), program.Displacement(base)+in.Imm
	if o.Unset == nil {
		return true
	}
	if o.Striped {
		if f.Mask != full || size != 4 || step != 0 || offset&3 != 0 || !o.Holds(offset, size) {
			return false
		}
		*(*[width]uint32)(unsafe.Add(o.Unset, offset*width)) = [width]uint32{}
		return true
	}
	first, last := interp.ActiveRange(f.Mask)
	low, high := offset+int64(first)*step, offset+int64(last)*step
	if step != int64(size) || last < 0 || !o.Holds(low, size) || !o.Holds(high, size) {
		return false
	}
	clear(unsafe.Slice((*byte)(unsafe.Add(o.Unset, low)), high-low+step))
	return true
}

// unsetByte returns the unset bits of a byte of a lane.
func unsetByte(o *interp.Object, offset int64, lane int) *byte {
	if o.Striped {
		offset = (offset>>2*width+int64(lane))*4 + offset&3
	}
	return (*byte)(unsafe.Add(o.Unset, offset))
}

// storeUnset returns the operation that stores what is unset of register d, or nothing where that
// is 0. Memory that is always set has its use reported, unless it is a unit of a struct whose fields
// share bytes: what is between them nobody need write.
func storeUnset(size int, unit bool) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		v := unsetIn(f, in.D)
		if v.lanes == 0 && setAll(f, in, size) {
			return
		}
		x := f.Addresses(in)
		for m := f.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			o, offset := f.Object(x[l]), program.Displacement(x[l])+in.Imm
			if !o.Holds(offset, size) {
				continue
			}
			b := v.of(l)
			switch {
			case o.Unset != nil:
				setUnsetOf(f, o, offset, l, size, b, v.from[l])
			case b != 0 && !unit:
				reportLane(f, in, v, l, "stores a result of it to "+o.Info.Name)
			}
		}
	}
}

// clearUnsetObject says of a variable in thread memory that all of it is set, or with imm, none.
func clearUnsetObject(f *interp.Frame, in *program.Instruction) {
	o := f.Object(interp.At[uint64](f, in.A).Base)
	all := unsafe.Slice((*byte)(o.Unset), (o.Size+7)&^7*width)
	for i := range all {
		all[i] = byte(in.Imm)
	}
	watcherOf(f).forgetHanded(all)
}
