package runtime_test

import (
	"encoding/binary"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"image/color"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// anyTexture is what all textures have.
type anyTexture interface {
	Width() int
	Height() int
	Depth() int
	Length() int
	Levels() int
	Samples() int
	Format() runtime.PixelFormat
	Write(runtime.Region, []byte) error
	Read(runtime.Region, []byte) error
	String() string
	Free()
}

// made returns a texture of any form as one of all.
func made[T anyTexture](t T, err error) (anyTexture, error) { return t, err }

func TestTexturesHaveTheSizeThatTheyWereMadeWith(t *testing.T) {
	dev, _ := open(t)
	const f, d = runtime.RGBA8Unorm, runtime.Depth32Float
	o := runtime.TextureOptions{}
	for _, c := range []struct {
		make func() (anyTexture, error)
		want string
		size [5]int // width, height, depth, length, samples
	}{
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Texture1D](dev, runtime.TextureSize{Width: 7}, f, o))
		},
			"1D texture of 7 texels of RGBA8Unorm", [5]int{7, 1, 1, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Texture1DArray](dev, runtime.TextureSize{Width: 7, Length: 3}, f, o))
		},
			"1D array texture of 3 x 7 texels of RGBA8Unorm", [5]int{7, 1, 1, 3, 1}},
		{func() (anyTexture, error) { return made(runtime.NewTexture2D(dev, 7, 5, f, o)) },
			"2D texture of 7 x 5 texels of RGBA8Unorm", [5]int{7, 5, 1, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Texture2DArray](
				dev, runtime.TextureSize{Width: 7, Height: 5, Length: 3}, f, o))
		},
			"2D array texture of 3 x 7 x 5 texels of RGBA8Unorm", [5]int{7, 5, 1, 3, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Texture2DMS](dev, runtime.TextureSize{Width: 7, Height: 5, Samples: 4}, f, o))
		},
			"2D multisample texture of 7 x 5 texels and 4 samples of RGBA8Unorm", [5]int{7, 5, 1, 1, 4}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Texture2DMSArray](
				dev, runtime.TextureSize{Width: 7, Height: 5, Length: 3, Samples: 2}, f, o))
		},
			"2D multisample array texture of 3 x 7 x 5 texels and 2 samples of RGBA8Unorm", [5]int{7, 5, 1, 3, 2}},
		{func() (anyTexture, error) { return made(runtime.NewTexture3D(dev, 7, 5, 2, f, o)) },
			"3D texture of 7 x 5 x 2 texels of RGBA8Unorm", [5]int{7, 5, 2, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.TextureCube](dev, runtime.TextureSize{Width: 7}, f, o))
		},
			"cube texture of 7 x 7 texels of RGBA8Unorm", [5]int{7, 7, 1, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.TextureCubeArray](dev, runtime.TextureSize{Width: 7, Length: 2}, f, o))
		},
			"cube array texture of 2 x 7 x 7 texels of RGBA8Unorm", [5]int{7, 7, 1, 2, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.TextureBuffer](dev, runtime.TextureSize{Width: 70000}, f, o))
		},
			"buffer texture of 70000 texels of RGBA8Unorm", [5]int{70000, 1, 1, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Depth2D](dev, runtime.TextureSize{Width: 7, Height: 5}, d, o))
		},
			"depth 2D texture of 7 x 5 texels of Depth32Float", [5]int{7, 5, 1, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Depth2DArray](dev, runtime.TextureSize{Width: 7, Height: 5, Length: 3}, d, o))
		},
			"depth 2D array texture of 3 x 7 x 5 texels of Depth32Float", [5]int{7, 5, 1, 3, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Depth2DMS](dev, runtime.TextureSize{Width: 7, Height: 5, Samples: 8}, d, o))
		},
			"depth 2D multisample texture of 7 x 5 texels and 8 samples of Depth32Float", [5]int{7, 5, 1, 1, 8}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Depth2DMSArray](
				dev, runtime.TextureSize{Width: 7, Height: 5, Length: 3, Samples: 2}, d, o))
		},
			"depth 2D multisample array texture of 3 x 7 x 5 texels and 2 samples of Depth32Float", [5]int{7, 5, 1, 3, 2}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.DepthCube](dev, runtime.TextureSize{Width: 7}, d, o))
		},
			"depth cube texture of 7 x 7 texels of Depth32Float", [5]int{7, 7, 1, 1, 1}},
		{func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.DepthCubeArray](dev, runtime.TextureSize{Width: 7, Length: 2}, d, o))
		},
			"depth cube array texture of 2 x 7 x 7 texels of Depth32Float", [5]int{7, 7, 1, 2, 1}},
	} {
		tex, err := c.make()
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		got := [5]int{tex.Width(), tex.Height(), tex.Depth(), tex.Length(), tex.Samples()}
		if tex.String() != c.want || got != c.size || tex.Levels() != 1 {
			t.Errorf("%v: size %v, %d levels; want %s", tex, got, tex.Levels(), c.want)
		}
	}
}

