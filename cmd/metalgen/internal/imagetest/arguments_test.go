package imagetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/imagetest/testdata/gen"
	"github.com/metalgen/metalgen/runtime"
)

// floats returns a buffer of floats.
func (d device) floats(f ...float32) runtime.Buffer[float32] {
	d.Helper()
	b, err := runtime.Upload(d.Device, f)
	if err != nil {
		d.Fatal(err)
	}
	return b
}

// arguments returns a buffer of what has pointers.
func arguments[T any](d device, s ...T) runtime.Buffer[T] {
	d.Helper()
	b, err := runtime.UploadArguments(d.Device, s)
	if err != nil {
		d.Fatal(err)
	}
	return b
}

// pointers returns a buffer of pointers to pieces of a buffer, of n elements each.
func pointers(d device, b runtime.Buffer[float32], n int) runtime.Buffer[runtime.Pointer[float32]] {
	var list []runtime.Pointer[float32]
	for i := 0; i < b.Len(); i += n {
		list = append(list, b.Slice(i, i+n).Pointer())
	}
	return arguments(d, list...)
}

func equal(t *testing.T, what string, got runtime.Buffer[float32], want []float32) {
	t.Helper()
	if !slices.Equal(got.Data(), want) {
		t.Errorf("%s: got %v, want %v", what, got.Data(), want)
	}
}

// TestStructsWithPointers calls kernels with an unbounded array of structs that have pointers, arrays of pointers and
// structs with more of them, and with a list of which a value is the head.
func TestStructsWithPointers(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		const n = 40
		sums, products := d.floats(make([]float32, n)...), d.floats(make([]float32, n)...)
		scales := d.floats(1, 2)
		var layers []gen.Layer
		var wantSums, wantProducts []float32
		for i := range n {
			sum, product, values := float32(0), float32(1), make([]float32, i%4+1)
			for k := range values {
				values[k] = float32(i - k)
				sum += values[k] * float32(1+i%2)
				product *= values[k] * float32(1+i%2)
			}
			wantSums, wantProducts = append(wantSums, sum), append(wantProducts, product)
			in := d.floats(append([]float32{-1}, values...)...).Slice(1, 1+len(values))
			layers = append(layers, gen.Layer{
				In:    gen.Span{Values: in.Pointer(), Count: uint32(len(values))},
				Out:   [2]runtime.Pointer[float32]{sums.Pointer(), products.Pointer()},
				Scale: scales.Slice(i%2, 2).Pointer(),
				Row:   uint32(i),
			})
		}
		table := arguments(d, layers...)
		d.run(func(b *runtime.Batch) { gen.ReduceLayers(b, gen.ReduceLayersArgs{Layers: table}) })
		equal(t, "sums", sums, wantSums)
		equal(t, "products", products, wantProducts)

		// the same layers as a list, from the first value on
		for i := range layers[1:] {
			layers[i].Next = table.Slice(i+1, n).Pointer()
		}
		if err := runtime.WriteArguments(table, layers); err != nil {
			t.Fatal(err)
		}
		total := d.floats(0)
		d.run(func(b *runtime.Batch) { gen.WalkLayers(b, gen.WalkLayersArgs{First: layers[0], Total: total}) })
		equal(t, "total", total, []float32{n * (n - 1) / 2})
	})
}

// TestPointersToPointers calls kernels that find rows through pointers to pointers, one behind the other in a batch.
func TestPointersToPointers(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		const w, h = 5, 3
		in, out := d.floats(make([]float32, w*h)...), d.floats(make([]float32, w*h)...)
		var transposed, rows, columns []float32
		for i := range in.Data() {
			in.Data()[i] = float32(i * i)
		}
		for x := range w {
			column := float32(0)
			for y := range h {
				transposed = append(transposed, in.Data()[y*w+x])
				column += in.Data()[y*w+x]
			}
			columns = append(columns, column)
		}
		for y := range h {
			row := float32(0)
			for x := range w {
				row += in.Data()[y*w+x]
			}
			rows = append(rows, row)
		}
		inRows, outRows := pointers(d, in, w), pointers(d, out, h)
		ofColumns, ofRows := d.floats(make([]float32, w)...), d.floats(make([]float32, h)...)
		d.run(func(b *runtime.Batch) {
			gen.Transpose(b, gen.TransposeArgs{
				Table: gen.Table{Rows: inRows.Pointer(), Columns: outRows.Pointer()}, Width: w, Height: h,
			})
			gen.SumRows(b, gen.SumRowsArgs{Rows: inRows, Sums: ofColumns, N: w, Height: h})
			gen.SumRows(b, gen.SumRowsArgs{Rows: outRows, Sums: ofRows, N: h, Height: w})
		})
		equal(t, "transposed", out, transposed)
		equal(t, "sums of columns", ofColumns, columns)
		equal(t, "sums of rows", ofRows, rows)
	})
}

// TestPointersToWhatIsGoneAreMistakes dispatches nothing, and says which pointer it is.
func TestPointersToWhatIsGoneAreMistakes(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		values, total := d.floats(1, 2), d.floats(5)
		layer := gen.Layer{In: gen.Span{Values: values.Pointer(), Count: 2}}
		next := arguments(d, gen.Layer{}, layer)
		walk := func(first gen.Layer) error {
			b := d.NewBatch()
			gen.WalkLayers(b, gen.WalkLayersArgs{First: first, Total: total})
			return b.Run(t.Context())
		}
		values.Free()
		for _, c := range []struct {
			first gen.Layer
			arg   string
		}{
			{layer, "first.In.Values"},
			{gen.Layer{Next: next.Slice(1, 2).Pointer()}, "first.Next->In.Values"},
		} {
			err := walk(c.first)
			if e, ok := errors.AsType[*runtime.ArgError](err); !ok || e.Kernel != "walkLayers" || e.Arg != c.arg {
				t.Errorf("%s: got %v", c.arg, err)
			}
		}
		equal(t, "total", total, []float32{5})
	})
}
