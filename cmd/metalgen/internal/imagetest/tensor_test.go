package imagetest

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/imagetest/testdata/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/x448/float16"
)

// uploaded returns a buffer of values as a type holds them.
func uploaded[T any](d device, of func(float32) T, values []float64) runtime.Buffer[T] {
	d.Helper()
	host := make([]T, len(values))
	for i, v := range values {
		host[i] = of(float32(v))
	}
	b, err := runtime.Upload(d.Device, host)
	if err != nil {
		d.Fatal(err)
	}
	return b
}

func same(f float32) float32 { return f }

// small returns random whole numbers, which every type of the tests holds.
func small(n int) []float64 {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(r.IntN(17) - 8)
	}
	return list
}

// product is a times b, which is k x n, or n x k where it is transposed.
func product(a, b []float64, m, n, k int, transposed bool) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				at := l*n + j
				if transposed {
					at = j*k + l
				}
				c[i*n+j] += a[i*k+l] * b[at]
			}
		}
	}
	return c
}

func (d device) compare(what string, have []float32, want []float64) {
	d.Helper()
	for i, w := range want {
		if math.Abs(float64(have[i])-w) > 1e-3*math.Max(1, math.Abs(w)) {
			d.Fatalf("%s: [%d] is %v, want %v", what, i, have[i], w)
		}
	}
}

func TestKernelsTakeTensors(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		x := small(100)
		y := uploaded(d, same, make([]float64, 100))
		d.run(func(b *runtime.Batch) {
			gen.TensorScale(b, gen.TensorScaleArgs{X: uploaded(d, same, x), XExtents: 100, Y: y, YExtents: 100, By: 3})
		})
		for i, v := range y.Data() {
			if float64(v) != 3*x[i] {
				t.Fatalf("[%d] is %v, want %v", i, v, 3*x[i])
			}
		}
		const w, h = 13, 9
		x = small(w * h)
		half := uploaded(d, float16.Fromfloat32, make([]float64, w*h))
		d.run(func(b *runtime.Batch) {
			gen.TensorTranspose(b, gen.TensorTransposeArgs{
				X: uploaded(d, float16.Fromfloat32, x), XExtents: [2]int32{w, h}, Y: half, YExtents: [2]int32{h, w},
			})
		})
		for i, v := range half.Data() {
			if want := x[i%h*w+i/h]; float64(v.Float32()) != want {
				t.Fatalf("transposed: [%d] is %v, want %v", i, v, want)
			}
		}
		const depth = 3
		x = small(w * h * depth)
		sums, want := uploaded(d, same, make([]float64, h*depth)), make([]float64, h*depth)
		for i, v := range x {
			want[i/w] += v
		}
		d.run(func(b *runtime.Batch) {
			gen.TensorSums(b, gen.TensorSumsArgs{
				X: uploaded(d, same, x), XExtents: runtime.Vec3[uint32]{X: w, Y: h, Z: depth},
				Sums: sums, SumsExtents: [2]uint32{h, depth},
			})
		})
		d.compare("sums", sums.Data(), want)
	})
}

// multiply compares the product of matrices of T with one of float64.
func multiply[T gen.TensorProductElement](d device, v gen.TensorProductVariant[T], of func(float32) T) {
	d.Helper()
	for _, size := range [][3]int{{64, 32, 16}, {70, 45, 33}, {5, 3, 1}} {
		m, n, k := size[0], size[1], size[2]
		a, b, c := small(m*k), small(k*n), uploaded(d, same, make([]float64, m*n))
		d.run(func(batch *runtime.Batch) {
			gen.TensorProduct(batch, gen.TensorProductArgs[T]{
				A: uploaded(d, of, a), AExtents: [2]int32{int32(k), int32(m)},
				B: uploaded(d, of, b), BExtents: [2]int32{int32(n), int32(k)},
				C: c, CExtents: [2]int32{int32(n), int32(m)}, Variant: v,
				Grid: runtime.Grid{Threadgroups: [3]int{(n + 31) / 32, (m + 63) / 64, 1}, Threads: [3]int{128, 1, 1}},
			})
		})
		d.compare(v.String(), c.Data(), product(a, b, m, n, k, false))
	}
}

func TestKernelsMultiplyTensors(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		multiply(d, gen.TensorProductF32, same)
		multiply(d, gen.TensorProductF16, float16.Fromfloat32)
		multiply(d, gen.TensorProductBf16, runtime.NewBFloat16)
		const m, n, k = 70, 45, 33
		a, b, c := small(m*k), small(n*k), uploaded(d, same, make([]float64, m*n))
		d.run(func(batch *runtime.Batch) {
			gen.TensorProductNt(batch, gen.TensorProductNtArgs{
				A: uploaded(d, float16.Fromfloat32, a), AExtents: [2]int32{k, m},
				B: uploaded(d, float16.Fromfloat32, b), BExtents: [2]int32{k, n}, C: c, CExtents: [2]int32{n, m},
			})
		})
		d.compare("nt", c.Data(), product(a, b, m, n, k, true))
	})
}

// A tensor has no more elements than its buffer.
func TestTensorsFitTheirBuffers(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		x, y := uploaded(d, same, make([]float64, 10)), uploaded(d, same, make([]float64, 11))
		b := d.NewBatch()
		gen.TensorScale(b, gen.TensorScaleArgs{X: x, XExtents: 10, Y: y.Slice(0, 10), YExtents: 11})
		err := b.Run(t.Context())
		if e, ok := errors.AsType[*runtime.ArgError](err); !ok || e.Arg != "y" || !strings.Contains(e.Need, "11 elements") {
			t.Errorf("got %v", err)
		}
	})
}
