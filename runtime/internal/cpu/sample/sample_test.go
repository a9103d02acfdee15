package sample

import (
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

func TestOnlyLanesOfTheMaskAreSampled(t *testing.T) {
	for _, c := range samplings() {
		v, _ := c.view()
		p := c.points()[0]
		all := c.run(v, &p, 0xffffffff)
		for _, mask := range []uint32{0, 1, 1 << 31, 0x55555555, 0xffff0000} {
			d := c.run(v, &p, mask)
			for k := range d {
				for l, got := range d[k] {
					if want := all[k][l] * (mask >> l & 1); got != want {
						t.Fatalf("%s, mask %#x: lane %d has %#x, want %#x", c.name, mask, l, got, want)
					}
				}
			}
		}
	}
}

func TestSamplingAllocatesNothing(t *testing.T) {
	for _, c := range samplings() {
		v, _ := c.view()
		p := c.points()[0]
		scratch, d := new(Scratch), new(pixel.Texels)
		if n := testing.AllocsPerRun(1, func() { c.runIn(scratch, d, v, &p, 0xffffffff) }); n != 0 {
			t.Fatalf("%s: %v allocations", c.name, n)
		}
	}
}

func TestIntegersAreNeverFiltered(t *testing.T) {
	for _, format := range []pixel.Format{pixel.R32Uint, pixel.RGBA16Sint} {
		c := sampling{name: "integers", shape: d2(8, 8, 4), format: format, level: []float32{0, 0.3, 0.7, 1.5, 2.2}}
		v, _ := c.view()
		for _, p := range c.points() {
			c.sampler = mipped(bind.Linear, bind.Linear, bind.MipLinear)
			got := c.run(v, &p, 0xffffffff)
			c.sampler = mipped(bind.Nearest, bind.Nearest, bind.MipNearest)
			if want := c.run(v, &p, 0xffffffff); got != want {
				t.Fatalf("%v: %v, want %v", format, got, want)
			}
		}
	}
}

func TestATexelWithoutWeightMayBeInfinite(t *testing.T) {
	s := d1(3)
	levels, size := Pack(&s, 4)
	data := make([]byte, size)
	v, err := NewView(&s, pixel.R32Float, levels, data)
	if err != nil {
		t.Fatal(err)
	}
	info := pixel.R32Float.Info()
	for i, x := range []float32{float32(math.Inf(1)), 2, float32(math.NaN())} {
		texel := pixel.FromFloats([4]float32{x})
		info.Encode(data[4*i:], &texel)
	}
	sampler := filtered(bind.Linear)
	x := [Lanes]float32{0.5, 0.6, 0.3}
	var d pixel.Texels
	rows := d.Rows()
	v.Sample(new(Scratch), &rows, &sampler, &Point{X: &x}, 7)
	got := [3]float32{}
	for l := range got {
		got[l] = math.Float32frombits(d[0][l])
	}
	if got[0] != 2 || got[1] == got[1] || !math.IsInf(float64(got[2]), 1) {
		t.Errorf("%v, want 2, NaN, infinity", got)
	}
}

// Coordinates that are no numbers, or so large that an index would overflow, are sampled somewhere in the texture.
func TestWildCoordinatesStayInside(t *testing.T) {
	wild := []float32{
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, 1e10, -1e10,
		1 << 31, -1 << 31, 1 << 24, -1 << 24, 1e-45, -1e-45, 0, float32(math.Copysign(0, -1)), 1, -1, 16, -16, 15.999999,
	}
	for _, c := range samplings() {
		v, _ := c.view()
		p := c.points()[0]
		for l := range Lanes {
			for k := range p.coordinates {
				p.coordinates[k][l] = wild[(l*(k+1)+k)%len(wild)]
				p.offset[k][l] = []int32{0, math.MaxInt32, math.MinInt32, -8, 7}[(l+k)%5]
			}
			p.layer[l] = []uint32{0, 1, math.MaxUint32, 1 << 31}[l%4]
			p.level[l], p.least[l], p.value[l] = wild[l%len(wild)], wild[(l+3)%len(wild)], wild[(l+5)%len(wild)]
		}
		c.run(v, &p, 0xffffffff)
	}
	// Far away, addresses repeat as they do nearby: these are whole numbers, which floats hold exactly.
	c := sampling{name: "far", shape: d1(4), format: pixel.R32Float, sampler: addressed(0, bind.Repeat)}
	v, _ := c.view()
	near, far := points{}, points{}
	for l := range Lanes {
		near.coordinates[0][l] = float32(l) / 8
		far.coordinates[0][l] = float32(l)/8 + 1<<19
	}
	if c.run(v, &near, 0xffffffff) != c.run(v, &far, 0xffffffff) {
		t.Error("repeat does not repeat far away")
	}
	c.sampler = addressed(0, bind.MirrorRepeat)
	if c.run(v, &near, 0xffffffff) != c.run(v, &far, 0xffffffff) {
		t.Error("mirrored_repeat does not repeat far away")
	}
}

// A sample is within the range of the texels and the border.
func FuzzSample(f *testing.F) {
	f.Add(uint8(2), uint8(70), uint8(5), uint8(3), uint8(1), uint32(0x1213), float32(0.3), float32(-2), float32(0.9),
		float32(1.5), int32(3))
	f.Add(uint8(5), uint8(115), uint8(4), uint8(4), uint8(2), uint32(0xffffffff), float32(-1), float32(1), float32(-1),
		float32(0), int32(0))
	f.Add(uint8(7), uint8(252), uint8(2), uint8(9), uint8(3), uint32(77777), float32(math.Inf(1)), float32(1e30),
		float32(math.NaN()), float32(-7), int32(math.MinInt32))
	f.Fuzz(func(t *testing.T, kind, format, w, h, depth uint8, state uint32, x, y, z, lod float32, offset int32) {
		formats := pixel.Formats()
		c := sampling{name: "fuzz", format: formats[int(format)%len(formats)]}
		c.shape = []driver.TextureSpec{
			d1(int(w) + 1), layers(d1(int(w)+1), 2), d2(int(w)+1, int(h)+1, 1), layers(d2(int(w)+1, int(h)+1, 1), 3),
			cube(int(w)+1, 1), layers(cube(int(w)%32+1, 1), 2), d3(int(w)%32+1, int(h)%32+1, int(depth)%32+1, 1),
		}[kind%7]
		bits := func(n uint32) uint32 {
			b := state % n
			state /= n
			return b
		}
		c.shape.Levels = 1 + int(bits(uint32(c.shape.MostLevels())))
		c.sampler = bind.Sampler{
			Min: bind.Filter(bits(2)), Mag: bind.Filter(bits(2)), Mip: bind.MipFilter(bits(3)),
			AddressS: bind.AddressMode(bits(6)), AddressT: bind.AddressMode(bits(6)), AddressR: bind.AddressMode(bits(6)),
			Border: bind.BorderColor(bits(3)), Compare: bind.CompareFunction(bits(8)), Pixel: bits(2) == 1, LODMax: 1000,
		}
		v, _ := c.view()
		p := c.points()[0]
		for k, u := range [3]float32{x, y, z} {
			p.coordinates[k][7], p.offset[k][7] = u, offset
		}
		c.level = []float32{lod}
		p.level[7] = lod
		for c.op = range gatherCompared + 1 {
			d := c.run(v, &p, 0xffffffff)
			for k := range d {
				for l, word := range d[k] {
					// The texels of view are -0.5 to 1.5, depths and comparisons 0 to 1.
					got := math.Float32frombits(word)
					if v.filters() && !(got >= -0.5001 && got <= 1.5001) {
						t.Fatalf("component %d of lane %d is %v", k, l, got)
					}
				}
			}
		}
	})
}

func BenchmarkSample(b *testing.B) {
	for _, test := range []struct {
		name   string
		shape  driver.TextureSpec
		format pixel.Format
		filter bind.Filter
	}{
		{"2d/nearest", d2(1024, 1024, 1), pixel.RGBA8Unorm, bind.Nearest},
		{"2d/linear", d2(1024, 1024, 1), pixel.RGBA8Unorm, bind.Linear},
		{"2d/linear", d2(1024, 1024, 1), pixel.RGBA16Float, bind.Linear},
		{"2d/linear", d2(1024, 1024, 1), pixel.RGBA32Float, bind.Linear},
		{"2d/linear", d2(1024, 1024, 1), pixel.R32Float, bind.Linear},
		{"3d/linear", d3(64, 64, 64, 1), pixel.RGBA8Unorm, bind.Linear},
		{"cube/linear", cube(256, 1), pixel.RGBA8Unorm, bind.Linear},
	} {
		b.Run(test.name+"/"+test.format.String(), func(b *testing.B) {
			c := sampling{name: "bench", shape: test.shape, format: test.format, sampler: filtered(test.filter)}
			v, _ := c.view()
			p := c.points()[0]
			for l := range Lanes { // a row, as kernels sample
				p.coordinates[0][l], p.coordinates[1][l] = 0.3+float32(l)/1024, 0.4003
			}
			point := Point{X: &p.coordinates[0], Y: &p.coordinates[1], Z: &p.coordinates[2]}
			var d pixel.Texels
			rows, scratch := d.Rows(), new(Scratch)
			for b.Loop() {
				v.Sample(scratch, &rows, &c.sampler, &point, 0xffffffff)
			}
			b.ReportMetric(float64(b.N)*Lanes/b.Elapsed().Seconds()/1e6, "Mtexels/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, format := range []pixel.Format{pixel.R8Unorm, pixel.RGBA8Unorm, pixel.RGBA16Float, pixel.RGBA32Float} {
		c := sampling{name: "bench", shape: d2(1024, 1024, 1), format: format}
		v, _ := c.view()
		var x, y [Lanes]uint32
		for l := range x {
			x[l], y[l] = uint32(l), 7
		}
		var d pixel.Texels
		rows, scratch := d.Rows(), new(Scratch)
		b.Run("read/"+format.String(), func(b *testing.B) {
			for b.Loop() {
				v.Read(scratch, &rows, &Place{X: &x, Y: &y}, 0xffffffff)
			}
			b.ReportMetric(float64(b.N)*Lanes/b.Elapsed().Seconds()/1e6, "Mtexels/s")
		})
		b.Run("write/"+format.String(), func(b *testing.B) {
			for b.Loop() {
				v.Write(scratch, &Place{X: &x, Y: &y}, &rows, 0xffffffff)
			}
			b.ReportMetric(float64(b.N)*Lanes/b.Elapsed().Seconds()/1e6, "Mtexels/s")
		})
	}
}
