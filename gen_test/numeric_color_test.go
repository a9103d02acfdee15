package gen_test

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestTransferFunctionsAreThoseOfSRGB(t *testing.T) {
	dev := openDevice(t)
	mirrored := func(f func(float64) float64, v [4]float64) [4]float64 {
		for c := range 3 {
			v[c] = math.Copysign(f(math.Abs(v[c])), v[c])
		}
		return v
	}
	eachSize(t, []texelFormat{r8, rgba8, rgba16, rgba16f, rgba32f}, func(t *testing.T, f texelFormat, width, height int) {
		src, p := randomImage(t, dev, f, width, height)
		linear, encoded := canvas(t, dev, rgba32f, width, height), canvas(t, dev, rgba32f, width, height)
		execute(t, dev, func(b *runtime.Batch) {
			gen.SrgbToLinear(b, gen.SrgbToLinearArgs{Src: src, Dst: linear})
			gen.LinearToSrgb(b, gen.LinearToSrgbArgs{Src: src, Dst: encoded})
		})
		rgba32f.shows(t, linear, pictureOf(width, height, func(x, y int) [4]float64 {
			return mirrored(decodeSRGB, p.at(x, y))
		}), 1e-5)
		rgba32f.shows(t, encoded, pictureOf(width, height, func(x, y int) [4]float64 {
			return mirrored(encodeSRGB, p.at(x, y))
		}), 1e-5)
	})
}

func TestSRGBThereAndBackIsWhatItWas(t *testing.T) {
	dev := openDevice(t)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	src, p := image(t, dev, r8, 16, 16, all)
	linear, back := canvas(t, dev, rgba16f, 16, 16), canvas(t, dev, r8, 16, 16)
	execute(t, dev, func(b *runtime.Batch) {
		gen.SrgbToLinear(b, gen.SrgbToLinearArgs{Src: src, Dst: linear})
		gen.LinearToSrgb(b, gen.LinearToSrgbArgs{Src: linear, Dst: back})
	})
	r8.shows(t, back, p, 0)
}

// ycbcr are what red and blue contribute to Y, from the standards' text.
var ycbcr = map[gen.YCbCr]struct{ red, blue float64 }{
	gen.YCbCrBT601:  {0.299, 0.114},
	gen.YCbCrBT709:  {0.2126, 0.0722},
	gen.YCbCrBT2020: {0.2627, 0.0593},
}

// matrix returns the rows of Y, Cb and Cr.
func matrix(standard gen.YCbCr) [3][3]float64 {
	k := ycbcr[standard]
	green := 1 - k.red - k.blue
	cb, cr := 2*(1-k.blue), 2*(1-k.red)
	return [3][3]float64{
		{k.red, green, k.blue},
		{-k.red / cb, -green / cb, (1 - k.blue) / cb},
		{(1 - k.red) / cr, -green / cr, -k.blue / cr},
	}
}

func determinant(m [3][3]float64) float64 {
	return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) -
		m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) +
		m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
}

// solved returns x where m times x is v, by Cramer's rule.
func solved(m [3][3]float64, v [3]float64) (x [3]float64) {
	for c := range x {
		with := m
		for r := range v {
			with[r][c] = v[r]
		}
		x[c] = determinant(with) / determinant(m)
	}
	return x
}

func TestYCbCrIsTheMatrixOfItsStandard(t *testing.T) {
	dev := openDevice(t)
	for standard := range ycbcr {
		m := matrix(standard)
		t.Run(fmt.Sprint(standard), func(t *testing.T) {
			eachSize(t, []texelFormat{rgba8, bgra8, rgba32f}, func(t *testing.T, f texelFormat, width, height int) {
				src, p := randomImage(t, dev, f, width, height)
				to, from := canvas(t, dev, rgba32f, width, height), canvas(t, dev, rgba32f, width, height)
				execute(t, dev, func(b *runtime.Batch) {
					gen.RgbToYcbcr(b, gen.RgbToYcbcrArgs{Src: src, Dst: to, Standard: standard})
					gen.YcbcrToRgb(b, gen.YcbcrToRgbArgs{Src: src, Dst: from, Standard: standard})
				})
				rgba32f.shows(t, to, pictureOf(width, height, func(x, y int) [4]float64 {
					v := p.at(x, y)
					out := [4]float64{0, 128. / 255, 128. / 255, v[3]}
					for r := range m {
						for c := range m[r] {
							out[r] += m[r][c] * v[c]
						}
					}
					return out
				}), 1e-5)
				rgba32f.shows(t, from, pictureOf(width, height, func(x, y int) [4]float64 {
					v := p.at(x, y)
					rgb := solved(m, [3]float64{v[0], v[1] - 128./255, v[2] - 128./255})
					return [4]float64{rgb[0], rgb[1], rgb[2], v[3]}
				}), 1e-5)
			})
		})
	}
}

// Go rounds otherwise, but not by more than one.
func TestBT601IsWhatGoConverts(t *testing.T) {
	dev := openDevice(t)
	const width, height = 64, 64
	pixels := rgba8.random(1, width*height, 0, 1)
	src, p := image(t, dev, rgba8, width, height, pixels)
	yuv, back := canvas(t, dev, rgba8, width, height), canvas(t, dev, rgba8, width, height)
	execute(t, dev, func(b *runtime.Batch) {
		gen.RgbToYcbcr(b, gen.RgbToYcbcrArgs{Src: src, Dst: yuv, Standard: gen.YCbCrBT601})
		gen.YcbcrToRgb(b, gen.YcbcrToRgbArgs{Src: src, Dst: back, Standard: gen.YCbCrBT601})
	})
	go8 := func(convert func(a, b, c uint8) (x, y, z uint8)) picture {
		return pictureOf(width, height, func(x, y int) [4]float64 {
			i := 4 * (y*width + x)
			a, b, c := convert(pixels[i], pixels[i+1], pixels[i+2])
			return [4]float64{float64(a) / 255, float64(b) / 255, float64(c) / 255, p.at(x, y)[3]}
		})
	}
	rgba8.shows(t, yuv, go8(color.RGBToYCbCr), 1./255)
	rgba8.shows(t, back, go8(color.YCbCrToRGB), 1./255)
}
