package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Region is a box of texels of one mip level. If Width, Height, Depth or Slices is 0 it reaches to the end of the
// texture, so the zero Region is all of level 0.
type Region struct {
	X, Y, Z              int
	Width, Height, Depth int
	Slice, Slices        int // elements of an array, and of cubes their faces: +X, -X, +Y, -Y, +Z, -Z of each
	Level                int // the mip level
}

// Write copies texels into a region: row after row, and then image after image of a 3D texture, an array or a cube, in
// the bytes of the texture's format. There must be as many bytes as the region takes. Do not call it while a submitted
// batch uses the texture. Multisampled textures cannot be written.
func (t Texture[F]) Write(to Region, texels []byte) error {
	if err := t.transfer(to, texels, driver.Texture.Write); err != nil {
		return fmt.Errorf("Write to %v: %w", t, err)
	}
	return nil
}

// Read copies texels out of a region, in the order of [Texture.Write]. Do not call it while a submitted batch uses the
// texture. Multisampled textures cannot be read.
func (t Texture[F]) Read(from Region, texels []byte) error {
	if err := t.transfer(from, texels, driver.Texture.Read); err != nil {
		return fmt.Errorf("Read of %v: %w", t, err)
	}
	return nil
}

var errMultisampled = errors.New("the texture is multisampled, which only kernels read")

// transfer calls move for a region.
func (t Texture[F]) transfer(at Region, texels []byte, move func(driver.Texture, driver.Region, []byte) error) error {
	if t.t == nil {
		return ErrNilTexture
	}
	i := t.t
	if i.spec.Samples > 1 {
		return errMultisampled
	}
	r, err := i.within(&at)
	if err != nil {
		return err
	}
	each := bind.Mul(bind.Mul(r.Width, r.Height), bind.Mul(r.Depth, i.format.Size))
	if need := bind.Mul(each, at.Slices); len(texels) != need {
		return fmt.Errorf("need %d bytes for a region of %d x %d x %d texels and %d slices, have %d", need, r.Width,
			r.Height, r.Depth, at.Slices, len(texels))
	}
	return i.guard(func() error { return ours(move(i.tex, r, texels)) })
}

// within returns the region for the driver, and replaces what is 0 of its extent.
func (t *texture) within(at *Region) (driver.Region, error) {
	if at.Level < 0 || at.Level >= t.spec.Levels {
		return driver.Region{}, fmt.Errorf("need a level of 0 to %d, have %d", t.spec.Levels-1, at.Level)
	}
	width, height, depth := t.spec.Extent(at.Level)
	for _, d := range []struct {
		name        string
		from, n, of *int
	}{
		{"X and Width", &at.X, &at.Width, &width},
		{"Y and Height", &at.Y, &at.Height, &height},
		{"Z and Depth", &at.Z, &at.Depth, &depth},
		{"Slice and Slices", &at.Slice, &at.Slices, new(t.spec.Slices())},
	} {
		if *d.n == 0 {
			*d.n = *d.of - *d.from
		}
		if *d.from < 0 || *d.n < 1 || *d.from > *d.of-*d.n {
			return driver.Region{}, fmt.Errorf("need %s within 0 to %d, have %d and %d", d.name, *d.of, *d.from, *d.n)
		}
	}
	return driver.Region{
		Level: at.Level, Slice: at.Slice, Slices: at.Slices, X: at.X, Y: at.Y, Z: at.Z,
		Width: at.Width, Height: at.Height, Depth: at.Depth,
	}, nil
}
