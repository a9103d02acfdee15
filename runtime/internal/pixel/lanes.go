package pixel

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// Lanes is the number of lanes of a simd-group.
const Lanes = fmath.Lanes

// Texels holds a texel for each lane, by components.
type Texels [4][Lanes]uint32

// lanes is how a format's texels are decoded and encoded for the lanes of a simd-group.
type lanes struct {
	layout laneLayout
	bytes  func() *[4][256]uint32 // of byteComponents: what bytes decode to, for each component
}

// laneLayout says which loops are right for a format: component after component, where each has bytes of its own.
type laneLayout uint8

const (
	packed          laneLayout = iota // texel after texel
	byteComponents                    // of a byte
	unormComponents                   // of a byte, which is Unorm
	shortComponents                   // of 16 bits
	halfComponents                    // of 16 bits, which is Float
	wordComponents                    // of 32 bits
)

func lanesOf(i *Info) lanes {
	width := i.components[0].bits
	switch {
	case int(width)*len(i.components) != 8*i.Size || width%8 != 0:
		return lanes{layout: packed}
	case width == 32:
		return lanes{layout: wordComponents}
	case width == 16 && i.Encoding == Float:
		return lanes{layout: halfComponents}
	case width == 16:
		return lanes{layout: shortComponents}
	}
	l := lanes{layout: byteComponents}
	if i.Encoding == Unorm {
		l.layout = unormComponents
	}
	components := i.components
	l.bytes = sync.OnceValue(func() *[4][256]uint32 {
		tables := new([4][256]uint32)
		for k, c := range components {
			for b := range tables[k] {
				tables[k][b] = c.decode(uint32(b))
			}
		}
		return tables
	})
	return l
}

// Gather decodes the texel at data[at[l]:] for each lane l of the mask.
func (i *Info) Gather(d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	// Not a table of functions: what a function of a table gets a pointer to is on the heap.
	switch i.lanes.layout {
	case byteComponents, unormComponents:
		gatherBytes(i, d, data, at, mask)
	case shortComponents:
		gatherShorts(i, d, data, at, mask)
	case halfComponents:
		gatherHalves(i, d, data, at, mask)
	case wordComponents:
		gatherWords(i, d, data, at, mask)
	default:
		gatherTexels(i, d, data, at, mask)
	}
}

// Scatter encodes a texel to data[at[l]:] for each lane l of the mask, in the order of lanes.
func (i *Info) Scatter(data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	switch i.lanes.layout {
	case byteComponents:
		scatterBytes(i, data, at, s, mask)
	case unormComponents:
		scatterUnorm8(i, data, at, s, mask)
	case shortComponents:
		scatterShorts(i, data, at, s, mask)
	case halfComponents:
		scatterHalves(i, data, at, s, mask)
	case wordComponents:
		scatterWords(i, data, at, s, mask)
	default:
		scatterTexels(i, data, at, s, mask)
	}
}

func gatherTexels(i *Info, d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		t := i.Decode(data[at[l]:])
		d[0][l], d[1][l], d[2][l], d[3][l] = t[0], t[1], t[2], t[3]
	}
}

func scatterTexels(i *Info, data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		i.Encode(data[at[l]:], &Texel{s[0][l], s[1][l], s[2][l], s[3][l]})
	}
}

func gatherBytes(i *Info, d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	tables := i.lanes.bytes()
	if len(i.components) == len(d) {
		gatherFourBytes(i, tables, d, data, at, mask)
		return
	}
	i.fill(d, mask)
	for k := range i.components {
		row, table := &d[i.components[k].to], &tables[k]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			row[l] = table[data[at[l]+k]]
		}
	}
}

// gatherFourBytes loads the components of a texel at once.
func gatherFourBytes(i *Info, tables *[4][256]uint32, d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	c := i.components
	first, second, third, fourth := &d[c[0].to], &d[c[1].to], &d[c[2].to], &d[c[3].to]
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		texel := binary.LittleEndian.Uint32(data[at[l]:])
		first[l], second[l] = tables[0][byte(texel)], tables[1][byte(texel>>8)]
		third[l], fourth[l] = tables[2][byte(texel>>16)], tables[3][texel>>24]
	}
}

func gatherWords(i *Info, d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	i.fill(d, mask)
	for k := range i.components {
		row := &d[i.components[k].to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			row[l] = binary.LittleEndian.Uint32(data[at[l]+4*k:])
		}
	}
}

func gatherHalves(i *Info, d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	i.fill(d, mask)
	for k := range i.components {
		row := &d[i.components[k].to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			row[l] = math.Float32bits(fmath.HalfFromBits(binary.LittleEndian.Uint16(data[at[l]+2*k:])))
		}
	}
}

func gatherShorts(i *Info, d *Texels, data []byte, at *[Lanes]int, mask uint32) {
	i.fill(d, mask)
	for k := range i.components {
		c := &i.components[k]
		row := &d[c.to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			row[l] = c.decode(uint32(binary.LittleEndian.Uint16(data[at[l]+2*k:])))
		}
	}
}

// fill sets the components that the format lacks.
func (i *Info) fill(d *Texels, mask uint32) {
	if len(i.components) == len(d) {
		return
	}
	for c := range d {
		row, v := &d[c], i.Zero[c]
		for m := mask; m != 0; m &= m - 1 {
			row[bits.TrailingZeros32(m)] = v
		}
	}
}

func scatterBytes(i *Info, data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	for k := range i.components {
		c := &i.components[k]
		row := &s[c.to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			data[at[l]+k] = byte(c.encode(row[l]))
		}
	}
}

func scatterShorts(i *Info, data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	for k := range i.components {
		c := &i.components[k]
		row := &s[c.to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			binary.LittleEndian.PutUint16(data[at[l]+2*k:], uint16(c.encode(row[l])))
		}
	}
}

func scatterUnorm8(i *Info, data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	for k := range i.components {
		row := &s[i.components[k].to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			data[at[l]+k] = byte(nearest(float64(math.Float32frombits(row[l]))*255, 255))
		}
	}
}

func scatterWords(i *Info, data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	for k := range i.components {
		row := &s[i.components[k].to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			binary.LittleEndian.PutUint32(data[at[l]+4*k:], row[l])
		}
	}
}

func scatterHalves(i *Info, data []byte, at *[Lanes]int, s *Texels, mask uint32) {
	for k := range i.components {
		row := &s[i.components[k].to]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			binary.LittleEndian.PutUint16(data[at[l]+2*k:], fmath.HalfBits(math.Float32frombits(row[l])))
		}
	}
}
