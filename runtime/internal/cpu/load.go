package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// Loads and stores: a is a pointer, imm a byte offset from it. Only active lanes
// touch memory.

// memoryWord is what one access moves.
type memoryWord interface {
	uint8 | int8 | uint16 | int16 | uint32 | uint64
}

// load moves words of memory M into lanes T by a conversion. A pointer that is
// linear needs one check for all lanes.
func load[M memoryWord, T word](convert func(M) T) func(f *frame, in *instruction) {
	size := int(unsafe.Sizeof(M(0)))
	return func(f *frame, in *instruction) {
		p, d := at[uint64](f, in.a), at[T](f, in.d)
		if p.linear {
			o := f.object(p.base)
			offset := displacement(p.base) + in.imm
			step := int64(p.step)
			if step == 0 && !o.striped {
				if !o.holds(offset, size) || offset&int64(size-1) != 0 {
					f.badAccess(in, p, size)
				}
				d.set(convert(*(*M)(unsafe.Add(o.base, offset))))
				return
			}
			first, last := activeRange(f.mask)
			if low := offset + int64(first)*step; !o.striped && last >= 0 && o.holds(low, size) && o.holds(offset+int64(last)*step, size) && (low|step)&int64(size-1) == 0 {
				z := d.vector()
				for l := first; l <= last; l++ {
					z[l&(width-1)] = convert(*(*M)(unsafe.Add(o.base, low)))
					low += step
				}
				return
			}
		}
		gather(f, in, p, d, convert, size)
	}
}

// gather loads lane by lane.
func gather[M memoryWord, T word](f *frame, in *instruction, p *register[uint64], d *register[T], convert func(M) T, size int) {
	x, z := p.lanes(), d.vector()
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		o := f.object(x[l])
		offset := displacement(x[l]) + in.imm
		if !o.holds(offset, size) || offset&int64(size-1) != 0 {
			f.badLane(in, x[l], l, size)
		}
		z[l] = convert(*(*M)(o.at(offset, l)))
	}
}

// activeRange is the first and last lane of a mask whose lanes are all next to
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

// load32 is the load of plain 32-bit words, the most frequent one.
func load32(f *frame, in *instruction) {
	p, d := at[uint64](f, in.a), at[uint32](f, in.d)
	if p.linear {
		o := f.object(p.base)
		offset := displacement(p.base) + in.imm
		step := int64(p.step)
		switch {
		case o.striped:
			if step == 0 && o.holds(offset, 4) && offset&3 == 0 {
				*d.vector() = *(*[width]uint32)(o.at(offset, 0))
				return
			}
		case step == 0:
			if !o.holds(offset, 4) || offset&3 != 0 {
				f.badAccess(in, p, 4)
			}
			d.set(*(*uint32)(unsafe.Add(o.base, offset)))
			return
		case f.mask == full:
			if o.holds(offset, 4) && o.holds(offset+(width-1)*step, 4) && (offset|step)&3 == 0 {
				z := d.vector()
				if step == 4 {
					*z = *(*[width]uint32)(unsafe.Add(o.base, offset))
					return
				}
				for i := range z {
					z[i] = *(*uint32)(unsafe.Add(o.base, offset))
					offset += step
				}
				return
			}
		default:
			if first, last := activeRange(f.mask); last >= 0 {
				low := offset + int64(first)*step
				if o.holds(low, 4) && o.holds(offset+int64(last)*step, 4) && (low|step)&3 == 0 {
					z := d.vector()
					for l := first; l <= last; l++ {
						z[l&(width-1)] = *(*uint32)(unsafe.Add(o.base, low))
						low += step
					}
					return
				}
			}
		}
	}
	x, z := p.lanes(), d.vector()
	if f.mask == full {
		// most often all lanes point into one object
		o := f.object(x[0])
		if !o.striped {
			number, imm, limit := (x[0]+1<<(offsetBits-1))>>offsetBits<<offsetBits, uint64(in.imm), uint64(max(o.size-3, 0))
			i := 0
			for ; i < width; i++ {
				offset := x[i] - number + imm
				if offset >= limit || offset&3 != 0 {
					break
				}
				z[i] = *(*uint32)(unsafe.Add(o.base, offset))
			}
			if i == width {
				return
			}
		}
	}
	gather(f, in, p, d, same[uint32], 4)
}

func same[T any](v T) T { return v }

