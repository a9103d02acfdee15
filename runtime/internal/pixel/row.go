package pixel

import (
	"encoding/binary"
	"math"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
)

// rows is how a format's texels are decoded and encoded where they lie side by side.
type rows struct {
	layout  rowLayout
	bytes   func() *[4][256]uint32 // of bytes: what they decode to, for each component
	outside Texels                 // of Info.Zero in all lanes
}

// rowLayout says which loops are right for a format: component after component, where each has bytes of its own.
type rowLayout uint8

const (
	packedTexels rowLayout = iota // texel after texel
	ofBytes                       // components of a byte
	ofShorts                      // components of 16 bits
	ofWords                       // components of 32 bits
)

func rowsOf(i *Info) (r rows) {
	for c, v := range i.Zero {
		for l := range Lanes {
			r.outside[c][l] = v
		}
	}
	width := i.components[0].bits
	switch {
	case int(width)*len(i.components) != 8*i.Size || width%8 != 0:
		r.layout = packedTexels
	case width == 32:
		r.layout = ofWords
	case width == 16:
		r.layout = ofShorts
	default:
		r.layout = ofBytes
	}
	components := i.components
	r.bytes = sync.OnceValue(func() *[4][256]uint32 {
		tables := new([4][256]uint32)
		for k, c := range components {
			for b := range tables[k] {
				tables[k][b] = c.decode(uint32(b))
			}
		}
		return tables
	})
	return r
}

// Loops are loops over the texels of all lanes, which lie side by side, that a device has. They compute
// what those in Go do.
type Loops struct {
	// FromUnorm and ToUnorm convert four fractions, of a byte for each component.
	FromUnorm func(x, y, z, w *[Lanes]float32, texels *[4 * Lanes]byte)
	ToUnorm   func(texels *[4 * Lanes]byte, x, y, z, w *[Lanes]float32)
	// FromHalf and ToHalf convert four halves, and FromHalfBits one, of the lower bits.
	FromHalf     func(x, y, z, w *[Lanes]float32, texels *[8 * Lanes]byte)
	ToHalf       func(texels *[8 * Lanes]byte, x, y, z, w *[Lanes]float32)
	FromHalfBits func(z *[Lanes]float32, x *[Lanes]uint32)
	// FromWords and ToWords move four words.
	FromWords func(x, y, z, w *[Lanes]uint32, texels *[16 * Lanes]byte)
	ToWords   func(texels *[16 * Lanes]byte, x, y, z, w *[Lanes]uint32)
}

// DecodeRow decodes the texels of all lanes, which lie side by side. Here and below, by is nil for loops in Go.
func (i *Info) DecodeRow(by *Loops, d *Rows, texels []byte) {
	texels = texels[:i.Size*Lanes]
	// Not a table of functions: what a function of a table gets a pointer to is on the heap.
	switch i.rows.layout {
	case ofBytes:
		i.decodeBytes(by, d, texels)
	case ofShorts:
		i.decodeShorts(by, d, texels)
	case ofWords:
		i.decodeWords(by, d, texels)
	default:
		i.decodeTexels(d, texels)
	}
}

// EncodeRow encodes the texels of all lanes, side by side.
func (i *Info) EncodeRow(by *Loops, texels []byte, s *Rows) {
	texels = texels[:i.Size*Lanes]
	switch i.rows.layout {
	case ofBytes:
		i.encodeBytes(by, texels, s)
	case ofShorts:
		i.encodeShorts(by, texels, s)
	case ofWords:
		i.encodeWords(by, texels, s)
	default:
		i.encodeTexels(texels, s)
	}
}

// fill sets the components that the format lacks.
func (i *Info) fill(d *Rows) {
	if len(i.components) == len(d) {
		return
	}
	for c, row := range d {
		*row = i.rows.outside[c]
	}
}

//go:norace
func (i *Info) decodeTexels(d *Rows, texels []byte) {
	for l := range Lanes {
		t := i.Decode(texels[l*i.Size:])
		d[0][l], d[1][l], d[2][l], d[3][l] = t[0], t[1], t[2], t[3]
	}
}

//go:norace
func (i *Info) encodeTexels(texels []byte, s *Rows) {
	for l := range Lanes {
		i.Encode(texels[l*i.Size:], &Texel{s[0][l], s[1][l], s[2][l], s[3][l]})
	}
}

//go:norace
func (i *Info) decodeBytes(by *Loops, d *Rows, texels []byte) {
	if n := len(i.components); n < 4 {
		i.fill(d)
		for k, c := range i.components {
			row, table := d[c.to], &i.rows.bytes()[k]
			for l := range row {
				row[l] = table[texels[l*n+k]]
			}
		}
		return
	}
	texel := (*[4 * Lanes]byte)(texels)
	if x, y, z, w := i.inOrder(d); i.Encoding == Unorm && by != nil {
		by.FromUnorm(floats(x), floats(y), floats(z), floats(w), texel)
	} else {
		decodeFourBytes(x, y, z, w, i.rows.bytes(), texel)
	}
}

