package sample

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// vulkanFormats has Vulkan's numbers of the formats that it has.
var vulkanFormats = map[pixel.Format]uint32{
	pixel.R8Unorm: 9, pixel.R8Snorm: 10, pixel.R8Uint: 13, pixel.R8Sint: 14, pixel.R8Unorm_sRGB: 15,
	pixel.RG8Unorm: 16, pixel.RG8Snorm: 17, pixel.RG8Uint: 20, pixel.RG8Sint: 21, pixel.RG8Unorm_sRGB: 22,
	pixel.RGBA8Unorm: 37, pixel.RGBA8Snorm: 38, pixel.RGBA8Uint: 41, pixel.RGBA8Sint: 42,
	pixel.RGBA8Unorm_sRGB: 43, pixel.BGRA8Unorm: 44, pixel.BGRA8Unorm_sRGB: 50,
	pixel.ABGR4Unorm: 2, pixel.B5G6R5Unorm: 4, pixel.A1BGR5Unorm: 6, pixel.BGR5A1Unorm: 8,
	pixel.BGR10A2Unorm: 58, pixel.RGB10A2Unorm: 64, pixel.RGB10A2Uint: 68,
	pixel.R16Unorm: 70, pixel.R16Snorm: 71, pixel.R16Uint: 74, pixel.R16Sint: 75, pixel.R16Float: 76,
	pixel.RG16Unorm: 77, pixel.RG16Snorm: 78, pixel.RG16Uint: 81, pixel.RG16Sint: 82, pixel.RG16Float: 83,
	pixel.RGBA16Unorm: 91, pixel.RGBA16Snorm: 92, pixel.RGBA16Uint: 95, pixel.RGBA16Sint: 96, pixel.RGBA16Float: 97,
	pixel.R32Uint: 98, pixel.R32Sint: 99, pixel.R32Float: 100, pixel.RG32Uint: 101, pixel.RG32Sint: 102,
	pixel.RG32Float: 103, pixel.RGBA32Uint: 107, pixel.RGBA32Sint: 108, pixel.RGBA32Float: 109,
	pixel.RG11B10Float: 122, pixel.RGB9E5Float: 123, pixel.Depth16Unorm: 124, pixel.Depth32Float: 126,
}

// vulkanKinds has what Vulkan and GLSL call a kind, and the coordinates of a point.
var vulkanKinds = map[bind.TextureType]struct {
	image, view uint32
	glsl, point string
}{
	bind.Texture1D:        {0, 0, "1D", "a.x"},
	bind.Texture1DArray:   {0, 4, "1DArray", "a.xw"},
	bind.Texture2D:        {1, 1, "2D", "a.xy"},
	bind.Texture2DArray:   {1, 5, "2DArray", "a.xyw"},
	bind.TextureCube:      {1, 3, "Cube", "a.xyz"},
	bind.TextureCubeArray: {1, 6, "CubeArray", "a"},
	bind.Texture3D:        {2, 2, "3D", "a.xyz"},
}

// vulkanJob is struct job of testdata/vulkan.c.
type vulkanJob struct {
	ImageType, ViewType, Format, Width, Height, Depth, Layers, Levels, Texel uint32
	Storage, DepthAspect                                                     uint32
	Min, Mag, Mip, U, V, W, Border, Compare, CompareOp, Pixel                uint32
	MinLOD, MaxLOD                                                           float32
	Path, Data, Threads                                                      uint32
}

// vulkan is the program of testdata/vulkan.c, running.
type vulkan struct {
	t    *testing.T
	dir  string
	in   io.WriteCloser
	out  io.Reader
	seen map[string]string // SPIR-V by GLSL
}

func startVulkan(t *testing.T) *vulkan {
	if os.Getenv("METALGEN_VULKAN") == "" {
		t.Skip("METALGEN_VULKAN is not set")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "vulkan")
	if out, err := exec.Command("cc", "-O1", "-o", program, "testdata/vulkan.c", "-lvulkan").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	v := &vulkan{t: t, dir: dir, seen: map[string]string{}}
	cmd := exec.Command(program)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var err error
	if v.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if v.out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.in.Close()
		err := cmd.Wait()
		t.Logf("%s (%v)", strings.TrimSpace(stderr.String()), err)
	})
	return v
}

