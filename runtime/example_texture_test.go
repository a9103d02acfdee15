package runtime_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"log"
	"math"
	"slices"

	images "github.com/metalgen/metalgen/examples/image/gen"
	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

func ExampleTexture() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	photo := image.NewGray(image.Rect(0, 0, 4, 2)) // or what png.Decode returns
	copy(photo.Pix, []uint8{
		0, 20, 100, 100,
		40, 60, 100, 100,
	})
	src, err := mtl.UploadImage(dev, photo)
	if err != nil {
		log.Fatal(err)
	}
	dst, err := mtl.NewTexture2D(dev, 2, 1, src.Format(), mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	gen.Halve(b, gen.HalveArgs{Src: src, Dst: dst})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	small, err := dst.Image()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(small.Bounds(), small.At(0, 0), small.At(1, 0))
	// Output: (0,0)-(2,1) {30} {100}
}

func ExampleSampler() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	photo := image.NewGray(image.Rect(0, 0, 2, 1))
	copy(photo.Pix, []uint8{0, 200})
	src, err := mtl.UploadImage(dev, photo)
	if err != nil {
		log.Fatal(err)
	}
	dst, err := mtl.NewTexture2D(dev, 4, 1, src.Format(), mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	for _, s := range []mtl.Sampler{
		{}, // the nearest texel
		{Min: mtl.Linear, Mag: mtl.Linear},
		{Min: mtl.Linear, Mag: mtl.Linear, Address: mtl.Repeat},
	} {
		images.Resize(b, images.ResizeArgs{Src: src, Dst: dst, S: s})
		if err := b.Run(context.Background()); err != nil {
			log.Fatal(err)
		}
		large, err := dst.Image()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(large.(*image.Gray).Pix)
	}
	// Output:
	// [0 0 200 200]
	// [0 50 150 200]
	// [50 50 150 150]
}

// Texels go in and out as Go values, those of the format.
func ExampleRegion() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	t, err := mtl.NewTexture2D(dev, 4, 4, mtl.R16Uint, mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	square := mtl.Region{X: 1, Y: 1, Width: 2, Height: 2}
	if err := mtl.WriteTexels(t, square, []uint16{1, 2, 3, 4}); err != nil {
		log.Fatal(err)
	}
	all := make([]uint16, 4*4)
	if err := mtl.ReadTexels(t, mtl.Region{}, all); err != nil { // the zero Region is all of level 0
		log.Fatal(err)
	}
	for row := range slices.Chunk(all, 4) {
		fmt.Println(row)
	}
	// Output:
	// [0 0 0 0]
	// [0 1 2 0]
	// [0 3 4 0]
	// [0 0 0 0]
}

// A chain of mip levels, each made of the one before.
func ExampleLevels() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	t, err := mtl.NewTexture2D(dev, 4, 4, mtl.R8Unorm, mtl.TextureOptions{Levels: mtl.AllLevels})
	if err != nil {
		log.Fatal(err)
	}
	if err := t.Write(mtl.Region{}, []byte{0, 2, 8, 8, 4, 6, 8, 8, 0, 0, 0, 0, 0, 0, 4, 4}); err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	for level := 1; level < t.Levels(); level++ {
		src, err := t.View(t.Format(), mtl.Levels{First: level - 1, Count: 1})
		if err != nil {
			log.Fatal(err)
		}
		dst, err := t.View(t.Format(), mtl.Levels{First: level, Count: 1})
		if err != nil {
			log.Fatal(err)
		}
		gen.Halve(b, gen.HalveArgs{Src: src, Dst: dst})
	}
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	texels := make([]byte, 4)
	if err := t.Read(mtl.Region{Level: 1}, texels); err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Levels(), texels)
	// Output: 3 [3 8 0 2]
}