// inOrder returns four components in the order in which they are in the texels.
func (i *Info) inOrder(d *Rows) (x, y, z, w *[Lanes]uint32) {
	c := i.components
	return d[c[0].to], d[c[1].to], d[c[2].to], d[c[3].to]
}

func floats(row *[Lanes]uint32) *[Lanes]float32 { return (*[Lanes]float32)(unsafe.Pointer(row)) }

// decodeFourBytes loads the components of a texel at once.
//
//go:norace
func decodeFourBytes(x, y, z, w *[Lanes]uint32, tables *[4][256]uint32, texels *[4 * Lanes]byte) {
	for l := range Lanes {
		t := binary.LittleEndian.Uint32(texels[4*l : 4*l+4])
		x[l], y[l] = tables[0][byte(t)], tables[1][byte(t>>8)]
		z[l], w[l] = tables[2][byte(t>>16)], tables[3][t>>24]
	}
}

//go:norace
func (i *Info) encodeBytes(by *Loops, texels []byte, s *Rows) {
	n := len(i.components)
	if n == 4 && i.Encoding == Unorm && by != nil {
		x, y, z, w := i.inOrder(s)
		by.ToUnorm((*[4 * Lanes]byte)(texels), floats(x), floats(y), floats(z), floats(w))
		return
	}
	for k := range i.components {
		c := &i.components[k]
		switch row := s[c.to]; {
		case i.Encoding == Unorm || i.Encoding == SRGB && c.to == alpha:
			for l, x := range row {
				texels[l*n+k] = byte(nearest(float64(math.Float32frombits(x))*255, 255))
			}
		case i.Encoding == SRGB:
			curve := srgbCurve()
			for l, x := range row {
				texels[l*n+k] = byte(curve.encode(x))
			}
		default:
			for l, x := range row {
				texels[l*n+k] = byte(c.encode(x))
			}
		}
	}
}

//go:norace
func (i *Info) decodeShorts(by *Loops, d *Rows, texels []byte) {
	n := len(i.components)
	if n == 4 && i.Encoding == Float && by != nil {
		x, y, z, w := i.inOrder(d)
		by.FromHalf(floats(x), floats(y), floats(z), floats(w), (*[8 * Lanes]byte)(texels))
		return
	}
	i.fill(d)
	for k := range i.components {
		c := &i.components[k]
		row := d[c.to]
		for l := range row {
			row[l] = uint32(binary.LittleEndian.Uint16(texels[2*(l*n+k):]))
		}
		switch i.Encoding {
		case Uint:
		case Float:
			if by != nil {
				by.FromHalfBits(floats(row), row)
				continue
			}
			for l, code := range row {
				row[l] = math.Float32bits(fmath.HalfFromBits(uint16(code)))
			}
		case Unorm:
			for l, code := range row {
				row[l] = math.Float32bits(float32(int32(code)) / math.MaxUint16)
			}
		default:
			for l, code := range row {
				row[l] = c.decode(code)
			}
		}
	}
}

//go:norace
func (i *Info) encodeShorts(by *Loops, texels []byte, s *Rows) {
	n := len(i.components)
	if n == 4 && i.Encoding == Float && by != nil {
		x, y, z, w := i.inOrder(s)
		by.ToHalf((*[8 * Lanes]byte)(texels), floats(x), floats(y), floats(z), floats(w))
		return
	}
	for k := range i.components {
		c := &i.components[k]
		row := s[c.to]
		if i.Encoding == Float {
			for l, x := range row {
				binary.LittleEndian.PutUint16(texels[2*(l*n+k):], fmath.HalfBits(math.Float32frombits(x)))
			}
			continue
		}
		for l, x := range row {
			binary.LittleEndian.PutUint16(texels[2*(l*n+k):], uint16(c.encode(x)))
		}
	}
}

//go:norace
func (i *Info) decodeWords(by *Loops, d *Rows, texels []byte) {
	n := len(i.components)
	if n == 4 && by != nil {
		x, y, z, w := i.inOrder(d)
		by.FromWords(x, y, z, w, (*[16 * Lanes]byte)(texels))
		return
	}
	i.fill(d)
	for k := range i.components {
		row := d[i.components[k].to]
		for l := range row {
			row[l] = binary.LittleEndian.Uint32(texels[4*(l*n+k):])
		}
	}
}

//go:norace
func (i *Info) encodeWords(by *Loops, texels []byte, s *Rows) {
	n := len(i.components)
	if n == 4 && by != nil {
		x, y, z, w := i.inOrder(s)
		by.ToWords((*[16 * Lanes]byte)(texels), x, y, z, w)
		return
	}
	for k := range i.components {
		row := s[i.components[k].to]
		for l := range row {
			binary.LittleEndian.PutUint32(texels[4*(l*n+k):], row[l])
		}
	}
}
