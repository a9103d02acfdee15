package storage

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Texture is texels in memory: level after level, and in a level slice after slice, plane after plane, row after
// row.
type Texture struct {
	Spec   driver.TextureSpec
	Levels []sample.Level
	Bytes  []byte
	Access *sample.View
	Kind   pixel.Type

	once sync.Once // sets id, where anybody asks for it
	id   uint64

	counted counted
}

// NewTexture returns a texture of the CPU device.
func NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	levels, size := sample.Pack(&spec, spec.Format.Info().Size)
	m, err := New(size, false)
	if err != nil {
		return nil, err
	}
	return newTexture(spec, levels, m.bytes)
}

// TextureOf returns a texture of the CPU device whose texels are bytes, as the device lays them out.
func TextureOf(bytes []byte, spec driver.TextureSpec) (driver.Texture, error) {
	levels, _ := sample.Pack(&spec, spec.Format.Info().Size)
	return newTexture(spec, levels, bytes)
}

func newTexture(spec driver.TextureSpec, levels []sample.Level, bytes []byte) (driver.Texture, error) {
	view, err := sample.NewView(&spec, spec.Format, levels, bytes)
	if err != nil {
		return nil, err
	}
	return &Texture{Spec: spec, Levels: levels, Bytes: bytes, Access: view, Kind: spec.Format.Info().Type}, nil
}

// Count counts the texels in a number of bytes until they are freed.
func (t *Texture) Count(in *atomic.Int64) { t.counted = countIn(in, len(t.Bytes)) }

// Extent returns the size of a level in a dimension.
func (t *Texture) Extent(level, dimension int) int {
	w, h, d := t.Spec.Width, t.Spec.Height, t.Spec.Depth
	if level > 0 {
		w, h, d = t.Spec.Extent(level)
	}
	return [3]int{w, h, d}[dimension]
}

// linearAlign is what the rows of textures over memory are aligned to, as on Apple's GPUs.
const linearAlign = 16

// NewTextureOver returns a texture of the CPU device of bytes.
func NewTextureOver(bytes []byte, offset, rowBytes int, spec driver.TextureSpec) (driver.Texture, error) {
	if offset%linearAlign != 0 || rowBytes%linearAlign != 0 && spec.Height > 1 {
		return nil, fmt.Errorf("want rows and an offset in the buffer that are multiples of %d bytes, have %d and %d",
			linearAlign, rowBytes, offset)
	}
	if spec.Usage&driver.TextureWrite != 0 {
		spec.Usage |= driver.TextureAtomic // a buffer has no option for it
	}
	return newTexture(spec, []sample.Level{{
		Width: spec.Width, Height: spec.Height, Depth: 1, Offset: offset, Row: rowBytes, Slice: rowBytes * spec.Height,
	}}, bytes)
}

// View returns a texture of the same memory.
func (t *Texture) View(v driver.TextureView) (driver.Texture, error) {
	spec := t.Spec
	spec.Type, spec.Format = v.Type, v.Format
	spec.Width, spec.Height, spec.Depth = t.Spec.Extent(v.Level)
	spec.Levels, spec.Length = v.Levels, v.Slices/v.Type.Faces()
	levels := slices.Clone(t.Levels[v.Level:][:v.Levels])
	for i := range levels {
		levels[i].Offset += v.Slice * levels[i].Slice * levels[i].Depth
	}
	return newTexture(spec, levels, t.Bytes)
}

// Plain reports whether the texture's memory holds the texels of one level, one after the other, and nothing else.
func (t *Texture) Plain() bool {
	l, size := &t.Levels[0], t.Spec.Format.Info().Size
	return len(t.Levels) == 1 && t.Spec.Samples == 1 &&
		len(t.Bytes) == l.Width*l.Height*l.Depth*t.Spec.Slices()*size && l.Offset == 0 && l.Row == l.Width*size
}

// Write copies rows of texels.
func (t *Texture) Write(to driver.Region, bytes []byte) error {
	t.rows(&to, func(row []byte) { bytes = bytes[copy(row, bytes):] })
	return nil
}

// Read copies rows of texels.
func (t *Texture) Read(from driver.Region, bytes []byte) error {
	t.rows(&from, func(row []byte) { bytes = bytes[copy(bytes, row):] })
	return nil
}

// rows calls f with the rows of a region.
func (t *Texture) rows(r *driver.Region, f func(row []byte)) {
	l := &t.Levels[r.Level]
	size := t.Spec.Format.Info().Size
	for slice := r.Slice; slice < r.Slice+r.Count(); slice++ {
		for z := range r.Depth {
			for y := range r.Height {
				start := l.Offset + (slice*l.Depth+r.Z+z)*l.Slice + (r.Y+y)*l.Row + r.X*size
				f(t.Bytes[start : start+r.Width*size])
			}
		}
	}
}

// ID returns the ID of the texture, which is the address of no memory.
func (t *Texture) ID() uint64 {
	t.once.Do(func() { t.id = addresses.Take(1) })
	return t.id
}

// WithID returns a texture of the CPU device, whose ID nobody knows, with one that something else has given it.
func WithID(t driver.Texture, id uint64) driver.Texture {
	own := t.(*Texture)
	own.once.Do(func() { own.id = id })
	return own
}

// Free leaves the texels to the garbage collector, once no view has them.
func (t *Texture) Free() {
	t.counted.free()
	t.Bytes, t.Access = nil, nil
	if t.id != 0 {
		addresses.Free(t.id)
	}
}
