package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	mtl "github.com/metalgen/metalgen/runtime"
)

// What an engine with Metal code of its own uses is there on a device of Metal, and says so elsewhere.
func ExampleDevice_MTLDevice() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.NewBuffer[float32](dev, 8)
	if err != nil {
		log.Fatal(err)
	}
	id, offset := x.MTLBuffer()
	fmt.Println(dev.MTLDevice(), dev.MTLCommandQueue(), id, offset)

	_, err = mtl.WrapMTLBuffer[float32](dev, 1, mtl.Read)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	_, err = mtl.WrapMTLSharedEvent(dev, 1)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	b := dev.NewBatch()
	b.Encode(func(encoder uintptr) {}) // with objc_msgSend of the encoder
	fmt.Println(errors.Is(b.Run(context.Background()), errors.ErrUnsupported))
	err = dev.Capture("frame.gputrace", func() error { return b.Run(context.Background()) })
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output:
	// 0 0 0 0
	// true
	// true
	// true
	// true
}

func ExampleGrid_ThreadsPerThreadgroup() {
	g := mtl.Threads(1000, 100).Of(32, 8)
	fmt.Println(g, g.ThreadsPerThreadgroup(), g.IsZero())
	// Output: (32, 13, 1) threadgroups of (32, 8, 1) threads, (1000, 100, 1) threads in all 256 false
}

func ExampleBuffer_Equal() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.NewBuffer[float32](dev, 8)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x, x.Slice(0, 8).Equal(x), x.Slice(0, 4).Equal(x))
	// Output: buffer of 8 elements of float32 true false
}

// Two references with one ID lead to the same texture, or sampler.
func ExampleTextureRef_ID() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	t, err := mtl.NewTexture2D(dev, 8, 8, mtl.R8Unorm, mtl.TextureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	first, err := dev.SamplerRef(mtl.Sampler{})
	if err != nil {
		log.Fatal(err)
	}
	second, err := dev.SamplerRef(mtl.Sampler{Min: mtl.Linear})
	if err != nil {
		log.Fatal(err)
	}
	same, again := t.Ref(), t.Ref()
	fmt.Println(same.ID() == again.ID(), first.ID() == second.ID())
	// Output: true false
}
