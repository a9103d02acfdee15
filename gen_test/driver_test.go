package gen_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// alternation makes calls of two kernels in turn, so that each call has to say which
// kernel it is, and how much threadgroup memory. None waits for another.
type alternation struct {
	add  gen.FusedNormAddF32Args
	norm gen.FusedResidualNormF32Args
	outs []runtime.Buffer[float32]
}

func newAlternation(t testing.TB, dev *runtime.Device, calls int) *alternation {
	const dim, rows = 64, 2
	a := &alternation{add: normArgs(t, dev, dim, rows), norm: residualNormArgs(t, dev, dim, rows)}
	a.norm.Shared = 512
	all := newBuffer[float32](t, dev, calls*rows*dim)
	for i := range calls {
		a.outs = append(a.outs, all.Slice(i*rows*dim, (i+1)*rows*dim))
	}
	return a
}

func (a *alternation) record(b *runtime.Batch, calls int) {
	for i, out := range a.outs[:calls] {
		if i%2 == 0 {
			a.add.Output = out
			gen.FusedNormAddF32(b, a.add)
		} else {
			a.norm.NormedOutput = out
			gen.FusedResidualNormF32(b, a.norm)
		}
	}
}

func TestADispatchCostsFourMessagesAtMost(t *testing.T) {
	dev, log := openFake(t, fakemetal.Options{})
	a := newAlternation(t, dev, 128)
	b := dev.NewBatch()
	messages := func(calls int) int {
		log.Clear()
		a.record(b, calls)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := log.Counts()
		if c.Dispatches != calls || c.Barriers != 0 {
			t.Errorf("%d dispatches and %d barriers, want %d and 0", c.Dispatches, c.Barriers, calls)
		}
		return c.Messages
	}
	messages(65) // makes pipelines and memory
	if got := messages(65) - messages(1); got > 64*4 {
		t.Errorf("64 dispatches cost %d messages, want 4 each at most", got)
	}
}

