package cpu

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// sceneSource is the beginning of kernels that get textures and samplers in a buffer: color, list[0] and arg have the
// texels 1, 2, 3, 4; those of result and list[1] are zero.
const sceneSource = `
struct T {
	texture2d<float> color;
	texture2d<float, access::read_write> result;
	array<texture2d<float>, 2> list;
	sampler nearest;
	sampler linear;
	texture2d<float> null;
	texture2d<float> bad;
	texture2d<float> far;
	texture3d<float> volume;
	texture2d<uint> counts;
	texture2d<float, access::write> readOnly;
	sampler none;
	sampler noSampler;
	texture2d<uint, access::read> numbers;
};
struct Outer { uint n; T inner; };
float4 at(texture2d<float> t, sampler s, float x) { return t.sample(s, float2(x, 0.5f)); }
kernel void test(device T* t [[buffer(0)]], device float* out [[buffer(1)]], constant T& v [[buffer(2)]],
                 texture2d<float> arg [[texture(0)]], sampler s [[sampler(0)]],
                 uint i [[thread_position_in_grid]]) {
`

// runScene runs a kernel of four threads whose body is given, and returns what it has left in out and in result.
func runScene(t *testing.T, o driver.Options, body string) (out, result []float32, err error) {
	t.Helper()
	text := "#include <metal_stdlib>\nusing namespace metal;\n" + sceneSource + "#line 1\n" + body + "\n}"
	dev := openWith(t, o)
	defer dev.Close()
	texture := func(format pixel.Format, usage driver.TextureUsage, texels ...float32) driver.Texture {
		tex, err := dev.NewTexture(driver.TextureSpec{Type: bind.Texture2D, Format: format, Width: 4, Height: 1,
			Depth: 1, Length: 1, Levels: 1, Samples: 1, Usage: usage})
		if err != nil {
			t.Fatal(err)
		}
		var bytes []byte
		for _, texel := range texels {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(texel))
		}
		if err := tex.Write(driver.Region{Width: 4, Height: 1, Depth: 1}, bytes); err != nil {
			t.Fatal(err)
		}
		return tex
	}
	memory := func(size int) driver.Memory {
		m, err := dev.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	color := texture(pixel.R32Float, driver.TextureRead, 1, 2, 3, 4)
	written := texture(pixel.R32Float, driver.TextureRead|driver.TextureWrite, 0, 0, 0, 0)
	numbers := texture(pixel.R32Uint, driver.TextureRead, 1, 2, 3, 4) // the bits of floats
	sampler := func(filter bind.Filter) uint64 {
		id, err := dev.SamplerID(bind.Sampler{Min: filter, Mag: filter})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	table := memory(128)
	for i, id := range []uint64{color.ID(), written.ID(), color.ID(), written.ID(), sampler(bind.Nearest),
		sampler(bind.Linear), 0, badAddress, 1 << 60, color.ID(), color.ID(), color.ID(), 0, 77, numbers.ID()} {
		binary.LittleEndian.PutUint64(table.Bytes()[8*i:], id)
	}
	outMemory := memory(16)
	args := []*driver.Arg{
		{Index: 0, Name: "t", Writes: true}, {Index: 1, Name: "out", Writes: true}, {Index: 2, Name: "v"},
		{Index: 0, Name: "arg", Reads: true}, {Index: 0, Name: "s"},
	}
	d := &driver.Dispatch{
		Kernel:   &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
		Grid:     threads(4),
		Buffers:  []driver.Buffer{{Arg: args[0], Memory: table, Length: 128}, {Arg: args[1], Memory: outMemory, Length: 16}},
		Values:   []driver.Value{{Arg: args[2], Bytes: table.Bytes()[:120]}},
		Textures: []driver.TextureArg{{Arg: args[3], Texture: color}},
		Samplers: []driver.SamplerArg{{Arg: args[4], Sampler: bind.Sampler{}}},
		Resources: []driver.Resource{{Texture: color, Arg: args[0], Field: "Color"},
			{Texture: written, Writes: true, Arg: args[2], Element: -1, Field: "Result"},
			{Texture: numbers, Arg: args[0], Field: "Numbers"}},
	}
	_, err = run(t.Context(), t, dev, d)
	texels := make([]byte, 16)
	if err := written.Read(driver.Region{Width: 4, Height: 1, Depth: 1}, texels); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(outMemory.Bytes()[4*i:])))
		result = append(result, math.Float32frombits(binary.LittleEndian.Uint32(texels[4*i:])))
	}
	return out, result, err
}

