package imagetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/imagetest/testdata/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
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
// structs with more of them, and with a list whose head is a value.
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

// TestPointersToPointers calls kernels that find rows through pointers to pointers, one after the other in a batch.
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

// TestTexturesInBuffers calls a kernel with structs of textures and samplers, one after the other in a batch.
func TestTexturesInBuffers(t *testing.T) {
	onBoth(t, func(t *testing.T, d device) {
		const w, h, n = 6, 4, 3
		texture := func(texels []byte) runtime.Texture2D { return d.of2D(w, h, runtime.R32Float, texels) }
		nearest, err := d.SamplerRef(runtime.Sampler{})
		if err != nil {
			t.Fatal(err)
		}
		mirrored, err := d.SamplerRef(runtime.Sampler{
			Min: runtime.Linear, Mag: runtime.Linear, Address: runtime.MirrorRepeat,
		})
		if err != nil {
			t.Fatal(err)
		}
		var first, second []gen.Picture
		var images, copies, negatives, again []runtime.Texture2D
		for i := range n {
			texels := make([]float32, w*h)
			for k := range texels {
				texels[k] = float32(i*100 + k)
			}
			image, same, negative, positive := texture(floatBytes(texels)), texture(nil), texture(nil), texture(nil)
			first = append(first, gen.Picture{Image: image.Ref(), S: nearest,
				Out: [2]runtime.TextureRef[runtime.Texture2D]{same.Ref(), negative.Ref()}})
			second = append(second, gen.Picture{Image: negative.Ref(), S: mirrored,
				Out: [2]runtime.TextureRef[runtime.Texture2D]{texture(nil).Ref(), positive.Ref()}})
			images, copies = append(images, image), append(copies, same)
			negatives, again = append(negatives, negative), append(again, positive)
		}
		one, two := arguments(d, first...), arguments(d, second...)
		d.run(func(b *runtime.Batch) {
			gen.DrawPictures(b, gen.DrawPicturesArgs{Pictures: one, N: n, Width: w, Height: h})
			gen.DrawPictures(b, gen.DrawPicturesArgs{Pictures: two, N: n, Width: w, Height: h})
		})
		for i := range n {
			want := d.texels(images[i], 4*w*h)
			if !bytes.Equal(d.texels(copies[i], 4*w*h), want) || !bytes.Equal(d.texels(again[i], 4*w*h), want) {
				t.Errorf("image %d has other texels", i)
			}
			for k, x := range bytesFloats(d.texels(negatives[i], 4*w*h)) {
				if want := 1 - float32(i*100+k); x != want {
					t.Fatalf("texel %d of negative %d is %v, want %v", k, i, x, want)
				}
			}
		}
	})
}

