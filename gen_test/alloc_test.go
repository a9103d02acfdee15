package gen_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

type namedCall struct {
	name string
	call func(*runtime.Batch)
}

// representative returns calls of every make: few and many arguments, structs,
// threadgroup memory, constant pointers, buffers left out, lengths of slices, textures.
func representative(t testing.TB, dev *runtime.Device) []namedCall {
	floats := newBuffer[float32](t, dev, 4096)
	swiglu := gen.SwigluFusedArgs{Gate: floats, Up: floats, Out: floats, Dim: 4096}
	norm := normArgs(t, dev, 2048, 2)
	residualNorm := residualNormArgs(t, dev, 2048, 2)
	matvec := matvecArgs(t, dev, 512, 2048, 64)
	combine := combineArgs(t, dev, 2048, 4)
	rope := gen.YarnRopeApplyArgs{X: floats, InvFreq: floats.Slice(64, 96), NumHeads: 32, RotaryDim: 64,
		PosF: 1000, Mscale: 1}
	softmax := gen.AttnSoftmaxBatchedArgs{Scores: floats, SeqLen: 100, SeqStride: 128}
	values := gen.AttnValuesBatchedArgs{Scores: floats, VCache: floats, Out: floats, HeadDim: 64, KvDim: 128, SeqLen: 20,
		SeqStride: 32, HeadsPerKv: 4}
	show, draw := canvas(t, dev, rgba8, 640, 480), canvas(t, dev, rgba8, 640, 480)
	resize := gen.ResizeBilinearArgs{Src: show, Dst: draw}
	blur := gen.BlurHorizontalArgs{Src: show, Dst: draw, Weights: floats, Radius: 4}
	compose := gen.ComposeArgs{Top: show, Bottom: show, Dst: draw, Op: gen.OperatorOver}
	return []namedCall{
		{"SwigluFused", func(b *runtime.Batch) { gen.SwigluFused(b, swiglu) }},
		{"FusedNormAddF32", func(b *runtime.Batch) { gen.FusedNormAddF32(b, norm) }},
		{"FusedResidualNormF32", func(b *runtime.Batch) { gen.FusedResidualNormF32(b, residualNorm) }},
		{"DequantMatvec4bitV3", func(b *runtime.Batch) { gen.DequantMatvec4bitV3(b, matvec) }},
		{"MoeCombineResidual", func(b *runtime.Batch) { gen.MoeCombineResidual(b, combine) }},
		{"YarnRopeApply", func(b *runtime.Batch) { gen.YarnRopeApply(b, rope) }},
		{"AttnSoftmaxBatched", func(b *runtime.Batch) { gen.AttnSoftmaxBatched(b, softmax) }},
		{"AttnValuesBatched", func(b *runtime.Batch) { gen.AttnValuesBatched(b, values) }},
		{"ResizeBilinear", func(b *runtime.Batch) { gen.ResizeBilinear(b, resize) }},
		{"BlurHorizontal", func(b *runtime.Batch) { gen.BlurHorizontal(b, blur) }},
		{"Compose", func(b *runtime.Batch) { gen.Compose(b, compose) }},
	}
}

// callsOfABatch is about what a transformer layer needs.
const callsOfABatch = 64

func TestCallsAllocateNothingInTheSteadyState(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	calls := representative(t, dev)
	b := dev.NewBatch()
	ctx := t.Context()
	var err error
	step := func() {
		for i := range callsOfABatch {
			calls[i%len(calls)].call(b)
		}
		if e := b.Run(ctx); e != nil {
			err = e
		}
	}
	step() // makes what is kept
	if n := testing.AllocsPerRun(20, step); n != 0 {
		t.Errorf("%v allocations in a batch of %d calls", n, callsOfABatch)
	}
	if err != nil {
		t.Error(err)
	}
}

// What an engine does again and again allocates nothing on the devices either, once what is kept is there.
func TestBatchesAllocateNothingOnTheirDevices(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	if os.Getenv(onFake) != "" {
		t.Skip("has devices of its own")
	}
	for _, open := range []struct {
		name string
		open func(t *testing.T) *runtime.Device
	}{
		{"cpu", func(t *testing.T) *runtime.Device {
			dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { dev.Close() })
			return dev
		}},
		{"metal", func(t *testing.T) *runtime.Device {
			dev, _ := openFake(t, fakemetal.Options{Empty: true})
			return dev
		}},
		{"metal in pieces", func(t *testing.T) *runtime.Device {
			dev, _ := openFake(t, fakemetal.Options{Empty: true, Piece: 2})
			return dev
		}},
	} {
		t.Run(open.name, func(t *testing.T) { checkBatchesAllocateNothing(t, open.open(t)) })
	}
}

