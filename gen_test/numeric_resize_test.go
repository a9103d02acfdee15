package gen_test

import (
	"fmt"
	"math"
	goruntime "runtime"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// resize is the size of an image and of what it becomes.
type resize struct{ width, height, toWidth, toHeight int }

var resizes = []resize{
	{1, 1, 1, 1},
	{1, 1, 5, 3},
	{7, 5, 1, 1},
	{37, 21, 37, 21},
	{37, 21, 64, 10},
	{5, 40, 33, 9},
	{64, 16, 16, 64},
}

func (r resize) String() string {
	return fmt.Sprintf("%d x %d to %d x %d", r.width, r.height, r.toWidth, r.toHeight)
}

func TestResizeNearestTakesTheTexelBelowTheMiddle(t *testing.T) {
	dev := openDevice(t)
	eachFormat(t, []texelFormat{r8, bgra8, rgba8sRGB, rgba16f, rgba32f}, func(t *testing.T, f texelFormat) {
		for _, r := range resizes {
			t.Run(r.String(), func(t *testing.T) {
				src, p := randomImage(t, dev, f, r.width, r.height)
				dst := canvas(t, dev, f, r.toWidth, r.toHeight)
				execute(t, dev, func(b *runtime.Batch) { gen.ResizeNearest(b, gen.ResizeNearestArgs{Src: src, Dst: dst}) })
				f.shows(t, dst, pictureOf(r.toWidth, r.toHeight, func(x, y int) [4]float64 {
					u := (float64(x) + 0.5) * float64(r.width) / float64(r.toWidth)
					v := (float64(y) + 0.5) * float64(r.height) / float64(r.toHeight)
					return p.at(int(math.Floor(u)), int(math.Floor(v)))
				}), 1e-6)
			})
		}
	})
}

func TestResizeBilinearInterpolates(t *testing.T) {
	dev := openDevice(t)
	tolerance := 1e-5
	if goruntime.GOOS == "darwin" { // a GPU weights texels in steps of 1/256
		tolerance = 2 * 2. / 256
	}
	eachFormat(t, []texelFormat{r8, rgba8, rgba8sRGB, rgba16f}, func(t *testing.T, f texelFormat) {
		for _, r := range resizes {
			t.Run(r.String(), func(t *testing.T) {
				src, p := randomImage(t, dev, f, r.width, r.height)
				dst := canvas(t, dev, f, r.toWidth, r.toHeight)
				execute(t, dev, func(b *runtime.Batch) { gen.ResizeBilinear(b, gen.ResizeBilinearArgs{Src: src, Dst: dst}) })
				f.shows(t, dst, pictureOf(r.toWidth, r.toHeight, func(x, y int) [4]float64 {
					u := (float64(x)+0.5)*float64(r.width)/float64(r.toWidth) - 0.5
					v := (float64(y)+0.5)*float64(r.height)/float64(r.toHeight) - 0.5
					x0, y0 := int(math.Floor(u)), int(math.Floor(v))
					fx, fy := u-math.Floor(u), v-math.Floor(v)
					return sum(
						sum(scaled(p.at(x0, y0), (1-fx)*(1-fy)), scaled(p.at(x0+1, y0), fx*(1-fy))),
						sum(scaled(p.at(x0, y0+1), (1-fx)*fy), scaled(p.at(x0+1, y0+1), fx*fy)),
					)
				}), tolerance)
			})
		}
	})
}

// lanczos3 is the filter of three lobes.
func lanczos3(x float64) float64 {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	if math.Abs(x) >= 3 {
		return 0
	}
	return sinc(x) * sinc(x/3)
}

// lanczosRow returns the weights of all n texels for texel i of `to`.
func lanczosRow(n, to, i int) []float64 {
	stretch := max(1, float64(n)/float64(to))
	weights, total := make([]float64, n), 0.0
	for k := range weights {
		weights[k] = lanczos3((float64(k) + 0.5 - (float64(i)+0.5)*float64(n)/float64(to)) / stretch)
		total += weights[k]
	}
	for k := range weights {
		weights[k] /= total
	}
	return weights
}

// resampled returns p with another width.
func (p picture) resampled(width int) picture {
	return pictureOf(width, p.height, func(x, y int) (v [4]float64) {
		for k, weight := range lanczosRow(p.width, width, x) {
			v = sum(v, scaled(p.at(k, y), weight))
		}
		return v
	})
}

// lanczosTable is what lanczos_weights computes for one dimension.
type lanczosTable struct {
	first   runtime.Buffer[uint32]
	weights runtime.Buffer[float32]
	taps    int
}

func recordLanczos(t testing.TB, b *runtime.Batch, dev *runtime.Device, in, out int) lanczosTable {
	taps := ceilDiv(6*max(in, out), out)
	l := lanczosTable{output[uint32](t, dev, out), output[float32](t, dev, taps*out), taps}
	gen.LanczosWeights(b, gen.LanczosWeightsArgs{
		First: l.first, Weights: l.weights, In: uint32(in), Out: uint32(out), Taps: uint32(taps),
	})
	return l
}

func TestLanczosWeightsAreThoseOfTheFilter(t *testing.T) {
	dev := openDevice(t)
	for _, c := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {5, 5}, {37, 64}, {64, 37}, {100, 7}, {2, 3}, {16384, 16383},
		{16383, 16384}, {300, 16384}, {16384, 300}} {
		in, out := c[0], c[1]
		t.Run(fmt.Sprintf("%d to %d", in, out), func(t *testing.T) {
			var l lanczosTable
			execute(t, dev, func(b *runtime.Batch) { l = recordLanczos(t, b, dev, in, out) })
			first, weights := l.first.Data(), l.weights.Data()
			for i := 0; i < out; i += 1 + out/50 {
				got := make([]float32, in)
				for tap := range l.taps {
					if k := int(first[i]) + tap; k < in {
						got[k] = weights[tap*out+i]
					} else if w := weights[tap*out+i]; w != 0 {
						t.Fatalf("weight %v of texel %d of %d", w, k, in)
					}
				}
				one := make([]float64, in)
				for k := range one {
					one[k] = 1
				}
				compare(t, fmt.Sprintf("weights of texel %d", i), got, lanczosRow(in, out, i), one, 1e-6)
			}
		})
	}
}

