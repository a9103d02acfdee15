package gen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// counted returns the histograms of the first components of pictures, one after the other.
func counted(components int, pictures ...picture) []uint32 {
	counts := make([]uint32, 256*components)
	for _, p := range pictures {
		for _, texel := range p.texels {
			for c, v := range texel[:components] {
				counts[256*c+int(math.Round(255*min(max(v, 0), 1)))]++
			}
		}
	}
	return counts
}

func TestHistogramCountsEachTexelOnce(t *testing.T) {
	dev := openDevice(t)
	eachFormat(t, []texelFormat{r8, rg8, rgba8, rgba8sRGB, rgba16, rgba32f}, func(t *testing.T, f texelFormat) {
		for _, size := range [][2]int{{1, 1}, {1, 9}, {33, 1}, {37, 21}, {64, 128}, {70, 261}} {
			for _, components := range []int{1, 3, 4} {
				t.Run(fmt.Sprint(size, " ", components), func(t *testing.T) {
					first, p := randomImage(t, dev, f, size[0], size[1])
					second, q := image(t, dev, f, 5, 7, f.random(99, 5*7, 0, 0.25))
					counts := inout(t, dev, make([]uint32, 256*components))
					execute(t, dev, func(b *runtime.Batch) {
						for _, src := range []runtime.Texture2D{first, second} {
							gen.Histogram(b, gen.HistogramArgs{Src: src, Counts: counts, Components: uint32(components)})
						}
					})
					want := counted(components, p, q)
					for i, got := range counts.Data() {
						if got != want[i] {
							t.Errorf("component %d: %d texels in bin %d, want %d", i/256, got, i%256, want[i])
						}
					}
				})
			}
		}
	})
}

func TestHistogramTakesNaNForZero(t *testing.T) {
	dev := openDevice(t)
	var texels []byte
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 2, 0.5} {
		texels = binary.NativeEndian.AppendUint32(texels, math.Float32bits(float32(v)))
	}
	src, _ := image(t, dev, r32f, 3, 2, texels)
	counts := inout(t, dev, make([]uint32, 256))
	execute(t, dev, func(b *runtime.Batch) {
		gen.Histogram(b, gen.HistogramArgs{Src: src, Counts: counts, Components: 1})
	})
	want := make([]uint32, 256)
	want[0], want[128], want[255] = 3, 1, 2
	if got := counts.Data(); !slices.Equal(got, want) {
		t.Errorf("counted %d", got)
	}
}

// equalized returns the curve that equalises values in 8 bits.
func equalized(counts []uint32) []float64 {
	total, least, upto := 0.0, 0.0, 0.0
	for _, n := range counts {
		total += float64(n)
		if least == 0 {
			least = float64(n)
		}
	}
	curve := make([]float64, 256)
	for v, n := range counts {
		upto += float64(n)
		switch {
		case total == least: // nothing to distribute
			curve[v] = float64(v) / 255
		case upto > 0:
			curve[v] = (upto - least) / (total - least)
		}
	}
	return curve
}

func TestEqualizationIsTheCumulativeDistribution(t *testing.T) {
	dev := openDevice(t)
	bins := func(set map[int]uint32) []uint32 {
		counts := make([]uint32, 256)
		for v, n := range set {
			counts[v] = n
		}
		return counts
	}
	histograms := [][]uint32{
		bins(nil),
		bins(map[int]uint32{17: 5}),
		bins(map[int]uint32{0: 1, 255: 1}),
		bins(map[int]uint32{31: 10, 32: 20, 63: 5, 64: 1, 250: 100}),
		bins(map[int]uint32{255: 1 << 28, 254: 3}),
		counted(1, r8.picture(100, 100, r8.random(1, 100*100, 0, 1))),
	}
	n := len(histograms)
	for _, threads := range []int{256, 1, 33, 100, 255, 512} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			curves := output[float32](t, dev, 256*n)
			execute(t, dev, func(b *runtime.Batch) {
				gen.Equalization(b, gen.EqualizationArgs{
					Counts: input(t, dev, slices.Concat(histograms...)), Curves: curves, Components: uint32(n),
					Grid: groups(n+2, 1, 1, threads, 1, 1), // two surplus threadgroups
				})
			})
			for i, counts := range histograms {
				compare(t, fmt.Sprint("curve ", i), curves.Data()[256*i:][:256], equalized(counts), nil, elementRel)
			}
		})
	}
}

func TestCurvesMapValuesAndWhatLiesBetween(t *testing.T) {
	dev := openDevice(t)
	eachSize(t, []texelFormat{r8, rgba8, rgba16, rgba32f}, func(t *testing.T, f texelFormat, width, height int) {
		const components = 3
		src, p := randomImage(t, dev, f, width, height)
		curves := uniform(1, 256*components, 0, 1)
		dst := canvas(t, dev, rgba32f, width, height)
		execute(t, dev, func(b *runtime.Batch) {
			gen.ApplyCurves(b, gen.ApplyCurvesArgs{
				Src: src, Dst: dst, Curves: input(t, dev, curves), Components: components,
			})
		})
		rgba32f.shows(t, dst, pictureOf(width, height, func(x, y int) [4]float64 {
			v := p.at(x, y)
			for c := range components {
				at := 255 * min(max(v[c], 0), 1)
				lo, hi := math.Floor(at), math.Ceil(at)
				v[c] = float64(curves[256*c+int(lo)])
				if hi > lo {
					v[c] += (at - lo) * (float64(curves[256*c+int(hi)]) - v[c])
				}
			}
			return v
		}), 1e-4) // a curve rises by up to 255 for each 1
	})
}

func TestEqualizedImageHasTheRankOfEachTexel(t *testing.T) {
	dev := openDevice(t)
	const width, height = 37, 21
	dark := r8.random(1, width*height, 0, 1)
	for i := range dark {
		dark[i] = 20 + dark[i]/4
	}
	src, _ := image(t, dev, r8, width, height, dark)
	dst := canvas(t, dev, r8, width, height)
	counts, curves := inout(t, dev, make([]uint32, 256)), output[float32](t, dev, 256)
	execute(t, dev, func(b *runtime.Batch) {
		gen.Histogram(b, gen.HistogramArgs{Src: src, Counts: counts, Components: 1})
		gen.Equalization(b, gen.EqualizationArgs{Counts: counts, Curves: curves, Components: 1})
		gen.ApplyCurves(b, gen.ApplyCurvesArgs{Src: src, Dst: dst, Curves: curves, Components: 1})
	})
	sorted := slices.Clone(dark)
	slices.Sort(sorted)
	upto := func(v byte) float64 { // texels that are not brighter
		n, _ := slices.BinarySearch(sorted, v+1)
		return float64(n)
	}
	least := upto(sorted[0])
	r8.shows(t, dst, pictureOf(width, height, func(x, y int) [4]float64 {
		return [4]float64{(upto(dark[y*width+x]) - least) / (width*height - least)}
	}), 1e-4)
}