func TestTexturesInBuffersAreFound(t *testing.T) {
	for _, tt := range []struct {
		name, body  string
		out, result []float32
	}{
		{"read", "out[i] = t->color.read(uint2(i, 0)).x;", []float32{1, 2, 3, 4}, nil},
		{"of a value", "out[i] = v.color.read(uint2(i, 0)).x;", []float32{1, 2, 3, 4}, nil},
		{"write", "v.result.write(float4(i), uint2(3 - i, 0));", nil, []float32{3, 2, 1, 0}},
		{"read and write", "t->result.write(float4(i), uint2(i, 0)); t->result.fence(); " +
			"out[i] = t->result.read(uint2(i, 0)).x;", []float32{0, 1, 2, 3}, []float32{0, 1, 2, 3}},
		{"another for each thread", "out[i] = t->list[i & 1].read(uint2(i, 0)).x;", []float32{1, 0, 3, 0}, nil},
		{"sampled", "out[i] = t->color.sample(v.linear, float2(0.25f * i, 0)).x;", []float32{1, 1.5, 2.5, 3.5}, nil},
		{"another sampler for each thread", "sampler z = i & 1 ? t->linear : t->nearest; " +
			"out[i] = v.list[0].sample(z, float2(0.25f * i + 0.0625f, 0)).x;", []float32{1, 1.75, 3, 3.75}, nil},
		{"a helper", "out[i] = at(t->color, t->nearest, (i + 0.5f) / 4).x;", []float32{1, 2, 3, 4}, nil},
		{"size", "out[i] = i ? v.color.get_height() : v.color.get_width();", []float32{4, 1, 1, 1}, nil},
		{"atomic load", "out[i] = as_type<float>(t->numbers.atomic_load(uint2(i, 0)).x);", []float32{1, 2, 3, 4}, nil},
		{"null", "out[i] = is_null_texture(t->null) + 2 * is_null_texture(t->color) + t->null.get_width();",
			[]float32{1, 1, 1, 1}, nil},
		{"what is not touched may be anything", "T c = *t; out[i] = c.color.read(uint2(i, 0)).x;", []float32{1, 2, 3, 4},
			nil},
		{"copies", "Outer c = {i, v}; thread Outer& d = c; out[i] = d.inner.list[0].read(uint2(d.n, 0)).x;",
			[]float32{1, 2, 3, 4}, nil},
		{"a copy in memory", "if (i == 0) t->list[1] = t->color; threadgroup_barrier(mem_flags::mem_device); " +
			"out[i] = t->list[1].read(uint2(i, 0)).x;", []float32{1, 2, 3, 4}, nil},
		{"an argument in memory", "if (i == 0) { t->null = arg; t->none = s; } " +
			"threadgroup_barrier(mem_flags::mem_device); out[i] = t->null.sample(t->none, float2(0.25f * i, 0)).x;",
			[]float32{1, 2, 3, 4}, nil},
		{"IDs are those of the host", "device ulong* n = (device ulong*)t; if (i == 0) n[6] = n[0]; " +
			"threadgroup_barrier(mem_flags::mem_device); out[i] = t->null.read(uint2(i, 0)).x;", []float32{1, 2, 3, 4}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			zeros := make([]float32, 4)
			out, result, err := runScene(t, options(), tt.body)
			if err != nil || tt.out != nil && !slices.Equal(out, tt.out) ||
				!slices.Equal(result, slices.Concat(tt.result, zeros)[:4]) {
				t.Errorf("got %v, %v and %v, want %v, %v", out, result, err, tt.out, tt.result)
			}
		})
	}
}