// TestBarriersStandWhereArgumentsLead counts the barriers of batches of generated calls.
func TestBarriersStandWhereArgumentsLead(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{NoLog: true})
	d := device{t, dev}
	const w, h = 4, 3
	in, out := d.floats(make([]float32, w*h)...), d.floats(make([]float32, w*h)...)
	inRows, outRows := pointers(d, in, w), pointers(d, out, h)
	sums, more := d.floats(make([]float32, w)...), d.floats(make([]float32, w)...)
	sampler, err := d.SamplerRef(runtime.Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	image := func() runtime.Texture2D { return d.of2D(w, h, runtime.R32Float, nil) }
	x, y, z := image(), image(), image()
	picture := func(from, to, negative runtime.Texture2D) runtime.Buffer[gen.Picture] {
		return arguments(d, gen.Picture{Image: from.Ref(), S: sampler,
			Out: [2]runtime.TextureRef[runtime.Texture2D]{to.Ref(), negative.Ref()}})
	}
	sum := func(rows runtime.Buffer[runtime.Pointer[float32]], sums runtime.Buffer[float32]) func(b *runtime.Batch) {
		return func(b *runtime.Batch) { gen.SumRows(b, gen.SumRowsArgs{Rows: rows, Sums: sums, N: 3, Height: 3}) }
	}
	transpose := func(b *runtime.Batch) {
		table := gen.Table{Rows: inRows.Pointer(), Columns: outRows.Pointer()}
		gen.Transpose(b, gen.TransposeArgs{Table: table, Width: w, Height: h})
	}
	draw := func(p runtime.Buffer[gen.Picture]) func(b *runtime.Batch) {
		return func(b *runtime.Batch) {
			gen.DrawPictures(b, gen.DrawPicturesArgs{Pictures: p, N: 1, Width: w, Height: h})
		}
	}
	for _, c := range []struct {
		name     string
		calls    []func(b *runtime.Batch)
		barriers int
	}{
		{"two that read rows", []func(*runtime.Batch){sum(inRows, sums), sum(inRows, more)}, 0},
		{"one that reads rows which another reads too", []func(*runtime.Batch){sum(inRows, sums), transpose}, 0},
		{"one that reads columns which another writes", []func(*runtime.Batch){transpose, sum(outRows, sums)}, 1},
		{"one that writes what another reads", []func(*runtime.Batch){sum(outRows, sums), transpose}, 1},
		{"two that write", []func(*runtime.Batch){transpose, transpose}, 1},
		{"rows and textures", []func(*runtime.Batch){transpose, draw(picture(x, y, z))}, 0},
		{"textures that one writes and another reads",
			[]func(*runtime.Batch){draw(picture(x, y, z)), draw(picture(y, image(), image()))}, 1},
		{"textures that two read",
			[]func(*runtime.Batch){draw(picture(x, y, z)), draw(picture(x, image(), image()))}, 0},
	} {
		log.Clear()
		d.run(func(b *runtime.Batch) {
			for _, call := range c.calls {
				call(b)
			}
		})
		if n := log.Counts(); n.Barriers != c.barriers || n.Needless != 0 {
			t.Errorf("%s: %d barriers, %d of them needless; want %d", c.name, n.Barriers, n.Needless, c.barriers)
		}
	}
}

// TestBadArgumentsAreMistakes dispatches nothing, and says which argument it is.
func TestBadArgumentsAreMistakes(t *testing.T) {
	other := device{t, openCPU(t)}
	foreign, foreignTexture := other.floats(1), other.of2D(2, 2, runtime.R32Float, nil)
	onBoth(t, func(t *testing.T, d device) {
		total := d.floats(5)
		walk := func(first gen.Layer) error {
			b := d.NewBatch()
			gen.WalkLayers(b, gen.WalkLayersArgs{First: first, Total: total})
			return b.Run(t.Context())
		}
		reduce := func(layers runtime.Buffer[gen.Layer]) error {
			b := d.NewBatch()
			gen.ReduceLayers(b, gen.ReduceLayersArgs{Layers: layers})
			return b.Run(t.Context())
		}
		drawAll := func(pictures runtime.Buffer[gen.Picture]) error {
			b := d.NewBatch()
			gen.DrawPictures(b, gen.DrawPicturesArgs{Pictures: pictures, N: 2, Width: 2, Height: 2})
			return b.Run(t.Context())
		}
		draw := func(p gen.Picture) error {
			pictures, err := runtime.UploadArguments(d.Device, []gen.Picture{{}, p})
			if err != nil {
				return err
			}
			return drawAll(pictures)
		}
		values, next := d.floats(1, 2), d.floats(3)
		gone := values.Pointer()
		layer := gen.Layer{In: gen.Span{Values: gone, Count: 2}}
		table := arguments(d, gen.Layer{}, layer)
		values.Free()
		next.Free()
		image := func(f runtime.PixelFormat) runtime.Texture2D { return d.of2D(2, 2, f, nil) }
		freed, ids := image(runtime.R32Float), image(runtime.R32Uint)
		freedRef := freed.Ref()
		pictures := arguments(d, gen.Picture{}, gen.Picture{Image: freedRef})
		freed.Free()
		for _, c := range []struct {
			name     string
			err      error
			arg, pos string
			is       error
		}{
			{"freed", walk(layer), "first.In.Values", "", runtime.ErrNoMemory},
			{"freed before", walk(gen.Layer{Scale: next.Pointer()}), "first.Scale", "", runtime.ErrFreed},
			{"of another device", walk(gen.Layer{Scale: foreign.Pointer()}), "first.Scale", "", runtime.ErrNoMemory},
			{"behind another, and gone", walk(gen.Layer{Next: table.Slice(1, 2).Pointer()}), "first.Next->In.Values", "",
				runtime.ErrFreed},
			{"in an argument, and gone", reduce(table), "layers[1].In.Values", "arguments.metal:19", runtime.ErrFreed},
			{"a texture in an argument, and gone", drawAll(pictures), "pictures[1].Image", "arguments.metal:68",
				runtime.ErrFreed},
			{"a freed texture", draw(gen.Picture{Image: freedRef}), "[1].Image", "", runtime.ErrNoMemory},
			{"a texture of another device", draw(gen.Picture{Image: foreignTexture.Ref()}), "[1].Image", "",
				runtime.ErrNoMemory},
			{"a texture of other texels", draw(gen.Picture{Image: ids.Ref()}), "pictures[1].Image", "arguments.metal:68", nil},
		} {
			var arg, pos string
			if e, ok := errors.AsType[*runtime.ArgError](c.err); ok {
				arg, pos = e.Arg, e.Pos
			} else if e, ok := errors.AsType[*runtime.PointerError](c.err); ok {
				arg = fmt.Sprintf("[%d].%s", e.Element, e.Field)
			}
			if arg != c.arg || pos != c.pos || c.is != nil && !errors.Is(c.err, c.is) {
				t.Errorf("%s: got %v, of %q at %q", c.name, c.err, arg, pos)
			}
		}
		equal(t, "total", total, []float32{5})
	})
}

