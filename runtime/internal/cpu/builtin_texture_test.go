package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// textureCase is a type of textures, as MSL names it, and one of its textures.
type textureCase struct {
	msl  string
	spec driver.TextureSpec
}

var textureCases = []textureCase{
	{"texture1d", shapeOf(bind.Texture1D, 9, 1, 1, 1, 1, 0)},
	{"texture1d_array", shapeOf(bind.Texture1DArray, 9, 1, 1, 3, 1, 0)},
	{"texture2d", shapeOf(bind.Texture2D, 9, 5, 1, 1, 3, 0)},
	{"texture2d_array", shapeOf(bind.Texture2DArray, 9, 5, 1, 3, 2, 0)},
	{"texture3d", shapeOf(bind.Texture3D, 9, 5, 4, 1, 3, 0)},
	{"texturecube", shapeOf(bind.TextureCube, 8, 8, 1, 1, 3, 0)},
	{"texturecube_array", shapeOf(bind.TextureCubeArray, 4, 4, 1, 2, 2, 0)},
	{"texture2d_ms", shapeOf(bind.Texture2DMS, 9, 5, 1, 1, 1, 4)},
	{"texture_buffer", shapeOf(bind.TextureBuffer, 90, 1, 1, 1, 1, 0)},
	{"depth2d", shapeOf(bind.Texture2D, 9, 5, 1, 1, 3, 0)},
	{"depth2d_array", shapeOf(bind.Texture2DArray, 9, 5, 1, 3, 2, 0)},
	{"depthcube", shapeOf(bind.TextureCube, 8, 8, 1, 1, 3, 0)},
	{"depthcube_array", shapeOf(bind.TextureCubeArray, 4, 4, 1, 2, 2, 0)},
}

func shapeOf(t bind.TextureType, width, height, depth, length, levels, samples int) driver.TextureSpec {
	return driver.TextureSpec{
		Type: t, Width: width, Height: height, Depth: depth, Length: length, Levels: levels, Samples: samples,
	}
}

func (c *textureCase) depth() bool { return strings.HasPrefix(c.msl, "depth") }

// make makes a texture of random texels from 0 to 1.
func (c *textureCase) make(t *testing.T, format pixel.Format, r *rand.Rand) *storage.Texture {
	t.Helper()
	spec := c.spec
	spec.Format, spec.Samples = format, max(spec.Samples, 1)
	made, err := storage.NewTexture(spec)
	if err != nil {
		t.Fatal(err)
	}
	tex := made.(*storage.Texture)
	info := format.Info()
	for at := 0; at < len(tex.Bytes); at += info.Size {
		texel := pixel.FromFloats([4]float32{r.Float32(), r.Float32(), r.Float32(), r.Float32()})
		if info.Type == pixel.Unsigned || info.Type == pixel.Signed {
			texel = pixel.Texel{r.Uint32N(200), r.Uint32N(200), r.Uint32N(200), r.Uint32N(200)}
		}
		info.Encode(tex.Bytes[at:], &texel)
	}
	return tex
}

// vector is the type of so many numbers.
func vectorOf(scalar string, n int) string {
	if n == 1 {
		return scalar
	}
	return fmt.Sprint(scalar, n)
}

// places are arguments of each lane: coordinates and whatever else a method takes.
type places struct {
	X, Y, Z, Face, Layer, Level, Sample [width]uint32
}

func (c *textureCase) places(r *rand.Rand) (p places) {
	s := &c.spec
	for l := range width {
		level := r.IntN(s.Levels + 1) // one is too large, as are some of the others
		w, h, d := s.Extent(level)
		p.X[l], p.Y[l], p.Z[l] = r.Uint32N(uint32(w+1)), r.Uint32N(uint32(h+1)), r.Uint32N(uint32(d+1))
		p.Face[l], p.Layer[l] = r.Uint32N(6), r.Uint32N(uint32(s.Length+1))
		p.Level[l], p.Sample[l] = uint32(level), r.Uint32N(uint32(max(s.Samples, 1)))
	}
	return p
}

// part moves all but one of those out of the texture that are the same.
func (c *textureCase) part(p *places) {
	seen := map[sample.Texel]bool{}
	for l := range width {
		at := c.place(p).Of(l)
		if seen[at] {
			p.X[l] = uint32(c.spec.Width)
		}
		seen[at] = true
	}
}

