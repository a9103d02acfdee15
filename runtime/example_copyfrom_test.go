package runtime_test

import (
	"context"
	"fmt"
	"log"

	mtl "github.com/metalgen/metalgen/runtime"
)

// Weights go into private memory, and an image into a texture, with one batch.
func ExampleCopyFrom() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	weights, err := mtl.NewPrivateBuffer[float32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	image, err := mtl.NewTexture2D(dev, 2, 2, mtl.R8Unorm, mtl.TextureOptions{Private: true, Levels: 2})
	if err != nil {
		log.Fatal(err)
	}
	out, err := mtl.NewBuffer[float32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	mtl.CopyFrom(b, weights, []float32{1, 2, 3, 4})
	mtl.CopyTexels(b, image, []byte{10, 20, 30, 40}, []byte{25}) // two levels
	mtl.Copy(b, out, weights)
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	smallest := make([]byte, 1)
	if err := image.Read(mtl.Region{Level: 1}, smallest); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Data(), smallest)
	// Output: [1 2 3 4] [25]
}
