package gen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// stressed are the kernels of the stress test: how to record one, and where its result is.
var stressed = []func(t *testing.T, dev *runtime.Device) (record func(*runtime.Batch), out runtime.Buffer[float32]){
	func(t *testing.T, dev *runtime.Device) (func(*runtime.Batch), runtime.Buffer[float32]) {
		const rows, dim = 64, 1024
		a := gen.FusedNormAddF32Args{
			Residual: upload(t, dev, uniform(1, rows*dim, -1, 1)), Input: upload(t, dev, uniform(2, rows*dim, -1, 1)),
			Weight: upload(t, dev, uniform(3, dim, -1, 1)), Output: zeros[float32](t, dev, rows*dim),
			Dim: dim, Rows: rows, Eps: 1e-6,
		}
		return func(b *runtime.Batch) { gen.FusedNormAddF32(b, a) }, a.Output
	},
	func(t *testing.T, dev *runtime.Device) (func(*runtime.Batch), runtime.Buffer[float32]) {
		const n = 1 << 18
		a := gen.SwigluFusedArgs{
			Gate: upload(t, dev, uniform(1, n, -8, 8)), Up: upload(t, dev, uniform(2, n, -1, 1)),
			Out: zeros[float32](t, dev, n), Dim: n,
		}
		return func(b *runtime.Batch) { gen.SwigluFused(b, a) }, a.Out
	},
	func(t *testing.T, dev *runtime.Device) (func(*runtime.Batch), runtime.Buffer[float32]) {
		const out, in, group = 512, 1024, 64
		a := gen.DequantMatvec4bitArgs{
			WPacked: upload(t, dev, words(1, out*in/8)), Scales: upload(t, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
			Biases: upload(t, dev, uniformBF16(3, out*in/group, -0.1, 0.1)), X: upload(t, dev, uniform(4, in, -1, 1)),
			Out: zeros[float32](t, dev, out), OutDim: out, InDim: in, GroupSize: group,
		}
		return func(b *runtime.Batch) { gen.DequantMatvec4bit(b, a) }, a.Out
	},
	func(t *testing.T, dev *runtime.Device) (func(*runtime.Batch), runtime.Buffer[float32]) {
		const out, in, group = 512, 1024, 64
		a := gen.DequantMatvec4bitV3Args{
			WPacked: upload(t, dev, words(1, out*in/8)), Scales: upload(t, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
			Biases: upload(t, dev, uniformBF16(3, out*in/group, -0.1, 0.1)), X: upload(t, dev, uniform(4, in, -1, 1)),
			Out: zeros[float32](t, dev, out), OutDim: out, InDim: in, GroupSize: group,
		}
		return func(b *runtime.Batch) { gen.DequantMatvec4bitV3(b, a) }, a.Out
	},
	func(t *testing.T, dev *runtime.Device) (func(*runtime.Batch), runtime.Buffer[float32]) {
		const heads, rank, rope, cache = 8, 512, 64, 64
		a := gen.MlaSdpaFoldedArgs{
			QPrime: upload(t, dev, uniform(1, heads*rank, -1, 1)), QPe: upload(t, dev, uniform(2, heads*rope, -1, 1)),
			LatentCache: upload(t, dev, uniform(3, cache*rank, -1, 1)),
			RopeKCache:  upload(t, dev, uniform(4, cache*rope, -1, 1)),
			VCombine:    zeros[float32](t, dev, heads*rank), NumHeads: heads, KvLoraRank: rank, QkRopeHeadDim: rope,
			CacheLen: cache, SoftmaxScale: 0.04,
		}
		return func(b *runtime.Batch) { gen.MlaSdpaFolded(b, a) }, a.VCombine
	},
}

// The kernels run on all cores, as native code where there is any, while the collector has all that it can do, the
// profiler interrupts and contexts end. With -long they do so for 30 s, and the collector must not wait for them more
// than 10 ms more often than for the interpreter, but for one time in a hundred: on a busy machine the system takes
// cores away from either. That is the one thing here that only a clock knows.
func TestKernelsAreRightWhateverElseGoesOnInTheProcess(t *testing.T) {
	if os.Getenv(onFake) != "" {
		t.Skip("has a device of its own, so that nothing of it is on the fake")
	}
	t.Setenv("METALGEN_NATIVE", "off")
	var want [][]byte
	dev := openCPU(t)
	for _, load := range stressed {
		record, out := load(t, dev)
		execute(t, dev, record)
		want = append(want, bytes.Clone(runtime.Cast[byte](out).Data()))
	}
	var interpreted waits
	if *long {
		interpreted = stress(t, want, 10*time.Second)
		t.Logf("the collector waits for the interpreter: %v", interpreted)
	}
	t.Setenv("METALGEN_NATIVE", "on")
	native := stress(t, want, 30*time.Second)
	t.Logf("the collector waits for native code: %v", native)
	if *long && native.share() > interpreted.share()+0.01 {
		t.Error("the collector waits too long for native code")
	}
}

func openCPU(t *testing.T) *runtime.Device {
	t.Helper()
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Math: runtime.MathSafe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// stress runs the kernels on as many devices as there are cores, a few times, or with -long for some time. It
// returns how the collector waited for goroutines to stop.
func stress(t *testing.T, want [][]byte, long time.Duration) waits {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	if err := pprof.StartCPUProfile(io.Discard); err == nil { // unless the tests are profiled anyway
		defer pprof.StopCPUProfile()
	}
	before := pauses()
	ctx, stop := context.WithCancel(t.Context())
	var others, workers sync.WaitGroup
	for range 2 {
		others.Go(func() {
			kept := make([][]byte, 64)
			for i := 0; ctx.Err() == nil; i++ {
				kept[i%len(kept)] = make([]byte, 1<<(i%16))
			}
		})
	}
	rounds := func(n int) bool { return n < 2 }
	if long := longFor(long); long > 0 {
		deadline := time.Now().Add(long)
		rounds = func(int) bool { return time.Now().Before(deadline) }
	}
	var whole, cancelled atomic.Int64
	for w := range goruntime.GOMAXPROCS(0) {
		dev := openCPU(t)
		type call struct {
			record func(*runtime.Batch)
			out    runtime.Buffer[float32]
		}
		var calls []call
		for _, load := range stressed {
			record, out := load(t, dev)
			calls = append(calls, call{record, out})
		}
		workers.Go(func() {
			for n := 0; rounds(n) && !t.Failed(); n++ {
				for i, c := range calls {
					ctx, cancel := context.WithCancel(ctx)
					if n%3 == 1 {
						time.AfterFunc(time.Duration(50*(n+i+w)%1000)*time.Microsecond, cancel)
					}
					got := runtime.Cast[byte](c.out).Data()
					clear(got)
					b := dev.NewBatch()
					c.record(b)
					err := b.Run(ctx)
					cancel()
					switch {
					case errors.Is(err, context.Canceled):
						cancelled.Add(1)
					case err != nil:
						t.Error(err)
					case !bytes.Equal(got, want[i]):
						t.Errorf("kernel %d computes something else than the interpreter alone", i)
					default:
						whole.Add(1)
					}
				}
			}
		})
	}
	workers.Wait()
	stop()
	others.Wait()
	t.Logf("%d dispatches, and %d cancelled", whole.Load(), cancelled.Load())
	return between(before, pauses())
}

// longFor returns d with -long, and else 0.
func longFor(d time.Duration) time.Duration {
	if *long {
		return d
	}
	return 0
}

// pauses returns how often the collector has waited how long for goroutines to stop.
func pauses() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}

// waits is how often the collector waited, how often for more than 10 ms, and for how long at most.
type waits struct {
	all, long uint64
	longest   time.Duration
}

func (w waits) String() string {
	return fmt.Sprintf("%d times, %d of them more than 10 ms, and at most %v", w.all, w.long, w.longest)
}

// share returns how much of all waits are long ones.
func (w waits) share() float64 { return float64(w.long) / float64(max(w.all, 1)) }

// between returns the waits that one histogram has and an earlier one has not.
func between(before, after *metrics.Float64Histogram) (w waits) {
	for i, n := range after.Counts {
		if n -= before.Counts[i]; n == 0 {
			continue
		}
		w.longest = time.Duration(after.Buckets[i] * float64(time.Second))
		if w.all += n; w.longest > 10*time.Millisecond {
			w.long += n
		}
	}
	return w
}