// flat returns the places as a kernel reads them.
func (p *places) flat() []uint32 {
	var all []uint32
	for _, list := range [...]*[width]uint32{&p.X, &p.Y, &p.Z, &p.Face, &p.Layer, &p.Level, &p.Sample} {
		all = append(all, list[:]...)
	}
	return all
}

// arguments returns what read and write of the type take, of kernels that have the places in p.
func (c *textureCase) arguments(coordinate string) string {
	n := c.spec.Type.Dimensions()
	parts := []string{"p[i]", "p[32 + i]", "p[64 + i]"}[:n]
	list := vectorOf(coordinate, n) + "(" + strings.Join(parts, ", ") + ")"
	if c.spec.Type.Faces() > 1 {
		list += ", " + coordinate + "(p[96 + i])"
	}
	if c.spec.Type.IsArray() {
		list += ", " + coordinate + "(p[128 + i])"
	}
	switch {
	case c.spec.Type.IsMultisampled():
		list += ", " + coordinate + "(p[192 + i])"
	case c.spec.Type.Dimensions() > 1:
		list += ", " + coordinate + "(p[160 + i])"
	}
	return list
}

// place returns the places as package sample takes them.
func (c *textureCase) place(p *places) *sample.Place {
	place := &sample.Place{X: &p.X}
	if c.spec.Type.Dimensions() > 1 {
		place.Y = &p.Y
		place.Level = &p.Level
	}
	if c.spec.Type.Dimensions() > 2 {
		place.Z = &p.Z
	}
	if c.spec.Type.Faces() > 1 {
		place.Face = &p.Face
	}
	if c.spec.Type.IsArray() {
		place.Layer = &p.Layer
	}
	if c.spec.Type.IsMultisampled() {
		place.Level, place.Sample = nil, &p.Sample
	}
	return place
}

// TestTexelsAreRead compares reads of all types with package sample, which has references
// of its own.
func TestTexelsAreRead(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range textureCases {
		formats := map[string]pixel.Format{"float": pixel.RGBA8Unorm, "half": pixel.RGBA16Float, "int": pixel.RG16Sint,
			"uint": pixel.R32Uint, "ushort": pixel.RGBA8Uint}
		if c.depth() {
			formats = map[string]pixel.Format{"float": pixel.Depth32Float}
		}
		for scalar, format := range formats {
			for _, coordinate := range []string{"uint", "ushort"} {
				tex, p := c.make(t, format, r), c.places(r)
				out := make([]uint32, 4*width)
				n := 4
				if c.depth() {
					n = 1
				}
				word := map[string]string{"half": "float", "ushort": "uint"}[scalar]
				if word == "" {
					word = scalar
				}
				compute(t, fmt.Sprintf(`kernel void test(%s<%s, access::read> t, device uint* out, device const uint* p,
	uint i [[thread_position_in_grid]]) {
	%s v = %s(t.read(%s));
	for (int c = 0; c < %d; c++) out[c * 32 + i] = as_type<uint>(((thread %s*)&v)[c]);
}`, c.msl, scalar, vectorOf(word, n), vectorOf(word, n), c.arguments(coordinate), n, word), threads(width),
					[]driver.Texture{tex}, out, p.flat())
				var want pixel.Texels
				rows := want.Rows()
				tex.Access.Read(new(sample.Scratch), &rows, c.place(&p), full)
				for k := range n {
					if diff := cmp.Diff(want[k][:], out[k*width:][:width]); diff != "" {
						t.Errorf("%s<%s> at %s, component %d: %s", c.msl, scalar, coordinate, k, diff)
					}
				}
			}
		}
	}
}

