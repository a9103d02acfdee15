package cpu

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// texture is texels in memory: level behind level, and in a level slice behind slice, plane behind plane, row behind
// row.
type texture struct {
	spec   driver.TextureSpec
	format *pixel.Info
	levels []textureLevel
	bytes  []byte
}

// textureLevel is where a mip level is in the memory of its texture, and its extent in texels.
type textureLevel struct {
	offset, row, plane, slice int // in bytes: where it begins, and from one row, plane and slice to the next
	width, height, depth      int
}

// NewTexture returns a texture of the CPU device.
func NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	t := &texture{spec: spec, format: spec.Format.Info()}
	size := 0
	for i := range spec.Levels {
		l := textureLevel{offset: size}
		l.width, l.height, l.depth = spec.Extent(i)
		l.row = l.width * spec.Samples * t.format.Size
		l.plane = l.row * l.height
		l.slice = l.plane * l.depth
		size += l.slice * spec.Slices()
		t.levels = append(t.levels, l)
	}
	m, err := newMemory(size, false)
	if err != nil {
		return nil, err
	}
	t.bytes = m.bytes
	return t, nil
}

// NewTexture returns a texture in memory.
func (d *Device) NewTexture(spec driver.TextureSpec) (driver.Texture, error) { return NewTexture(spec) }

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
	size := rowBytes * spec.Height
	return &texture{spec: spec, format: spec.Format.Info(), bytes: bytes, levels: []textureLevel{{
		offset: offset, row: rowBytes, plane: size, slice: size, width: spec.Width, height: spec.Height, depth: 1,
	}}}, nil
}

// View returns a texture of the same memory.
func (t *texture) View(v driver.TextureView) (driver.Texture, error) {
	u := *t
	u.spec.Type, u.spec.Format, u.format = v.Type, v.Format, v.Format.Info()
	u.spec.Width, u.spec.Height, u.spec.Depth = t.spec.Extent(v.Level)
	u.spec.Levels, u.spec.Length = v.Levels, v.Slices/v.Type.Faces()
	u.levels = nil
	for _, l := range t.levels[v.Level:][:v.Levels] {
		l.offset += v.Slice * l.slice
		u.levels = append(u.levels, l)
	}
	return &u, nil
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
	n := r.Width * t.format.Size
	for z := range r.Depth {
		for y := range r.Height {
			start := l.offset + r.Slice*l.slice + (r.Z+z)*l.plane + (r.Y+y)*l.row + r.X*t.format.Size
			f(t.bytes[start : start+n])
		}
	}
}

// Free leaves the texels to the garbage collector, once no view has them.
func (t *texture) Free() { t.bytes = nil }