// compile returns the file of a shader's SPIR-V.
func (v *vulkan) compile(image, expression string) string {
	source := fmt.Sprintf(`#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform %s t;
layout(std430, set = 0, binding = 1) readonly buffer In { vec4 p[]; };
layout(std430, set = 0, binding = 2) buffer Out { uvec4 o[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	vec4 a = p[2*i], b = p[2*i+1];
	%s;
}
`, image, expression)
	if path, ok := v.seen[source]; ok {
		return path
	}
	glsl := filepath.Join(v.dir, fmt.Sprintf("%d.comp", len(v.seen)))
	if err := os.WriteFile(glsl, []byte(source), 0o600); err != nil {
		v.t.Fatal(err)
	}
	path := glsl + ".spv"
	if out, err := exec.Command("glslangValidator", "-V", "-o", path, glsl).CombinedOutput(); err != nil {
		v.t.Fatalf("%v\n%s\n%s", err, out, source)
	}
	v.seen[source] = path
	return path
}

// thread is what the shader gets for one thread: a point with its layer, a level and a value.
type thread struct {
	point        [4]float32
	level, value float32
	_            [2]float32
}

// run runs a job, and reports whether the device can. With storage the image's bytes are written.
func (v *vulkan) run(j vulkanJob, path string, data []byte, threads []thread) (out [][4]uint32, ok bool) {
	j.Path, j.Data, j.Threads = uint32(len(path)), uint32(len(data)), uint32(len(threads))
	var b bytes.Buffer
	for _, x := range []any{j, []byte(path), data} {
		if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
			v.t.Fatal(err)
		}
	}
	for _, t := range threads {
		words := slices.Concat(t.point[:], []float32{t.level, t.value, 0, 0})
		if err := binary.Write(&b, binary.LittleEndian, words); err != nil {
			v.t.Fatal(err)
		}
	}
	if _, err := v.in.Write(b.Bytes()); err != nil {
		v.t.Fatal(err)
	}
	var able uint32
	if err := binary.Read(v.out, binary.LittleEndian, &able); err != nil {
		v.t.Fatal(err)
	}
	if able == 0 {
		return nil, false
	}
	out = make([][4]uint32, len(threads))
	if err := binary.Read(v.out, binary.LittleEndian, out); err != nil {
		v.t.Fatal(err)
	}
	if j.Storage != 0 {
		if _, err := io.ReadFull(v.out, data); err != nil {
			v.t.Fatal(err)
		}
	}
	return out, true
}

// job returns what the image and the sampler of a case are to Vulkan.
func (c *sampling) job() vulkanJob {
	kind, s, info := vulkanKinds[c.shape.Type], &c.sampler, c.format.Info()
	address, modes := [...]uint32{2, 4, 0, 1, 3, 3}, s.Addresses()
	j := vulkanJob{
		ImageType: kind.image, ViewType: kind.view, Format: vulkanFormats[c.format],
		Width: uint32(c.shape.Width), Height: uint32(c.shape.Height), Depth: uint32(c.shape.Depth),
		Layers: uint32(c.shape.Length * c.shape.Type.Faces()), Levels: uint32(c.shape.Levels), Texel: uint32(info.Size),
		Min: uint32(s.Min), Mag: uint32(s.Mag), U: address[modes[0]], V: address[modes[1]], W: address[modes[2]],
		Border: 2 * uint32(s.Border), MinLOD: s.LODMin, MaxLOD: min(s.LODMax, 1000),
	}
	switch {
	case s.Pixel:
		j.Pixel, j.MaxLOD = 1, 0
	case s.Mip == bind.MipNone: // as Vulkan's specification says it is done
		j.MinLOD, j.MaxLOD = min(j.MinLOD, 0.25), 0.25
	case s.Mip == bind.MipLinear:
		j.Mip = 1
	}
	if info.Type == pixel.Depth {
		j.DepthAspect = 1
	}
	if info.Type == pixel.Signed || info.Type == pixel.Unsigned {
		j.Border++
	}
	if c.op == compared || c.op == gatherCompared {
		j.Compare, j.CompareOp = 1, uint32(s.Compare)
	}
	return j
}

