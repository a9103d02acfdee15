package interp

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Stores take what they store from register d. Where several lanes store to one
// address, the last one wins.

// store32 stores plain 32-bit words.
func store32(f *Frame, in *program.Instruction) {
	if f.Mask == full {
		if base, step, ok := f.Address(in); ok {
			o := f.Object(base)
			offset := program.Displacement(base) + in.Imm
			switch {
			case o.Striped:
				if step == 0 && o.Holds(offset, 4) && offset&3 == 0 {
					pokeRow(o.At(offset, 0), At[uint32](f, in.D).Lanes())
					return
				}
			case step != 0 && !o.Constant && o.holdsAll(offset, step, 0, width-1, 4):
				x := At[uint32](f, in.D).Lanes()
				if step == 4 {
					pokeRow(unsafe.Add(o.Base, offset), x)
					return
				}
				for i := range x {
					poke(unsafe.Add(o.Base, offset), x[i])
					offset += step
				}
				return
			}
		}
	}
	storeAny32(f, in)
}

// storeTo is laneAddress for stores.
func (f *Frame) storeTo(in *program.Instruction, x *[width]uint64, l, size int) unsafe.Pointer {
	f.checkStore(in, x[l], l)
	return f.laneAddress(in, x, l, size)
}

// store stores the lower bits of words, as M. With a function for it, those are the bits of floats. It is not
// inlined, as Go's compiler inlines nothing in a closure that is made where a package variable is.
//
//go:noinline
func store[M uint8 | uint16 | uint32](
	all *lanes.Elements[uint32], bitsOf func(*[width]uint32, *[width]float32),
) Operation {
	size := int(unsafe.Sizeof(M(0)))
	return func(f *Frame, in *program.Instruction) {
		v := &f.bits
		if bitsOf != nil {
			bitsOf(v, At[float32](f, in.D).Lanes())
		} else {
			v = At[uint32](f, in.D).Lanes()
		}
		if base, step, ok := f.Address(in); ok && !f.Object(base).Striped && !f.Object(base).Constant {
			o := f.Object(base)
			offset := program.Displacement(base) + in.Imm
			first, last := ActiveRange(f.Mask)
			if step == 0 {
				first = 31 - bits.LeadingZeros32(f.Mask)
				last = first
			}
			if last >= 0 && o.holdsAll(offset, step, first, last, size) {
				if f.Mask == full && step == int64(size) {
					all.Store((*byte)(unsafe.Add(o.Base, offset)), v)
					return
				}
				offset += int64(first) * step
				for l := first; l <= last; l++ {
					poke(unsafe.Add(o.Base, offset), M(v[l&(width-1)]))
					offset += step
				}
				return
			}
		}
		if size < 4 {
			if row, shift, ok := f.stripe(in, size); ok {
				ones := uint32(1)<<(8*size) - 1
				for m := f.Mask; m != 0; m &= m - 1 {
					l := bits.TrailingZeros32(m) & (width - 1)
					row[l] = row[l]&^(ones<<shift) | v[l]&ones<<shift
				}
				return
			}
		}
		x := f.Addresses(in)
		if o := f.Object(x[0]); f.Mask == full && !o.Striped && !o.Constant {
			number, limit := o.span(x[0], in, size)
			if all.Scatter((*byte)(o.Base), x, v, number, limit, uint64(o.Skew)) {
				return
			}
		}
		for m := f.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			poke(f.storeTo(in, x, l, size), M(v[l]))
		}
	}
}

var (
	storeAny32  = store[uint32](&lanes.Memory.Word, nil)
	storeUint8  = store[uint8](&lanes.Memory.Uchar, nil)
	storeUint16 = store[uint16](&lanes.Memory.Ushort, nil)
	storeHalf   = store[uint16](&lanes.Memory.Ushort, lanes.HalfBits)
	storeBFloat = store[uint16](&lanes.Memory.Ushort, lanes.BFloatBits)
)

// store64 stores 64-bit words.
func store64(f *Frame, in *program.Instruction) {
	x, y := f.Addresses(in), At[uint64](f, in.D).Lanes()
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		to := f.storeTo(in, x, l, 8)
		if o := f.Object(x[l]); o.Striped {
			offset := program.Displacement(x[l]) + in.Imm
			poke(to, uint32(y[l]))
			poke(o.At(offset+4, l), uint32(y[l]>>32))
			continue
		}
		poke(to, y[l])
	}
}

// storeBool stores bytes of 0 or 1.
func storeBool(f *Frame, in *program.Instruction) {
	x, v := f.Addresses(in), *MaskAt(f, in.D)
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		poke(f.storeTo(in, x, l, 1), uint8(v>>l&1))
	}
}
