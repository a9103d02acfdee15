package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// Stores: a is a pointer, imm a byte offset from it, b what is stored. Where
// several lanes store to one address, the last one wins.

func store[M memoryWord, T word](convert func(T) M) func(f *frame, in *instruction) {
	size := int(unsafe.Sizeof(M(0)))
	return func(f *frame, in *instruction) {
		p, v := at[uint64](f, in.a), at[T](f, in.b)
		if p.linear && !f.object(p.base).striped {
			o := f.object(p.base)
			offset := displacement(p.base) + in.imm
			step := int64(p.step)
			first, last := activeRange(f.mask)
			if step == 0 {
				first = 31 - bits.LeadingZeros32(f.mask)
				last = first
			}
			if low := offset + int64(first)*step; last >= 0 && o.holds(low, size) && o.holds(offset+int64(last)*step, size) && (low|step)&int64(size-1) == 0 {
				x := v.lanes()
				for l := first; l <= last; l++ {
					*(*M)(unsafe.Add(o.base, low)) = convert(x[l&(width-1)])
					low += step
				}
				return
			}
		}
		x, y := p.lanes(), v.lanes()
		for m := f.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			o := f.object(x[l])
			offset := displacement(x[l]) + in.imm
			if !o.holds(offset, size) || offset&int64(size-1) != 0 {
				f.badLane(in, x[l], l, size)
			}
			*(*M)(o.at(offset, l)) = convert(y[l])
		}
	}
}

// store32 is the store of plain 32-bit words.
func store32(f *frame, in *instruction) {
	p, v := at[uint64](f, in.a), at[uint32](f, in.b)
	if p.linear && f.mask == full {
		o := f.object(p.base)
		offset := displacement(p.base) + in.imm
		step := int64(p.step)
		switch {
		case o.striped:
			if step == 0 && o.holds(offset, 4) && offset&3 == 0 {
				*(*[width]uint32)(o.at(offset, 0)) = *v.lanes()
				return
			}
		case step != 0 && o.holds(offset, 4) && o.holds(offset+(width-1)*step, 4) && (offset|step)&3 == 0:
			x := v.lanes()
			if step == 4 {
				*(*[width]uint32)(unsafe.Add(o.base, offset)) = *x
				return
			}
			for i := range x {
				*(*uint32)(unsafe.Add(o.base, offset)) = x[i]
				offset += step
			}
			return
		}
	}
	storeAny32(f, in)
}

var (
	storeAny32  = store(same[uint32])
	storeUint8  = store(func(v uint32) uint8 { return uint8(v) })
	storeUint16 = store(func(v uint32) uint16 { return uint16(v) })
	storeHalf   = store(fmath.HalfBits)
	storeBFloat = store(fmath.BFloatBits)
)

// store64 stores 64-bit words.
func store64(f *frame, in *instruction) {
	p, v := at[uint64](f, in.a), at[uint64](f, in.b)
	x, y := p.lanes(), v.lanes()
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		o := f.object(x[l])
		offset := displacement(x[l]) + in.imm
		if !o.holds(offset, 8) || offset&7 != 0 {
			f.badLane(in, x[l], l, 8)
		}
		if o.striped {
			*(*uint32)(o.at(offset, l)) = uint32(y[l])
			*(*uint32)(o.at(offset+4, l)) = uint32(y[l] >> 32)
			continue
		}
		*(*uint64)(o.at(offset, l)) = y[l]
	}
}

// storeBool stores bytes of 0 or 1.
func storeBool(f *frame, in *instruction) {
	x, v := at[uint64](f, in.a).lanes(), *maskAt(f, in.b)
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		o := f.object(x[l])
		offset := displacement(x[l]) + in.imm
		if !o.holds(offset, 1) {
			f.badLane(in, x[l], l, 1)
		}
		*(*uint8)(o.at(offset, l)) = uint8(v >> l & 1)
	}
}