func TestResampleIsLanczosInBothDimensions(t *testing.T) {
	dev := openDevice(t)
	eachFormat(t, []texelFormat{r8, rgba8, rgba8sRGB, rgba16, rgba32f}, func(t *testing.T, f texelFormat) {
		for _, r := range resizes {
			t.Run(r.String(), func(t *testing.T) {
				src, p := randomImage(t, dev, f, r.width, r.height)
				between := canvas(t, dev, rgba32f, r.toWidth, r.height)
				dst := canvas(t, dev, f, r.toWidth, r.toHeight)
				execute(t, dev, func(b *runtime.Batch) {
					columns := recordLanczos(t, b, dev, r.width, r.toWidth)
					rows := recordLanczos(t, b, dev, r.height, r.toHeight)
					gen.ResampleHorizontal(b, gen.ResampleHorizontalArgs{
						Src: src, Dst: between, First: columns.first, Weights: columns.weights, Taps: uint32(columns.taps),
					})
					gen.ResampleVertical(b, gen.ResampleVerticalArgs{
						Src: between, Dst: dst, First: rows.first, Weights: rows.weights, Taps: uint32(rows.taps),
					})
				})
				f.shows(t, dst, p.resampled(r.toWidth).transposed().resampled(r.toHeight).transposed(), 1e-5)
			})
		}
	})
}

func TestHalveIsTheMeanOfTheArea(t *testing.T) {
	dev := openDevice(t)
	// covered is the part of texel i that texel k of `to` covers.
	covered := func(n, to, k, i int) float64 {
		from, end := float64(k)*float64(n)/float64(to), float64(k+1)*float64(n)/float64(to)
		return max(0, min(end, float64(i+1))-max(from, float64(i))) / (end - from)
	}
	eachFormat(t, []texelFormat{r8, rgba8, rgba8sRGB, rgba32f}, func(t *testing.T, f texelFormat) {
		for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 3}, {3, 2}, {3, 3}, {64, 16}, {37, 21}, {70, 35}} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				src, p := randomImage(t, dev, f, size[0], size[1])
				dst := canvas(t, dev, f, max(1, size[0]/2), max(1, size[1]/2))
				execute(t, dev, func(b *runtime.Batch) { gen.Halve(b, gen.HalveArgs{Src: src, Dst: dst}) })
				f.shows(t, dst, pictureOf(dst.Width(), dst.Height(), func(x, y int) (v [4]float64) {
					for j := range p.height {
						rows := covered(p.height, dst.Height(), y, j)
						for i := range p.width {
							v = sum(v, scaled(p.at(i, j), rows*covered(p.width, dst.Width(), x, i)))
						}
					}
					return v
				}), 1e-5)
			})
		}
	})
}

func TestHalveMakesAllLevelsInOneBatch(t *testing.T) {
	dev := openDevice(t)
	const width, height = 37, 21
	mips := newTexture(t, dev, width, height, rgba32f.format, runtime.TextureOptions{Levels: runtime.AllLevels})
	top := rgba32f.random(1, width*height, 0, 1)
	if err := mips.Write(runtime.Region{}, top); err != nil {
		t.Fatal(err)
	}
	level := func(n int) runtime.Texture2D {
		v, err := mips.View(rgba32f.format, runtime.Levels{First: n, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	execute(t, dev, func(b *runtime.Batch) {
		for n := range mips.Levels() - 1 {
			gen.Halve(b, gen.HalveArgs{Src: level(n), Dst: level(n + 1)})
		}
	})
	// Each level is a mean of the whole, so that the last is that of all texels.
	mean := [4]float64{}
	for _, v := range rgba32f.picture(width, height, top).texels {
		mean = sum(mean, scaled(v, 1./(width*height)))
	}
	last := level(mips.Levels() - 1)
	rgba32f.shows(t, last, pictureOf(1, 1, func(int, int) [4]float64 { return mean }), 1e-5)
}
