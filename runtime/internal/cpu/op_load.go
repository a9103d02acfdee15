package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// Only active lanes touch memory.

// load32 loads plain 32-bit words, the most frequent ones. An address that is
// linear needs one check for all lanes.
func load32(f *frame, in *instruction) {
	d := at[uint32](f, in.d)
	if base, step, ok := f.address(in); ok {
		o := f.object(base)
		offset := displacement(base) + in.imm
		switch {
		case o.striped:
			if step == 0 && o.holds(offset, 4) && offset&3 == 0 {
				peekRow(d.vector(), o.at(offset, 0))
				return
			}
		case step == 0:
			if !o.holds(offset, 4) || !o.aligned(offset, 4) {
				d.set(peek[uint32](f.badLoad(in, 4)))
				return
			}
			d.set(peek[uint32](unsafe.Add(o.base, offset)))
			return
		case f.mask == full:
			if o.holdsAll(offset, step, 0, width-1, 4) {
				z := d.vector()
				if step == 4 {
					peekRow(z, unsafe.Add(o.base, offset))
					return
				}
				for i := range z {
					z[i] = peek[uint32](unsafe.Add(o.base, offset))
					offset += step
				}
				return
			}
		default:
			if first, last := activeRange(f.mask); last >= 0 && o.holdsAll(offset, step, first, last, 4) {
				z := d.vector()
				offset += int64(first) * step
				for l := first; l <= last; l++ {
					z[l&(width-1)] = peek[uint32](unsafe.Add(o.base, offset))
					offset += step
				}
				return
			}
		}
	}
	gatherWords[uint32](f, in, d, f.addresses(in), &lanes.Memory.Word)
}

// loadInt loads integers of less than 32 bits. It is not inlined for the reason of store.
//
//go:noinline
func loadInt[M uint8 | int8 | uint16 | int16, T int32 | uint32](all *lanes.Elements[T]) operation {
	return func(f *frame, in *instruction) {
		size := int(unsafe.Sizeof(M(0)))
		d := at[T](f, in.d)
		if base, step, ok := f.address(in); ok {
			if o := f.object(base); !o.striped {
				offset := displacement(base) + in.imm
				if step == 0 {
					if !o.holds(offset, size) || !o.aligned(offset, size) {
						d.set(T(peek[M](f.badLoad(in, size))))
						return
					}
					d.set(T(peek[M](unsafe.Add(o.base, offset))))
					return
				}
				if f.mask == full && step == int64(size) && o.holdsAll(offset, step, 0, width-1, size) {
					all.Load(d.vector(), (*byte)(unsafe.Add(o.base, offset)))
					return
				}
				if first, last := activeRange(f.mask); last >= 0 && o.holdsAll(offset, step, first, last, size) {
					z := d.vector()
					offset += int64(first) * step
					for l := first; l <= last; l++ {
						z[l&(width-1)] = T(peek[M](unsafe.Add(o.base, offset)))
						offset += step
					}
					return
				}
			}
		}
		if row, shift, ok := f.stripe(in, size); ok {
			z := d.vector()
			for i, word := range row {
				z[i] = T(M(word >> shift))
			}
			return
		}
		gatherWords[M](f, in, d, f.addresses(in), all)
	}
}

// stripe returns the words of thread memory that have the bytes of an access of less
// than 32 bits, to the same offset in all lanes, and how far up in the words they are.
func (f *frame) stripe(in *instruction, size int) (row *[width]uint32, shift int64, ok bool) {
	base, step, ok := f.address(in)
	if !ok || step != 0 {
		return nil, 0, false
	}
	o, offset := f.object(base), displacement(base)+in.imm
	if !o.striped || !o.holds(offset, size) || !o.aligned(offset, size) {
		return nil, 0, false
	}
	return (*[width]uint32)(o.at(offset&^3, 0)), offset & 3 * 8, true
}

// gatherWords loads from an address for each lane, most often of one object.
func gatherWords[M uint8 | int8 | uint16 | int16 | uint32, T int32 | uint32](
	f *frame, in *instruction, d *register[T], x *[width]uint64, all *lanes.Elements[T],
) {
	size := int(unsafe.Sizeof(M(0)))
	z := d.vector()
	if o := f.object(x[0]); f.mask == full && !o.striped {
		number, limit := o.span(x[0], in, size)
		if all.Gather(z, (*byte)(o.base), x, number, limit, uint64(o.skew)) {
			return
		}
	}
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		z[l] = T(peek[M](f.loadFrom(in, x, l, size)))
	}
}

// span returns what pointers into an object are more than the offsets of an access of so many bytes, and what
// those have to be less than.
func (o *object) span(pointer uint64, in *instruction, size int) (number, limit uint64) {
	return pointerTo(int(objectOf(pointer))) - uint64(in.imm), uint64(max(o.size-int64(size)+1, 0))
}

// laneAddress returns the checked address of one lane's access.
func (f *frame) laneAddress(in *instruction, x *[width]uint64, l, size int) unsafe.Pointer {
	o := f.object(x[l])
	offset := displacement(x[l]) + in.imm
	if !o.holds(offset, size) || !o.aligned(offset, size) {
		f.badLane(in, x[l], l, size)
	}
	return o.at(offset, l)
}

// loadFrom is laneAddress for loads. An argument that a function constant has switched
// off, and that the dispatch leaves out, reads as 0: kernels load from it even where
// they have no use for it, which Metal's compiler leaves out.
func (f *frame) loadFrom(in *instruction, x *[width]uint64, l, size int) unsafe.Pointer {
	if o := f.object(x[l]); o.missing && o.info.optional {
		return unsafe.Pointer(&nothingThere)
	}
	return f.laneAddress(in, x, l, size)
}