func TestTexturesInBuffersAreChecked(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"out[i] = t->null.read(uint2(0)).x;", "test.metal:1:17: a null texture2d<float>, or one made of a number"},
		{"out[i] = t->far.read(uint2(0)).x;", "a null texture2d<float>, or one made of a number"},
		{"out[i] = v.bad.sample(v.linear, float2(0)).x;",
			"the ID 0xdead0 is of no texture2d<float> that the arguments of the call lead to"},
		{"out[i] = t->bad.get_width();", "the ID 0xdead0 is of no texture2d<float> that the arguments of the call lead to"},
		{"out[i] = is_null_texture(t->bad) ? 1 : t->bad.read(uint2(0)).x;", "the ID 0xdead0 is of no texture2d<float>"},
		{"out[i] = t->volume.read(uint3(0)).x;",
			"the texture of t[0].Color is not a texture3d<float>, or not made for this: it is a 2D texture of R32Float"},
		{"out[i] = t->counts.read(uint2(0)).x;", "the texture of t[0].Color is not a texture2d<uint>"},
		{"t->readOnly.write(float4(0), uint2(0));", "the texture of t[0].Color is not a " +
			"texture2d<float, access::write>, or not made for this: it is a 2D texture of R32Float"},
		{"out[i] = t->color.sample(t->none, float2(0)).x;", "a null sampler, or one made of a number"},
		{"out[i] = t->color.sample(t->noSampler, float2(0)).x;",
			"the ID 0x4d is of no sampler that the arguments of the call lead to"},
		{"device ulong* n = (device ulong*)t; n[0] = ulong(&out[0]); out[i] = t->color.read(uint2(0)).x;",
			"a null texture2d<float>, or one made of a number"},
		{"device float* device* p = (device float* device*)t; out[i] = *p[0];", "is in no buffer of the call"},
		{"union { texture2d<float> a; texture3d<float> b; sampler s; device float* p; } u; u.a = t->color; " +
			"out[i] = u.b.read(uint3(0)).x;", "the texture of t[0].Color is not a texture3d<float>"},
		{"union { texture2d<float> a; device float* p; } u; u.a = v.color; u.p[0] = 1;",
			"a store to the texture of t[0].Color, which is constant memory"},
		{"union { texture2d<float> a; device float* p; } u; u.a = arg; u.p[i] = 1;",
			"a store to arg, which is constant memory"},
		{"union { texture2d<float> a; sampler s; } u; u.a = t->color; out[i] = arg.sample(u.s, float2(0)).x;",
			"the texture of t[0].Color is not a sampler"},
		{"union { texture2d<float> a; device float* p; } u; u.p = out; out[i] = u.a.read(uint2(0)).x;",
			"out is not a texture2d<float>"},
	} {
		_, _, err := runScene(t, driver.Options{}, tt.body)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, driver.ErrOutOfBounds) {
			t.Errorf("%s: got %v, want %s", tt.body, err, tt.want)
		}
	}
}

func TestRacesOnTexturesInBuffersAreFound(t *testing.T) {
	for body, want := range map[string]string{
		"t->result.write(float4(i), uint2(0));":                                 "race on the texture of v.Result(0, 0)",
		"t->result.write(float4(i), uint2(i, 0)); ":                             "",
		"out[i] = t->color.read(uint2(0)).x + v.list[0].read(uint2(0)).x;":      "",
		"t->result.write(float4(i), uint2(i + 1, 0));":                          "is outside of the texture of v.Result",
		"t->result.write(float4(i), uint2(i, 0)); t->result.fence(); out[i]=1;": "",
	} {
		_, _, err := runScene(t, driver.Options{Sanitize: driver.CheckRace | driver.CheckRaceSimdgroup | driver.CheckShape},
			body)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
}
