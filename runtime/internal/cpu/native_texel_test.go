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
				bits := make([]uint64, len(b.Bytes))
				for at, v := range b.Bytes {
					bits[at] = uint64(v)
				}
				return bits, err
			})
			if err != nil {
				t.Errorf("%v, %s: %v", format, source, err)
			}
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
	k, err := dev.kernel(&driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &source}})
	if err != nil {
		t.Fatal(err)
	}
	p := k.program.Program
	var textures []machine.Texture
	for i := range p.Objects {
		if p.Objects[i].Source.Kind == program.FromTexture {
			textures = append(textures, machine.Texture{Object: int32(i), Form: bind.Texture2D, Format: pixel.RGBA8Unorm})
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