// TestTexelsAreWritten does the same for writes. Half the threads do none.
func TestTexelsAreWritten(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range textureCases {
		if c.depth() || c.spec.Type.IsMultisampled() {
			continue
		}
		for scalar, format := range map[string]pixel.Format{
			"float": pixel.RGBA8Unorm, "half": pixel.RGBA16Float, "int": pixel.RG16Sint, "uint": pixel.R32Uint,
		} {
			tex, p := c.make(t, format, r), c.places(r)
			if chosen(t) != nil { // whose threads write in any order
				c.part(&p)
			}
			model := c.make(t, format, r)
			copy(model.Bytes, tex.Bytes)
			compute(t, fmt.Sprintf(`kernel void test(%s<%s, access::write> t, device const uint* p,
	uint i [[thread_position_in_grid]]) {
	if (i %% 2) t.write(vec<%s, 4>(i, i / 4, 1, 0), %s);
}`, c.msl, scalar, scalar, c.arguments("uint")), threads(width), []driver.Texture{tex}, p.flat())
			var texels pixel.Texels
			rows := texels.Rows()
			for l := range width {
				texel := pixel.Texel{uint32(l), uint32(l / 4), 1, 0}
				if format.Info().Type == pixel.Floating {
					texel = pixel.FromFloats([4]float32{float32(l), float32(l / 4), 1, 0})
				}
				for k := range texel {
					texels[k][l] = texel[k]
				}
			}
			model.Access.Write(new(sample.Scratch), c.place(&p), &rows, 0xaaaaaaaa)
			if diff := cmp.Diff(model.Bytes, tex.Bytes); diff != "" {
				t.Errorf("%s<%s>: %s", c.msl, scalar, diff)
			}
		}
	}
}

// TestTexturesAreSampled compares all methods that take a sampler with package sample.
func TestTexturesAreSampled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	samplers := []bind.Sampler{
		{}, {Min: bind.Linear, Mag: bind.Linear, Mip: bind.MipLinear, Address: bind.Repeat, Compare: bind.CompareLess},
		{Min: bind.Linear, Mip: bind.MipNearest, Address: bind.ClampToBorder, Border: bind.OpaqueWhite,
			Compare: bind.CompareGreaterEqual},
	}
	for _, c := range textureCases {
		if c.spec.Type.IsMultisampled() || c.spec.Type == bind.TextureBuffer {
			continue
		}
		format := pixel.RGBA8Unorm
		if c.depth() {
			format = pixel.Depth32Float
		}
		n := c.spec.Type.Dimensions()
		coordinates := n
		if c.spec.Type.Faces() > 1 {
			coordinates = 3
		}
		for _, s := range samplers {
			for method, results := range map[string]int{"sample": 4, "gather": 4, "sample_compare": 1, "gather_compare": 4} {
				flat := c.spec.Type != bind.Texture1D && c.spec.Type != bind.Texture1DArray && c.spec.Type != bind.Texture3D
				if strings.HasSuffix(method, "compare") && !c.depth() || strings.HasPrefix(method, "gather") && !flat {
					continue
				}
				if method == "sample" && c.depth() {
					results = 1
				}
				tex := c.make(t, format, r)
				var x [5][width]float32 // coordinates, level, reference
				var layer [width]uint32
				for l := range width {
					for k := range 3 {
						x[k][l] = r.Float32()*3 - 1
					}
					x[3][l], x[4][l], layer[l] = r.Float32()*3, r.Float32(), r.Uint32N(uint32(c.spec.Length))
				}
				point := &sample.Point{X: &x[0]}
				args := vectorOf("float", coordinates) + "(" +
					strings.Join([]string{"x[i]", "x[32 + i]", "x[64 + i]"}[:coordinates], ", ") + ")"
				if coordinates > 1 {
					point.Y = &x[1]
				}
				if coordinates > 2 {
					point.Z = &x[2]
				}
				if c.spec.Type.IsArray() {
					args += ", layer[i]"
					point.Layer = &layer
				}
				if strings.HasSuffix(method, "compare") {
					args += ", x[128 + i]"
				}
				if strings.HasPrefix(method, "sample") && n > 1 {
					args += ", level(x[96 + i])"
					point.Level = &x[3]
				}
				component := 0
				if n == 2 && c.spec.Type.Faces() == 1 && strings.HasPrefix(method, "gather") {
					args += ", int2(1, -2)"
					one, two := new([width]int32), new([width]int32)
					for l := range width {
						one[l], two[l] = 1, -2
					}
					point.OffsetX, point.OffsetY = one, two
				}
				if method == "gather" && !c.depth() {
					args += ", component::z"
					component = 2
				}
				var flatX []float32
				for k := range x {
					flatX = append(flatX, x[k][:]...)
				}
				out := make([]float32, 4*width)
				compute(t, fmt.Sprintf(`kernel void test(%s<float> t, sampler s, device float* out, device const float* x,
	device const uint* layer, uint i [[thread_position_in_grid]]) {
	%s v = t.%s(s, %s);
	for (int c = 0; c < %d; c++) out[c * 32 + i] = ((thread float*)&v)[c];
}`, c.msl, vectorOf("float", results), method, args, results), threads(width), []driver.Texture{tex}, []bind.Sampler{s},
					out, flatX, layer[:])
				var want pixel.Texels
				rows := want.Rows()
				switch method {
				case "sample":
					tex.Access.Sample(new(sample.Scratch), &rows, &s, point, full)
				case "gather":
					tex.Access.Gather(new(sample.Scratch), &rows, &s, point, component, full)
				case "sample_compare":
					tex.Access.SampleCompare(new(sample.Scratch), &rows, &s, point, &x[4], full)
				case "gather_compare":
					tex.Access.GatherCompare(new(sample.Scratch), &rows, &s, point, &x[4], full)
				}
				for k := range results {
					for l := range width {
						if got := math.Float32bits(out[k*width+l]); got != want[k][l] {
							t.Fatalf("%s.%s(%s), lane %d, component %d: %v, want %v", c.msl, method, args, l, k,
								out[k*width+l], math.Float32frombits(want[k][l]))
						}
					}
				}
			}
		}
	}
}

