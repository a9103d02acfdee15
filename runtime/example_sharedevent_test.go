package runtime_test

import (
	"context"
	"fmt"
	"log"

	mtl "github.com/metalgen/metalgen/runtime"
)

// A batch tells the program how far it is, and waits for what the program does then.
func ExampleSharedEvent() {
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
	e, err := mtl.NewSharedEvent(dev)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	b := dev.NewBatch()
	mtl.Copy(b, y, x)
	b.SignalEvent(e, 1)
	b.WaitForEvent(e, 2)
	mtl.Copy(b, x, y)
	if err := b.Submit(); err != nil {
		log.Fatal(err)
	}
	if err := e.Wait(ctx, 1); err != nil {
		log.Fatal(err)
	}
	y.Data()[0] = 100
	if err := e.Signal(2); err != nil {
		log.Fatal(err)
	}
	if err := b.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Data(), e.Value(), e.MTLSharedEvent())
	// Output: [100 2 3] 2 0
}
