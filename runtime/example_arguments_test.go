package runtime_test

import (
	"errors"
	"fmt"
	"log"

	mtl "github.com/metalgen/metalgen/runtime"
)

// Light is what metalgen makes of
//
//	struct Light { device const float4* positions; texture2d<float> glow; sampler s; uint count; };
type Light struct {
	Positions mtl.Pointer[[4]float32]
	Glow      mtl.TextureRef[mtl.Texture2D]
	S         mtl.SamplerRef
	Count     uint32
	_         [4]byte
}

func ExamplePointer() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	positions, err := mtl.Upload(dev, [][4]float32{{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	lights, err := mtl.UploadArguments(dev, []Light{
		{Positions: positions.Pointer(), Count: 1},
		{Positions: positions.Slice(1, 3).Pointer(), Count: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	first, second := lights.Data()[0].Positions, lights.Data()[1].Positions
	fmt.Println(second.Address()-first.Address(), "bytes apart;", mtl.Pointer[float32]{}.IsNull())
	// Output: 16 bytes apart; true
}

func ExampleTextureRef() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	glow, err := mtl.NewTexture2D(dev, 64, 64, mtl.RGBA8Unorm, mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	lights, err := mtl.UploadArguments(dev, []Light{{Glow: glow.Ref()}, {}})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range lights.Data() {
		fmt.Println(l.Glow.IsNull())
	}
	// To change one, write it to a slice: the buffer has to know what its elements lead to.
	if err := mtl.WriteArguments(lights.Slice(1, 2), []Light{{Glow: glow.Ref()}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(lights.Data()[1].Glow.IsNull())
	// Output:
	// false
	// true
	// false
}

func ExampleSamplerRef() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	smooth, err := dev.SamplerRef(mtl.Sampler{Min: mtl.Linear, Mag: mtl.Linear, Mip: mtl.MipLinear})
	if err != nil {
		log.Fatal(err)
	}
	lights, err := mtl.UploadArguments(dev, []Light{{S: smooth}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lights.Len(), lights.Data()[0].S == smooth)
	// Output: 1 true
}

func ExamplePointerError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	positions, err := mtl.Upload(dev, [][4]float32{{1, 0, 0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	positions.Free()
	_, err = mtl.UploadArguments(dev, []Light{{}, {Positions: positions.Pointer()}})
	if e, ok := errors.AsType[*mtl.PointerError](err); ok {
		fmt.Println("element", e.Element, e.Field, errors.Is(e, mtl.ErrFreed))
	}
	// Output: element 1 Positions true
}
