package sample

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Lanes is the number of lanes of a simd-group.
const Lanes = pixel.Lanes

// View is a texture in memory. It is made by NewView and never changes.
type View struct {
	kind    bind.TextureType
	info    *pixel.Info
	layers  int
	samples int
	texel   int // bytes from a texel to the next one
	data    []byte
	levels  []Level
}

// Scratch is room for work, for one goroutine.
type Scratch struct {
	pixel.Scratch
	axes    [2]alike
	corners [4]pixel.Texels
	rows    [2][4][2 * Lanes]uint32
	weights [4 * Lanes]float64
	part    pixel.Texels
}

// largest is the width or height that no texture exceeds that can be sampled; Metal's largest are half or a quarter.
const largest = 1 << 16

// Level is one mip level of a view.
type Level struct {
	Width, Height, Depth int
	Offset               int // where its first texel is
	Row                  int // bytes from a row to the next one
	Slice                int // bytes from one layer, face or plane to the next one
}

// Pack returns the levels of a texture one after the other, with nothing between rows, and their bytes.
func Pack(shape *driver.TextureSpec, size int) (levels []Level, bytes int) {
	levels = make([]Level, shape.Levels)
	for n := range levels {
		l := &levels[n]
		l.Width, l.Height, l.Depth = shape.Extent(n)
		l.Offset = bytes
		l.Row = l.Width * shape.Samples * size
		l.Slice = l.Height * l.Row
		bytes += l.Depth * shape.Slices() * l.Slice
	}
	return levels, bytes
}

// NewView returns a view of levels in data. It is an error if some texel of them is not within data.
func NewView(shape *driver.TextureSpec, format pixel.Format, levels []Level, data []byte) (*View, error) {
	info := format.Info()
	switch {
	case info == nil:
		return nil, fmt.Errorf("%v is no pixel format", format)
	case len(levels) == 0 || shape.Length < 1 || shape.Samples < 1:
		return nil, fmt.Errorf("%d levels, %d layers, %d samples", len(levels), shape.Length, shape.Samples)
	}
	v := &View{
		kind: shape.Type, info: info, layers: shape.Length, samples: shape.Samples,
		texel: info.Size * shape.Samples, data: data, levels: levels,
	}
	for n := range levels {
		if l := &levels[n]; !v.holds(l) {
			return nil, fmt.Errorf("level %d, %d x %d x %d texels at %d with rows of %d bytes, is not within %d bytes",
				n, l.Width, l.Height, l.Depth, l.Offset, l.Row, len(data))
		}
	}
	return v, nil
}

// holds reports whether all texels of a level are within data.
func (v *View) holds(l *Level) bool {
	const most = 1 << 24 // layers and planes, whose product must not overflow
	if l.Offset < 0 || l.Offset > len(v.data) || l.Depth < 1 || l.Depth > most || v.layers > most ||
		v.kind != bind.TextureBuffer && max(l.Width, l.Height) > largest || v.kind.Faces() > 1 && l.Width != l.Height {
		return false
	}
	end := l.Offset + v.texel
	for _, e := range [...]struct{ n, stride int }{
		{l.Width, v.texel}, {l.Height, l.Row}, {l.Depth * v.layers * v.kind.Faces(), l.Slice},
	} {
		if e.n < 1 || e.stride < 0 || e.n > 1 && e.stride > len(v.data)/(e.n-1) || end > len(v.data) {
			return false
		}
		end += (e.n - 1) * e.stride
	}
	return end <= len(v.data)
}
