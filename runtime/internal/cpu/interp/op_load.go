package interp

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Only active lanes touch memory.

// load32 loads plain 32-bit words, the most frequent ones. An address that is
// linear needs one check for all lanes.
func load32(f *Frame, in *program.Instruction) {
	d := At[uint32](f, in.D)
	if base, step, ok := f.Address(in); ok {
		o := f.Object(base)
		offset := program.Displacement(base) + in.Imm
		switch {
		case o.Striped:
			if step == 0 && o.Holds(offset, 4) && offset&3 == 0 {
				peekRow(d.vector(), o.At(offset, 0))
				return
			}
		case step == 0:
			if !o.Holds(offset, 4) || !o.aligned(offset, 4) {
				d.Set(Peek[uint32](f.badLoad(in, 4)))
				return
			}
			d.Set(Peek[uint32](unsafe.Add(o.Base, offset)))
			return
		case f.Mask == full:
			if o.holdsAll(offset, step, 0, width-1, 4) {
				z := d.vector()
				if step == 4 {
					peekRow(z, unsafe.Add(o.Base, offset))
					return
				}
				for i := range z {
					z[i] = Peek[uint32](unsafe.Add(o.Base, offset))
					offset += step
				}
				return
			}
		default:
			if first, last := ActiveRange(f.Mask); last >= 0 && o.holdsAll(offset, step, first, last, 4) {
				z := d.vector()
				offset += int64(first) * step
				for l := first; l <= last; l++ {
					z[l&(width-1)] = Peek[uint32](unsafe.Add(o.Base, offset))
					offset += step
				}
				return
			}
		}
	}
	gatherWords[uint32](f, in, d, f.Addresses(in), &lanes.Memory.Word)
}