// badLoad returns what a load reads that is the same for all lanes and outside of its
// object, if that is no fault.
func (f *frame) badLoad(in *instruction, size int) unsafe.Pointer {
	return f.loadFrom(in, f.addresses(in), bits.TrailingZeros32(f.mask)&(width-1), size)
}

var nothingThere uint64

// load16 loads floats of 16 bits, by a function of the bits of one, of those of all lanes, and of all lanes
// that are side by side. It is not inlined for the reason of store.
//
//go:noinline
func load16(
	one func(uint16) float32, all *func(*[width]float32, *[width]uint32), row *func(*[width]float32, *byte),
) operation {
	return func(f *frame, in *instruction) {
		d := at[float32](f, in.d)
		if base, step, ok := f.address(in); ok && !f.object(base).striped {
			o, offset := f.object(base), displacement(base)+in.imm
			switch {
			case step == 0:
				if !o.holds(offset, 2) || !o.aligned(offset, 2) {
					d.set(one(peek[uint16](f.badLoad(in, 2))))
					return
				}
				d.set(one(peek[uint16](unsafe.Add(o.base, offset))))
				return
			case step == 2 && f.mask == full && o.holdsAll(offset, step, 0, width-1, 2):
				(*row)(d.vector(), (*byte)(unsafe.Add(o.base, offset)))
				return
			}
		}
		raw := at[uint32](f, in.d)
		if from, shift, ok := f.stripe(in, 2); ok {
			z := raw.vector()
			for i, word := range from {
				z[i] = word >> shift
			}
		} else {
			gatherOrRow(f, in, raw)
		}
		(*all)(d.vector(), &raw.lane)
	}
}

// gatherOrRow loads 16-bit words that differ from lane to lane.
func gatherOrRow(f *frame, in *instruction, raw *register[uint32]) {
	if base, step, ok := f.address(in); ok {
		if o := f.object(base); !o.striped {
			offset := displacement(base) + in.imm
			if first, last := activeRange(f.mask); last >= 0 && o.holdsAll(offset, step, first, last, 2) {
				offset += int64(first) * step
				raw.linear = false
				for l := first; l <= last; l++ {
					raw.lane[l&(width-1)] = uint32(peek[uint16](unsafe.Add(o.base, offset)))
					offset += step
				}
				return
			}
		}
	}
	gatherWords[uint16](f, in, raw, f.addresses(in), &lanes.Memory.Ushort)
}

// load64 loads 64-bit words, of which striped memory keeps the halves apart.
func load64(f *frame, in *instruction) {
	d := at[uint64](f, in.d)
	if base, step, ok := f.address(in); ok && step == 0 {
		o := f.object(base)
		if offset := displacement(base) + in.imm; !o.striped && o.holds(offset, 8) && o.aligned(offset, 8) {
			d.set(peek[uint64](unsafe.Add(o.base, offset)))
			return
		}
	}
	x := f.addresses(in)
	z := d.vector()
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		from := f.loadFrom(in, x, l, 8)
		if o := f.object(x[l]); o.striped {
			offset := displacement(x[l]) + in.imm
			z[l] = uint64(peek[uint32](from)) | uint64(peek[uint32](o.at(offset+4, l)))<<32
			continue
		}
		z[l] = peek[uint64](from)
	}
}

// loadBool loads a mask of the bytes that are not zero.
func loadBool(f *frame, in *instruction) {
	if base, step, ok := f.address(in); ok && step == 0 && !f.object(base).striped {
		o, offset := f.object(base), displacement(base)+in.imm
		if !o.holds(offset, 1) {
			f.badLoad(in, 1)
			*maskAt(f, in.d) = 0
			return
		}
		var m uint32
		if peek[uint8](unsafe.Add(o.base, offset)) != 0 {
			m = full
		}
		*maskAt(f, in.d) = m
		return
	}
	x := f.addresses(in)
	var out uint32
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if peek[uint8](f.loadFrom(in, x, l, 1)) != 0 {
			out |= 1 << l
		}
	}
	*maskAt(f, in.d) = out
}

var (
	loadUint8  = loadInt[uint8](&lanes.Memory.Uchar)
	loadInt8   = loadInt[int8](&lanes.Memory.Char)
	loadUint16 = loadInt[uint16](&lanes.Memory.Ushort)
	loadInt16  = loadInt[int16](&lanes.Memory.Short)
	loadHalf   = load16(fmath.HalfFromBits, &lanes.Float.FromHalfBits, &lanes.Memory.LoadHalf)
	loadBFloat = load16(fmath.BFloatFromBits, &lanes.Float.FromBFloatBits, &lanes.Memory.LoadBFloat)
)

// activeRange returns the first and last lane of a mask whose lanes are all next to
// each other; else last is -1.
func activeRange(mask uint32) (first, last int) {
	if mask == full {
		return 0, width - 1
	}
	first = bits.TrailingZeros32(mask)
	if m := mask >> first; m == 0 || m&(m+1) != 0 {
		return 0, -1
	}
	return first, 31 - bits.LeadingZeros32(mask)
}

// badLane faults for one lane's access.
func (f *frame) badLane(in *instruction, pointer uint64, lane, size int) {
	f.faultLane(in, lane, errOutOfBounds, f.access(pointer, in.imm, size))
}