func TestTexturesThatCannotBe(t *testing.T) {
	dev, _ := open(t)
	const f = runtime.RGBA8Unorm
	for _, c := range []struct {
		make func(runtime.TextureOptions) error
		o    runtime.TextureOptions
		want string
	}{
		{func(o runtime.TextureOptions) error { _, err := runtime.NewTexture2D(nil, 4, 4, f, o); return err },
			runtime.TextureOptions{}, "no device: the *Device is nil"},
		{func(o runtime.TextureOptions) error { _, err := runtime.NewTexture2D(dev, 0, 4, f, o); return err },
			runtime.TextureOptions{}, "need a width of 1 to 16384"},
		{func(o runtime.TextureOptions) error { _, err := runtime.NewTexture2D(dev, 4, 16385, f, o); return err },
			runtime.TextureOptions{}, "need a height of 1 to 16384"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture3D(dev, 4, 4, 2049, f, o)
			return err
		},
			runtime.TextureOptions{}, "need a depth of 1 to 2048"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture[runtime.TextureCubeArray](dev, runtime.TextureSize{Width: 4, Length: 400}, f, o)
			return err
		},
			runtime.TextureOptions{}, "need a length of 1 to 341"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture[runtime.Texture2DMS](dev, runtime.TextureSize{Width: 4, Height: 4, Samples: 3}, f, o)
			return err
		},
			runtime.TextureOptions{}, "need 2, 4 or 8 samples, have 3"},
		{func(o runtime.TextureOptions) error { _, err := runtime.NewTexture2D(dev, 5, 4, f, o); return err },
			runtime.TextureOptions{Levels: 4}, "need 1 to 3 mip levels, have 4"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture[runtime.Texture1D](dev, runtime.TextureSize{Width: 5}, f, o)
			return err
		},
			runtime.TextureOptions{Levels: 2}, "need 1 to 1 mip levels, have 2"},
		{func(o runtime.TextureOptions) error { _, err := runtime.NewTexture2D(dev, 5, 4, 7, o); return err },
			runtime.TextureOptions{}, "no such pixel format"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture2D(dev, 5, 4, runtime.Depth32Float, o)
			return err
		}, runtime.TextureOptions{}, "need a format of colors"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture[runtime.Depth2D](dev, runtime.TextureSize{Width: 5, Height: 4}, f, o)
			return err
		},
			runtime.TextureOptions{}, "need a format of depths"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture2D(dev, 5, 4, runtime.ABGR4Unorm, o)
			return err
		}, runtime.TextureOptions{Access: runtime.Write}, "kernels cannot write such a texture"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture[runtime.Depth2D](dev, runtime.TextureSize{Width: 5, Height: 4}, runtime.Depth32Float, o)
			return err
		}, runtime.TextureOptions{Access: runtime.ReadWrite}, "kernels cannot write such a texture"},
		{func(o runtime.TextureOptions) error { _, err := runtime.NewTexture2D(dev, 5, 4, f, o); return err },
			runtime.TextureOptions{Atomic: true}, "kernels cannot change such a texture by atomic operations"},
		{func(o runtime.TextureOptions) error {
			_, err := runtime.NewTexture[runtime.TextureBuffer](dev, runtime.TextureSize{Width: 5}, runtime.RGB9E5Float, o)
			return err
		}, runtime.TextureOptions{}, "texture buffers cannot have this format"},
	} {
		err := c.make(c.o)
		if err == nil || !strings.HasSuffix(err.Error(), ": "+c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestRegionsAreCopiedByTexels writes and reads random regions, and compares with a plain array of all texels.
func TestRegionsAreCopiedByTexels(t *testing.T) {
	dev := openChosen(t)
	const format = runtime.R16Uint
	o := runtime.TextureOptions{Levels: runtime.AllLevels}
	for _, c := range []struct {
		name   string
		make   func() (anyTexture, error)
		slices int
	}{
		{"2D", func() (anyTexture, error) { return made(runtime.NewTexture2D(dev, 9, 6, format, o)) }, 1},
		{"2D array", func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.Texture2DArray](
				dev, runtime.TextureSize{Width: 9, Height: 6, Length: 3}, format, o))
		}, 3},
		{"3D", func() (anyTexture, error) { return made(runtime.NewTexture3D(dev, 9, 6, 5, format, o)) }, 1},
		{"cube array", func() (anyTexture, error) {
			return made(runtime.NewTexture[runtime.TextureCubeArray](dev, runtime.TextureSize{Width: 8, Length: 2}, format, o))
		}, 12},
		{"private", func() (anyTexture, error) {
			return made(runtime.NewTexture2D(dev, 9, 6, format, runtime.TextureOptions{Private: true}))
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tex, err := c.make()
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			type place struct{ level, slice, x, y, z int }
			model := map[place]uint16{}
			for range 200 {
				at := runtime.Region{Level: r.IntN(tex.Levels()), Slice: r.IntN(c.slices)}
				w, h, d := max(tex.Width()>>at.Level, 1), max(tex.Height()>>at.Level, 1), max(tex.Depth()>>at.Level, 1)
				at.X, at.Y, at.Z = r.IntN(w), r.IntN(h), r.IntN(d)
				at.Width, at.Height, at.Depth = 1+r.IntN(w-at.X), 1+r.IntN(h-at.Y), 1+r.IntN(d-at.Z)
				at.Slices = 1 + r.IntN(c.slices-at.Slice)
				var want []byte
				texels := make([]byte, 2*at.Width*at.Height*at.Depth*at.Slices)
				fill := uint16(r.Uint32())
				write := r.IntN(2) == 0
				for s := range at.Slices {
					for z := range at.Depth {
						for y := range at.Height {
							for x := range at.Width {
								p := place{at.Level, at.Slice + s, at.X + x, at.Y + y, at.Z + z}
								if write {
									fill += 257
									model[p] = fill
								}
								want = binary.LittleEndian.AppendUint16(want, model[p])
							}
						}
					}
				}
				if write {
					err = tex.Write(at, want)
				} else if err = tex.Read(at, texels); err == nil {
					if diff := cmp.Diff(want, texels); diff != "" {
						t.Fatalf("%+v: %s", at, diff)
					}
				}
				if err != nil {
					t.Fatalf("%+v: %v", at, err)
				}
			}
		})
	}
}