// texture returns a texture of a value in every texel.
func filledTexture(t *testing.T, c textureCase, format pixel.Format, texel pixel.Texel) *storage.Texture {
	t.Helper()
	tex := c.make(t, format, rand.New(rand.NewPCG(4, 4)))
	size := format.Info().Size
	for at := 0; at < len(tex.Bytes); at += size {
		format.Info().Encode(tex.Bytes[at:], &texel)
	}
	return tex
}

func TestTexturesArePassedOnAndPicked(t *testing.T) {
	t.Parallel()
	two := textureCases[2]
	var textures []driver.Texture
	for i := range uint32(4) {
		textures = append(textures, filledTexture(t, two, pixel.R32Uint, pixel.Texel{100 + i}))
	}
	for _, c := range []struct{ name, source string }{
		{"by the thread", `v = t[i % 4].read(uint2(0)).x;`},
		{"by all threads", `for (uint n = 0; n < 4; n++) { uint x = t[n].read(uint2(0)).x; if (i % 4 == n) v = x; }`},
		{"in a helper", `v = texel(t[i % 4]);`},
		{"by reference", `v = inArray(t, i % 4);`},
		{"in a struct", `Pair p{t[i % 4], i}; v = p.tex.read(uint2(0)).x;`},
		{"by a condition", `v = texel(i % 4 == 0 ? t[0] : i % 4 == 1 ? t[1] : i % 4 == 2 ? t[2] : t[3]);`},
		{"in a variable", `texture2d<uint, access::read> u = t[0]; if (i % 4) u = t[i % 4]; v = u.read(uint2(0)).x;`},
	} {
		out := make([]uint32, width)
		compute(t, `
struct Pair { texture2d<uint, access::read> tex; uint n; };
uint texel(texture2d<uint, access::read> t) { return t.read(uint2(0)).x; }
uint inArray(thread const array<texture2d<uint, access::read>, 4>& t, uint n) { return t[n].read(uint2(0)).x; }
kernel void test(array<texture2d<uint, access::read>, 4> t, device uint* out, uint i [[thread_position_in_grid]]) {
	uint v = 0;
	`+c.source+`
	out[i] = v;
}`, threads(width), textures, out)
		for l, got := range out {
			if want := uint32(100 + l%4); got != want {
				t.Fatalf("%s: thread %d has %d, want %d", c.name, l, got, want)
			}
		}
	}
}

func TestArgumentsOfTexturesMayChangeTheCounterOfALoop(t *testing.T) {
	t.Parallel()
	tex := filledTexture(t, textureCases[2], pixel.R32Uint, pixel.Texel{7})
	for _, place := range []string{"uint2(k++ * 0)", "uint2(next(k) * 0)", "uint2(0), (k++ * 0)"} {
		out := make([]uint32, width)
		compute(t, `
uint next(thread uint& k) { return k++; }
kernel void test(texture2d<uint, access::read> t, device uint* out, uint i [[thread_position_in_grid]]) {
	uint n = 1;
	for (uint k = 0; k < 4; k++) {
		n = n * 10 + k;
		n = n * 10 + t.read(`+place+`).x;
	}
	uint zero = 0;
	out[i] = n + zero;
}`, threads(width), []driver.Texture{tex}, out)
		if want := uint32(10727); out[0] != want || out[width-1] != want {
			t.Errorf("%s: %d, want %d", place, out, want)
		}
	}
}

