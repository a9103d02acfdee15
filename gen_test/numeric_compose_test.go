package gen_test

import (
	"fmt"
	goimage "image"
	"image/draw"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// seen is the table of Porter and Duff: what is seen of a texel where only the bottom image is, where
// only the top image is, and where both are.
var seen = map[gen.Operator][3]byte{
	gen.OperatorClear:      {'0', '0', '0'},
	gen.OperatorTop:        {'0', 'T', 'T'},
	gen.OperatorBottom:     {'B', '0', 'B'},
	gen.OperatorOver:       {'B', 'T', 'T'},
	gen.OperatorUnder:      {'B', 'T', 'B'},
	gen.OperatorIn:         {'0', '0', 'T'},
	gen.OperatorBottomIn:   {'0', '0', 'B'},
	gen.OperatorOut:        {'0', 'T', '0'},
	gen.OperatorBottomOut:  {'B', '0', '0'},
	gen.OperatorAtop:       {'B', '0', 'T'},
	gen.OperatorBottomAtop: {'0', 'T', 'B'},
	gen.OperatorXor:        {'B', 'T', '0'},
}

// composed returns a texel of premultiplied components.
func composed(op gen.Operator, top, bottom [4]float64) (v [4]float64) {
	if op == gen.OperatorPlus {
		return sum(top, bottom)
	}
	t, b := top[3], bottom[3]
	// How much of the texel each case is, of the part of it that the image covers.
	ofTop, ofBottom := [3]float64{0, 1 - b, b}, [3]float64{1 - t, 0, t}
	for i, image := range seen[op] {
		switch image {
		case 'T':
			v = sum(v, scaled(top, ofTop[i]))
		case 'B':
			v = sum(v, scaled(bottom, ofBottom[i]))
		}
	}
	return v
}

// premultiplied returns texels with no color larger than alpha.
func premultiplied(seed uint64, n int) []byte {
	b := rgba8.random(seed, n, 0, 1)
	for i := range b {
		switch alpha := b[i|3]; {
		case i/4%5 == 0:
			b[i] = 0 // transparent
		case i/4%5 == 1 && i%4 == 3:
			b[i] = 255 // opaque
		case i%4 < 3 && i/4%5 != 1:
			b[i] = byte(int(b[i]) * int(alpha) / 255)
		}
	}
	return b
}

func TestComposeIsTheTableOfPorterAndDuff(t *testing.T) {
	dev := openDevice(t)
	for op := gen.OperatorClear; op <= gen.OperatorPlus; op++ {
		for _, c := range []struct{ width, height, topWidth, topHeight, x, y int }{
			{1, 1, 1, 1, 0, 0},
			{37, 21, 37, 21, 0, 0},
			{37, 21, 10, 40, 30, -15},
			{37, 21, 60, 7, -11, 18},
			{37, 21, 5, 5, 100, 3},
		} {
			t.Run(fmt.Sprint(op, " ", c), func(t *testing.T) {
				top, p := image(t, dev, rgba8, c.topWidth, c.topHeight, premultiplied(1, c.topWidth*c.topHeight))
				bottom, q := image(t, dev, rgba8, c.width, c.height, premultiplied(2, c.width*c.height))
				for _, f := range []texelFormat{rgba8, rgba32f} {
					dst := canvas(t, dev, f, c.width, c.height)
					execute(t, dev, func(b *runtime.Batch) {
						gen.Compose(b, gen.ComposeArgs{
							Top: top, Bottom: bottom, Dst: dst, Op: op, Origin: [2]int32{int32(c.x), int32(c.y)},
						})
					})
					f.shows(t, dst, pictureOf(c.width, c.height, func(x, y int) [4]float64 {
						var t [4]float64
						if x -= c.x; x >= 0 && x < c.topWidth && y-c.y >= 0 && y-c.y < c.topHeight {
							t = p.at(x, y-c.y)
						}
						return composed(op, t, q.at(x+c.x, y))
					}), 1e-6)
				}
			})
		}
	}
}

// Go computes with integers, and rounds down.
func TestComposeIsWhatGoDraws(t *testing.T) {
	dev := openDevice(t)
	const width, height = 37, 21
	for op, drawn := range map[gen.Operator]draw.Op{gen.OperatorOver: draw.Over, gen.OperatorTop: draw.Src} {
		size := goimage.Rect(0, 0, width, height)
		onTop := &goimage.RGBA{Pix: premultiplied(1, width*height), Stride: 4 * width, Rect: size}
		below := &goimage.RGBA{Pix: premultiplied(2, width*height), Stride: 4 * width, Rect: size}
		top, _ := image(t, dev, rgba8, width, height, onTop.Pix)
		bottom, _ := image(t, dev, rgba8, width, height, below.Pix)
		dst := canvas(t, dev, rgba8, width, height)
		execute(t, dev, func(b *runtime.Batch) {
			gen.Compose(b, gen.ComposeArgs{Top: top, Bottom: bottom, Dst: dst, Op: op})
		})
		draw.Draw(below, size, onTop, goimage.Point{}, drawn)
		rgba8.shows(t, dst, rgba8.picture(width, height, below.Pix), 1./255)
	}
}

func TestPremultiplyAndBack(t *testing.T) {
	dev := openDevice(t)
	eachSize(t, []texelFormat{rgba8, bgra8, rgba8sRGB, rgba32f}, func(t *testing.T, f texelFormat, width, height int) {
		src, p := randomImage(t, dev, f, width, height)
		times, back := canvas(t, dev, rgba32f, width, height), canvas(t, dev, f, width, height)
		execute(t, dev, func(b *runtime.Batch) {
			gen.Premultiply(b, gen.PremultiplyArgs{Src: src, Dst: times})
			gen.Unpremultiply(b, gen.UnpremultiplyArgs{Src: times, Dst: back})
		})
		rgba32f.shows(t, times, pictureOf(width, height, func(x, y int) [4]float64 {
			v := p.at(x, y)
			return [4]float64{v[0] * v[3], v[1] * v[3], v[2] * v[3], v[3]}
		}), 1e-6)
		f.shows(t, back, pictureOf(width, height, func(x, y int) [4]float64 {
			if v := p.at(x, y); v[3] > 0 {
				return v
			}
			return [4]float64{} // nobody knows its color
		}), 1e-5)
	})
}
