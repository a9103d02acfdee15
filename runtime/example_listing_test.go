package runtime_test

import (
	"fmt"
	"log"
	"strings"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// A tool that describes kernels itself asks what the CPU device makes of one, as metalgen run -dump asm does.
func ExampleDevice_Listing() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	source := "kernel void zero(device float* x, uint i [[thread_position_in_grid]]) { x[i] = 0; }"
	text, err := dev.Listing(&bind.Kernel{
		Name: "zero", Library: &bind.Library{File: "zero.metal", Source: &source},
		Args: []bind.Arg{{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4, Align: 4, Access: bind.Write}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(text, "store.float"))
	// Output: true
}
