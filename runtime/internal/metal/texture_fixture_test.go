//go:build unix

package metal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Kernels with textures, in tests that run both on the fake and on a Mac.

var (
	textureSource = `#include <metal_stdlib>
using namespace metal;
kernel void shift(texture2d<float> from [[texture(0)]], texture2d<float, access::write> to [[texture(1)]],
	sampler s [[sampler(0)]], uint2 at [[thread_position_in_grid]]) {
	float2 size = float2(from.get_width(), from.get_height());
	to.write(from.sample(s, (float2(at) + 1.5) / size) + 0.25, at);
}
kernel void total(array<texture2d<uint, access::read>, 3> from [[texture(2)]], device uint* sums [[buffer(0)]],
	uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	for (uint y = 0; y < from[i].get_height(); y++)
		for (uint x = 0; x < from[i].get_width(); x++) sum += from[i].read(uint2(x, y)).x;
	sums[i] = sum;
}
kernel void raiseTexels(texture_buffer<uint, access::read_write> t [[texture(0)]], uint i [[thread_position_in_grid]]) {
	t.write(t.read(i) + 1, i);
}
`
	textureLibrary = driver.Library{File: "textures.metal", Source: &textureSource}
	shiftKernel    = driver.Kernel{
		Name: "shift", Library: &textureLibrary,
		Textures: []*driver.Arg{
			{Index: 0, Name: "from", Type: "texture2d<float>", Reads: true, Count: 1, Texture: bind.Texture2D,
				Texels: bind.FloatTexels},
			{Index: 1, Name: "to", Type: "texture2d<float, access::write>", Writes: true, Count: 1, Texture: bind.Texture2D,
				Texels: bind.FloatTexels},
		},
		Samplers: []*driver.Arg{{Index: 0, Name: "s", Type: "sampler", Count: 1}},
	}
	totalKernel = driver.Kernel{
		Name: "total", Library: &textureLibrary,
		Buffers: []*driver.Arg{{Index: 0, Name: "sums", Type: "uint", Size: 4, Writes: true}},
		Textures: []*driver.Arg{{Index: 2, Name: "from", Type: "texture2d<uint, access::read>", Reads: true, Count: 3,
			Texture: bind.Texture2D, Texels: bind.UintTexels}},
	}
	raiseTexelsKernel = driver.Kernel{
		Name: "raiseTexels", Library: &textureLibrary,
		Textures: []*driver.Arg{{Index: 0, Name: "t", Type: "texture_buffer<uint, access::read_write>", Reads: true,
			Writes: true, Count: 1, Texture: bind.TextureBuffer, Texels: bind.UintTexels}},
	}
)

// shifted moves the texels of a texture by one, towards the origin, and adds 0.25. What it finds
// beyond the edge the sampler says.
func shifted(to, from driver.Texture, s bind.Sampler, width, height int) *driver.Dispatch {
	k := &shiftKernel
	return &driver.Dispatch{
		Kernel: k,
		Textures: []driver.TextureArg{
			{Arg: k.Textures[0], Texture: from}, {Arg: k.Textures[1], Texture: to},
		},
		Samplers: []driver.SamplerArg{{Arg: k.Samplers[0], Sampler: s}},
		Grid:     driver.Grid{Threads: [3]int{4, 4, 1}, Size: [3]int{width, height, 1}},
	}
}

// totalled sums up the texels of three textures.
func totalled(sums driver.Buffer, from [3]driver.Texture) *driver.Dispatch {
	k := &totalKernel
	sums.Arg = k.Buffers[0]
	d := &driver.Dispatch{Kernel: k, Buffers: []driver.Buffer{sums},
		Grid: driver.Grid{Threads: [3]int{3, 1, 1}, Threadgroups: [3]int{1, 1, 1}}}
	for i, t := range from {
		d.Textures = append(d.Textures, driver.TextureArg{Arg: k.Textures[0], Element: i, Texture: t})
	}
	return d
}

