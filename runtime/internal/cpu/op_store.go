package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// Stores take what they store from register d. Where several lanes store to one
// address, the last one wins.

// store32 stores plain 32-bit words.
func store32(f *frame, in *instruction) {
	if f.mask == full {
		if base, step, ok := f.address(in); ok {
			o := f.object(base)
			offset := displacement(base) + in.imm
			switch {
			case o.striped:
				if step == 0 && o.holds(offset, 4) && offset&3 == 0 {
					pokeRow(o.at(offset, 0), at[uint32](f, in.d).lanes())
					return
				}
			case step != 0 && !o.constant && o.holdsAll(offset, step, 0, width-1, 4):
				x := at[uint32](f, in.d).lanes()
				if step == 4 {
					pokeRow(unsafe.Add(o.base, offset), x)
					return
				}
				for i := range x {
					poke(unsafe.Add(o.base, offset), x[i])
					offset += step
				}
				return
			}
		}
	}
	storeAny32(f, in)
}

// storeTo is laneAddress for stores.
func (f *frame) storeTo(in *instruction, x *[width]uint64, l, size int) unsafe.Pointer {
	f.checkStore(in, x[l], l)
	return f.laneAddress(in, x, l, size)
}

// store stores the lower bits of words, as M. With a function for it, those are the bits of floats. It is not
// inlined, as Go's compiler inlines nothing in a closure that is made where a package variable is.
//
//go:noinline
func store[M uint8 | uint16 | uint32](
	all *lanes.Elements[uint32], bitsOf *func(*[width]uint32, *[width]float32),
) operation {
	size := int(unsafe.Sizeof(M(0)))
	return func(f *frame, in *instruction) {
		v := &f.bits
		if bitsOf != nil {
			(*bitsOf)(v, at[float32](f, in.d).lanes())
		} else {
			v = at[uint32](f, in.d).lanes()
		}
		if base, step, ok := f.address(in); ok && !f.object(base).striped && !f.object(base).constant {
			o := f.object(base)
			offset := displacement(base) + in.imm
			first, last := activeRange(f.mask)
			if step == 0 {
				first = 31 - bits.LeadingZeros32(f.mask)
				last = first
			}
			if last >= 0 && o.holdsAll(offset, step, first, last, size) {
				if f.mask == full && step == int64(size) {
					all.Store((*byte)(unsafe.Add(o.base, offset)), v)
					return
				}
				offset += int64(first) * step
				for l := first; l <= last; l++ {
					poke(unsafe.Add(o.base, offset), M(v[l&(width-1)]))
					offset += step
				}
				return
			}
		}
		if size < 4 {
			if row, shift, ok := f.stripe(in, size); ok {
				ones := uint32(1)<<(8*size) - 1
				for m := f.mask; m != 0; m &= m - 1 {
					l := bits.TrailingZeros32(m) & (width - 1)
					row[l] = row[l]&^(ones<<shift) | v[l]&ones<<shift
				}
				return
			}
		}
		x := f.addresses(in)
		if o := f.object(x[0]); f.mask == full && !o.striped && !o.constant {
			number, limit := o.span(x[0], in, size)
			if all.Scatter((*byte)(o.base), x, v, number, limit, uint64(o.skew)) {
				return
			}
		}
		for m := f.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			poke(f.storeTo(in, x, l, size), M(v[l]))
		}
	}
}

var (
	storeAny32  = store[uint32](&lanes.Memory.Word, nil)
	storeUint8  = store[uint8](&lanes.Memory.Uchar, nil)
	storeUint16 = store[uint16](&lanes.Memory.Ushort, nil)
	storeHalf   = store[uint16](&lanes.Memory.Ushort, &lanes.Float.HalfBits)
	storeBFloat = store[uint16](&lanes.Memory.Ushort, &lanes.Float.BFloatBits)
)

// store64 stores 64-bit words.
func store64(f *frame, in *instruction) {
	x, y := f.addresses(in), at[uint64](f, in.d).lanes()
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		to := f.storeTo(in, x, l, 8)
		if o := f.object(x[l]); o.striped {
			offset := displacement(x[l]) + in.imm
			poke(to, uint32(y[l]))
			poke(o.at(offset+4, l), uint32(y[l]>>32))
			continue
		}
		poke(to, y[l])
	}
}

// storeBool stores bytes of 0 or 1.
func storeBool(f *frame, in *instruction) {
	x, v := f.addresses(in), *maskAt(f, in.d)
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		poke(f.storeTo(in, x, l, 1), uint8(v>>l&1))
	}
}
