package gen_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// imageSizes are those of images that kernels have to leave in their size.
var imageSizes = [][2]int{{1, 1}, {1, 9}, {33, 1}, {37, 21}, {64, 16}}

// eachSize runs a test for each format and size.
func eachSize(t *testing.T, formats []texelFormat, test func(t *testing.T, f texelFormat, width, height int)) {
	eachFormat(t, formats, func(t *testing.T, f texelFormat) {
		for _, size := range imageSizes {
			t.Run(fmt.Sprintf("%d x %d", size[0], size[1]), func(t *testing.T) { test(t, f, size[0], size[1]) })
		}
	})
}

func TestSobelIsTheGradientByItsTwoFilters(t *testing.T) {
	dev := openDevice(t)
	filter := [3][3]float64{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}} // of the columns; that of the rows is its transpose
	weights := [4]float32{0.25, 0.5, 0.125, -0.5}
	eachSize(t, []texelFormat{r8, rg8, rgba8, rgba8sRGB, rgba16f, rgba32f},
		func(t *testing.T, f texelFormat, width, height int) {
			src, p := randomImage(t, dev, f, width, height)
			edges, gradients := canvas(t, dev, rgba32f, width, height), canvas(t, dev, rgba32f, width, height)
			execute(t, dev, func(b *runtime.Batch) {
				gen.Sobel(b, gen.SobelArgs{Src: src, Dst: edges, Weights: weights})
				gen.SobelGradient(b, gen.SobelGradientArgs{
					Src: src, Dst: gradients, Weights: weights,
					Grid: groups(ceilDiv(width, 5), ceilDiv(height, 7), 1, 5, 7, 1), Tile: 7 * 9,
				})
			})
			gradient := func(x, y int) (gx, gy float64) {
				for j := range 3 {
					for i := range 3 {
						v := 0.0
						for c, component := range p.at(x+i-1, y+j-1) {
							v += float64(weights[c]) * component
						}
						gx += filter[j][i] * v
						gy += filter[i][j] * v
					}
				}
				return gx, gy
			}
			rgba32f.shows(t, gradients, pictureOf(width, height, func(x, y int) [4]float64 {
				gx, gy := gradient(x, y)
				return [4]float64{gx, gy, 0, 1}
			}), 1e-5)
			rgba32f.shows(t, edges, pictureOf(width, height, func(x, y int) [4]float64 {
				steepness := math.Hypot(gradient(x, y))
				return [4]float64{steepness, steepness, steepness, 1}
			}), 1e-5)
		})
}