func TestSizesOfTextures(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for _, c := range textureCases {
		format := pixel.R32Float
		if c.depth() {
			format = pixel.Depth32Float
		}
		methods := []string{"get_width()"}
		s := c.spec
		want := []uint32{uint32(s.Width)}
		add := func(method string, v int) {
			methods, want = append(methods, method), append(want, uint32(v))
		}
		if s.Type.Dimensions() > 1 {
			add("get_height()", s.Height)
		}
		if s.Type.Dimensions() > 2 {
			add("get_depth()", s.Depth)
			add("get_depth(1)", s.Depth/2)
		}
		if s.Levels > 1 {
			add("get_width(1)", s.Width/2)
			add("get_height(i % 2)", s.Height) // of thread 0
		}
		if s.Type.Dimensions() > 1 && s.Samples == 0 {
			add("get_num_mip_levels()", s.Levels)
		}
		if s.Type.IsArray() {
			add("get_array_size()", s.Length)
		}
		if s.Samples > 0 {
			add("get_num_samples()", s.Samples)
		}
		out := make([]uint32, len(want))
		body := ""
		for i, m := range methods {
			body += fmt.Sprintf("\n\tif (i == 0) out[%d] = t.%s;", i, m)
		}
		compute(t, fmt.Sprintf(`kernel void test(%s<float, access::read> t, device uint* out,
	uint i [[thread_position_in_grid]]) {%s
}`, c.msl, body), threads(width), []driver.Texture{c.make(t, format, r)}, out)
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("%s: %v: %s", c.msl, methods, diff)
		}
	}
}

// TestTexturesThatAreLeftOutReadAsZero is about those that a function constant switches off.
func TestTexturesThatAreLeftOutReadAsZero(t *testing.T) {
	t.Parallel()
	out := []float32{7, 7, 7, 7}
	compute(t, `constant bool on [[function_constant(0)]];
kernel void test(texture2d<float> t [[texture(0), function_constant(on)]], device float* out) {
	constexpr sampler s(filter::linear);
	out[0] = is_null_texture(t);
	out[1] = t.read(uint2(0)).x;
	out[2] = t.get_width();
	out[3] = t.sample(s, float2(0.5)).x;
}`, threads(1), constants{0: false}, out)
	if diff := cmp.Diff([]float32{1, 0, 0, 0}, out); diff != "" {
		t.Error(diff)
	}
}

// TestSamplersOfTheSource compares a constexpr sampler with the same one as an argument.
func TestSamplersOfTheSource(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct {
		text string
		same bind.Sampler
	}{
		{"", bind.Sampler{}},
		{"filter::linear", bind.Sampler{Min: bind.Linear, Mag: bind.Linear}},
		{"mag_filter::linear, address::repeat", bind.Sampler{Mag: bind.Linear, Address: bind.Repeat}},
		{"coord::pixel, filter::linear, address::clamp_to_zero",
			bind.Sampler{Pixel: true, Min: bind.Linear, Mag: bind.Linear, Address: bind.ClampToZero}},
		{"s_address::mirrored_repeat, t_address::clamp_to_border, border_color::opaque_white",
			bind.Sampler{AddressS: bind.MirrorRepeat, AddressT: bind.ClampToBorder, Border: bind.OpaqueWhite}},
		{"mip_filter::linear, lod_clamp(0.0f, 0.0f)", bind.Sampler{Mip: bind.MipLinear, LODMax: 1e-30}},
		{"mip_filter::linear, lod_clamp(0.5f, 1.5f)", bind.Sampler{Mip: bind.MipLinear, LODMin: 0.5, LODMax: 1.5}},
	} {
		tex := textureCases[2].make(t, pixel.RGBA8Unorm, r)
		x := make([]float32, 2*width)
		for i := range x {
			x[i] = r.Float32()*5 - 1
		}
		for _, where := range []string{"program", "kernel"} {
			constant, program, kernel := "constexpr sampler own("+c.text+");", "", ""
			if c.text == "" {
				constant = "constexpr sampler own;"
			}
			if where == "program" {
				program = constant
			} else {
				kernel = constant
			}
			out := make([]float32, 2*width)
			compute(t, program+`
kernel void test(texture2d<float> t, sampler s, device float* out, device const float2* x,
	uint i [[thread_position_in_grid]]) {
	`+kernel+`
	out[i] = t.sample(own, x[i]).z;
	out[32 + i] = t.sample(s, x[i]).z;
}`, threads(width), []driver.Texture{tex}, []bind.Sampler{c.same}, out, x)
			if diff := cmp.Diff(out[width:], out[:width]); diff != "" {
				t.Errorf("%s in the %s: %s", c.text, where, diff)
			}
		}
	}
}

