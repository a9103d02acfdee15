package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

func ExampleOptions() {
	dev, err := mtl.OpenWith(mtl.Options{
		Device:   "cpu",
		Language: mtl.MSL(3, 1),
		Math:     mtl.MathSafe,
		Macros:   map[string]string{"TRACE": "1"},
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)), // of what kernels write with os_log
	})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(mtl.MSL(3, 1), mtl.MathSafe)
	// Output: 3.1 safe
}

// A device gives back what it keeps of freed buffers before the program does something else for a while.
func ExampleDevice_Trim() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Reuse: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.NewBuffer[float32](dev, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	x.Free()
	dev.Trim()
	fmt.Println(dev.Memory().Reusable)
	// Output: 0
}

// With LinesAlways, an error has the line that recorded its call, outside of tests too.
func ExampleLines() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Lines: mtl.LinesAlways})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{Dim: 3})
	if e, ok := errors.AsType[*mtl.ArgError](b.Run(context.Background())); ok {
		file, _, _ := strings.Cut(e.Call.Line, ":")
		fmt.Println(file)
	}
	// Output: runtime/example_options_test.go
}

func ExampleLanguageVersion() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Language: mtl.MSL(3, 0)})
	if err != nil {
		log.Fatal(err) // a system that has no Metal 3.0
	}
	defer dev.Close()
	fmt.Println(mtl.MSL(3, 0) < mtl.MSL(3, 1))
	// Output: true
}

// MathSafe is how the CPU device computes always. Compare a GPU with it before you look for a mistake.
func ExampleMathMode() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Math: mtl.MathSafe})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	for m := mtl.MathDefault; m <= mtl.MathFast; m++ {
		fmt.Println(m)
	}
	// Output:
	// default
	// safe
	// relaxed
	// fast
}

func ExampleResult() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Times: true})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, make([]float32, 1000))
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1000})
	gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: x, Up: x, Out: x, Dim: 1000})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	r := b.Result()
	for _, d := range r.Dispatches() {
		fmt.Println(d.Kernel, d.Duration() <= r.Duration())
	}
	// Output:
	// residual_add true
	// swiglu_fused true
}

// Calls that need each other run one after the other, on the clock of the batch.
func ExampleDispatchTimes() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Times: true})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, make([]float32, 1000))
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1000})
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1000})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	times := b.Result().Dispatches()
	fmt.Println(times[1].Start >= times[0].End)
	// Output: true
}

// A program counts what its devices do in its own way.
func ExampleEvent() {
	var mu sync.Mutex
	calls := make(map[string]int)
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Trace: func(e mtl.Event) {
		if e.Kind == mtl.DispatchEvent {
			mu.Lock()
			calls[e.Name]++ // or add e.End.Sub(e.Start)
			mu.Unlock()
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	x, err := mtl.Upload(dev, make([]float32, 1000))
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	for range 3 {
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1000})
	}
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	dev.Close()
	fmt.Println(calls)
	// Output: map[residual_add:3]
}

func ExampleEventKind() {
	for k := mtl.BatchEvent; k <= mtl.CompileEvent; k++ {
		fmt.Println(k)
	}
	// Output:
	// batch
	// dispatch
	// wait
	// compile
}

func ExampleMemoryUse() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const weights = 4 << 30
	if m := dev.Memory(); m.Recommended > 0 && m.Recommended-m.Allocated < weights {
		fmt.Println("use a smaller model")
		return
	}
	fmt.Println("there is room, or the device does not know") // the CPU device's memory is that of Go
	// Output: there is room, or the device does not know
}

func ExampleChecks() {
	checks, err := mtl.ParseChecks("race,barrier") // of a flag
	if err != nil {
		log.Fatal(err)
	}
	dev, err := mtl.OpenWith(mtl.Options{Sanitize: checks})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(checks, "of", mtl.CheckAll|mtl.CheckNaN)
	// Output: race,barrier of race,race-simdgroup,barrier,uninit,shape,nan,grid,idle
}
