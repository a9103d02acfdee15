package runtime_test

import (
	"context"
	"fmt"
	"log"

	mtl "github.com/metalgen/metalgen/runtime"
)

// The device works on the first calls of a long batch while the others are recorded.
func ExampleBatch_Start() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	y, err := mtl.NewBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	mtl.Copy(b, y, x)
	b.Start()
	for range 1000 {
		mtl.Copy(b, x, y)
		mtl.Copy(b, y, x)
	}
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Data())
	// Output: [1 2 3]
}
