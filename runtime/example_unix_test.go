//go:build unix

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// A mapped file of weights is used where it is, and only read.
func ExampleAccess() {
	dir, err := os.MkdirTemp("", "weights")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "weights")
	if err := os.WriteFile(name, []byte{0, 0, 128, 63, 0, 0, 0, 64}, 0o600); err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	mapped, err := syscall.Mmap(int(f.Fd()), 0, 8, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		log.Fatal(err)
	}
	defer syscall.Munmap(mapped) // after dev.Close

	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	weights, err := mtl.WrapBuffer(dev, unsafe.Slice((*float32)(unsafe.Pointer(&mapped[0])), 2), mtl.Read)
	if err != nil {
		log.Fatal(err)
	}
	sum, err := mtl.NewBuffer[float32](dev, 2)
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: weights, B: weights, Out: sum, Dim: 2})
	fmt.Println(b.Run(context.Background()), sum.Data())

	gen.ResidualAdd(b, gen.ResidualAddArgs{A: weights, B: weights, Out: weights, Dim: 2})
	fmt.Println(errors.Is(b.Run(context.Background()), mtl.ErrReadOnly))
	// Output:
	// <nil> [2 4]
	// true
}