func TestAtomicsAreForTexturesThatWereMadeForThem(t *testing.T) {
	t.Parallel()
	const source = `kernel void test(texture2d<uint, access::read_write> t) { t.atomic_fetch_add(uint2(0), uint4(1)); }`
	const both = driver.TextureRead | driver.TextureWrite
	for usage, want := range map[driver.TextureUsage]string{
		both:                        "t is not a texture2d<uint, access::read_write>, or not made for this",
		both | driver.TextureAtomic: "",
	} {
		tex := filledTexture(t, textureCases[2], pixel.R32Uint, pixel.Texel{})
		tex.Spec.Usage = usage
		one := driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}
		err := execute(t, source, one, []driver.Texture{tex})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("usage %d: %v, want %q", usage, err, want)
		}
	}
}

// TestAtomicsOnTexels counts from many threadgroups, which run on all cores.
func TestAtomicsOnTexels(t *testing.T) {
	t.Parallel()
	two := textureCases[2]
	tex := filledTexture(t, two, pixel.R32Uint, pixel.Texel{})
	out := make([]uint32, 2)
	grid := driver.Grid{Threadgroups: [3]int{64, 1, 1}, Threads: [3]int{64, 1, 1}}
	compute(t, `kernel void test(texture2d<uint, access::read_write> t, device atomic_uint* out,
	uint i [[thread_position_in_grid]]) {
	uint old = t.atomic_fetch_add(uint2(i % 8, 1), uint4(1)).x;
	atomic_fetch_max_explicit(&out[0], old, memory_order_relaxed);
	t.atomic_fetch_max(uint2(0, 2), uint4(i));
	uint4 expected = uint4(0);
	if (t.atomic_compare_exchange_weak(uint2(1, 2), &expected, uint4(1))) {
		atomic_fetch_add_explicit(&out[1], 1u, memory_order_relaxed);
	}
	t.atomic_store(uint4(9), uint2(2, 2));
	t.atomic_fetch_add(uint2(99, 99), uint4(1)); // outside
}`, grid, []driver.Texture{tex}, out)
	if diff := cmp.Diff([]uint32{511, 1}, out); diff != "" {
		t.Error(diff)
	}
	at := func(x, y int) uint32 { return tex.Spec.Format.Info().Decode(tex.Bytes[4*(y*two.spec.Width+x):])[0] }
	for x := range 8 {
		if got := at(x, 1); got != 512 {
			t.Errorf("texel %d is %d, want 512", x, got)
		}
	}
	if got := [3]uint32{at(0, 2), at(1, 2), at(2, 2)}; got != [3]uint32{4095, 1, 9} {
		t.Errorf("texels %v", got)
	}
}

// TestGradientsOfTheSource compares a sample with gradients with one at their level.
func TestGradientsOfTheSource(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	tex := textureCases[2].make(t, pixel.RGBA8Unorm, r) // of 9 by 5 texels
	x, out := make([]float32, 2*width), make([]float32, 2*width)
	for i := range x {
		x[i] = r.Float32()
	}
	compute(t, `kernel void test(texture2d<float> t, device float* out, device const float2* x,
	uint i [[thread_position_in_grid]]) {
	constexpr sampler s(filter::linear, mip_filter::linear);
	out[i] = t.sample(s, x[i], gradient2d(float2(i / 90.0f, 0), float2(0, 1 / 50.0f))).y;
	out[32 + i] = t.sample(s, x[i], level(max(0.0f, log2(i / 10.0f)))).y;
}`, threads(width), []driver.Texture{tex}, out, x)
	for l := range width {
		if d := math.Abs(float64(out[l] - out[width+l])); d > 1e-5 {
			t.Errorf("thread %d: %v, want %v", l, out[l], out[width+l])
		}
	}
}
