package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/cpu/texel"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// texelBodies read a, and write b: along rows and beyond their ends, across rows, anywhere, one texel for all lanes,
// and several to one texel.
var texelBodies = []string{
	"b.write(a.read(p + uint2(n - 4, n - 5)), p + uint2(n - 4, 0));",
	"b.write(a.read(p.yx + n), p.yx);",
	"uint2 q = uint2(p.x * 7 % 53, (p.x * 3 + p.y) % 17); b.write(a.read(q), q.yx * 2);",
	"if (p.x % 3 && n) b.write(a.read(uint2(n, 2)) + a.read(uint2(60, n)), p);",
	"if (p.x % 5) b.write(a.read(p) * 2 + T(p.x * 3) - 40, uint2(group.x * 4 + simd, group.y));",
	`vec<T, 4> sum = 0;
	for (uint k = 0; k < n; k++) if (p.x % 7 > k) sum += a.read(p + k) + a.read(uint2(k * 11, p.y));
	b.write(sum, p);`,
}

// TestNativeCodeReadsAndWritesTexels of all formats that it has as the interpreter does, which has references.
func TestNativeCodeReadsAndWritesTexels(t *testing.T) {
	t.Parallel()
	spec := shapeOf(bind.Texture2D, 45, 11, 1, 1, 1, 1)
	grids := []driver.Grid{
		{Threadgroups: [3]int{2, 13, 1}, Threads: [3]int{32, 1, 1}},
		{Threadgroups: [3]int{3, 2, 1}, Threads: [3]int{16, 8, 1}},
		{Threadgroups: [3]int{5, 5, 1}, Threads: [3]int{10, 3, 1}},
	}
	scalars := map[pixel.Type]string{
		pixel.Floating: "float", pixel.Signed: "int", pixel.Unsigned: "uint", pixel.Depth: "float",
	}
	turn := 0
	for _, format := range pixel.Formats() {
		scalar := scalars[format.Info().Type]
		if texel.Of(format) == nil {
			continue
		}
		turn, spec.Format = turn+1, format
		for i := turn % 2; i < len(texelBodies); i += 2 {
			source := fmt.Sprintf(`typedef %[1]s T;
kernel void test(texture2d<T, access::read> a, texture2d<T, access::write> b, constant uint& n,
	uint2 p [[thread_position_in_grid]], uint2 group [[threadgroup_position_in_grid]],
	uint simd [[simdgroup_index_in_threadgroup]]) { %[2]s }`, scalar, texelBodies[i])
			grid := grids[(turn+i)%len(grids)]
			err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
				r := rand.New(rand.NewPCG(uint64(turn), 1))
				a, b := randomTexels(t, spec, r, i < 3), randomTexels(t, spec, r, true)
				err := executeOn(t.Context(), t, dev, source, grid, []driver.Texture{a}, []driver.Texture{b}, uint32(3))
				return bitsOfBytes(b.Bytes), err
			})
			if err != nil {
				t.Errorf("%v, %s: %v", format, source, err)
			}
		}
	}
}

func bitsOfBytes(bytes []byte) []uint64 {
	bits := make([]uint64, len(bytes))
	for i, v := range bytes {
		bits[i] = uint64(v)
	}
	return bits
}

