package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/examples/gemm/gen"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onEachDevice runs a test on the CPU device, and through the Metal driver on a fake of Metal. Neither needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	t.Run("cpu", func(t *testing.T) {
		dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		test(t, dev)
	})
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

func newMatrices[T gen.GemmElement](t testing.TB, dev *mtl.Device, m, n, k int) (z, x, y matrix[T]) {
	t.Helper()
	for _, a := range []struct {
		matrix        *matrix[T]
		rows, columns int
	}{{&z, m, n}, {&x, m, k}, {&y, k, n}} {
		var err error
		if *a.matrix, err = newMatrix[T](dev, a.rows, a.columns); err != nil {
			t.Fatal(err)
		}
		randomise(*a.matrix, uint64(a.rows)) // z too: a kernel has to write all of it
	}
	return z, x, y
}

// Sums of k floats are off by k roundings of 2^-24 at most, as parts of the sizes of what they add, and an element
// that is a half by one of 2^-11 more.
func TestProductsAreThoseOfFloat64(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for _, size := range [][3]int{
			{1, 1, 1}, {32, 32, 16}, {64, 64, 64}, {31, 33, 15}, {33, 31, 17}, {65, 63, 1}, {1, 100, 50}, {70, 130, 90},
			{5, 3, 0}, {0, 3, 5},
		} {
			testProducts(t, dev, float32s, size, 0x1p-24)
			testProducts(t, dev, float16s, size, 0x1p-11)
		}
	})
}

func testProducts[T gen.GemmElement](t *testing.T, dev *mtl.Device, kernels kernels[T], size [3]int, unit float64) {
	m, n, k := size[0], size[1], size[2]
	z, x, y := newMatrices[T](t, dev, m, n, k)
	want, sizes := product(x, y)
	b := dev.NewBatch()
	for _, kernel := range kernels.all {
		multiply(b, kernel, z, x, y)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		tolerance := float64(k)*0x1p-24 + unit
		for i, got := range values(z) {
			if !(math.Abs(got-want[i]) <= tolerance*sizes[i]) {
				t.Errorf("%s, %v: element (%d, %d) is %v, want %v", kernel, size, i/n, i%n, got, want[i])
				break
			}
		}
		clear(z.elements.Data())
	}
}

func TestLargeProductsHaveLargeTiles(t *testing.T) {
	for _, c := range []struct {
		m, n int
		want gen.GemmVariant[float32]
	}{
		{1, 1, gen.GemmSimdgroups32F32},
		{64, 64 * 31, gen.GemmSimdgroups32F32},
		{64, 64*31 + 1, gen.GemmSimdgroups64F32},
		{4096, 4096, gen.GemmSimdgroups64F32},
	} {
		if got := float32s.choose(c.m, c.n); got != c.want {
			t.Errorf("%d x %d: %s, want %s", c.m, c.n, got, c.want)
		}
	}
}

func TestRunPrintsATable(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // a virtual Mac has no functions of simd-groups
	var out strings.Builder
	if err := run(&out, []string{"-m", "40", "-n", "50", "-k", "60"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "gemm_"); got != 8 {
		t.Errorf("%d kernels in\n%s", got, &out)
	}
	if got := strings.Count(out.String(), "chosen"); got != 2 {
		t.Errorf("%d kernels were chosen in\n%s", got, &out)
	}
	for _, args := range [][]string{{"-m", "0"}, {"-n", "5000"}, {"-k", "-1"}, {"x"}} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}

func BenchmarkGemm(b *testing.B) {
	dev, err := mtl.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, size := range []int{128, 512} {
		benchmark(b, dev, float32s, size)
		benchmark(b, dev, float16s, size)
	}
}

func benchmark[T gen.GemmElement](b *testing.B, dev *mtl.Device, kernels kernels[T], size int) {
	z, x, y := newMatrices[T](b, dev, size, size, size)
	batch := dev.NewBatch()
	for _, kernel := range kernels.all {
		b.Run(fmt.Sprintf("%s/%d", kernel, size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				multiply(batch, kernel, z, x, y)
				if err := batch.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			operations := 2 * float64(size*size*size) * float64(b.N)
			b.ReportMetric(operations/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