// One face of a cube is a 2D texture.
func ExampleTextureView() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	cube, err := mtl.NewTexture[mtl.TextureCube](
		dev, mtl.TextureSize{Width: 8}, mtl.RGBA8Unorm, mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	face, err := mtl.ViewTexture[mtl.Texture2D](cube, mtl.TextureView{Slice: 3, Slices: 1})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	images.Rings(b, images.RingsArgs{Dst: face})
	fmt.Println(face, b.Run(context.Background()))
	// Output: 2D texture of 8 x 8 texels of RGBA8Unorm <nil>
}

func ExampleTextureOptions() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	t, err := mtl.NewTexture2D(dev, 640, 480, mtl.RGBA16Float, mtl.TextureOptions{
		Levels: mtl.AllLevels,
		Access: mtl.Read, // kernels only read it
		Label:  "albedo", // for Metal's debugger
	})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Free()
	fmt.Println(t, t.Levels())
	// Output: 2D texture of 640 x 480 texels of RGBA16Float 10
}

func ExamplePixelFormat() {
	for _, f := range []mtl.PixelFormat{mtl.R8Unorm, mtl.RGBA8Unorm_sRGB, mtl.RG32Float} {
		fmt.Println(f, f.BytesPerTexel())
	}
	// Output:
	// R8Unorm 1
	// RGBA8Unorm_sRGB 4
	// RG32Float 8
}

// A kernel reads the colors of an image in linear light.
func ExampleTexture_View() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	photo := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i, v := range []uint8{0, 255, 0, 255} {
		photo.Set(i%2, i/2, color.NRGBA{v, v, v, 255})
	}
	src, err := mtl.UploadImage(dev, photo)
	if err != nil {
		log.Fatal(err)
	}
	dst, err := mtl.NewTexture2D(dev, 1, 1, mtl.RGBA32Float, mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	linear, err := src.View(mtl.RGBA8Unorm_sRGB, mtl.Levels{})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.Halve(b, gen.HalveArgs{Src: linear, Dst: dst})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	gray := make([]byte, 16)
	if err := dst.Read(mtl.Region{}, gray); err != nil {
		log.Fatal(err)
	}
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(gray))) // half the light of white
	// Output: 0.5
}

// All forms of textures are made alike.
func ExampleTextureForm() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	describe(mtl.NewTexture[mtl.Texture1D](
		dev, mtl.TextureSize{Width: 256}, mtl.R32Float, mtl.TextureOptions{}))
	describe(mtl.NewTexture3D(dev, 8, 8, 8, mtl.RGBA8Unorm, mtl.TextureOptions{}))
	describe(mtl.NewTexture[mtl.Texture2DArray](
		dev, mtl.TextureSize{Width: 8, Height: 8, Length: 3}, mtl.RGBA8Unorm, mtl.TextureOptions{}))
	describe(mtl.NewTexture[mtl.Depth2D](
		dev, mtl.TextureSize{Width: 8, Height: 8}, mtl.Depth32Float, mtl.TextureOptions{}))
	// Output:
	// 1D texture of 256 texels of R32Float
	// 3D texture of 8 x 8 x 8 texels of RGBA8Unorm
	// 2D array texture of 3 x 8 x 8 texels of RGBA8Unorm
	// depth 2D texture of 8 x 8 texels of Depth32Float
}

func describe[F mtl.TextureForm](t mtl.Texture[F], err error) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t)
}

// What is not said of the size is 1, and a cube is as high as wide.
func ExampleTextureSize() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	size := mtl.TextureSize{Width: 64, Length: 2}
	sky, err := mtl.NewTexture[mtl.TextureCubeArray](dev, size, mtl.RGBA16Float, mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sky)
	fmt.Println(sky.Width(), sky.Height(), sky.Depth(), sky.Length(), sky.Samples())

	x, err := mtl.NewBuffer[float32](dev, 100)
	if err != nil {
		log.Fatal(err)
	}
	row, err := x.TextureBuffer(mtl.R32Float)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(row)
	// Output:
	// cube array texture of 2 x 64 x 64 texels of RGBA16Float
	// 64 64 1 2 1
	// buffer texture of 100 texels of R32Float
}