// TestNativeCodeReadsTexelsOfOtherTypes than textures of two dimensions and words have, and with a level.
func TestNativeCodeReadsTexelsOfOtherTypes(t *testing.T) {
	t.Parallel()
	grid := driver.Grid{Threadgroups: [3]int{2, 3, 1}, Threads: [3]int{40, 2, 1}}
	for _, tt := range []struct {
		a, b, body string
		form       bind.TextureType
		from, to   pixel.Format
	}{
		{"texture1d<float", "texture1d<float", "b.write(a.read(p.x + n) + a.read(n) + a.read(p.x * n), p.x);",
			bind.Texture1D, pixel.RGBA8Unorm, pixel.RG16Float},
		{"texture1d<uint", "texture1d<uint", "b.write(a.read(p.x - n), p.x ^ n);",
			bind.Texture1D, pixel.RGBA32Uint, pixel.R8Uint},
		{"depth2d<float", "texture2d<float", "b.write(float4(a.read(p) + a.read(p.yx), a.read(n - p), 1, p.x), p);",
			bind.Texture2D, pixel.Depth32Float, pixel.RGBA16Float},
		{"texture2d<half", "texture2d<half", "b.write(a.read(p) * half(n), ushort2(p.yx));",
			bind.Texture2D, pixel.RGBA8Unorm, pixel.RGBA16Float},
		{"texture2d<short", "texture2d<short", "b.write(a.read(p, 0) * short(n) - a.read(p + 7, n - 3), p);",
			bind.Texture2D, pixel.RG16Sint, pixel.RGBA8Sint},
		{"texture2d<ushort", "texture2d<uint", "b.write(uint4(a.read(ushort2(p))) << p.x, p, 0);",
			bind.Texture2D, pixel.RGBA8Uint, pixel.RGBA16Uint},
	} {
		source := fmt.Sprintf("kernel void test(%s, access::read> a, %s, access::write> b, constant uint& n,\n"+
			"\tuint2 p [[thread_position_in_grid]]) { %s }", tt.a, tt.b, tt.body)
		spec := shapeOf(tt.form, 45, 1, 1, 1, 1, 1)
		if tt.form == bind.Texture2D {
			spec.Height = 5
		}
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			r := rand.New(rand.NewPCG(1, 2))
			from, to := spec, spec
			from.Format, to.Format = tt.from, tt.to
			a, b := randomTexels(t, from, r, false), randomTexels(t, to, r, true)
			err := executeOn(t.Context(), t, dev, source, grid, []driver.Texture{a}, []driver.Texture{b}, uint32(3))
			if err != nil {
				t.Errorf("%s: %v", source, err)
			}
			return bitsOfBytes(b.Bytes), err
		})
		if err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// TestTexelsMayBeThoseOfABuffer that the kernel reads and writes in between.
func TestTexelsMayBeThoseOfABuffer(t *testing.T) {
	t.Parallel()
	grid := driver.Grid{Threadgroups: [3]int{2, 4, 1}, Threads: [3]int{32, 1, 1}}
	for _, body := range []string{
		"uint v = x[i]; b.write(v * 3, p); x[i] += b.read(p).x + v;",
		"uint4 v = b.read(p); x[i] = v.x + 1; x[i ^ 1] ^= b.read(p).x; b.write(b.read(uint2(p.x ^ n, p.y)) - v, p);",
		`device const uchar* c = (device const uchar*)x; uint v = c[i * 4] + c[i * 4 + 1] * n;
		b.write(v * 0x1020305 + 9, p); uint w = c[i * 4 + 2] + c[i * 4 + 3] * 5 + c[i * 4]; b.write(w + (v << 16), p);`,
		`for (uint k = 0; k < n; k++) {
			uint v = x[i * 7 % 32 + p.x / 32 * 32 + p.y * 64]; b.write(v + k, p); x[i] += v;
		}`,
	} {
		source := "kernel void test(device uint* x, texture2d<uint, access::read_write> b, constant uint& n,\n" +
			"\tuint2 p [[thread_position_in_grid]]) { uint i = p.y * 64 + p.x; " + body + " }"
		spec := shapeOf(bind.Texture2D, 64, 4, 1, 1, 1, 1)
		spec.Format = pixel.R32Uint
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			x := make([]uint32, 256)
			for i := range x {
				x[i] = uint32(i * i)
			}
			err := executeOn(t.Context(), t, dev, source, grid, x, texelsOf(spec), uint32(3))
			if err != nil {
				t.Errorf("%s: %v", source, err)
			}
			return bitsOfAll(x), err
		})
		if err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// TestNativeCodeIsOfTheTexturesOfACall calls one kernel with textures of several formats in turn, and counts the codes.
