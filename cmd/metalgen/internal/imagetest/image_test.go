// Package imagetest runs kernels with textures, argument buffers and tensors, from end to end: their sources are in
// testdata, the code that metalgen generates for them in testdata/gen, and they run on the CPU device and through the
// Metal driver on the fake.
package imagetest

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/cmd/metalgen/internal/imagetest/testdata/gen"
	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var update = flag.Bool("update", false, "write testdata/gen anew")

// TestGenIsFresh checks that testdata/gen is what metalgen generates.
func TestGenIsFresh(t *testing.T) {
	all, err := generate.Run(generate.Config{In: "testdata"}, func(string) (string, error) { return "gen", nil }, "")
	if err != nil || generate.Failed(all) {
		t.Fatal(err, "or the source has mistakes")
	}
	for _, f := range all[0].Files {
		name := filepath.Join("testdata", "gen", f.Name)
		if *update {
			if err := os.WriteFile(name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, f.Data) {
			t.Errorf("%s is stale (%v): run with -update", name, err)
		}
	}
}

// onBoth runs a test on the CPU device and through the Metal driver on the fake.
func onBoth(t *testing.T, test func(t *testing.T, d device)) {
	t.Run("cpu", func(t *testing.T) { test(t, device{t, openCPU(t)}) })
	t.Run("metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{NoLog: true})
		test(t, device{t, dev})
	})
}

func openCPU(t testing.TB) *runtime.Device {
	t.Helper()
	t.Setenv("METALGEN_DEVICE", "cpu")
	dev, err := runtime.OpenWith(runtime.Options{Math: runtime.MathSafe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// device makes textures for a test, and ends it where that fails.
type device struct {
	testing.TB
	*runtime.Device
}

// made ends the test where there is no texture, and fills the texture that there is.
func made[T interface {
	Write(to runtime.Region, texels []byte) error
}](d device, texels []byte, t T, err error) T {
	d.Helper()
	if err == nil && texels != nil {
		err = t.Write(runtime.Region{}, texels)
	}
	if err != nil {
		d.Fatal(err)
	}
	return t
}

// of2D returns a texture of one level.
func (d device) of2D(w, h int, f runtime.PixelFormat, texels []byte) runtime.Texture2D {
	d.Helper()
	t, err := runtime.NewTexture2D(d.Device, w, h, f, runtime.TextureOptions{})
	return made(d, texels, t, err)
}

// run runs what calls records.
func (d device) run(record func(b *runtime.Batch)) {
	d.Helper()
	b := d.NewBatch()
	record(b)
	if err := b.Run(d.Context()); err != nil {
		d.Fatal(err)
	}
}

// texels reads level 0.
func (d device) texels(t interface {
	Read(runtime.Region, []byte) error
}, n int) []byte {
	d.Helper()
	all := make([]byte, n)
	if err := t.Read(runtime.Region{}, all); err != nil {
		d.Fatal(err)
	}
	return all
}

// random returns bytes that are the same each time.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	all := make([]byte, n)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	return all
}

// floatBytes returns the texels of float32 components.
func floatBytes(f []float32) []byte {
	var all []byte
	for _, x := range f {
		bits := math.Float32bits(x)
		all = append(all, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return all
}

func bytesFloats(b []byte) []float32 {
	f := make([]float32, len(b)/4)
	for i := range f {
		f[i] = math.Float32frombits(uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24)
	}
	return f
}

// near reports bytes that are further from their references than a rounding.
func (d device) near(got []byte, want []float64) {
	d.Helper()
	for i, w := range want {
		if math.Abs(float64(got[i])-w*255) > 0.5+1e-3 {
			d.Fatalf("byte %d: got %d, want %v", i, got[i], w*255)
		}
	}
}

// nearFloats reports numbers that are not their references, but for rounding.
func (d device) nearFloats(got []float32, want []float64) {
	d.Helper()
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-5*max(1, math.Abs(w)) {
			d.Fatalf("number %d: got %v, want %v", i, got[i], w)
		}
	}
}

const w, h = 37, 21

func clamp(x, n int) int { return min(max(x, 0), n-1) }

func TestResize(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		const outW, outH = 64, 10
		src := random(4 * w * h)
		dst := d.of2D(outW, outH, runtime.RGBA8Unorm, nil)
		d.run(func(b *runtime.Batch) {
			gen.Resize(b, gen.ResizeArgs{
				Src: d.of2D(w, h, runtime.RGBA8Unorm, src), Dst: dst,
				S: runtime.Sampler{Min: runtime.Linear, Mag: runtime.Linear},
			})
		})
		var want []float64
		for y := range outH {
			v := (float64(y)+0.5)/outH*h - 0.5
			for x := range outW {
				u := (float64(x)+0.5)/outW*w - 0.5
				x0, y0 := int(math.Floor(u)), int(math.Floor(v))
				for c := range 4 {
					at := func(x, y int) float64 { return float64(src[4*(clamp(y, h)*w+clamp(x, w))+c]) / 255 }
					fx, fy := u-math.Floor(u), v-math.Floor(v)
					top := at(x0, y0)*(1-fx) + at(x0+1, y0)*fx
					want = append(want, top*(1-fy)+(at(x0, y0+1)*(1-fx)+at(x0+1, y0+1)*fx)*fy)
				}
			}
		}
		d.near(d.texels(dst, 4*outW*outH), want)
	})
}

func TestHistogram(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		src := random(w * h)
		bins, err := runtime.NewTexture[runtime.Texture1D](
			d.Device, runtime.TextureSize{Width: 256}, runtime.R32Uint, runtime.TextureOptions{Atomic: true})
		bins = made(d, nil, bins, err)
		d.run(func(b *runtime.Batch) {
			gen.Histogram(b, gen.HistogramArgs{Src: d.of2D(w, h, runtime.R8Unorm, src), Bins: bins})
		})
		var want [256]byte // there are fewer texels of each than fit
		for _, v := range src {
			want[v]++
		}
		got := d.texels(bins, 4*256)
		for i, n := range want {
			if !bytes.Equal(got[4*i:4*i+4], []byte{n, 0, 0, 0}) {
				t.Fatalf("bin %d: got %v, want %d", i, got[4*i:4*i+4], n)
			}
		}
	})
}

