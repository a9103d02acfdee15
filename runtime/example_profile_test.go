package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

func ExampleProfile() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Times: true})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.NewBuffer[float32](dev, 1000)
	if err != nil {
		log.Fatal(err)
	}
	var profile mtl.Profile
	b := dev.NewBatch()
	for range 3 {
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1000})
		mtl.Copy(b, x.Slice(0, 10), x.Slice(10, 20))
		if err := b.Run(context.Background()); err != nil {
			log.Fatal(err)
		}
		profile.Add(b.Result())
	}
	bytes := map[string]int{} // a program prints &profile, which is a table
	for _, k := range profile.Kernels() {
		bytes[k.Kernel] = k.Bytes / k.Calls
	}
	fmt.Println(bytes)
	// Output: map[Copy:80 residual_add:12000]
}

func ExampleKernelTimes() {
	k := mtl.KernelTimes{Kernel: "residual_add", Calls: 2, Time: 1e6, Bytes: 24000} // one of Profile.Kernels
	fmt.Println(k.Kernel, k.BytesPerSecond()/1e9, "GB/s")
	// Output: residual_add 0.024 GB/s
}