// loadInt loads integers of less than 32 bits. It is not inlined for the reason of store.
//
//go:noinline
func loadInt[M uint8 | int8 | uint16 | int16, T int32 | uint32](all *lanes.Elements[T]) Operation {
	return func(f *Frame, in *program.Instruction) {
		size := int(unsafe.Sizeof(M(0)))
		d := At[T](f, in.D)
		if base, step, ok := f.Address(in); ok {
			if o := f.Object(base); !o.Striped {
				offset := program.Displacement(base) + in.Imm
				if step == 0 {
					if !o.Holds(offset, size) || !o.aligned(offset, size) {
						d.Set(T(Peek[M](f.badLoad(in, size))))
						return
					}
					d.Set(T(Peek[M](unsafe.Add(o.Base, offset))))
					return
				}
				if f.Mask == full && step == int64(size) && o.holdsAll(offset, step, 0, width-1, size) {
					all.Load(d.vector(), (*byte)(unsafe.Add(o.Base, offset)))
					return
				}
				if first, last := ActiveRange(f.Mask); last >= 0 && o.holdsAll(offset, step, first, last, size) {
					z := d.vector()
					offset += int64(first) * step
					for l := first; l <= last; l++ {
						z[l&(width-1)] = T(Peek[M](unsafe.Add(o.Base, offset)))
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
		gatherWords[M](f, in, d, f.Addresses(in), all)
	}
}

// stripe returns the words of thread memory that have the bytes of an access of less
// than 32 bits, to the same offset in all lanes, and how far up in the words they are.
func (f *Frame) stripe(in *program.Instruction, size int) (row *[width]uint32, shift int64, ok bool) {
	base, step, ok := f.Address(in)
	if !ok || step != 0 {
		return nil, 0, false
	}
	o, offset := f.Object(base), program.Displacement(base)+in.Imm
	if !o.Striped || !o.Holds(offset, size) || !o.aligned(offset, size) {
		return nil, 0, false
	}
	return (*[width]uint32)(o.At(offset&^3, 0)), offset & 3 * 8, true
}

// gatherWords loads from an address for each lane, most often of one object.
func gatherWords[M uint8 | int8 | uint16 | int16 | uint32, T int32 | uint32](
	f *Frame, in *program.Instruction, d *Register[T], x *[width]uint64, all *lanes.Elements[T],
) {
	size := int(unsafe.Sizeof(M(0)))
	z := d.vector()
	if o := f.Object(x[0]); f.Mask == full && !o.Striped {
		number, limit := o.span(x[0], in, size)
		if all.Gather(z, (*byte)(o.Base), x, number, limit, uint64(o.Skew)) {
			return
		}
	}
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		z[l] = T(Peek[M](f.loadFrom(in, x, l, size)))
	}
}

// span returns what pointers into an object are more than the offsets of an access of so many bytes, and what
// those have to be less than.
func (o *Object) span(pointer uint64, in *program.Instruction, size int) (number, limit uint64) {
	return program.PointerTo(int(program.ObjectOf(pointer))) - uint64(in.Imm), uint64(max(o.Size-int64(size)+1, 0))
}

// laneAddress returns the checked address of one lane's access.
func (f *Frame) laneAddress(in *program.Instruction, x *[width]uint64, l, size int) unsafe.Pointer {
	o := f.Object(x[l])
	offset := program.Displacement(x[l]) + in.Imm
	if !o.Holds(offset, size) || !o.aligned(offset, size) {
		f.badLane(in, x[l], l, size)
	}
	return o.At(offset, l)
}

// loadFrom is laneAddress for loads. An argument that a function constant has switched
// off, and that the dispatch leaves out, reads as 0: kernels load from it even where
// they have no use for it, which Metal's compiler leaves out.
func (f *Frame) loadFrom(in *program.Instruction, x *[width]uint64, l, size int) unsafe.Pointer {
	if o := f.Object(x[l]); o.Missing && o.Info.Optional {
		return unsafe.Pointer(&nothingThere)
	}
	return f.laneAddress(in, x, l, size)
}

// badLoad returns what a load reads that is the same for all lanes and outside of its
// object, if that is no fault.
func (f *Frame) badLoad(in *program.Instruction, size int) unsafe.Pointer {
	return f.loadFrom(in, f.Addresses(in), bits.TrailingZeros32(f.Mask)&(width-1), size)
}

var nothingThere uint64

// load16 loads floats of 16 bits, by a function of the bits of one, of those of all lanes, and of all lanes
// that are side by side. It is not inlined for the reason of store.
//
//go:noinline
func load16(
	one func(uint16) float32, all func(*[width]float32, *[width]uint32), row func(*[width]float32, *byte),
) Operation {
	return func(f *Frame, in *program.Instruction) {
		d := At[float32](f, in.D)
		if base, step, ok := f.Address(in); ok && !f.Object(base).Striped {
			o, offset := f.Object(base), program.Displacement(base)+in.Imm
			switch {
			case step == 0:
				if !o.Holds(offset, 2) || !o.aligned(offset, 2) {
					d.Set(one(Peek[uint16](f.badLoad(in, 2))))
					return
				}
				d.Set(one(Peek[uint16](unsafe.Add(o.Base, offset))))
				return
			case step == 2 && f.Mask == full && o.holdsAll(offset, step, 0, width-1, 2):
				row(d.vector(), (*byte)(unsafe.Add(o.Base, offset)))
				return
			}
		}
		raw := At[uint32](f, in.D)
		if from, shift, ok := f.stripe(in, 2); ok {
			z := raw.vector()
			for i, word := range from {
				z[i] = word >> shift
			}
		} else {
			gatherOrRow(f, in, raw)
		}
		all(d.vector(), &raw.Lane)
	}
}

// gatherOrRow loads 16-bit words that differ from lane to lane.
func gatherOrRow(f *Frame, in *program.Instruction, raw *Register[uint32]) {
	if base, step, ok := f.Address(in); ok {
		if o := f.Object(base); !o.Striped {
			offset := program.Displacement(base) + in.Imm
			if first, last := ActiveRange(f.Mask); last >= 0 && o.holdsAll(offset, step, first, last, 2) {
				offset += int64(first) * step
				raw.Linear = false
				for l := first; l <= last; l++ {
					raw.Lane[l&(width-1)] = uint32(Peek[uint16](unsafe.Add(o.Base, offset)))
					offset += step
				}
				return
			}
		}
	}
	gatherWords[uint16](f, in, raw, f.Addresses(in), &lanes.Memory.Ushort)
}

// load64 loads 64-bit words, whose halves striped memory keeps apart.
func load64(f *Frame, in *program.Instruction) {
	d := At[uint64](f, in.D)
	if base, step, ok := f.Address(in); ok && step == 0 {
		o := f.Object(base)
		if offset := program.Displacement(base) + in.Imm; !o.Striped && o.Holds(offset, 8) && o.aligned(offset, 8) {
			d.Set(Peek[uint64](unsafe.Add(o.Base, offset)))
			return
		}
	}
	x := f.Addresses(in)
	z := d.vector()
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		from := f.loadFrom(in, x, l, 8)
		if o := f.Object(x[l]); o.Striped {
			offset := program.Displacement(x[l]) + in.Imm
			z[l] = uint64(Peek[uint32](from)) | uint64(Peek[uint32](o.At(offset+4, l)))<<32
			continue
		}
		z[l] = Peek[uint64](from)
	}
}

// loadBool loads a mask of the bytes that are not zero.
func loadBool(f *Frame, in *program.Instruction) {
	if base, step, ok := f.Address(in); ok && step == 0 && !f.Object(base).Striped {
		o, offset := f.Object(base), program.Displacement(base)+in.Imm
		if !o.Holds(offset, 1) {
			f.badLoad(in, 1)
			*MaskAt(f, in.D) = 0
			return
		}
		var m uint32
		if Peek[uint8](unsafe.Add(o.Base, offset)) != 0 {
			m = full
		}
		*MaskAt(f, in.D) = m
		return
	}
	x := f.Addresses(in)
	var out uint32
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if Peek[uint8](f.loadFrom(in, x, l, 1)) != 0 {
			out |= 1 << l
		}
	}
	*MaskAt(f, in.D) = out
}

var (
	loadUint8  = loadInt[uint8](&lanes.Memory.Uchar)
	loadInt8   = loadInt[int8](&lanes.Memory.Char)
	loadUint16 = loadInt[uint16](&lanes.Memory.Ushort)
	loadInt16  = loadInt[int16](&lanes.Memory.Short)
	loadHalf   = load16(fmath.HalfFromBits, lanes.FromHalfBits, lanes.Memory.LoadHalf)
	loadBFloat = load16(fmath.BFloatFromBits, lanes.FromBFloatBits, lanes.Memory.LoadBFloat)
)

// ActiveRange returns the first and last lane of a mask whose lanes are all next to
// each other; else last is -1.
func ActiveRange(mask uint32) (first, last int) {
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
func (f *Frame) badLane(in *program.Instruction, pointer uint64, lane, size int) {
	f.faultLane(in, lane, errOutOfBounds, f.access(pointer, in.Imm, size))
}
