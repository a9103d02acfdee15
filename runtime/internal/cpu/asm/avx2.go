package asm

import (
	"encoding/binary"
	"slices"
)

// VEX returns an instruction in the encoding of AVX and AVX2, for vectors of 256 bits. Its registers are the first 16,
// and it has no mask.
func VEX[T lengthened](op T) T {
	op = op&^(evex|lengths|b4|b8) | vex | l256
	if !widens(uint64(op)) {
		op &^= w1
	}
	return op
}

// widens reports whether the bit W makes a difference in that encoding: in shifts by vectors, products that are added,
// gathers and permutations.
func widens(op uint64) bool {
	switch code := uint8(op); mapOf(op) {
	case 2:
		return code == 0x45 || code == 0x47 || code >= 0x90 && code < 0xc0
	case 3:
		return code <= 1
	}
	return false
}

// VEX128 is VEX for vectors of 128 bits.
func VEX128[T lengthened](op T) T { return VEX(op) &^ l256 }

// Low returns a move between the first element and a general-purpose register or memory in that encoding.
func Low[T VR | RV](op T) T { return op&^evex | vex }

// What only that encoding has.
const (
	avx2 = vex | l256 | m0f38 | p66

	VCMPEQD VVX = vex | l256 | m0f | p66 | 0x76 // these make vectors of ones and zeros
	VCMPGTD VVX = vex | l256 | m0f | p66 | 0x66
	VCMPEQQ VVX = avx2 | 0x29
	VCMPGTQ VVX = avx2 | 0x37

	VCMPPS_V VVXI = vex | l256 | m0f | 0xc2
	VPERM128 VVXI = vex | l256 | m0f3a | p66 | 0x46
)

// Blend makes d the bytes of y where those of mask have their highest bit, and those of x elsewhere.
func (a *Assembler) Blend(d, x V, y X, mask V) {
	a.encode(vex|l256|m0f3a|p66|0x4c, uint8(d), uint8(x), ofX(y), int64(mask)<<4, 1)
}

// StoreMasked stores the words of v whose words of mask have their highest bit.
func (a *Assembler) StoreMasked(m Mem, mask, v V) {
	a.encode(avx2|0x8e, uint8(v), uint8(mask), ofMem(m), 0, 0)
}

// GatherWords loads the words of d whose words of mask have their highest bit, and clears mask. GatherLongs is for
// elements and indexes of 64 bits.
func (a *Assembler) GatherWords(d V, m Vectored, mask V) {
	a.encode(avx2|0x90, uint8(d), uint8(mask), ofVectored(m), 0, 0)
}

// GatherLongs is GatherWords for elements and indexes of 64 bits.
func (a *Assembler) GatherLongs(d V, m Vectored, mask V) {
	a.encode(avx2|w1|0x91, uint8(d), uint8(mask), ofVectored(m), 0, 0)
}

// GatherLongsByWords is GatherLongs for indexes of 32 bits.
func (a *Assembler) GatherLongsByWords(d V, m Vectored, mask V) {
	a.encode(avx2|w1|0x90, uint8(d), uint8(mask), ofVectored(m), 0, 0)
}

// Signs moves the highest bits of words to d.
func (a *Assembler) Signs(d GP, v V) {
	a.encode(vex|l256|m0f|0x50, uint8(d), 0, operand{reg: uint8(v), vector: true}, 0, 0)
}

// Table returns memory that holds words, at a multiple of 64.
func (a *Assembler) Table(words []uint32) Mem {
	for _, t := range a.tables {
		if slices.Equal(t.words, words) {
			return t.at
		}
	}
	at := Mem{target: target{toWord, 0, int32(len(a.words[0]))}}
	for _, w := range words {
		a.words[0] = binary.LittleEndian.AppendUint32(a.words[0], w)
	}
	for len(a.words[0])%64 != 0 {
		a.words[0] = append(a.words[0], 0)
	}
	a.tables = append(a.tables, table{slices.Clone(words), at})
	return at
}

// table is what Table has made.
type table struct {
	words []uint32
	at    Mem
}
