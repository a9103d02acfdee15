package sample

import (
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// reference answers one point of a case by definitions: a filter is a sum over the plane of texels, each with the
// weight of a tent around the point, and beyond the texture that plane is continued texel by texel.
type reference struct {
	c     *sampling
	data  []byte
	level int
	slice int // of a cube, the first face of the layer
}

// stored returns a texel that is in the texture.
func (r *reference) stored(slice, x, y, z int) [4]float64 {
	at := 0
	size := r.c.format.Info().Size
	for n := range r.level {
		w, h, d := r.c.shape.Extent(n)
		at += w * h * d * r.c.shape.Length * r.c.shape.Type.Faces() * size
	}
	w, h, _ := r.c.shape.Extent(r.level)
	at += (((slice+z)*h+y)*w + x) * size
	return r.values(r.c.format.Info().Decode(r.data[at:]))
}

func (r *reference) values(t pixel.Texel) (v [4]float64) {
	for k, w := range t {
		switch r.c.format.Info().Type {
		case pixel.Signed:
			v[k] = float64(int32(w))
		case pixel.Unsigned:
			v[k] = float64(w)
		default:
			v[k] = float64(math.Float32frombits(w))
		}
	}
	return v
}

// continued walks from outside of a row of n texels to the texel that is there.
func continued(i, n int, mode bind.AddressMode) (int, bool) {
	for i < 0 || i >= n {
		switch mode {
		case bind.ClampToEdge:
			if i < 0 {
				i++
			} else {
				i--
			}
		case bind.MirrorClampToEdge:
			if i < 0 {
				i = -1 - i
			} else {
				i--
			}
		case bind.Repeat:
			if i < 0 {
				i += n
			} else {
				i -= n
			}
		case bind.MirrorRepeat:
			if i < 0 {
				i = -1 - i
			} else {
				i = 2*n - 1 - i
			}
		default:
			return 0, false
		}
	}
	return i, true
}

// plane returns a texel of the plane that continues the texture.
func (r *reference) plane(x, y, z int) [4]float64 {
	w, h, d := r.c.shape.Extent(r.level)
	s := &r.c.sampler
	modes := s.Addresses()
	at := [3]int{x, y, z}
	border := false
	zero := false
	sizes := [3]int{w, h, d}
	for k, n := range sizes[:r.c.shape.Type.Dimensions()] {
		i, ok := continued(at[k], n, modes[k])
		at[k] = i
		border = border || !ok
		zero = zero || modes[k] == bind.ClampToZero
	}
	if !border {
		return r.stored(r.slice, at[0], at[1], at[2])
	}
	alpha := false
	for _, c := range r.c.format.String() {
		alpha = alpha || c == 'A'
	}
	switch {
	case zero && alpha:
		return [4]float64{}
	case zero || s.Border == bind.OpaqueBlack:
		return [4]float64{0, 0, 0, 1}
	case s.Border == bind.OpaqueWhite:
		return [4]float64{1, 1, 1, 1}
	}
	return [4]float64{}
}

// tested applies the comparison of a case to a texel.
func (r *reference) tested(t [4]float64, value float64) [4]float64 {
	if r.c.op != compared && r.c.op != gatherCompared {
		return t
	}
	if r.c.format == pixel.Depth16Unorm {
		value = math.Max(0, math.Min(1, value))
	}
	passes := [8]string{"", "<", "=", "<=", ">", "<>", ">=", "<=>"}[r.c.sampler.Compare]
	order := "="
	if value < t[0] {
		order = "<"
	} else if value > t[0] {
		order = ">"
	}
	t[0] = 0
	for _, p := range passes {
		if string(p) == order {
			t[0] = 1
		}
	}
	return t
}

// filter returns the texels around (x, y, z) with the weights of a tent, or the one that the point is in.
func (r *reference) filter(x [3]float64, linear bool, value float64) (sum [4]float64) {
	dimensions := r.c.shape.Type.Dimensions()
	var low, high [3]int
	for k := range dimensions {
		low[k] = int(math.Floor(x[k]))
		high[k] = low[k]
		if linear {
			low[k]--
			high[k]++
		}
	}
	for k := low[2]; k <= high[2]; k++ {
		for j := low[1]; j <= high[1]; j++ {
			for i := low[0]; i <= high[0]; i++ {
				weight := 1.0
				at := [3]int{i, j, k}
				for a, n := range at[:dimensions] {
					if linear {
						weight *= math.Max(0, 1-math.Abs(x[a]-(float64(n)+0.5)))
					}
				}
				if weight == 0 {
					continue
				}
				t := r.tested(r.plane(i+int(r.c.offset[0]), j+int(r.c.offset[1]), k+int(r.c.offset[2])), value)
				for n := range sum {
					sum[n] += weight * t[n]
				}
			}
		}
	}
	return sum
}

// texel returns the texel in which a point is.
func (r *reference) texel(x [3]float64, value float64) [4]float64 { return r.filter(x, false, value) }

// answer returns what a lane should read.
func (c *sampling) answer(data []byte, p *points, l int) (want [4]float64) {
	r := &reference{c: c, data: data}
	r.slice = min(int(p.layer[l]), c.shape.Length-1) * c.shape.Type.Faces()
	if c.shape.Type.Faces() > 1 {
		return c.cubeAnswer(r, p, l)
	}
	position := func() (x [3]float64) {
		w, h, d := c.shape.Extent(r.level)
		for k, n := range [3]int{w, h, d} {
			x[k] = float64(p.coordinates[k][l])
			if !c.sampler.Pixel {
				x[k] *= float64(n)
			}
		}
		return x
	}
	if c.op == gathered || c.op == gatherCompared {
		x := position()
		for k, delta := range [4][2]float64{{-0.5, 0.5}, {0.5, 0.5}, {0.5, -0.5}, {-0.5, -0.5}} {
			t := r.texel([3]float64{x[0] + delta[0], x[1] + delta[1]}, float64(p.value[l]))
			want[k] = t[c.component]
		}
		return want
	}
	return c.overLevels(r, p, l, func(linear bool) [4]float64 {
		return r.filter(position(), linear, float64(p.value[l]))
	})
}

// overLevels reads the levels that a lane's level of detail says.
func (c *sampling) overLevels(r *reference, p *points, l int, read func(linear bool) [4]float64) (want [4]float64) {
	lod := math.Min(math.Max(0, float64(c.sampler.LODMin)), float64(c.sampler.LODMax))
	if len(c.level) > 0 {
		lod = float64(p.level[l])
	}
	if len(c.least) > 0 {
		lod = math.Max(lod, float64(p.least[l]))
	}
	linear := c.sampler.Mag == bind.Linear
	if lod > 0 {
		linear = c.sampler.Min == bind.Linear
	}
	last := c.shape.Levels - 1
	for n := range c.shape.Levels {
		lod := math.Min(math.Max(lod, 0), float64(last))
		weight := 0.0
		switch c.sampler.Mip {
		case bind.MipNone:
			if n == 0 {
				weight = 1
			}
		case bind.MipNearest:
			// Each level has the half-open interval around it, which includes its upper end.
			if lod > float64(n)-0.5 && lod <= float64(n)+0.5 {
				weight = 1
			}
		case bind.MipLinear:
			weight = math.Max(0, 1-math.Abs(lod-float64(n)))
		}
		if weight == 0 {
			continue
		}
		r.level = n
		for k, v := range read(linear) {
			want[k] += weight * v
		}
	}
	return want
}

func TestSamplesAreThoseOfTheDefinitions(t *testing.T) {
	cases := samplings()
	if len(cases) < 150 {
		t.Errorf("only %d cases", len(cases))
	}
	t.Logf("%d cases of %d points", len(cases), groups*Lanes)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, data := c.view()
			components := 4
			if c.op == compared {
				components = 1
			}
			for _, p := range c.points() {
				d := c.run(v, &p, 0xffffffff)
				for l := range Lanes {
					want := c.answer(data, &p, l)
					got := (&reference{c: &c}).values(pixel.Texel{d[0][l], d[1][l], d[2][l], d[3][l]})
					if c.op == compared || c.op == gatherCompared {
						for k, f := range (pixel.Texel{d[0][l], d[1][l], d[2][l], d[3][l]}).Floats() {
							got[k] = float64(f)
						}
					}
					for k := range components {
						if math.Abs(got[k]-want[k]) > 1e-6*math.Max(1, math.Abs(want[k])) {
							t.Fatalf("lane %d at %v %v %v, layer %d, level %v, least %v, value %v: got %v, want %v", l,
								p.coordinates[0][l], p.coordinates[1][l], p.coordinates[2][l], p.layer[l], p.level[l],
								p.least[l], p.value[l], got, want)
						}
					}
				}
			}
		})
	}
}