// shader returns the image and the statement of a shader that answers a case.
func (c *sampling) shader() (image, statement string) {
	kind := vulkanKinds[c.shape.Type]
	prefix := map[pixel.Type]string{pixel.Signed: "i", pixel.Unsigned: "u"}[c.format.Info().Type]
	image = prefix + "sampler" + kind.glsl
	offset := ""
	if c.offset != [3]int32{} {
		n := c.shape.Type.Dimensions()
		offset = strings.Join(strings.Fields(fmt.Sprint(c.offset[:n])), ", ")
		offset = fmt.Sprintf(", ivec%d(%s)", n, strings.Trim(offset, "[]"))
	}
	suffix := ""
	if offset != "" {
		suffix = "Offset"
	}
	value := ""
	if c.op == compared || c.op == gatherCompared {
		image += "Shadow"
	}
	switch {
	case c.op == sampled:
		value = fmt.Sprintf("textureLod%s(t, %s, b.x%s)", suffix, kind.point, offset)
	// GLSL has a level for sampler2DShadow only.
	case c.op == compared && c.shape.Type == bind.TextureCubeArray:
		value = "vec4(texture(t, a, b.y), 0, 0, 0)"
	case c.op == compared && c.shape.Type == bind.TextureCube:
		value = "vec4(textureGrad(t, vec4(a.xyz, b.y), vec3(0), vec3(0)), 0, 0, 0)"
	case c.op == compared && c.shape.Type == bind.Texture2DArray:
		value = "vec4(textureGrad(t, vec4(a.xyw, b.y), vec2(0), vec2(0)), 0, 0, 0)"
	case c.op == compared:
		n := len(kind.point) - 1 // one for the value
		value = fmt.Sprintf("vec4(textureLod%s(t, vec%d(%s, b.y), b.x%s), 0, 0, 0)", suffix, n, kind.point, offset)
	case c.op == gathered:
		value = fmt.Sprintf("textureGather%s(t, %s%s, %d)", suffix, kind.point, offset, c.component)
	case c.op == gatherCompared:
		value = fmt.Sprintf("textureGather%s(t, %s, b.y%s)", suffix, kind.point, offset)
	}
	if prefix == "" {
		return image, "o[i] = floatBitsToUint(" + value + ")"
	}
	return image, "o[i] = uvec4(" + value + ")"
}

// threads returns the points of a case as threads. Vulkan's lod_clamp is for all levels, so those that a lane names
// are clamped here.
func (c *sampling) threads(all *[groups]points) []thread {
	var threads []thread
	for g := range all {
		p := &all[g]
		for l := range Lanes {
			t := thread{value: p.value[l]}
			for k := range 3 {
				t.point[k] = p.coordinates[k][l]
			}
			t.point[3] = float32(p.layer[l])
			if len(c.level) > 0 {
				t.level = p.level[l]
			}
			if len(c.least) > 0 {
				t.level = max(t.level, p.least[l])
			}
			threads = append(threads, t)
		}
	}
	return threads
}

// nearby returns what the view says at points around those of p, too near to be told apart with float32.
func (c *sampling) nearby(v *View, p *points) (answers []pixel.Texels) {
	const step = 1e-5
	for n := range 81 {
		q := *p
		for l := range Lanes {
			for k, digit := 0, n; k < 3; k, digit = k+1, digit/3 {
				delta := float32(digit%3-1) * step
				if c.sampler.Pixel {
					delta *= 10
				}
				q.coordinates[k][l] += delta
			}
			q.level[l] += float32(n/27-1) * step
			q.least[l] += float32(n/27-1) * step
		}
		answers = append(answers, c.run(v, &q, 0xffffffff))
	}
	return answers
}

// differsInVulkan says why a case is not compared.
func (c *sampling) differsInVulkan() string {
	s := &c.sampler
	modes := s.Addresses()
	border := slices.Contains(modes[:c.shape.Type.Dimensions()], bind.ClampToBorder)
	switch {
	case vulkanFormats[c.format] == 0:
		return "Vulkan lacks the format"
	case border && c.op == sampled && len(c.format.String()) > 0 && !c.format.Info().Alpha:
		return "a border goes through the format in Vulkan: what it lacks is zero, and one for alpha"
	case border && s.Border == bind.TransparentBlack && !c.format.Info().Alpha:
		return "a border goes through the format in Vulkan"
	case len(c.least) > 0 && s.LODMin > 0:
		return "Vulkan has no min_lod_clamp beside lod_clamp"
	}
	return ""
}

