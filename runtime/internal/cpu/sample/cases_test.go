package sample

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// sampling is one case: a texture, a sampler, and what is asked for. Its texels and points follow from its name.
type sampling struct {
	name      string
	shape     driver.TextureSpec
	format    pixel.Format
	sampler   bind.Sampler
	op        operation
	component int       // of a gather
	level     []float32 // MSL's level, in turn; none if empty
	least     []float32 // MSL's min_lod_clamp
	offset    [3]int32
}

type operation int

const (
	sampled operation = iota
	compared
	gathered
	gatherCompared
)

func shape(kind bind.TextureType, w, h, d, levels int) driver.TextureSpec {
	return driver.TextureSpec{Type: kind, Width: w, Height: h, Depth: d, Length: 1, Levels: levels, Samples: 1}
}

func d1(w int) driver.TextureSpec               { return shape(bind.Texture1D, w, 1, 1, 1) }
func d2(w, h, levels int) driver.TextureSpec    { return shape(bind.Texture2D, w, h, 1, levels) }
func d3(w, h, d, levels int) driver.TextureSpec { return shape(bind.Texture3D, w, h, d, levels) }
func cube(w, levels int) driver.TextureSpec     { return shape(bind.TextureCube, w, w, 1, levels) }

func layers(s driver.TextureSpec, n int) driver.TextureSpec {
	s.Length = n
	s.Type = map[bind.TextureType]bind.TextureType{
		bind.Texture1D: bind.Texture1DArray, bind.Texture2D: bind.Texture2DArray, bind.TextureCube: bind.TextureCubeArray,
	}[s.Type]
	return s
}

var (
	filterNames  = []string{"nearest", "linear"}
	addressNames = []string{
		"clamp_to_edge", "mirror_clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_zero", "clamp_to_border",
	}
	mipNames     = []string{"none", "nearest", "linear"}
	compareNames = []string{
		"never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always",
	}
)

func filtered(f bind.Filter) bind.Sampler {
	return bind.Sampler{Min: f, Mag: f, LODMax: math.MaxFloat32}
}

func addressed(f bind.Filter, a bind.AddressMode) bind.Sampler {
	s := filtered(f)
	s.Address = a
	return s
}