func TestRegionsOutsideOfATextureAreRefused(t *testing.T) {
	dev, _ := open(t)
	tex, err := runtime.NewTexture[runtime.Texture2DArray](
		dev, runtime.TextureSize{Width: 8, Height: 4, Length: 3}, runtime.RGBA8Unorm, runtime.TextureOptions{Levels: 2})
	if err != nil {
		t.Fatal(err)
	}
	ms, err := runtime.NewTexture[runtime.Texture2DMS](
		dev, runtime.TextureSize{Width: 8, Height: 4, Samples: 2}, runtime.RGBA8Unorm, runtime.TextureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const of = "Read of 2D array texture of 3 x 8 x 4 texels of RGBA8Unorm: "
	for _, c := range []struct {
		tex  anyTexture
		at   runtime.Region
		n    int
		want string
	}{
		{tex, runtime.Region{Level: 2}, 0, of + "need a level of 0 to 1, have 2"},
		{tex, runtime.Region{Level: 1, Width: 5}, 0, of + "need X and Width within 0 to 4, have 0 and 5"},
		{tex, runtime.Region{Y: 4}, 0, of + "need Y and Height within 0 to 4, have 4 and 0"},
		{tex, runtime.Region{Z: 1}, 0, of + "need Z and Depth within 0 to 1, have 1 and 0"},
		{tex, runtime.Region{Slice: -1}, 0, of + "need Slice and Slices within 0 to 3, have -1 and 4"},
		{tex, runtime.Region{X: 1 << 62, Width: 1 << 62}, 0,
			of + "need X and Width within 0 to 8, have 4611686018427387904 and 4611686018427387904"},
		{tex, runtime.Region{Slice: 1}, 255,
			of + "need 256 bytes for a region of 8 x 4 x 1 texels and 2 slices, have 255"},
		{ms, runtime.Region{}, 256, "Read of 2D multisample texture of 8 x 4 texels and 2 samples of RGBA8Unorm: " +
			"the texture is multisampled, which only kernels read"},
		{runtime.Texture2D{}, runtime.Region{}, 0, "Read of zero 2D texture: nil texture"},
	} {
		if err := c.tex.Read(c.at, make([]byte, c.n)); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	tex.Free()
	if err := tex.Read(runtime.Region{}, make([]byte, 384)); !errors.Is(err, runtime.ErrFreed) {
		t.Errorf("read after Free: %v", err)
	}
}

func TestViewsShowTheTexelsOfTheirTexture(t *testing.T) {
	dev, rec := open(t)
	o := runtime.TextureOptions{Levels: runtime.AllLevels}
	cube, err := runtime.NewTexture[runtime.TextureCubeArray](
		dev, runtime.TextureSize{Width: 4, Length: 2}, runtime.RGBA8Unorm, o)
	if err != nil {
		t.Fatal(err)
	}
	face, err := runtime.ViewTexture[runtime.Texture2D](cube, runtime.TextureView{
		Format: runtime.RGBA8Unorm_sRGB, Levels: runtime.Levels{First: 1, Count: 1}, Slice: 7, Slices: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := face.String(), "2D texture of 2 x 2 texels of RGBA8Unorm_sRGB"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	if err := face.Write(runtime.Region{}, want); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	if err := cube.Read(runtime.Region{Level: 1, Slice: 7, Slices: 1}, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range 3 { // one view is made for all
		if _, err := cube.View(runtime.RGBA8Unorm, runtime.Levels{First: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n := rec.Live(); n != 3 {
		t.Errorf("%d allocations, want the texture and two views", n)
	}
	face.Free()
	if _, err := cube.View(0, runtime.Levels{}); !errors.Is(err, runtime.ErrFreed) {
		t.Errorf("a view of a freed texture: %v", err)
	}
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
}

func TestViewsThatCannotBe(t *testing.T) {
	dev, _ := open(t)
	array, err := runtime.NewTexture[runtime.Texture2DArray](
		dev, runtime.TextureSize{Width: 8, Height: 4, Length: 6}, runtime.RGBA8Unorm, runtime.TextureOptions{Levels: 3})
	if err != nil {
		t.Fatal(err)
	}
	square, err := runtime.NewTexture[runtime.Texture2DArray](
		dev, runtime.TextureSize{Width: 4, Height: 4, Length: 8}, runtime.RGBA8Unorm, runtime.TextureOptions{Views: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		view func() error
		want string
	}{
		{func() error { _, err := array.View(0, runtime.Levels{First: 3}); return err },
			"need levels within 0 to 2, have 0 from 3 on"},
		{func() error { _, err := array.View(runtime.R32Float, runtime.Levels{}); return err },
			"the texture was made without the option Views"},
		{func() error { _, err := square.View(runtime.RG32Float, runtime.Levels{}); return err },
			"RGBA8Unorm cannot be viewed as RG32Float, whose texels are others"},
		{func() error { _, err := square.View(5, runtime.Levels{}); return err }, "no such pixel format"},
		{func() error {
			_, err := runtime.ViewTexture[runtime.Texture2D](array, runtime.TextureView{})
			return err
		}, "need 1 slices, have 6"},
		{func() error {
			_, err := runtime.ViewTexture[runtime.Texture2D](array, runtime.TextureView{Slice: 5, Slices: 2})
			return err
		}, "need slices within 0 to 5, have 2 from 5 on"},
		{func() error {
			_, err := runtime.ViewTexture[runtime.Texture3D](array, runtime.TextureView{})
			return err
		}, "a 2D array texture has no such views"},
		{func() error {
			_, err := runtime.ViewTexture[runtime.TextureCube](array, runtime.TextureView{})
			return err
		}, "the faces of a cube are as wide as high"},
		{func() error {
			_, err := runtime.ViewTexture[runtime.TextureCubeArray](square, runtime.TextureView{})
			return err
		}, "need 6 slices, have 8"},
		{func() error {
			_, err := runtime.ViewTexture[runtime.Depth2D](array, runtime.TextureView{Slices: 1})
			return err
		}, "RGBA8Unorm holds no depths"},
	} {
		if err := c.view(); err == nil || !strings.HasSuffix(err.Error(), ": "+c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestTexturesOverBuffersShowTheirBytes(t *testing.T) {
	dev, rec := open(t)
	b := newBuffer[float32](t, dev, 64)
	tex, err := b.Slice(4, 64).Texture2D(5, 3, runtime.R32Float, 32)
	if err != nil {
		t.Fatal(err)
	}
	texels := []byte{0, 0, 128, 63}
	if err := tex.Write(runtime.Region{X: 4, Y: 2, Width: 1, Height: 1}, texels); err != nil {
		t.Fatal(err)
	}
	if got := b.Data()[4+2*8+4]; got != 1 {
		t.Errorf("the element is %v", got)
	}
	row, err := b.TextureBuffer(runtime.RG32Float)
	if err != nil {
		t.Fatal(err)
	}
	if row.Width() != 32 {
		t.Errorf("the width is %d", row.Width())
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(b.Texture2D(5, 3, runtime.R32Float, 16)), "need rows of at least 20 bytes, have 16"},
		{second(b.Texture2D(5, 9, runtime.R32Float, 32)), "need 276 bytes"},
		{second(b.Texture2D(5, 3, runtime.R32Float, 24)),
			"want rows and an offset in the buffer that are multiples of 16 bytes, have 24 and 0"},
		{second(b.Slice(1, 64).TextureBuffer(runtime.R32Float)),
			"want rows and an offset in the buffer that are multiples of 16 bytes, have 252 and 4"},
		{second(runtime.Buffer[float32]{}.TextureBuffer(runtime.R32Float)), "nil buffer"},
		{second(b.Slice(9, 7).TextureBuffer(runtime.R32Float)), "Slice(9, 7) of a buffer of 64 elements"},
	} {
		if c.err == nil || !strings.HasSuffix(c.err.Error(), ": "+c.want) {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	tex.Free()
	if b.Data() != nil || rec.Live() != 0 {
		t.Errorf("%d allocations are left", rec.Live())
	}
}

func second[T any](_ T, err error) error { return err }

func TestImagesComeBackAsTheyWere(t *testing.T) {
	dev, _ := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	bounds := image.Rect(3, 2, 10, 8)
	fill := func(pix []byte) {
		for i := range pix {
			pix[i] = byte(r.Uint32())
		}
	}
	nrgba, nrgba64 := image.NewNRGBA(bounds), image.NewNRGBA64(bounds)
	gray, gray16, alpha := image.NewGray(bounds), image.NewGray16(bounds), image.NewAlpha(bounds)
	paletted := image.NewPaletted(bounds, color.Palette{color.NRGBA{1, 2, 3, 4}, color.NRGBA{250, 40, 0, 128}})
	for _, pix := range [][]byte{nrgba.Pix, nrgba64.Pix, gray.Pix, gray16.Pix, alpha.Pix} {
		fill(pix)
	}
	paletted.SetColorIndex(5, 5, 1)
	for _, img := range []image.Image{
		nrgba, nrgba.SubImage(image.Rect(4, 4, 9, 7)), nrgba64, gray, gray16, alpha, paletted,
	} {
		tex, err := runtime.UploadImage(dev, img)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tex.Image()
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		if got.Bounds().Size() != b.Size() {
			t.Fatalf("%T: %v", img, got.Bounds())
		}
		for y := range b.Dy() {
			for x := range b.Dx() {
				want := got.ColorModel().Convert(img.At(b.Min.X+x, b.Min.Y+y))
				if g := got.At(x, y); g != want {
					t.Fatalf("%T at %d, %d: %v, want %v", img, x, y, g, want)
				}
			}
		}
	}
}

func TestImagesThatNoTextureHasAreErrors(t *testing.T) {
	dev, rec := open(t)
	for _, tt := range []struct {
		img  image.Image
		want string
	}{
		{nil, "UploadImage: the image is nil"},
		{(*image.NRGBA)(nil), "UploadImage: the image is nil"},
		{image.NewGray(image.Rect(0, 0, 0, 5)),
			"NewTexture: 2D texture of 0 x 5 texels, R8Unorm: need a width of 1 to 16384"},
		{image.White, "NewTexture: 2D texture of 2000000000 x 2000000000 texels, RGBA8Unorm: need a width of 1 to 16384"},
		{&image.Gray{Pix: make([]byte, 7), Stride: 4, Rect: image.Rect(0, 0, 4, 2)},
			"UploadImage of 4 x 2 pixels: need rows of 4 bytes, 8 in all, have rows of 4, 7 in all"},
		{&image.NRGBA{Pix: make([]byte, 64), Stride: 4, Rect: image.Rect(0, 0, 4, 2)},
			"UploadImage of 4 x 2 pixels: need rows of 16 bytes, 32 in all, have rows of 4, 64 in all"},
	} {
		if _, err := runtime.UploadImage(dev, tt.img); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v, want %q", tt.img, err, tt.want)
		}
	}
	if rec.Live() != 0 {
		t.Errorf("%d allocations are left", rec.Live())
	}
}

// TestColorsThatAreMultipliedByAlphaStaySo holds that no value of an image changes on its way.
func TestColorsThatAreMultipliedByAlphaStaySo(t *testing.T) {
	dev, _ := open(t)
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.SetRGBA(0, 0, color.RGBA{10, 20, 30, 40})
	tex, err := runtime.UploadImage(dev, img)
	if err != nil {
		t.Fatal(err)
	}
	texel := make([]byte, 4)
	if err := tex.Read(runtime.Region{}, texel); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(img.Pix, texel); diff != "" {
		t.Error(diff)
	}
}

func TestImagesOfOtherFormatsAreConverted(t *testing.T) {
	dev, _ := open(t)
	tex, err := runtime.NewTexture2D(dev, 2, 1, runtime.RG32Float, runtime.TextureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	texels := binary.LittleEndian.AppendUint64(nil, 0x3f0000003f800000)   // 1 and 0.5
	texels = binary.LittleEndian.AppendUint64(texels, 0xbf80000040000000) // 2 and -1
	if err := tex.Write(runtime.Region{}, texels); err != nil {
		t.Fatal(err)
	}
	img, err := tex.Image()
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range []color.NRGBA64{{65535, 32768, 0, 65535}, {65535, 0, 0, 65535}} {
		if got := img.At(x, 0); got != want {
			t.Errorf("texel %d: %v, want %v", x, got, want)
		}
	}
	ints, err := runtime.NewTexture2D(dev, 2, 1, runtime.RG32Uint, runtime.TextureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ints.Image(); err == nil {
		t.Error("integers are an image")
	}
}

// TestPixelFormatsAreThoseOfTheTable compares the constants with the table that conversions use.
func TestPixelFormatsAreThoseOfTheTable(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "pixelformat.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			got[v.Names[0].Name] = v.Values[0].(*ast.BasicLit).Value
		}
		return true
	})
	want := map[string]string{}
	for _, f := range pixel.Formats() {
		want[f.String()] = strconv.Itoa(int(f))
		if runtime.PixelFormat(f).BytesPerTexel() != f.Info().Size {
			t.Errorf("%v has %d bytes", f, runtime.PixelFormat(f).BytesPerTexel())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
