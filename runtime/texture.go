package runtime

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Texture is an image, or several, that kernels read, sample and write by coordinates. F is its form: users name the
// types [Texture2D], [TextureCube] and so on. Like a [Buffer] it is a small value: copies and views refer to the same
// texels, which live until Free or [Device.Close].
//
// The zero Texture has no texels. A call with it fails, unless the argument is optional.
type Texture[F TextureForm] struct{ t *texture }

// texture is what a Texture, or a view of one, stands for.
type texture struct {
	*resource // that owns the texels: a texture's own, or that of what it is a view of
	tex       driver.Texture
	spec      driver.TextureSpec
	format    *pixel.Info
	handle    bind.Image

	level, slice int // of the texels, from which on t shows them; see overlaps
}

// textureOf returns the texture behind a handle, nil for that of the zero Texture.
func textureOf(t bind.Texture) *texture {
	if t.Image == nil {
		return nil
	}
	i, _ := t.Image.Owner.(*texture)
	return i
}

// overlaps reports whether t and u show a texel of the same texture.
func (t *texture) overlaps(u *texture) bool {
	return t.resource == u.resource &&
		t.level < u.level+u.spec.Levels && u.level < t.level+t.spec.Levels &&
		t.slice < u.slice+u.spec.Slices() && u.slice < t.slice+t.spec.Slices()
}

// TextureOptions are the properties of a texture besides its size. The zero TextureOptions means one level that kernels
// may read and, if the format allows it, write.
type TextureOptions struct {
	// Levels is the number of mip levels; 0 means 1, and AllLevels means all levels down to one texel.
	Levels int

	// Access is what kernels do with the texture; 0 means [ReadWrite], as far as its format allows.
	Access Access

	Atomic  bool   // kernels change it by atomic operations, too
	Views   bool   // it has views of other formats
	Private bool   // only the device touches it: on a GPU with memory of its own it lies there
	Label   string // for people, in Metal's debugger
}

// AllLevels is the number of mip levels down to one texel.
const AllLevels = -1

// Width returns the width of level 0 in texels, 0 for the zero Texture, as the others do.
func (t Texture[F]) Width() int { return t.spec().Width }

// Height returns the height of level 0 in texels.
func (t Texture[F]) Height() int { return t.spec().Height }

// Depth returns the depth of level 0 in texels.
func (t Texture[F]) Depth() int { return t.spec().Depth }

// Length returns the number of elements of an array, or 1 if t is not an array.
func (t Texture[F]) Length() int { return t.spec().Length }

// Levels returns the number of mip levels.
func (t Texture[F]) Levels() int { return t.spec().Levels }

// Samples returns the number of samples of a texel.
func (t Texture[F]) Samples() int { return t.spec().Samples }

// Format returns the pixel format.
func (t Texture[F]) Format() PixelFormat { return PixelFormat(t.spec().Format) }

// spec returns what the texture is.
func (t Texture[F]) spec() *driver.TextureSpec {
	if t.t == nil {
		return &driver.TextureSpec{}
	}
	return &t.t.spec
}

// String returns, say, "2D texture of 640 x 480 texels of RGBA8Unorm".
func (t Texture[F]) String() string {
	if t.t == nil {
		return "zero " + t.form().String() + " texture"
	}
	s := &t.t.spec
	return fmt.Sprintf("%v texture of %s of %v", t.form(), sizeOf(s).text(), s.Format)
}

// Handle returns t without its form, as generated code passes it on.
func (t Texture[F]) Handle() bind.Texture {
	if t.t == nil {
		return bind.Texture{}
	}
	return bind.Texture{Image: &t.t.handle}
}

// Free releases the texels of t, which are also those of all its views and of the texture that it is a view of. Like
// [Buffer.Free], it lets batches that use them finish.
func (t Texture[F]) Free() {
	if t.t != nil {
		t.t.free()
	}
}

func sizeOf(s *driver.TextureSpec) TextureSize {
	return TextureSize{s.Width, s.Height, s.Depth, s.Length, s.Samples}
}

// text returns, say, "640 x 480 texels".
func (s TextureSize) text() string {
	text := strconv.Itoa(s.Width)
	if s.Height != 1 || s.Depth != 1 {
		text += fmt.Sprintf(" x %d", s.Height)
	}
	if s.Depth != 1 {
		text += fmt.Sprintf(" x %d", s.Depth)
	}
	text += " texels"
	if s.Length != 1 {
		text = fmt.Sprintf("%d x %s", s.Length, text)
	}
	if s.Samples != 1 {
		text += fmt.Sprintf(" and %d samples", s.Samples)
	}
	return text
}

// newTexture makes a texture of a form.
func newTexture(dev *Device, form textureForm, s TextureSize, format PixelFormat, o TextureOptions) (*texture, error) {
	t := &texture{resource: &resource{}}
	t.handle.Owner = t
	if err := t.make(dev, form, s, format, o); err != nil {
		return nil, fmt.Errorf("NewTexture: %v texture of %s, %v: %w", form, s.text(), format, err)
	}
	return t, nil
}

func (t *texture) make(dev *Device, form textureForm, s TextureSize, format PixelFormat, o TextureOptions) error {
	if dev == nil {
		return errNilDevice
	}
	if err := t.describe(form, s, format, o); err != nil {
		return err
	}
	return dev.add(t.resource, func(d driver.Device) (_ freer, err error) {
		t.tex, err = d.NewTexture(t.spec)
		return t.tex, err
	})
}

// describe sets what is known of the texture, and checks it.
func (t *texture) describe(form textureForm, s TextureSize, format PixelFormat, o TextureOptions) error {
	t.format = pixel.Format(format).Info()
	if t.format == nil {
		return errors.New("no such pixel format")
	}
	if depth := t.format.Type == pixel.Depth; depth != form.depth {
		return errors.New("need a format of " + map[bool]string{true: "depths", false: "colors"}[form.depth])
	}
	t.spec = driver.TextureSpec{
		Type: form.dims, Format: pixel.Format(format),
		Width: s.Width, Height: s.Height, Depth: s.Depth, Length: s.Length, Samples: s.Samples,
		Levels: o.Levels, Label: o.Label,
	}
	if o.Private {
		t.spec.Storage = driver.StoragePrivate
	}
	if err := checkExtent(&t.spec, form); err != nil {
		return err
	}
	if err := checkLevels(&t.spec); err != nil {
		return err
	}
	return t.use(form, o)
}

// use sets what kernels may do with the texture, and checks whether the format allows it.
func (t *texture) use(form textureForm, o TextureOptions) error {
	may := t.format.Uses
	write := pixel.Write
	if form.dims == bind.TextureBuffer {
		if write = pixel.BufferWrite; may&pixel.BufferRead == 0 {
			return errors.New("texture buffers cannot have this format")
		}
	}
	canWrite := may&write != 0 && form.writable
	switch {
	case o.Access&^ReadWrite != 0:
		return fmt.Errorf("the access is %v", o.Access)
	case o.Access&Write != 0 && !canWrite:
		return errors.New("kernels cannot write such a texture")
	case o.Atomic && (may&pixel.Atomic == 0 || !form.writable):
		return errors.New("kernels cannot change such a texture by atomic operations")
	}
	if o.Access == 0 || o.Access&Read != 0 {
		t.spec.Usage |= driver.TextureRead
	}
	if o.Access == 0 && canWrite || o.Access&Write != 0 {
		t.spec.Usage |= driver.TextureWrite
	}
	if o.Atomic {
		t.spec.Usage |= driver.TextureAtomic
	}
	if o.Views {
		t.spec.Usage |= driver.TextureViews
	}
	return nil
}