// samplings returns all cases.
func samplings() (all []sampling) {
	add := func(c sampling, format string, args ...any) {
		c.name = fmt.Sprintf(format, args...)
		if c.format == 0 {
			c.format = pixel.RGBA32Float
		}
		all = append(all, c)
	}
	lods := []float32{0, 0.25, 0.5, 0.75, 1, 1.2, 1.5, 1.9, 2, 2.6, 3, 5, -1, 100}

	for f := bind.Nearest; f <= bind.Linear; f++ {
		for a := bind.ClampToEdge; a <= bind.ClampToBorder; a++ {
			what := addressNames[a] + "/" + filterNames[f]
			s := addressed(f, a)
			add(sampling{shape: d1(7), sampler: s}, "address/1d/%s", what)
			add(sampling{shape: d2(5, 3, 1), sampler: s}, "address/2d/%s", what)
			add(sampling{shape: d2(1, 1, 1), sampler: s}, "address/one texel/%s", what)
			add(sampling{shape: d3(4, 3, 2, 1), sampler: s}, "address/3d/%s", what)
			add(sampling{shape: d2(8, 4, 1), sampler: s, offset: [3]int32{3, -8, 0}}, "offset/2d/%s", what)
			add(sampling{shape: d3(4, 3, 5, 1), sampler: s, offset: [3]int32{-2, 7, 1}}, "offset/3d/%s", what)
			add(sampling{shape: layers(d2(4, 5, 1), 3), sampler: s}, "address/2d array/%s", what)
			if a != bind.MirrorClampToEdge && a != bind.Repeat && a != bind.MirrorRepeat {
				s.Pixel = true
				add(sampling{shape: d1(9), sampler: s}, "pixel/1d/%s", what)
				add(sampling{shape: d2(6, 5, 1), sampler: s}, "pixel/2d/%s", what)
			}
		}
		for b := bind.TransparentBlack; b <= bind.OpaqueWhite; b++ {
			s := addressed(f, bind.ClampToBorder)
			s.Border = b
			for _, format := range []pixel.Format{pixel.R8Unorm, pixel.RGBA8Unorm, pixel.A8Unorm, pixel.RG16Float} {
				add(sampling{shape: d2(3, 4, 1), format: format, sampler: s}, "border %d/%v/%s", b, format, filterNames[f])
			}
		}
		for _, format := range []pixel.Format{pixel.R8Unorm, pixel.RGBA8Unorm, pixel.B5G6R5Unorm} {
			s := addressed(f, bind.ClampToZero)
			add(sampling{shape: d2(3, 4, 1), format: format, sampler: s}, "zero/%v/%s", format, filterNames[f])
		}
		mixed := filtered(f)
		mixed.AddressS, mixed.AddressT, mixed.AddressR = bind.Repeat, bind.ClampToZero, bind.MirrorRepeat
		add(sampling{shape: d3(4, 3, 2, 1), sampler: mixed}, "address/mixed/%s", filterNames[f])
		add(sampling{shape: layers(d1(6), 4), sampler: filtered(f)}, "array/1d/%s", filterNames[f])
		add(sampling{shape: layers(cube(4, 1), 3), sampler: filtered(f)}, "array/cube/%s", filterNames[f])
		for _, size := range []int{1, 2, 3, 4, 8} {
			add(sampling{shape: cube(size, 1), sampler: filtered(f)}, "cube/%d/%s", size, filterNames[f])
		}
		mips := mipped(f, f, bind.MipLinear)
		add(sampling{shape: cube(8, 4), sampler: mips, level: lods}, "cube/mips/%s", filterNames[f])
	}

	// Levels: which one, and which filter.
	for min := bind.Nearest; min <= bind.Linear; min++ {
		for mag := bind.Nearest; mag <= bind.Linear; mag++ {
			for mip := bind.MipNone; mip <= bind.MipLinear; mip++ {
				s := mipped(min, mag, mip)
				what := fmt.Sprintf("min %s mag %s mip %s", filterNames[min], filterNames[mag], mipNames[mip])
				add(sampling{shape: d2(13, 8, 4), sampler: s, level: lods}, "level/2d/%s", what)
				add(sampling{shape: d2(8, 8, 4), sampler: s}, "level/none given/%s", what)
				add(sampling{shape: d2(8, 8, 4), sampler: s, least: lods}, "level/min_lod_clamp/%s", what)
				s.LODMin, s.LODMax = 1.25, 2.5
				add(sampling{shape: d2(16, 4, 5), sampler: s}, "level/lod_clamp/%s", what)
				add(sampling{shape: d2(16, 4, 5), sampler: s, least: lods}, "level/both clamps/%s", what)
			}
		}
	}
	add(sampling{shape: d3(9, 5, 4, 4), sampler: mipped(1, 1, bind.MipLinear), level: lods}, "level/3d")
	add(sampling{shape: layers(d2(9, 5, 4), 2), sampler: mipped(1, 1, bind.MipLinear), level: lods}, "level/2d array")

	// Formats: all of them, and filtered where they can be.
	for _, format := range pixel.Formats() {
		add(sampling{shape: d2(7, 6, 1), format: format, sampler: addressed(0, bind.Repeat)}, "format/%v", format)
		if format.Info().Uses&pixel.Filter != 0 {
			s := addressed(1, bind.Repeat)
			add(sampling{shape: d2(7, 6, 1), format: format, sampler: s}, "format/%v/linear", format)
		}
		if format.Info().Type == pixel.Signed || format.Info().Type == pixel.Unsigned {
			s := addressed(0, bind.ClampToBorder)
			s.Border = bind.OpaqueWhite
			add(sampling{shape: d2(2, 2, 1), format: format, sampler: s}, "format/%v/border", format)
		}
	}

	// Comparison.
	for c := bind.CompareNever; c <= bind.CompareAlways; c++ {
		for f := bind.Nearest; f <= bind.Linear; f++ {
			for _, format := range []pixel.Format{pixel.Depth16Unorm, pixel.Depth32Float} {
				s := filtered(f)
				s.Compare = c
				what := fmt.Sprintf("%s/%s/%v", compareNames[c], filterNames[f], format)
				add(sampling{shape: d2(6, 5, 1), format: format, sampler: s, op: compared}, "compare/%s", what)
			}
		}
	}
	for f := bind.Nearest; f <= bind.Linear; f++ {
		s := mipped(f, f, bind.MipLinear)
		s.Compare = bind.CompareLessEqual
		what := filterNames[f]
		depth := pixel.Depth32Float
		add(sampling{shape: d2(8, 8, 4), format: depth, sampler: s, op: compared, level: lods}, "compare/mips/%s", what)
		add(sampling{shape: layers(d2(5, 4, 1), 3), format: depth, sampler: s, op: compared}, "compare/array/%s", what)
		add(sampling{shape: cube(4, 1), format: depth, sampler: s, op: compared}, "compare/cube/%s", what)
		add(sampling{shape: layers(cube(3, 1), 2), format: depth, sampler: s, op: compared}, "compare/cubes/%s", what)
		s.AddressS, s.AddressT, s.Border = bind.ClampToBorder, bind.ClampToBorder, bind.OpaqueWhite
		add(sampling{shape: d2(5, 4, 1), format: depth, sampler: s, op: compared}, "compare/border/%s", what)
		add(sampling{
			shape: d2(5, 4, 1), format: depth, sampler: s, op: compared, offset: [3]int32{2, -3},
		}, "compare/offset/%s", what)
	}

	// Gather.
	for c := range 4 {
		s := addressed(1, bind.ClampToEdge)
		add(sampling{shape: d2(5, 4, 3), sampler: s, op: gathered, component: c}, "gather/2d/%d", c)
		add(sampling{shape: layers(d2(5, 4, 1), 3), sampler: s, op: gathered, component: c}, "gather/2d array/%d", c)
		add(sampling{shape: cube(4, 1), sampler: s, op: gathered, component: c}, "gather/cube/%d", c)
		add(sampling{shape: layers(cube(3, 1), 2), sampler: s, op: gathered, component: c}, "gather/cubes/%d", c)
		s = addressed(0, bind.Repeat)
		u := pixel.RG16Uint
		add(sampling{shape: d2(5, 4, 1), format: u, sampler: s, op: gathered, component: c}, "gather/integers/%d", c)
		add(sampling{
			shape: d2(5, 4, 1), sampler: s, op: gathered, component: c, offset: [3]int32{-3, 5},
		}, "gather/offset/%d", c)
	}
	for a := bind.ClampToEdge; a <= bind.ClampToBorder; a++ {
		s := addressed(1, a)
		add(sampling{shape: d2(3, 4, 1), sampler: s, op: gathered, component: 3}, "gather/%s", addressNames[a])
		s.Compare = bind.CompareGreater
		depth := pixel.Depth32Float
		add(sampling{shape: d2(3, 4, 1), format: depth, sampler: s, op: gatherCompared}, "gather compare/%s", addressNames[a])
	}
	s := addressed(1, bind.ClampToEdge)
	s.Compare = bind.CompareLess
	depth := pixel.Depth16Unorm
	add(sampling{shape: layers(d2(3, 4, 1), 2), format: depth, sampler: s, op: gatherCompared}, "gather compare/array")
	add(sampling{shape: cube(4, 1), format: depth, sampler: s, op: gatherCompared}, "gather compare/cube")
	return all
}

