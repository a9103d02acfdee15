package pixel

import (
	"encoding/binary"
	"math/bits"

	"github.com/metalgen/metalgen/internal/fmath"
)

// Lanes is the number of lanes of a simd-group.
const Lanes = fmath.Lanes

// Texels holds a texel for each lane, by components.
type Texels [4][Lanes]uint32

// Rows are where the components of texels are, a lane for each texel.
type Rows [4]*[Lanes]uint32

// Rows returns the components of t.
func (t *Texels) Rows() Rows { return Rows{&t[0], &t[1], &t[2], &t[3]} }

// Set copies the texels of the lanes of a mask.
func (d *Rows) Set(t *Texels, mask uint32) {
	for c, row := range d {
		from := &t[c]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			row[l] = from[l]
		}
	}
}

// most is the largest number of bytes of a texel.
const most = 16

// Scratch is room for work. What functions of Loops get pointers to is on the heap: this is there already. It
// is for one goroutine.
type Scratch struct {
	side   [most * Lanes]byte // texels side by side
	texels Texels
}

// Gather decodes the texel at data[at[l]:] for each lane l of the mask.
func (i *Info) Gather(by *Loops, scratch *Scratch, d *Rows, data []byte, at *[Lanes]int, mask uint32) {
	side := &scratch.side
	pack(side, data, at, i.Size, mask)
	if mask == all32 {
		i.DecodeRow(by, d, side[:])
		return
	}
	rows := scratch.texels.Rows()
	i.DecodeRow(by, &rows, side[:])
	d.Set(&scratch.texels, mask)
}

// Scatter encodes a texel to data[at[l]:] for each lane l of the mask, in the order of lanes.
func (i *Info) Scatter(by *Loops, scratch *Scratch, data []byte, at *[Lanes]int, s *Rows, mask uint32) {
	side := &scratch.side
	i.EncodeRow(by, side[:], s)
	unpack(data, at, side, i.Size, mask)
}

// all32 is the mask of all lanes.
const all32 = 1<<Lanes - 1

// What kernels do with texels is out of the race detector's sight, as what they do with other memory.

// pack copies texels side by side.
//
//go:norace
func pack(side *[most * Lanes]byte, data []byte, at *[Lanes]int, size int, mask uint32) {
	le := binary.LittleEndian
	switch size {
	case 1:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			side[l] = data[at[l]]
		}
	case 2:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			le.PutUint16(side[2*l:2*l+2], le.Uint16(data[at[l]:]))
		}
	case 4:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			le.PutUint32(side[4*l:4*l+4], le.Uint32(data[at[l]:]))
		}
	case 8:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			le.PutUint64(side[8*l:8*l+8], le.Uint64(data[at[l]:]))
		}
	default:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			*(*[16]byte)(side[16*l : 16*l+16]) = [16]byte(data[at[l]:])
		}
	}
}

// unpack copies texels to where they belong, in the order of lanes.
//
//go:norace
func unpack(data []byte, at *[Lanes]int, side *[most * Lanes]byte, size int, mask uint32) {
	le := binary.LittleEndian
	switch size {
	case 1:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			data[at[l]] = side[l]
		}
	case 2:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			le.PutUint16(data[at[l]:], le.Uint16(side[2*l:2*l+2]))
		}
	case 4:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			le.PutUint32(data[at[l]:], le.Uint32(side[4*l:4*l+4]))
		}
	case 8:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			le.PutUint64(data[at[l]:], le.Uint64(side[8*l:8*l+8]))
		}
	default:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (Lanes - 1)
			*(*[16]byte)(data[at[l]:]) = [16]byte(side[16*l : 16*l+16])
		}
	}
}
