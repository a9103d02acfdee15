package peers

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// device makes what a test needs of a device, and ends the test where that fails.
type device struct {
	testing.TB
	*runtime.Device
}

func open(t testing.TB) device {
	t.Helper()
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return device{t, dev}
}

func made[T any](d device) func(t T, err error) T {
	return func(t T, err error) T {
		d.Helper()
		if err != nil {
			d.Fatal(err)
		}
		return t
	}
}

func (d device) upload(img image.Image) runtime.Texture2D {
	d.Helper()
	return made[runtime.Texture2D](d)(runtime.UploadImage(d.Device, img))
}

func (d device) texture(width, height int, f runtime.PixelFormat) runtime.Texture2D {
	d.Helper()
	return made[runtime.Texture2D](d)(runtime.NewTexture2D(d.Device, width, height, f, runtime.TextureOptions{}))
}

func (d device) image(t runtime.Texture2D) image.Image {
	d.Helper()
	return made[image.Image](d)(t.Image())
}

// run runs what calls record.
func (d device) run(record func(b *runtime.Batch)) {
	d.Helper()
	b := d.NewBatch()
	record(b)
	if err := b.Run(d.Context()); err != nil {
		d.Fatal(err)
	}
}

// passes are calls that are recorded one after the other.
type passes []func(b *runtime.Batch)

func (p passes) record(b *runtime.Batch) {
	for _, record := range p {
		record(b)
	}
}

// lanczos resizes src to dst, with a texture of a format in between.
func (d device) lanczos(src, dst runtime.Texture2D, between runtime.PixelFormat) passes {
	d.Helper()
	half := d.texture(dst.Width(), src.Height(), between)
	weights := func(in, out int) gen.LanczosWeightsArgs {
		taps := (6*max(in, out) + out - 1) / out
		return gen.LanczosWeightsArgs{
			First:   made[runtime.Buffer[uint32]](d)(runtime.NewBuffer[uint32](d.Device, out)),
			Weights: made[runtime.Buffer[float32]](d)(runtime.NewBuffer[float32](d.Device, taps*out)),
			In:      uint32(in), Out: uint32(out), Taps: uint32(taps),
		}
	}
	x, y := weights(src.Width(), dst.Width()), weights(src.Height(), dst.Height())
	columns := gen.ResampleHorizontalArgs{Src: src, Dst: half, First: x.First, Weights: x.Weights, Taps: x.Taps}
	rows := gen.ResampleVerticalArgs{Src: half, Dst: dst, First: y.First, Weights: y.Weights, Taps: y.Taps}
	return passes{
		func(b *runtime.Batch) { gen.LanczosWeights(b, x) },
		func(b *runtime.Batch) { gen.LanczosWeights(b, y) },
		func(b *runtime.Batch) { gen.ResampleHorizontal(b, columns) },
		func(b *runtime.Batch) { gen.ResampleVertical(b, rows) },
	}
}

// blur blurs src to dst, with a texture of a format in between.
func (d device) blur(src, dst runtime.Texture2D, between runtime.PixelFormat, radius int, sigma float64) passes {
	d.Helper()
	half := d.texture(src.Width(), src.Height(), between)
	weights := made[runtime.Buffer[float32]](d)(runtime.NewBuffer[float32](d.Device, radius+1))
	gaussian := gen.GaussianWeightsArgs{Weights: weights, Radius: uint32(radius), Sigma: float32(sigma)}
	rows := gen.BlurHorizontalArgs{Src: src, Dst: half, Weights: weights, Radius: uint32(radius)}
	columns := gen.BlurVerticalArgs{Src: half, Dst: dst, Weights: weights, Radius: uint32(radius)}
	return passes{
		func(b *runtime.Batch) { gen.GaussianWeights(b, gaussian) },
		func(b *runtime.Batch) { gen.BlurHorizontal(b, rows) },
		func(b *runtime.Batch) { gen.BlurVertical(b, columns) },
	}
}

// random returns an image of random opaque pixels.
func random(width, height int) *image.RGBA {
	r := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}