func TestVulkanSamplesTheSame(t *testing.T) {
	vk := startVulkan(t)
	skipped := map[string]int{}
	equal, near, cases, failed := 0, 0, 0, 0
	worst := 0.0
	for _, c := range samplings() {
		if why := c.differsInVulkan(); why != "" {
			skipped[why]++
			continue
		}
		v, data := c.view()
		all := c.points()
		image, statement := c.shader()
		out, ok := vk.run(c.job(), vk.compile(image, statement), data, c.threads(&all))
		if !ok {
			skipped["the device cannot sample "+c.format.String()]++
			continue
		}
		cases++
		// A GPU has 8 bits for the place between two texels, which are up to 2 apart.
		tolerance := 2 * float64(c.shape.Type.Dimensions()+1) / 256
		if c.sampler.Min == bind.Nearest && c.sampler.Mag == bind.Nearest && c.sampler.Mip != bind.MipLinear ||
			c.op == gathered || c.op == gatherCompared {
			tolerance = 1e-5
			if c.format.Info().Encoding == pixel.SRGB || c.format.Info().Uses&pixel.Write == 0 {
				tolerance = 1.0 / 255 // llvmpipe reads packed formats of 16 bits by way of 8 bits, and approximates sRGB
			}
		}
		components := 4
		if c.op == compared || c.format.Info().Type == pixel.Depth && c.op == sampled {
			components = 1
		}
		wrong, example := 0, ""
		for g := range all {
			d := c.run(v, &all[g], 0xffffffff)
			var around []pixel.Texels
			difference := func(d *pixel.Texels, l int) (most float64) {
				for k := range components {
					got, want := d[k][l], out[g*Lanes+l][k]
					if !v.filters() {
						if got != want {
							most = math.Inf(1)
						}
						continue
					}
					a, b := number(got), number(want)
					if diff := math.Abs(a - b); diff > most || diff != diff {
						most = diff
					}
				}
				return most
			}
			for l := range Lanes {
				diff := difference(&d, l)
				if diff <= tolerance {
					equal++
					worst = max(worst, diff)
					continue
				}
				if around == nil {
					around = c.nearby(v, &all[g])
				}
				if slices.ContainsFunc(around, func(d pixel.Texels) bool { return difference(&d, l) <= tolerance }) {
					near++
					continue
				}
				wrong++
				if p := &all[g]; example == "" {
					example = fmt.Sprintf("at %v %v %v, layer %d, level %v, least %v, value %v: %v, Vulkan says %v",
						p.coordinates[0][l], p.coordinates[1][l], p.coordinates[2][l], p.layer[l], p.level[l],
						p.least[l], p.value[l], pixel.Texel{d[0][l], d[1][l], d[2][l], d[3][l]}.Floats(),
						pixel.Texel(out[g*Lanes+l]).Floats())
				}
			}
		}
		if wrong > 0 {
			failed++
			t.Errorf("%s: %d of %d points differ: %s", c.name, wrong, groups*Lanes, example)
		}
	}
	t.Logf("%d cases, %d with differences; %d points are equal, the largest difference is %v; %d are equal to the answer "+
		"1e-5 away", cases, failed, equal, worst, near)
	for why, n := range skipped {
		t.Logf("%d cases not compared: %s", n, why)
	}
}

// ulps returns how many floats are between two.
func ulps(a, b uint32) uint32 {
	if number(a) != number(a) && number(b) != number(b) || number(a) == number(b) {
		return 0
	}
	return max(a, b) - min(a, b)
}

// codes returns the bits of each component of a texel.
func codes(info *pixel.Info, texel []byte) (c []int64) {
	at := 0
	for field := range strings.FieldsSeq(info.Layout) {
		bits, _ := strconv.Atoi(field[1:])
		code := int64(0)
		for n := range bits {
			code |= int64(texel[(at+n)/8]>>((at+n)%8)&1) << n
		}
		c = append(c, code)
		at += bits
	}
	return c
}

