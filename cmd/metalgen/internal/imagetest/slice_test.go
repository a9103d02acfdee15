package imagetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/imagetest/testdata/gen"
	"github.com/metalgen/metalgen/runtime"
)

// The sanitizer does not let a kernel read beyond a slice through the pointer that was made of it.
func TestAPointerDoesNotLeadBeyondItsSlice(t *testing.T) {
	upload := func(dev *runtime.Device, x ...float32) runtime.Buffer[float32] {
		b, err := runtime.Upload(dev, x)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const want = "reduceLayers: arguments.metal:23:31: the memory of layers[0].In.Values, a slice of bytes 4 to 12: " +
		"4 bytes at byte 8 are out of bounds of 8 bytes, in thread (0, 0, 0), threadgroup (0, 0, 0)"
	for _, c := range []struct {
		sanitize runtime.Checks
		count    uint32
		want     string
	}{{0, 3, ""}, {runtime.CheckAll, 2, ""}, {runtime.CheckAll, 3, want}} {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Sanitize: c.sanitize})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		values, out, scale := upload(dev, 1, 2, 3, 4), upload(dev, 0, 0), upload(dev, 1)
		span := gen.Span{Values: values.Slice(1, 3).Pointer(), Count: c.count}
		if again := values.Slice(1, 3).Pointer(); again != span.Values {
			t.Errorf("the pointer to the same slice is %#x, then %#x", span.Values.Address(), again.Address())
		}
		layers, err := runtime.UploadArguments(dev, []gen.Layer{{
			In: span, Scale: scale.Pointer(),
			Out: [2]runtime.Pointer[float32]{out.Slice(0, 1).Pointer(), out.Slice(1, 2).Pointer()},
		}})
		if err != nil {
			t.Fatal(err)
		}
		b := dev.NewBatch()
		gen.ReduceLayers(b, gen.ReduceLayersArgs{Layers: layers})
		err = b.Run(t.Context())
		if c.want == "" {
			sum := []float32{0, 0, 5, 9}[c.count]
			if err != nil || !slices.Equal(out.Data(), []float32{sum, []float32{0, 0, 6, 24}[c.count]}) {
				t.Errorf("%d values, sanitizer %v: %v, %v", c.count, c.sanitize, out.Data(), err)
			}
			continue
		}
		if !errors.Is(err, runtime.ErrOutOfBounds) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
