package runtime_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/metalgen/metalgen/runtime"
)

// Light is what metalgen makes of
//
//	struct Light { device const float4* positions; texture2d<float> glow; sampler s; uint count; };
type Light struct {
	Positions runtime.Pointer[[4]float32]
	Glow      runtime.TextureRef[runtime.Texture2D]
	S         runtime.SamplerRef
	Count     uint32
	_         [4]byte
}

func ExamplePointer() {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	positions, err := runtime.Upload(dev, [][4]float32{{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	lights, err := runtime.UploadArguments(dev, []Light{
		{Positions: positions.Pointer(), Count: 1},
		{Positions: positions.Slice(1, 3).Pointer(), Count: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	first, second := lights.Data()[0].Positions, lights.Data()[1].Positions
	fmt.Println(second.Address()-first.Address(), "bytes apart;", runtime.Pointer[float32]{}.IsNull())
	// Output: 16 bytes apart; true
}

func ExampleTextureRef() {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	glow, err := runtime.NewTexture2D(dev, 64, 64, runtime.RGBA8Unorm, runtime.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	lights, err := runtime.UploadArguments(dev, []Light{{Glow: glow.Ref()}, {}})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range lights.Data() {
		fmt.Println(l.Glow.IsNull())
	}
	// To change one, write it to a slice: the buffer has to know what its elements lead to.
	if err := runtime.WriteArguments(lights.Slice(1, 2), []Light{{Glow: glow.Ref()}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(lights.Data()[1].Glow.IsNull())
	// Output:
	// false
	// true
	// false
}

func ExampleSamplerRef() {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	smooth, err := dev.SamplerRef(runtime.Sampler{Min: runtime.Linear, Mag: runtime.Linear, Mip: runtime.MipLinear})
	if err != nil {
		log.Fatal(err)
	}
	lights, err := runtime.UploadArguments(dev, []Light{{S: smooth}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lights.Len(), lights.Data()[0].S == smooth)
	// Output: 1 true
}

func ExamplePointerError() {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	positions, err := runtime.Upload(dev, [][4]float32{{1, 0, 0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	positions.Free()
	_, err = runtime.UploadArguments(dev, []Light{{}, {Positions: positions.Pointer()}})
	if e, ok := errors.AsType[*runtime.PointerError](err); ok {
		fmt.Println("element", e.Element, e.Field, errors.Is(e, runtime.ErrFreed))
	}
	// Output: element 1 Positions true
}
