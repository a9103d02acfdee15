package cpu

import (
	"fmt"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// texture is texels in memory: level behind level, and in a level slice behind slice, plane behind plane, row behind
// row.
type texture struct {
	spec   driver.TextureSpec
	levels []sample.Level
	bytes  []byte
	view   *sample.View
	texels pixel.Type

	once sync.Once // sets id, where anybody asks for it
	id   uint64

	counted counted
}

// NewTexture returns a texture of the CPU device.
func NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	levels, size := sample.Pack(&spec, spec.Format.Info().Size)
	m, err := newMemory(size, false)
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
	return &texture{spec: spec, levels: levels, bytes: bytes, view: view, texels: spec.Format.Info().Type}, nil
}

// extent returns the size of a level in a dimension.
func (t *texture) extent(level, dimension int) int {
	w, h, d := t.spec.Width, t.spec.Height, t.spec.Depth
	if level > 0 {
		w, h, d = t.spec.Extent(level)
	}
	return [3]int{w, h, d}[dimension]
}

// NewTexture returns a texture in memory.
func (d *Device) NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	t, err := NewTexture(spec)
	if err != nil {
		return nil, err
	}
	own := t.(*texture)
	own.counted = d.count(len(own.bytes))
	return own, nil
}

// linearAlign is what the rows of textures over memory are aligned to, as on Apple's GPUs.
const linearAlign = 16

// NewTextureOver returns a texture of the bytes of memory.
func (d *Device) NewTextureOver(
	m driver.Memory, offset, rowBytes int, spec driver.TextureSpec,
) (driver.Texture, error) {
	return NewTextureOver(m.(*memory).bytes, offset, rowBytes, spec)
}

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
func (t *texture) View(v driver.TextureView) (driver.Texture, error) {
	spec := t.spec
	spec.Type, spec.Format = v.Type, v.Format
	spec.Width, spec.Height, spec.Depth = t.spec.Extent(v.Level)
	spec.Levels, spec.Length = v.Levels, v.Slices/v.Type.Faces()
	levels := slices.Clone(t.levels[v.Level:][:v.Levels])
	for i := range levels {
		levels[i].Offset += v.Slice * levels[i].Slice * levels[i].Depth
	}
	return newTexture(spec, levels, t.bytes)
}

// Write copies rows of texels.
func (t *texture) Write(to driver.Region, bytes []byte) error {
	t.rows(&to, func(row []byte) { bytes = bytes[copy(row, bytes):] })
	return nil
}

// Read copies rows of texels.
func (t *texture) Read(from driver.Region, bytes []byte) error {
	t.rows(&from, func(row []byte) { bytes = bytes[copy(bytes, row):] })
	return nil
}

// rows calls f with the rows of a region.
func (t *texture) rows(r *driver.Region, f func(row []byte)) {
	l := &t.levels[r.Level]
	size := t.spec.Format.Info().Size
	for slice := r.Slice; slice < r.Slice+r.Count(); slice++ {
		for z := range r.Depth {
			for y := range r.Height {
				start := l.Offset + (slice*l.Depth+r.Z+z)*l.Slice + (r.Y+y)*l.Row + r.X*size
				f(t.bytes[start : start+r.Width*size])
			}
		}
	}
}

// ID returns the ID of the texture, which is the address of no memory.
func (t *texture) ID() uint64 {
	t.once.Do(func() { t.id = addresses.Take(1) })
	return t.id
}

// WithID returns a texture of the CPU device, of which nobody knows the ID, with one that something else has given it.
func WithID(t driver.Texture, id uint64) driver.Texture {
	own := t.(*texture)
	own.once.Do(func() { own.id = id })
	return own
}

// Free leaves the texels to the garbage collector, once no view has them.
func (t *texture) Free() {
	t.counted.free()
	t.bytes, t.view = nil, nil
	if t.id != 0 {
		addresses.Free(t.id)
	}
}
