package main

import (
	"cmp"
	"image"
	"image/color"
	"math"

	"github.com/metalgen/metalgen/examples/nbody/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// film takes pictures of bodies.
type film struct {
	size    [2]uint32
	light   mtl.Buffer[[2]uint32]  // of each pixel, blue and yellow
	rows    mtl.Buffer[[2]float32] // light that is spread along rows
	colors  mtl.Buffer[uint8]      // of the picture
	weights [49]float32            // of pixels beside one in its glow
}

// newFilm returns a film for pictures of width times height pixels.
func newFilm(dev *mtl.Device, width, height int) (*film, error) {
	light, errLight := mtl.NewBuffer[[2]uint32](dev, width*height)
	rows, errRows := mtl.NewBuffer[[2]float32](dev, width*height)
	colors, errColors := mtl.NewBuffer[uint8](dev, width*height)
	f := &film{size: [2]uint32{uint32(width), uint32(height)}, light: light, rows: rows, colors: colors}
	for i := range f.weights {
		x := float64(i-len(f.weights)/2) / 8
		f.weights[i] = float32(0.045 * math.Exp(-x*x/2))
	}
	return f, cmp.Or(errLight, errRows, errColors)
}

func (f *film) free() {
	f.light.Free()
	f.rows.Free()
	f.colors.Free()
}

// expose records a call that adds the light of bodies to the film.
func (f *film) expose(b *mtl.Batch, bodies mtl.Buffer[gen.Body], camera gen.Camera) {
	gen.Expose(b, gen.ExposeArgs{
		Bodies: bodies, Film: mtl.Cast[uint32](f.light), Camera: camera, Size: f.size, N: uint32(bodies.Len()),
	})
}

// develop records the calls that make a picture of the light.
func (f *film) develop(b *mtl.Batch) {
	gen.Glow(b, gen.GlowArgs{Film: f.light, Rows: f.rows, Weights: f.weights, Size: f.size})
	gen.Develop(b, gen.DevelopArgs{
		Film: f.light, Rows: f.rows, Colors: f.colors, Weights: f.weights, Keep: 0.55, Size: f.size,
	})
}

// picture returns the picture that was developed last.
func (f *film) picture() *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, int(f.size[0]), int(f.size[1])), palette)
	copy(img.Pix, f.colors.Data())
	return img
}

// levels and hues are how many there are of each, as in the kernel develop.
const levels, hues = 42, 6

// palette has the colors among which the kernel develop chooses: levels of brightness of each of some hues.
var palette = func() (p color.Palette) {
	blue, yellow := vector{0.2, 0.6, 2.2}, vector{2.2, 0.8, 0.2}
	for hue := range hues {
		tint := blue.times(float64(hues-1-hue) / (hues - 1)).plus(yellow.times(float64(hue) / (hues - 1)))
		for level := range levels {
			bright := float64(level) / (levels - 0.5)
			light := -math.Log(1 - bright*bright) // as the kernel has it
			var rgb [3]uint8
			for i := range rgb { // the more light, the nearer to white
				rgb[i] = uint8(math.Round(255 * math.Pow(1-math.Exp(-light*tint[i]), 1/2.2)))
			}
			p = append(p, color.RGBA{rgb[0], rgb[1], rgb[2], 255})
		}
	}
	return p
}()

// orbit returns a camera that looks at the origin from an angle about the axis z, for pictures of some width. power is
// the light of a body of light 1 at distance 1.
func orbit(angle float64, width int, power float64) gen.Camera {
	const distance, height = 5.2, 0.95 // the latter as an angle
	sin, cos := math.Sincos(angle)
	up, out := math.Sincos(height)
	ahead := vector{-cos * out, -sin * out, -up}
	right := vector{-sin, cos}
	return gen.Camera{
		Eye:   ahead.times(-distance).float3(),
		Right: right.float3(),
		Down:  ahead.cross(right).float3(),
		Ahead: ahead.float3(),
		Zoom:  1.1 * float32(width),
		Power: float32(power),
	}
}
