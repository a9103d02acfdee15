package runtime_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// The kernels of the examples are those of package gen, which metalgen makes of shaders/. The devices are CPU devices,
// so that the examples compute the same everywhere: a program calls Open.

func Example() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"}) // or Open: Metal where there is a device
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	a, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := mtl.NewBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: a, B: a, Out: sum, Dim: 3})
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: sum, B: a, Out: sum, Dim: 3}) // sees what the first wrote
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Data())
	// Output: [3 6 9]
}

// The calls of a step are recorded once. What changes from step to step is in buffers.
func ExampleBatch_Keep() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	step, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	at, err := mtl.NewBuffer[float32](dev, 1)
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	b.Keep()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: at, B: step, Out: at, Dim: 1})
	for i := range 3 {
		step.Data()[0] = float32(i + 1)
		if err := b.Run(context.Background()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(at.Data())
	}
	b.Reset()
	// Output:
	// [1]
	// [3]
	// [6]
}

// A program waits for a batch and for something else.
func ExampleBatch_Done() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	if err := b.Submit(); err != nil {
		log.Fatal(err)
	}
	select {
	case <-b.Done():
	case <-time.After(time.Minute):
		log.Fatal("it takes too long")
	}
	fmt.Println(b.Wait(context.Background()), x.Data())
	// Output: <nil> [2]
}

// A batch with calls that are not to run is used for others.
func ExampleBatch_Reset() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	b.Reset()
	fmt.Println(b.Run(context.Background()), x.Data())
	// Output: <nil> [1]
}

// A program shows how far a batch is.
func ExampleRunOption() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	for range 4 {
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	}
	err = b.Run(context.Background(), mtl.WithProgress(func(done, total int) {
		fmt.Printf("%d of %d calls\n", done, total)
	}))
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 of 4 calls
	// 2 of 4 calls
	// 3 of 4 calls
	// 4 of 4 calls
}

func ExampleDeviceInfo() {
	infos, err := mtl.Devices()
	if err != nil {
		log.Fatal(err)
	}
	last := infos[len(infos)-1] // those of Metal come first
	dev, err := mtl.OpenWith(mtl.Options{Device: last.Device})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(last.Device)
	// Output: cpu
}

// Goroutines share a device. Each has a batch of its own.
func ExampleDevice() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	if _, err := gen.Preload(dev); err != nil { // no call has to wait for a compiler then
		log.Fatal(err)
	}
	const requests = 3
	results := make([]mtl.Buffer[float32], requests)
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			x, err := mtl.Upload(dev, []float32{float32(i), 10})
			if err != nil {
				log.Fatal(err)
			}
			b := dev.NewBatch()
			gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 2})
			if err := b.Run(context.Background()); err != nil {
				log.Fatal(err)
			}
			results[i] = x
		})
	}
	wg.Wait()
	for _, r := range results {
		fmt.Println(r.Data())
		r.Free()
	}
	// Output:
	// [0 20]
	// [2 20]
	// [4 20]
}

func ExampleBuffer() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const rows, dim = 3, 4
	all, err := mtl.NewBuffer[float32](dev, rows*dim)
	if err != nil {
		log.Fatal(err)
	}
	defer all.Free()
	for i := range all.Data() { // the device's memory, and not a copy
		all.Data()[i] = float32(i)
	}
	row := all.Slice(1*dim, 2*dim) // a kernel gets the second row only

	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: row, B: row, Out: row, Dim: dim})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(all.Data())
	// Output: [0 1 2 3 8 10 12 14 8 9 10 11]
}

func ExampleCast() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	file, err := mtl.Upload(dev, []byte{0, 0, 128, 63, 0, 0, 0, 64}) // weights, as read from a file
	if err != nil {
		log.Fatal(err)
	}
	weights := mtl.Cast[float32](file)
	fmt.Println(weights.Len(), weights.Data())
	// Output: 2 [1 2]
}

// Private buffers are for what only kernels touch.
func ExampleCopy() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	private, err := mtl.NewPrivateBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	mtl.Copy(b, private, x)
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: private, B: private, Out: private, Dim: 3})
	mtl.Copy(b, x, private)
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(private.Data() == nil, x.Data())
	// Output: true [2 4 6]
}

// A batch is recorded while another runs.
func ExampleBatch() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	batches := [2]*mtl.Batch{dev.NewBatch(), dev.NewBatch()}
	for i := range 10 {
		b := batches[i%2]
		if i >= 2 {
			if err := b.Wait(ctx); err != nil { // it is empty then, and keeps its storage
				log.Fatal(err)
			}
		}
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
		if err := b.Submit(); err != nil {
			log.Fatal(err)
		}
	}
	for _, b := range batches {
		if err := b.Wait(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(x.Data())
	// Output: [1024]
}

func ExampleGrid() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, make([]float32, 1000))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(gen.ResidualAddGrid(1000)) // what the source states, and a call takes where it sets none

	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{
		A: x, B: x, Out: x, Dim: 1000,
		Grid: mtl.Threads(1000).Of(64),
	})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: (4, 1, 1) threadgroups of (256, 1, 1) threads
}

func ExampleExtent() {
	fmt.Println(mtl.Threads(640, 470).Of(16, 16)) // a thread for each pixel
	fmt.Println(mtl.Threadgroups(8).Of(256))      // a threadgroup for each of 8 rows
	// Output:
	// (40, 30, 1) threadgroups of (16, 16, 1) threads, (640, 470, 1) threads in all
	// (8, 1, 1) threadgroups of (256, 1, 1) threads
}

func ExampleVec3() {
	position := mtl.Vec3[float32]{X: 1, Y: 2, Z: 3} // float3, of 16 bytes; packed_float3 is [3]float32
	fmt.Println(position.X+position.Y+position.Z, [3]float32{1, 2, 3})
	// Output: 6 [1 2 3]
}

func ExampleBFloat16() {
	weights := []mtl.BFloat16{mtl.NewBFloat16(1), mtl.NewBFloat16(0.1)}
	for _, w := range weights {
		fmt.Printf("%#04x %v\n", uint16(w), w.Float32())
	}
	// Output:
	// 0x3f80 1
	// 0x3dcd 0.100097656
}