// Machine code reads and writes most of these formats.
func TestNativeCodeIsOfTheTexturesOfACall(t *testing.T) {
	t.Parallel()
	formats := []pixel.Format{
		pixel.RGBA8Unorm, pixel.R32Float, pixel.BGRA8Unorm, pixel.RGBA8Unorm_sRGB, pixel.RGBA16Float, pixel.RG16Unorm,
		pixel.R8Unorm,
	}
	grid := driver.Grid{Threadgroups: [3]int{2, 3, 1}, Threads: [3]int{32, 2, 1}}
	for body, codes := range map[string]int{
		"b.write(a.read(p) + a.read(p.yx), p);":                    5, // the last one is for any
		"b.write(a.read(p) + simd_shuffle_xor(float(p.x), 1), p);": 1, // the interpreter reads and writes
	} {
		source := "kernel void test(texture2d<float, access::read> a, texture2d<float, access::write> b,\n" +
			"\tuint2 p [[thread_position_in_grid]]) { " + body + " }"
		err := nativeDiffers(t, func(dev *Device) (bits []uint64, err error) {
			r := rand.New(rand.NewPCG(3, 4))
			d, _ := dispatchOf(t, dev, source, grid)
			for i := range 3 * len(formats) {
				spec := shapeOf(bind.Texture2D, 40+i, 7, 1, 1, 1, 1)
				spec.Format = formats[i%len(formats)]
				a := randomTexels(t, spec, r, false)
				spec.Format = formats[i*3%len(formats)]
				b := randomTexels(t, spec, r, true)
				d.Textures = []driver.TextureArg{
					{Arg: &driver.Arg{Index: 0}, Texture: a}, {Arg: &driver.Arg{Index: 1}, Texture: b},
				}
				if _, err := run(t.Context(), t, dev, d); err != nil {
					return nil, err
				}
				bits = append(bits, bitsOfBytes(b.Bytes)...)
			}
			k, err := dev.kernel(d.Kernel)
			if k.natives != nil && dev.nativeAfter >= 0 && len(k.natives.List) != codes {
				t.Errorf("%s: %d codes, want %d", body, len(k.natives.List), codes)
			}
			dev.Close()
			return bits, err
		})
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// randomTexels returns a texture of any bits, or of moderate numbers.
func randomTexels(t *testing.T, spec driver.TextureSpec, r *rand.Rand, any bool) *storage.Texture {
	t.Helper()
	made, err := storage.NewTexture(spec)
	if err != nil {
		t.Fatal(err)
	}
	tex := made.(*storage.Texture)
	for at := range tex.Bytes {
		tex.Bytes[at] = byte(r.Uint32())
	}
	info := spec.Format.Info()
	for at := 0; at < len(tex.Bytes) && !any && info.Type == pixel.Floating; at += info.Size {
		texel := pixel.FromFloats([4]float32{r.Float32() * 9, r.Float32() - 1, r.Float32(), r.Float32() * 2})
		info.Encode(tex.Bytes[at:], &texel)
	}
	return tex
}

// TestTexelsAreInTheCode of all machines.
func TestTexelsAreInTheCode(t *testing.T) {
	t.Parallel()
	source := `#include <metal_stdlib>
using namespace metal;
kernel void test(texture2d<float, access::read> a, texture2d<float, access::write> b,
	uint2 p [[thread_position_in_grid]]) { b.write(a.read(p) + a.read(p.yx), p); }`
	dev := Open(driver.Options{})
	defer dev.Close()
	k := testKernel(t, dev, source)
	p := k.program.Program
	var textures []machine.Texture
	for i := range p.Objects {
		if p.Objects[i].Source.Kind == program.FromTexture {
			tex := machine.Texture{Object: int32(i), Form: bind.Texture2D, Format: pixel.RGBA8Unorm}
			textures = append(textures, tex)
		}
	}
	for _, m := range allMachines {
		code, err := machine.Make(p, machine.CountingInRows(p), textures, m.make, nil)
		if err != nil {
			t.Fatal(err)
		}
		for pc := range p.Code {
			if code.Outside(int32(pc)) != nil {
				t.Errorf("%s: instruction %d is executed outside of the code in\n%s", m.name, pc, p)
			}
		}
	}
}