func TestVolume(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		const deep = 5
		src := random(w * h * deep)
		volume, err := runtime.NewTexture3D(d.Device, w, h, deep, runtime.R8Unorm, runtime.TextureOptions{})
		volume = made(d, src, volume, err)
		dst := d.of2D(w, h, runtime.R32Float, nil)
		d.run(func(b *runtime.Batch) { gen.Project(b, gen.ProjectArgs{Volume: volume, Dst: dst}) })
		want := make([]float64, w*h)
		for i, v := range src {
			want[i%(w*h)] += float64(v) / 255 / deep
		}
		d.nearFloats(bytesFloats(d.texels(dst, 4*w*h)), want)
	})
}

// TestCube looks at the middles of faces and of their quarters. What is where on a face is that of the table of the
// MSL specification, section 6.12.7: right and down are the directions of a face's columns and rows.
func TestCube(t *testing.T) {
	faces := []struct{ out, right, down [3]float32 }{
		{[3]float32{1, 0, 0}, [3]float32{0, 0, -1}, [3]float32{0, -1, 0}},
		{[3]float32{-1, 0, 0}, [3]float32{0, 0, 1}, [3]float32{0, -1, 0}},
		{[3]float32{0, 1, 0}, [3]float32{1, 0, 0}, [3]float32{0, 0, 1}},
		{[3]float32{0, -1, 0}, [3]float32{1, 0, 0}, [3]float32{0, 0, -1}},
		{[3]float32{0, 0, 1}, [3]float32{1, 0, 0}, [3]float32{0, -1, 0}},
		{[3]float32{0, 0, -1}, [3]float32{-1, 0, 0}, [3]float32{0, -1, 0}},
	}
	onBoth(t, func(t *testing.T, d device) {
		src := random(4 * 2 * 2 * 6)
		cube, err := runtime.NewTexture[runtime.TextureCube](
			d.Device, runtime.TextureSize{Width: 2}, runtime.RGBA8Unorm, runtime.TextureOptions{})
		cube = made(d, src, cube, err)
		var directions [][3]float32
		var want []float64
		for f, face := range faces {
			for texel := range 4 {
				var p [3]float32
				for k := range p {
					p[k] = 3 * (face.out[k] + (float32(texel%2)-0.5)*face.right[k] + (float32(texel/2)-0.5)*face.down[k])
				}
				directions = append(directions, p)
				for c := range 4 {
					want = append(want, float64(src[4*(4*f+texel)+c])/255)
				}
			}
		}
		in, err := runtime.Upload(d.Device, directions)
		if err != nil {
			t.Fatal(err)
		}
		out, err := runtime.NewBuffer[[4]float32](d.Device, len(directions))
		if err != nil {
			t.Fatal(err)
		}
		for _, filter := range []runtime.Filter{runtime.Nearest, runtime.Linear} {
			d.run(func(b *runtime.Batch) {
				gen.Look(b, gen.LookArgs{
					Cube: cube, S: runtime.Sampler{Min: filter, Mag: filter}, Directions: in, Colors: out,
					N: uint32(len(directions)),
				})
			})
			var got []float32
			for _, color := range out.Data() {
				got = append(got, color[:]...)
			}
			d.nearFloats(got, want)
		}
	})
}

func TestDepthCompare(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		depths := make([]float32, w*h)
		for i, b := range random(w * h) {
			depths[i] = float32(b) / 256
		}
		src, err := runtime.NewTexture[runtime.Depth2D](
			d.Device, runtime.TextureSize{Width: w, Height: h}, runtime.Depth32Float, runtime.TextureOptions{})
		src = made(d, floatBytes(depths), src, err)
		for compare, holds := range map[runtime.CompareFunction]func(r, depth float32) bool{
			runtime.CompareLess:         func(r, depth float32) bool { return r < depth },
			runtime.CompareGreaterEqual: func(r, depth float32) bool { return r >= depth },
			runtime.CompareEqual:        func(r, depth float32) bool { return r == depth },
			runtime.CompareNever:        func(r, depth float32) bool { return false },
		} {
			lit := d.of2D(w, h, runtime.R8Unorm, nil)
			d.run(func(b *runtime.Batch) {
				gen.Shadow(b, gen.ShadowArgs{Depths: src, S: runtime.Sampler{Compare: compare}, Lit: lit, Reference: 0.5})
			})
			for i, got := range d.texels(lit, w*h) {
				if (got == 255) != holds(0.5, depths[i]) || got != 0 && got != 255 {
					t.Fatalf("%v: depth %v: got %d", compare, depths[i], got)
				}
			}
		}
	})
}
