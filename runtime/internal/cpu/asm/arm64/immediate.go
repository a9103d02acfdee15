package arm64

import (
	"encoding/binary"
	"math/bits"
)

// logical returns the field of a number in a logical instruction: its length, rotation and ones, of a pattern of 2 to
// 64 bits that repeats. It reports false for other numbers.
func logical(v uint64, wide bool) (field uint32, ok bool) {
	if !wide {
		if v>>32 != 0 {
			return 0, false
		}
		v |= v << 32
	}
	if v == 0 || v == ^uint64(0) {
		return 0, false
	}
	size := 64
	for half := size / 2; half > 1 && bits.RotateLeft64(v, half) == v; half /= 2 {
		size = half
	}
	pattern := v & (^uint64(0) >> (64 - size))
	count := bits.OnesCount64(pattern)
	first := bits.TrailingZeros64(pattern) // of the ones, unless they go around
	if pattern&1 != 0 {
		first = (size - bits.LeadingZeros64(^(pattern << (64 - size)))) % size
	}
	run := ^uint64(0) >> (64 - count)
	turned := run << first
	if first+count > size {
		turned |= run >> (size - first)
	}
	if turned&(^uint64(0)>>(64-size)) != pattern {
		return 0, false
	}
	length := uint32(0)
	if size == 64 {
		length = 1 << 22
	}
	rotation := uint32((size - first) % size)
	return length | rotation<<16 | (uint32(-2*size)&0x3f|uint32(count-1))<<10, true
}

// Number moves v to d, in as few instructions as it takes.
func (a *Assembler) Number(d R, v uint64) {
	zeros, full := 0, 0 // quarters that need not be written
	for i := range 4 {
		switch uint16(v >> (16 * i)) {
		case 0:
			zeros++
		case 0xffff:
			full++
		}
	}
	if zeros < 3 && full < 3 {
		if _, ok := logical(v, true); ok {
			ORR_XI.Put(a, d, ZR, v)
			return
		}
	}
	first, skip := MOVZ_X, uint16(0)
	if full > zeros {
		first, skip = MOVN_X, 0xffff
	}
	begun := false
	for i := range uint8(4) {
		q := uint16(v >> (16 * i))
		switch {
		case q == skip:
		case begun:
			MOVK_X.Put(a, d, q, i)
		default:
			first.Put(a, d, q^skip, i)
			begun = true
		}
	}
	if !begun {
		first.Put(a, d, 0, 0)
	}
}

// Words makes all words of d v, and Longs all longs.
func (a *Assembler) Words(d V, v uint32) { a.Longs(d, uint64(v)<<32|uint64(v)) }

// Longs makes both longs of d v.
func (a *Assembler) Longs(d V, v uint64) {
	if op, i, shift, ok := vectorNumber(v); ok {
		op.Put(a, d, i, shift)
		return
	}
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], v)
	binary.LittleEndian.PutUint64(b[8:], v)
	LDRP_Q.Put(a, d, a.Data(b[:]))
}

// vectorNumber returns the instruction that makes all longs v, if there is one.
func vectorNumber(v uint64) (op VI, i, shift uint8, ok bool) {
	w := uint32(v)
	if uint64(w) == v>>32 {
		if h := w & 0xffff; h == w>>16 {
			if h&0xff == h>>8 {
				return MOVI_B, uint8(h), 0, true
			}
			for n := range uint8(2) {
				if h&^(0xff<<(8*n)) == 0 {
					return MOVI_H, uint8(h >> (8 * n)), n, true
				}
				if c := ^h & 0xffff; c&^(0xff<<(8*n)) == 0 {
					return MVNI_H, uint8(c >> (8 * n)), n, true
				}
			}
		}
		for n := range uint8(4) {
			if w&^(0xff<<(8*n)) == 0 {
				return MOVI_S, uint8(w >> (8 * n)), n, true
			}
			if ^w&^(0xff<<(8*n)) == 0 {
				return MVNI_S, uint8(^w >> (8 * n)), n, true
			}
		}
		for n := uint8(1); n <= 2; n++ {
			low := uint32(1)<<(8*n) - 1
			if w&low == low && w>>(8*n) < 1<<8 {
				return MOVI_SM, uint8(w >> (8 * n)), n, true
			}
			if ^w&low == low && ^w>>(8*n) < 1<<8 {
				return MVNI_SM, uint8(^w >> (8 * n)), n, true
			}
		}
		if e := w >> 25 & 0x3f; w&(1<<19-1) == 0 && (e == 0x20 || e == 0x1f) {
			return FMOV_SI, uint8(w>>24&0x80 | w>>19&0x7f), 0, true
		}
	}
	if e := v >> 54 & 0x1ff; v&(1<<48-1) == 0 && (e == 0x100 || e == 0xff) {
		return FMOV_DI, uint8(v>>56&0x80 | v>>48&0x7f), 0, true
	}
	for n := range 8 {
		switch v >> (8 * n) & 0xff {
		case 0:
		case 0xff:
			i |= 1 << n
		default:
			return 0, 0, 0, false
		}
	}
	return MOVI_D, i, 0, true
}
