package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Texture2D returns a texture whose texels are the bytes of b: height rows of width texels, each rowBytes after the one
// before. Kernels may use both, and a call sees what the calls before it wrote through either. The texture has one
// level and is freed with the buffer: Free of either frees both.
//
// It fails if the rows do not fit into b, and if Metal needs the rows or the offset of b to be more aligned: to 16
// bytes on Apple's GPUs, up to 256 on others.
func (b Buffer[T]) Texture2D(width, height int, format PixelFormat, rowBytes int) (Texture2D, error) {
	return textureOver[form2D](b.View(), TextureSize{width, height, 1, 1, 1}, format, rowBytes)
}

// TextureBuffer returns a texture whose texels are the bytes of b, as [Buffer.Texture2D] does.
func (b Buffer[T]) TextureBuffer(format PixelFormat) (TextureBuffer, error) {
	v := b.View()
	bytes := v.Length * max(v.Size, 1)
	return textureOver[formBuffer](v, TextureSize{bytes / max(format.BytesPerTexel(), 1), 1, 1, 1, 1}, format, bytes)
}

func textureOver[F TextureForm](v bind.View, s TextureSize, format PixelFormat, rowBytes int) (Texture[F], error) {
	var form F
	t := &texture{}
	t.handle.Owner = t
	if err := t.over(allocationOf(&v), &v, form.form(), s, format, rowBytes); err != nil {
		return Texture[F]{}, fmt.Errorf("%v texture of %s of %v over a buffer of %d bytes: %w", form.form(),
			s.text(), format, v.Length*max(v.Size, 1), err)
	}
	return Texture[F]{t}, nil
}

func (t *texture) over(
	mem *allocation, v *bind.View, form textureForm, s TextureSize, format PixelFormat, rowBytes int,
) error {
	switch {
	case mem == nil:
		return ErrNilBuffer
	case mem.mistake != nil:
		return mem.mistake
	}
	t.resource = &mem.resource
	o := TextureOptions{}
	if mem.readOnly {
		o.Access = Read
	}
	if err := t.describe(form, s, format, o); err != nil {
		return err
	}
	need := bind.Add(bind.Mul(rowBytes, s.Height-1), bind.Mul(s.Width, t.format.Size))
	switch {
	case rowBytes < s.Width*t.format.Size:
		return fmt.Errorf("need rows of at least %d bytes, have %d", s.Width*t.format.Size, rowBytes)
	case need > v.Length*v.Size:
		return fmt.Errorf("need %d bytes", need)
	case t.format.Type == pixel.Depth:
		return errors.New("depths cannot be in a buffer")
	}
	what := overMemory{v.Offset, rowBytes, t.spec}
	tex, err := t.part(what, func(d driver.Device) (driver.Texture, error) {
		return d.NewTextureOver(mem.mem, v.Offset, rowBytes, t.spec)
	})
	t.tex = tex
	return err
}

// overMemory is by what the textures over memory are known, so that there is one of each.
type overMemory struct {
	offset, rowBytes int
	spec             driver.TextureSpec
}