// raisedTexels adds 1 to the texels of a texture buffer.
func raisedTexels(t driver.Texture, n int) *driver.Dispatch {
	k := &raiseTexelsKernel
	return &driver.Dispatch{
		Kernel: k, Textures: []driver.TextureArg{{Arg: k.Textures[0], Texture: t}},
		Grid: driver.Grid{Threads: [3]int{n, 1, 1}, Threadgroups: [3]int{1, 1, 1}},
	}
}

func textureOf(t testing.TB, d driver.Device, spec driver.TextureSpec) driver.Texture {
	t.Helper()
	spec.Depth, spec.Length = max(spec.Depth, 1), max(spec.Length, 1)
	spec.Levels, spec.Samples = max(spec.Levels, 1), max(spec.Samples, 1)
	if spec.Usage == 0 {
		spec.Usage = driver.TextureRead | driver.TextureWrite
	}
	tex, err := d.NewTexture(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tex.Free)
	return tex
}

// checkTextures writes, reads and shows textures of all types, and runs kernels on them.
func checkTextures(t *testing.T, d driver.Device) {
	t.Helper()
	for _, storage := range []driver.Storage{driver.StorageShared, driver.StoragePrivate} {
		for _, spec := range []driver.TextureSpec{
			{Type: bind.Texture1D, Width: 9, Height: 1},
			{Type: bind.Texture1DArray, Width: 9, Height: 1, Length: 3},
			{Type: bind.Texture2D, Width: 9, Height: 6, Levels: 4},
			{Type: bind.Texture2DArray, Width: 9, Height: 6, Length: 3, Levels: 2, Label: "layers"},
			{Type: bind.TextureCube, Width: 8, Height: 8, Levels: 4},
			{Type: bind.TextureCubeArray, Width: 4, Height: 4, Length: 2},
			{Type: bind.Texture3D, Width: 5, Height: 4, Depth: 3, Levels: 2},
			{Type: bind.TextureBuffer, Width: 100, Height: 1},
		} {
			for _, format := range []pixel.Format{pixel.R8Unorm, pixel.RG16Float, pixel.RGBA32Uint} {
				spec.Storage, spec.Format = storage, format
				checkRegions(t, textureOf(t, d, spec), spec)
			}
		}
	}
	checkViews(t, d)
	checkTextureKernels(t, d)
}

// checkRegions writes random regions, and compares all texels with a model.
func checkRegions(t *testing.T, tex driver.Texture, spec driver.TextureSpec) {
	t.Helper()
	spec.Depth, spec.Length, spec.Levels = max(spec.Depth, 1), max(spec.Length, 1), max(spec.Levels, 1)
	r := rand.New(rand.NewPCG(1, 2))
	size := spec.Format.Info().Size
	for level := range spec.Levels {
		w, h, depth := spec.Extent(level)
		for slice := range spec.Slices() {
			model := make([]byte, w*h*depth*size)
			at := driver.Region{Level: level, Slice: slice, X: r.IntN(w), Y: r.IntN(h), Z: r.IntN(depth)}
			at.Width, at.Height, at.Depth = 1+r.IntN(w-at.X), 1+r.IntN(h-at.Y), 1+r.IntN(depth-at.Z)
			var bytes []byte
			for z := range at.Depth {
				for y := range at.Height {
					start := (((at.Z+z)*h+at.Y+y)*w + at.X) * size
					row := model[start : start+at.Width*size]
					for i := range row {
						row[i] = byte(1 + r.IntN(255))
					}
					bytes = append(bytes, row...)
				}
			}
			if err := tex.Write(at, bytes); err != nil {
				t.Fatal(err)
			}
			all := driver.Region{Level: level, Slice: slice, Width: w, Height: h, Depth: depth}
			got := make([]byte, len(model))
			if err := tex.Read(all, got); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, model) {
				t.Fatalf("%v, level %d, slice %d: %v, want %v", spec.Type, level, slice, got, model)
			}
		}
	}
}