func checkBatchesAllocateNothing(t *testing.T, dev *runtime.Device) {
	calls := representative(t, dev)[:2] // whose work is small
	b, ctx := dev.NewBatch(), t.Context()
	record := func() {
		for _, c := range calls {
			c.call(b)
		}
	}
	event, err := runtime.NewSharedEvent(dev)
	if err != nil {
		t.Fatal(err)
	}
	value := uint64(0)
	private, err := runtime.NewPrivateBuffer[float32](dev, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	few, many := make([]float32, 1000), make([]float32, private.Len())
	run := func() error { return b.Run(ctx) }
	for _, c := range []struct {
		name   string
		record func()
		run    func() error
		most   float64
	}{
		{"calls", record, run, 0},
		{"submitted, and waited for later", record, func() error { return errors.Join(b.Submit(), b.Wait(ctx)) }, 0},
		{"started", func() { b.Start(); record(); b.Start(); record() }, run, 0},
		{"events", func() {
			b.WaitForEvent(event, value)
			record()
			value++
			b.SignalEvent(event, value)
		}, run, 0},
		{"a few values from the program", func() { runtime.CopyFrom(b, private, few); record() }, run, 0},
		{"more than 64 KB from the program", func() { runtime.CopyFrom(b, private, many); record() }, run, 1},
		{"copies", func() { runtime.Copy(b, private.Slice(0, 1000), private.Slice(1000, 2000)) }, run, 0},
		{"kept", nil, run, 0},
	} {
		if c.record == nil {
			b.Keep()
			record()
			c.record = func() {}
		}
		var err error
		step := func() {
			c.record()
			if e := c.run(); e != nil {
				err = e
			}
		}
		n := math.Inf(1) // until what is kept has been made: machine code beside the batches, on a busy machine later
		for try := 0; try < 10 && n > c.most && err == nil; try++ {
			n = testing.AllocsPerRun(20, step)
		}
		if n > c.most || err != nil {
			t.Errorf("%s: %v allocations a batch, %v", c.name, n, err)
		}
	}
	b.Reset()
}

// BenchmarkEncode times the making of one call, checks included: on a device that does
// nothing with it, and on the Metal driver, which also sends the messages to a fake
// that does nothing with them.
func BenchmarkEncode(b *testing.B) {
	b.Run("recorded", func(b *testing.B) {
		dev, _ := open(b, runtimetest.NoLog())
		encode(b, dev)
	})
	b.Run("metal", func(b *testing.B) {
		dev, _ := openFake(b, fakemetal.Options{Empty: true})
		encode(b, dev)
	})
}

func encode(b *testing.B, dev *runtime.Device) {
	for _, c := range representative(b, dev) {
		b.Run(c.name, func(b *testing.B) {
			batch := dev.NewBatch()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.call(batch)
				if i%callsOfABatch == callsOfABatch-1 {
					if err := batch.Run(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := batch.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// callsOfAToken is about what a small model needs for one token.
const callsOfAToken = 100

// recordToken records the calls of a token: what a layer of a transformer needs, again and again.
func recordToken(b *runtime.Batch, calls []namedCall) {
	for i := range callsOfAToken {
		calls[i%len(calls)].call(b)
	}
}

// BenchmarkToken times a token of an engine on the Metal driver, whose messages do nothing: recorded anew each time,
// and kept.
func BenchmarkToken(b *testing.B) {
	open := func(b *testing.B) (*runtime.Batch, []namedCall) {
		dev, _ := openFake(b, fakemetal.Options{Empty: true})
		batch, calls := dev.NewBatch(), representative(b, dev)[:8] // without textures
		recordToken(batch, calls)                                  // makes what is kept
		if err := batch.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		return batch, calls
	}
	var anew float64
	b.Run("recorded", func(b *testing.B) {
		batch, calls := open(b)
		for b.Loop() {
			recordToken(batch, calls)
			if err := batch.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		anew = float64(b.Elapsed()) / float64(b.N)
	})
	b.Run("kept", func(b *testing.B) {
		batch, calls := open(b)
		batch.Keep()
		recordToken(batch, calls)
		if err := batch.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := batch.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(anew/(float64(b.Elapsed())/float64(b.N)), "times-faster")
	})
}