// load64 loads 64-bit words, of which striped memory keeps the halves apart.
func load64(f *frame, in *instruction) {
	p, d := at[uint64](f, in.a), at[uint64](f, in.d)
	if p.uniform() {
		o := f.object(p.base)
		if offset := displacement(p.base) + in.imm; !o.striped && o.holds(offset, 8) && offset&7 == 0 {
			d.set(*(*uint64)(unsafe.Add(o.base, offset)))
			return
		}
	}
	x, z := p.lanes(), d.vector()
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		o := f.object(x[l])
		offset := displacement(x[l]) + in.imm
		if !o.holds(offset, 8) || offset&7 != 0 {
			f.badLane(in, x[l], l, 8)
		}
		if o.striped {
			z[l] = uint64(*(*uint32)(o.at(offset, l))) | uint64(*(*uint32)(o.at(offset+4, l)))<<32
			continue
		}
		z[l] = *(*uint64)(o.at(offset, l))
	}
}

// loadBool gives a mask of the bytes that are not zero.
func loadBool(f *frame, in *instruction) {
	p := at[uint64](f, in.a)
	if p.uniform() {
		if o := f.object(p.base); !o.striped {
			offset := displacement(p.base) + in.imm
			if !o.holds(offset, 1) {
				f.badAccess(in, p, 1)
			}
			var m uint32
			if *(*uint8)(unsafe.Add(o.base, offset)) != 0 {
				m = full
			}
			*maskAt(f, in.d) = m
			return
		}
	}
	x := p.lanes()
	var out uint32
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		o := f.object(x[l])
		offset := displacement(x[l]) + in.imm
		if !o.holds(offset, 1) {
			f.badLane(in, x[l], l, 1)
		}
		if *(*uint8)(o.at(offset, l)) != 0 {
			out |= 1 << l
		}
	}
	*maskAt(f, in.d) = out
}

// loadInt is load for narrow integers: a conversion of Go's own costs less than
// a function.
func loadInt[M uint8 | int8 | uint16 | int16, T int32 | uint32](f *frame, in *instruction) {
	size := int(unsafe.Sizeof(M(0)))
	p, d := at[uint64](f, in.a), at[T](f, in.d)
	if p.linear {
		if o := f.object(p.base); !o.striped {
			offset, step := displacement(p.base)+in.imm, int64(p.step)
			if step == 0 {
				if !o.holds(offset, size) || offset&int64(size-1) != 0 {
					f.badAccess(in, p, size)
				}
				d.set(T(*(*M)(unsafe.Add(o.base, offset))))
				return
			}
			first, last := activeRange(f.mask)
			if low := offset + int64(first)*step; last >= 0 && o.holds(low, size) && o.holds(offset+int64(last)*step, size) && (low|step)&int64(size-1) == 0 {
				z := d.vector()
				for l := first; l <= last; l++ {
					z[l&(width-1)] = T(*(*M)(unsafe.Add(o.base, low)))
					low += step
				}
				return
			}
		}
	}
	x, z := p.lanes(), d.vector()
	if o := f.object(x[0]); f.mask == full && !o.striped {
		number, imm, limit := (x[0]+1<<(offsetBits-1))>>offsetBits<<offsetBits, uint64(in.imm), uint64(max(o.size-int64(size)+1, 0))
		i := 0
		for ; i < width; i++ {
			offset := x[i] - number + imm
			if offset >= limit || offset&uint64(size-1) != 0 {
				break
			}
			z[i] = T(*(*M)(unsafe.Add(o.base, offset)))
		}
		if i == width {
			return
		}
	}
	gather(f, in, p, d, func(v M) T { return T(v) }, size)
}

var (
	loadUint8  = loadInt[uint8, uint32]
	loadInt8   = loadInt[int8, int32]
	loadUint16 = loadInt[uint16, uint32]
	loadInt16  = loadInt[int16, int32]
	loadHalf   = load(fmath.HalfFromBits)
	loadBFloat = load(fmath.BFloatFromBits)
)

// badAccess is the fault of a pointer whose first active lanes are out of bounds
// or misaligned.
func (f *frame) badAccess(in *instruction, p *register[uint64], size int) {
	l := bits.TrailingZeros32(f.mask)
	f.badLane(in, p.value(l&(width-1)), l&(width-1), size)
}

// badLane is the fault of one lane's access.
func (f *frame) badLane(in *instruction, pointer uint64, lane, size int) {
	f.faultLane(in, lane, errOutOfBounds, f.access(pointer, in.imm, size))
}