// checkViews writes through views and reads their texture.
func checkViews(t *testing.T, d driver.Device) {
	t.Helper()
	cubes := textureOf(t, d, driver.TextureSpec{Type: bind.TextureCubeArray, Format: pixel.RGBA8Unorm, Width: 4, Height: 4,
		Length: 2, Levels: 3})
	face, err := cubes.View(driver.TextureView{Type: bind.Texture2D, Format: pixel.RGBA8Unorm_sRGB, Level: 1, Levels: 2,
		Slice: 8, Slices: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer face.Free()
	want := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	if err := face.Write(driver.Region{Width: 2, Height: 2, Depth: 1}, want); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	if err := cubes.Read(driver.Region{Level: 1, Slice: 8, Width: 2, Height: 2, Depth: 1}, got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("texels %v, want %v", got, want)
	}
}

// checkTextureKernels runs kernels that read what others have written, by every way that there is.
func checkTextureKernels(t *testing.T, d driver.Device) {
	t.Helper()
	const width, height = 6, 5
	spec := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: width, Height: height}
	a, b := textureOf(t, d, spec), textureOf(t, d, spec)
	spec.Storage = driver.StoragePrivate
	private := textureOf(t, d, spec)

	const at = 256 // which every GPU takes for a place of texels
	words := memoryOf(t, d, 2*at, driver.StorageShared)
	over, err := d.NewTextureOver(words, at, 32, driver.TextureSpec{Type: bind.TextureBuffer, Format: pixel.R32Uint,
		Width: 8, Height: 1, Depth: 1, Length: 1, Levels: 1, Samples: 1, Usage: driver.TextureRead | driver.TextureWrite})
	if err != nil {
		t.Fatal(err)
	}
	defer over.Free()
	var counts [3]driver.Texture
	for i := range counts {
		counts[i] = textureOf(t, d, driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R16Uint, Width: 2 + i, Height: 3})
		ones := make([]byte, 2*3*(2+i))
		for at := 0; at < len(ones); at += 2 {
			ones[at] = byte(i + 1)
		}
		if err := counts[i].Write(driver.Region{Width: 2 + i, Height: 3, Depth: 1}, ones); err != nil {
			t.Fatal(err)
		}
	}
	sums := memoryOf(t, d, 12, driver.StorageShared)

	border, edge := bind.Sampler{Address: bind.ClampToBorder, Border: bind.OpaqueWhite}, float32(1.5)
	repeat := bind.Sampler{Address: bind.Repeat, LODMax: 4}
	words32 := func(i int) uint32 { return binary.LittleEndian.Uint32(words.Bytes()[at+4*i:]) }
	record := func(r driver.Recorder) error {
		return all(r,
			shifted(private, a, border, width, height), // 0.25, and 1.25 in the last row and column
			shifted(b, private, repeat, width, height), // the same, one towards the origin, with 0.25 more
			totalled(whole(sums, 12), counts),
			raised(driver.Buffer{Memory: words, Offset: at, Length: 32}, driver.Buffer{}),
			raisedTexels(over, 8),
			raised(driver.Buffer{Memory: words, Offset: at, Length: 16}, driver.Buffer{}),
		)
	}
	err = batch(t, d, record)
	if errors.Is(err, errors.ErrUnsupported) { // border colors
		t.Log(err)
		border, edge = bind.Sampler{Address: bind.ClampToZero}, 0.5
		err = batch(t, d, record)
	}
	if err != nil {
		t.Fatal(err)
	}
	texels := make([]byte, 4*width*height)
	if err := b.Read(driver.Region{Width: width, Height: height, Depth: 1}, texels); err != nil {
		t.Fatal(err)
	}
	for y := range height {
		for x := range width {
			want := float32(0.5)
			if (x+1)%width == width-1 || (y+1)%height == height-1 {
				want = edge
			}
			if got := pixel.R32Float.Info().Decode(texels[4*(y*width+x):]).Floats()[0]; got != want {
				t.Errorf("texel (%d, %d) is %v, want %v", x, y, got, want)
			}
		}
	}
	for i, want := range []uint32{6, 18, 36} {
		if got := binary.LittleEndian.Uint32(sums.Bytes()[4*i:]); got != want {
			t.Errorf("sum %d is %d, want %d", i, got, want)
		}
	}
	got := fmt.Sprint(words32(-1), words32(0), words32(3), words32(4), words32(7), words32(8))
	if want := "0 3 3 2 2 0"; got != want {
		t.Errorf("words are %s, want %s", got, want)
	}
}