// What is known of llvmpipe: it multiplies by the inverse of 255 and so on, in float32, where we divide, so that
// numbers differ by one ulp, and codes where a number is nearly between two. It approximates the curve of sRGB, as MSL
// allows: the code that a number comes from must be the one that it goes back to. It writes floats of 16, 11 and 10
// bits truncated, as Vulkan allows, and numbers too large for a half as the largest one.
func TestVulkanConvertsTheSame(t *testing.T) {
	vk := startVulkan(t)
	const side = 256
	for _, format := range pixel.Formats() {
		info := format.Info()
		c := sampling{name: "convert", shape: d2(side, side, 1), format: format, sampler: filtered(bind.Nearest)}
		if vulkanFormats[format] == 0 {
			continue
		}
		prefix := map[pixel.Type]string{pixel.Signed: "i", pixel.Unsigned: "u"}[info.Type]
		bits := func(x string) string {
			if prefix == "" {
				return "floatBitsToUint(" + x + ")"
			}
			return "uvec4(" + x + ")"
		}

		// Reading: random bytes, among them all codes of 16 bits.
		r := rand.New(rand.NewPCG(1, uint64(format)))
		data := make([]byte, side*side*info.Size)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		if info.Size == 2 {
			for k := range side * side {
				binary.LittleEndian.PutUint16(data[2*k:], uint16(k))
			}
		}
		threads := make([]thread, side*side)
		shader := vk.compile(prefix+"sampler2D",
			fmt.Sprintf("o[i] = %s", bits(fmt.Sprintf("texelFetch(t, ivec2(i %% %d, i / %d), 0)", side, side))))
		components := 4
		if info.Type == pixel.Depth {
			components = 1
		}
		if out, ok := vk.run(c.job(), shader, data, threads); !ok {
			t.Logf("%v: the device cannot sample it", format)
		} else {
			differ, most, example := 0, uint32(0), ""
			for k, got := range out {
				want := info.Decode(data[k*info.Size:])
				for n := range components {
					distance := ulps(got[n], want[n])
					switch {
					case prefix != "" && got[n] != want[n]:
						distance = math.MaxUint32
					case info.Encoding == pixel.SRGB:
						back, texel := make([]byte, info.Size), pixel.Texel(got)
						if info.Encode(back, &texel); distance > 0 && bytes.Equal(back, data[k*info.Size:][:info.Size]) {
							distance = 1
						}
					}
					if distance > most {
						most = distance
						example = fmt.Sprintf("%x: %v, Vulkan says %v", data[k*info.Size:][:info.Size], want.Floats(),
							pixel.Texel(got).Floats())
					}
					if distance > 0 {
						differ++
					}
				}
			}
			if differ > 0 {
				t.Logf("%v: %d of %d components are read differently", format, differ, components*len(out))
			}
			if most > 1 {
				t.Errorf("%v: %d ulp, as %s", format, most, example)
			}
		}

		// Writing.
		if info.Uses&pixel.Write == 0 {
			continue
		}
		j := c.job()
		j.Storage, j.Threads = 1, side*side
		var values []pixel.Texel
		for k := range threads {
			x := [4]float32{}
			for n := range x {
				switch scale := []float32{1, 1, 4, 1000, 1e5}[r.IntN(5)]; {
				case k < side && prefix == "":
					x[n] = []float32{0, 1, -1, 0.5, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32,
						65504, 65519, 65520, 1e-6, 1e-8, 0.0031308}[r.IntN(13)]
				case prefix == "":
					x[n] = (r.Float32() - 0.2) * scale
				default: // within the range of float32's exact integers
					x[n] = float32(int32(r.Float32() * scale * 100))
					if prefix == "i" && r.IntN(2) == 0 {
						x[n] = -x[n]
					}
				}
			}
			threads[k] = thread{point: x}
			texel := pixel.FromFloats(x)
			for n := range texel {
				switch prefix {
				case "i":
					texel[n] = uint32(int32(x[n]))
				case "u":
					texel[n] = uint32(x[n])
				}
			}
			values = append(values, texel)
		}
		clear(data)
		shader = vk.compile("writeonly "+prefix+"image2D",
			fmt.Sprintf("imageStore(t, ivec2(i %% %d, i / %d), %svec4(a)); o[i] = uvec4(0)", side, side, prefix))
		if _, ok := vk.run(j, shader, data, threads); !ok {
			t.Logf("%v: the device cannot write it", format)
			continue
		}
		differ := 0
		b := make([]byte, info.Size)
		for k := range values {
			info.Encode(b, &values[k])
			got := data[k*info.Size:][:info.Size]
			if !bytes.Equal(b, got) {
				differ++
			}
			want, theirs := codes(info, b), codes(info, got)
			for n := range want {
				if distance := want[n] - theirs[n]; distance < -1 || distance > 1 {
					t.Errorf("%v: %v is %x, in Vulkan %x", format, threads[k].point, b, got)
					break
				}
			}
		}
		if differ > 0 {
			t.Logf("%v: %d of %d texels are written differently, by one code", format, differ, len(values))
		}
	}
}