func TestADispatchAllocatesNothingInTheMetalDriver(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	dev, _ := openFake(t, fakemetal.Options{Empty: true})
	all := representative(t, dev)
	b := dev.NewBatch()
	ctx := t.Context()
	var err error
	allocations := func(calls int) float64 {
		step := func() {
			for i := range calls {
				all[i%len(all)].call(b)
			}
			if e := b.Run(ctx); e != nil {
				err = e
			}
		}
		step() // makes what is kept
		return testing.AllocsPerRun(50, step)
	}
	calls := 4 * len(all) // twice as many are still one command buffer
	allocations(2 * calls)
	few, many := allocations(calls), allocations(2*calls)
	if perDispatch := (many - few) / float64(calls); perDispatch >= 0.1 { // a collection empties pools, too
		t.Errorf("%v allocations in a batch of %d dispatches, %v in one of twice as many", few, calls, many)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestGoroutinesShareTheMetalDriver(t *testing.T) {
	dev, _ := openFake(t, fakemetal.Options{NoLog: true})
	const goroutines, dim = 16, 32
	batches := 25
	if *long {
		batches = 625
	}
	weight := upload(t, dev, uniform(1, dim, 0.5, 1.5)) // of all of them
	var wg sync.WaitGroup
	for g := range goroutines {
		input := uniform(uint64(2+g), dim, -1, 1)
		wg.Go(func() {
			if err := normsInTurn(t, dev, weight, input, batches); err != nil {
				t.Errorf("goroutine %d: %v", g, err)
			}
		})
	}
	wg.Wait()
}

// normsInTurn runs batches in each of which a call needs what another wrote, with
// memory that comes and goes, and checks all results.
func normsInTurn(t *testing.T, dev *runtime.Device, weight runtime.Buffer[float32], input []float32,
	batches int) error {
	dim := len(input)
	zero := make([]float32, dim)
	once := addedNorm(zero, input, float64s(weight.Data()), 1e-6)
	want := addedNorm(zero, once, float64s(weight.Data()), 1e-6)
	b := dev.NewBatch()
	for i := range batches {
		all, err := runtime.NewBuffer[float32](dev, 4*dim)
		if err != nil {
			return err
		}
		part := func(n int) runtime.Buffer[float32] { return all.Slice(n*dim, (n+1)*dim) }
		copy(part(1).Data(), input)
		a := gen.FusedNormAddF32Args{Residual: part(0), Weight: weight, Dim: uint32(dim), Rows: 1, Eps: 1e-6}
		a.Input, a.Output = part(1), part(2)
		gen.FusedNormAddF32(b, a)
		a.Input, a.Output = part(2), part(3)
		gen.FusedNormAddF32(b, a)
		if err := b.Run(t.Context()); err != nil {
			return err
		}
		if d := difference(part(3).Data(), float64s(want), nil, sumRel); d != "" {
			return fmt.Errorf("batch %d: %s", i, d)
		}
		all.Free()
	}
	return nil
}

// addedNorm returns what fused_norm_add_f32 documents, for one row.
func addedNorm(residual, input []float32, weight []float64, eps float32) []float32 {
	by := inverseRMS(float64s(input), eps)
	out := make([]float32, len(input))
	for i, x := range input {
		out[i] = float32(float64(residual[i]) + float64(x)*by*weight[i])
	}
	return out
}

func TestImagesHaveBarriersWhereACallNeedsAnotherOnly(t *testing.T) {
	dev, log := openFake(t, fakemetal.Options{})
	const width, height, levels = 64, 32, 4
	all := runtime.TextureOptions{Levels: levels}
	mips, err := runtime.NewTexture2D(dev, width, height, runtime.RGBA8Unorm, all)
	if err != nil {
		t.Fatal(err)
	}
	level := func(n int) runtime.Texture2D {
		v, err := mips.View(runtime.RGBA8Unorm, runtime.Levels{First: n, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	src, between := canvas(t, dev, rgba8, width, height), canvas(t, dev, rgba8, width, height)
	dst, other := canvas(t, dev, rgba8, width, height), canvas(t, dev, rgba8, width, height)
	weights := zeros[float32](t, dev, 5)
	counts, curves := zeros[uint32](t, dev, 256), zeros[float32](t, dev, 256)
	rows := gen.BlurHorizontalArgs{Src: src, Dst: between, Weights: weights, Radius: 4}
	columns := gen.BlurVerticalArgs{Src: between, Dst: dst, Weights: weights, Radius: 4}
	for _, c := range []struct {
		name   string
		record func(b *runtime.Batch)
		want   []string
	}{
		{"a blur in two passes", func(b *runtime.Batch) {
			gen.GaussianWeights(b, gen.GaussianWeightsArgs{Weights: weights, Radius: 4, Sigma: 1})
			gen.BlurHorizontal(b, rows)
			gen.BlurVertical(b, columns)
		}, []string{"gaussian_weights", fakemetal.Barrier, "blur_horizontal", fakemetal.Barrier, "blur_vertical"}},
		{"filters of one image", func(b *runtime.Batch) {
			gen.BlurHorizontal(b, rows)
			gen.Premultiply(b, gen.PremultiplyArgs{Src: src, Dst: dst})
			gen.SrgbToLinear(b, gen.SrgbToLinearArgs{Src: src, Dst: other})
		}, []string{"blur_horizontal", "premultiply", "srgb_to_linear"}},
		{"equalisation", func(b *runtime.Batch) {
			gen.Histogram(b, gen.HistogramArgs{Src: src, Counts: counts, Components: 1})
			gen.Premultiply(b, gen.PremultiplyArgs{Src: src, Dst: other})
			gen.Equalization(b, gen.EqualizationArgs{Counts: counts, Curves: curves, Components: 1})
			gen.ApplyCurves(b, gen.ApplyCurvesArgs{Src: src, Dst: dst, Curves: curves, Components: 1})
		}, []string{"histogram", "premultiply", fakemetal.Barrier, "equalization", fakemetal.Barrier, "apply_curves"}},
		{"a mip chain, and a level of it that nobody needs any more", func(b *runtime.Batch) {
			for n := range levels - 1 {
				gen.Halve(b, gen.HalveArgs{Src: level(n), Dst: level(n + 1)})
			}
			gen.Premultiply(b, gen.PremultiplyArgs{Src: src, Dst: level(0)})
		}, []string{"halve", fakemetal.Barrier, "halve", fakemetal.Barrier, "halve", "premultiply"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log.Clear()
			execute(t, dev, c.record)
			if got := log.Order(); !slices.Equal(got, c.want) {
				t.Errorf("encoded %q\nwant    %q", got, c.want)
			}
			if n := log.Counts().Needless; n != 0 {
				t.Errorf("%d barriers are needless", n)
			}
		})
	}
}