// TestArgumentsAreRecordedWhereNothingIsExecuted records a call on a device for benchmarks.
func TestArgumentsAreRecordedWhereNothingIsExecuted(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{Empty: true})
	d := device{t, dev}
	rows, sums := pointers(d, d.floats(make([]float32, 4)...), 2), d.floats(5, 5)
	d.run(func(b *runtime.Batch) { gen.SumRows(b, gen.SumRowsArgs{Rows: rows, Sums: sums, N: 2, Height: 2}) })
	equal(t, "sums", sums, []float32{5, 5})
}

// TestDevicesWithoutMetal3 have no pointers in memory, and say so.
func TestDevicesWithoutMetal3(t *testing.T) {
	t.Setenv("METALGEN_LINES", "off")
	dev, _ := fakemetal.Open(t, fakemetal.Options{NoMetal3: true})
	d := device{t, dev}
	values := d.floats(1)
	_, err := runtime.UploadArguments(dev, []gen.Layer{{In: gen.Span{Values: values.Pointer()}}})
	if e, ok := errors.AsType[*runtime.PointerError](err); !ok || e.Field != "In.Values" ||
		!errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
	if _, err := dev.SamplerRef(runtime.Sampler{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
	const need = "need a device that follows pointers in memory, which is Metal 3 on macOS 13 or later"
	for _, c := range []struct {
		want string
		call func(b *runtime.Batch)
	}{
		{"reduceLayers: layers: " + need + " (arguments.metal:19), have " + dev.String(), func(b *runtime.Batch) {
			gen.ReduceLayers(b, gen.ReduceLayersArgs{Layers: arguments(d, gen.Layer{})})
		}},
		{"walkLayers: first: " + need + ", have " + dev.String(), func(b *runtime.Batch) {
			gen.WalkLayers(b, gen.WalkLayersArgs{Total: values})
		}},
	} {
		b := dev.NewBatch()
		c.call(b)
		err := b.Run(t.Context())
		if _, ok := errors.AsType[*runtime.ArgError](err); !ok || err.Error() != c.want ||
			!errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