func mipped(min, mag bind.Filter, mip bind.MipFilter) bind.Sampler {
	return bind.Sampler{Min: min, Mag: mag, Mip: mip, LODMax: math.MaxFloat32}
}

func (c *sampling) random() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(c.name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// view returns a texture of random texels that are ordinary numbers.
func (c *sampling) view() (*View, []byte) {
	r := c.random()
	info := c.format.Info()
	levels, size := Pack(&c.shape, info.Size)
	data := make([]byte, size)
	for at := 0; at < size; at += info.Size {
		var t pixel.Texel
		for k := range t {
			switch info.Type {
			case pixel.Signed, pixel.Unsigned:
				t[k] = r.Uint32()
			case pixel.Depth:
				t[k] = math.Float32bits(float32(r.IntN(9)) / 8) // some depths are equal
			default:
				t[k] = math.Float32bits(r.Float32()*2 - 0.5)
			}
		}
		info.Encode(data[at:], &t)
	}
	v, err := NewView(&c.shape, c.format, levels, data)
	if err != nil {
		panic(err)
	}
	return v, data
}

// groups is how many simd-groups of points a case has.
const groups = 3

// points holds what the lanes of a simd-group ask for.
type points struct {
	coordinates  [3][Lanes]float32
	layer        [Lanes]uint32
	level, least [Lanes]float32
	value        [Lanes]float32
	offset       [3][Lanes]int32
}

func (c *sampling) points() (all [groups]points) {
	r := c.random()
	sizes := [3]int{c.shape.Width, c.shape.Height, c.shape.Depth}
	for g := range all {
		p := &all[g]
		for l := range Lanes {
			for k := range 3 {
				u := float32(0)
				switch {
				case c.shape.Type.Faces() > 1:
					if u = r.Float32()*2 - 1; r.IntN(4) == 0 {
						u = float32(r.IntN(3) - 1) // edges and corners
					}
				case r.IntN(3) == 0: // on the middles and edges of texels
					u = (float32(r.IntN(8*sizes[k])-4*sizes[k]) / 2) / float32(sizes[k])
				default:
					u = r.Float32()*4 - 1.5
				}
				if c.sampler.Pixel {
					u *= float32(sizes[k])
				}
				p.coordinates[k][l] = u
				p.offset[k][l] = c.offset[k]
			}
			if c.shape.Type.Faces() > 1 && p.coordinates[0][l] == 0 && p.coordinates[1][l] == 0 {
				p.coordinates[2][l] = 1 // else there is no direction
			}
			p.layer[l] = uint32(r.IntN(c.shape.Length + 1)) // one is too large
			p.value[l] = float32(r.IntN(11)-1) / 8
			if len(c.level) > 0 {
				p.level[l] = c.level[(g*Lanes+l)%len(c.level)]
			}
			if len(c.least) > 0 {
				p.least[l] = c.least[(g*Lanes+l)%len(c.least)]
			}
		}
	}
	return all
}

// run asks the view.
func (c *sampling) run(v *View, p *points, mask uint32) (d pixel.Texels) {
	c.runIn(new(Scratch), &d, v, p, mask)
	return d
}

func (c *sampling) runIn(scratch *Scratch, d *pixel.Texels, v *View, p *points, mask uint32) {
	point := Point{
		X: &p.coordinates[0], Y: &p.coordinates[1], Z: &p.coordinates[2], Layer: &p.layer,
		OffsetX: &p.offset[0], OffsetY: &p.offset[1], OffsetZ: &p.offset[2],
	}
	if len(c.level) > 0 {
		point.Level = &p.level
	}
	if len(c.least) > 0 {
		point.Least = &p.least
	}
	rows := d.Rows()
	switch c.op {
	case compared:
		v.SampleCompare(scratch, &rows, &c.sampler, &point, &p.value, mask)
	case gathered:
		v.Gather(scratch, &rows, &c.sampler, &point, c.component, mask)
	case gatherCompared:
		v.GatherCompare(scratch, &rows, &c.sampler, &point, &p.value, mask)
	default:
		v.Sample(scratch, &rows, &c.sampler, &point, mask)
	}
}
