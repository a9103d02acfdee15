package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Levels are mip levels of a texture: Count of them, from First on. If Count is 0 they are all levels from First on.
type Levels struct{ First, Count int }

// TextureView says what a view shows of a texture. The zero TextureView shows all of it.
type TextureView struct {
	Format        PixelFormat // 0 is that of the texture
	Levels        Levels
	Slice, Slices int // elements of an array, faces of cubes; where Slices is 0, all from Slice on
}

// View returns a texture of the same texels, with another format and only some of the mip levels. The format must have
// texels of the same size. Unless it differs in sRGB only, the texture needs the option Views. A view is freed with its
// texture: Free of either frees both.
func (t Texture[F]) View(format PixelFormat, levels Levels) (Texture[F], error) {
	return ViewTexture[Texture[F]](t, TextureView{Format: format, Levels: levels})
}

// ViewTexture is [Texture.View] for a view of another form: a [Texture2D] of one element of a [Texture2DArray] or one
// face of a [TextureCube], a cube of six elements, or a [Texture2D] of a [Depth2D].
//
//	face, err := mtl.ViewTexture[mtl.Texture2D](cube, mtl.TextureView{Slice: 3, Slices: 1})
func ViewTexture[To AnyTexture[To], F TextureForm](t Texture[F], v TextureView) (To, error) {
	var to To
	i, err := t.t.view(to.form(), v)
	if err != nil {
		return to, fmt.Errorf("View of %v as a %v texture: %w", t, to.form(), err)
	}
	return to.of(i), nil
}

// viewsOf are the types of views that a texture of a type may have. Apple: newTextureViewWithPixelFormat.
var viewsOf = map[bind.TextureType][]bind.TextureType{
	bind.Texture1D:        {bind.Texture1D, bind.Texture1DArray},
	bind.Texture1DArray:   {bind.Texture1D, bind.Texture1DArray},
	bind.Texture2D:        {bind.Texture2D, bind.Texture2DArray},
	bind.Texture2DArray:   {bind.Texture2D, bind.Texture2DArray, bind.TextureCube, bind.TextureCubeArray},
	bind.TextureCube:      {bind.Texture2D, bind.Texture2DArray, bind.TextureCube, bind.TextureCubeArray},
	bind.TextureCubeArray: {bind.Texture2D, bind.Texture2DArray, bind.TextureCube, bind.TextureCubeArray},
	bind.Texture2DMS:      {bind.Texture2DMS, bind.Texture2DMSArray},
	bind.Texture2DMSArray: {bind.Texture2DMS, bind.Texture2DMSArray},
	bind.Texture3D:        {bind.Texture3D},
	bind.TextureBuffer:    {bind.TextureBuffer},
}

func (t *texture) view(form textureForm, v TextureView) (*texture, error) {
	if t == nil {
		return nil, ErrNilTexture
	}
	view := &texture{resource: t.resource, format: t.format, spec: t.spec}
	view.handle.Owner = view
	view.spec.Type = form.dims
	if err := view.show(&t.spec, &v); err != nil {
		return nil, err
	}
	view.level, view.slice = t.level+v.Levels.First, t.slice+v.Slice
	if err := view.as(pixel.Format(v.Format), form); err != nil {
		return nil, err
	}
	what := driver.TextureView{
		Type: form.dims, Format: view.spec.Format, Level: v.Levels.First, Levels: v.Levels.Count,
		Slice: v.Slice, Slices: v.Slices,
	}
	tex, err := t.part(viewOf{t.tex, what}, func(driver.Device) (driver.Texture, error) { return t.tex.View(what) })
	view.tex = tex
	return view, err
}

// viewOf is by what the views of a texture are known, so that there is one of each.
type viewOf struct {
	of   driver.Texture
	what driver.TextureView
}

// show sets the part that a view shows of a texture.
func (t *texture) show(of *driver.TextureSpec, v *TextureView) error {
	levels, n := of.Levels, of.Slices()
	if v.Levels.Count == 0 {
		v.Levels.Count = levels - v.Levels.First
	}
	if v.Slices == 0 {
		v.Slices = n - v.Slice
	}
	t.spec.Width, t.spec.Height, t.spec.Depth = of.Extent(max(v.Levels.First, 0))
	t.spec.Levels = v.Levels.Count
	faces := t.spec.Type.Faces()
	t.spec.Length = v.Slices / faces
	switch {
	case !slices.Contains(viewsOf[of.Type], t.spec.Type):
		return fmt.Errorf("a %v texture has no such views", of.Type)
	case v.Levels.First < 0 || v.Levels.Count < 1 || v.Levels.First > levels-v.Levels.Count:
		return fmt.Errorf("need levels within 0 to %d, have %d from %d on", levels-1, v.Levels.Count, v.Levels.First)
	case v.Slice < 0 || v.Slices < 1 || v.Slice > n-v.Slices:
		return fmt.Errorf("need slices within 0 to %d, have %d from %d on", n-1, v.Slices, v.Slice)
	case v.Slices%faces != 0 || !t.spec.Type.IsArray() && v.Slices != faces:
		return fmt.Errorf("need %d slices, have %d", faces, v.Slices)
	case faces == 6 && t.spec.Width != t.spec.Height:
		return errors.New("the faces of a cube are as wide as high")
	}
	return nil
}

// as sets the format of a view.
func (t *texture) as(format pixel.Format, form textureForm) error {
	if format != 0 {
		info := format.Info()
		switch {
		case info == nil:
			return errors.New("no such pixel format")
		case info.Size != t.format.Size || (info.Type == pixel.Depth) != (t.format.Type == pixel.Depth):
			return fmt.Errorf("%v cannot be viewed as %v, whose texels are others", t.spec.Format, format)
		case info.Layout != t.format.Layout || info.Encoding.Linear() != t.format.Encoding.Linear():
			if t.spec.Usage&driver.TextureViews == 0 {
				return errors.New("the texture was made without the option Views")
			}
		}
		t.format, t.spec.Format = info, format
		if info.Uses&pixel.Write == 0 {
			t.spec.Usage &^= driver.TextureWrite
		}
	}
	if form.depth && t.format.Type != pixel.Depth {
		return fmt.Errorf("%v holds no depths", t.spec.Format)
	}
	return nil
}
