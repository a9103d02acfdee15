//go:build (((linux || darwin) && (amd64 || arm64)) || (windows && amd64)) && !purego

package exec

import (
	"context"
	"errors"
	"flag"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

var long = flag.Bool("long", false, "enter code for 30 s while all else in the process goes on")

// sum is what the code of the stress test works on.
type sum struct {
	words  *uint32
	count  uint64
	next   uint64 // the word to go on with
	budget uint64 // words until it returns
	lanes  [16]uint32
}

// run sums words until there are no more, or the context ends. It reports which.
func (s *sum) run(ctx context.Context, c *Code) bool {
	for c.Call(0, unsafe.Pointer(s)) > 0 {
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// Code is entered on all cores, by goroutines whose stacks grow and move, while the collector has all that
// it can do, the profiler interrupts, stacks are dumped and contexts end.
func TestCodeIsRightWhateverElseGoesOnInTheProcess(t *testing.T) {
	code, err := summing()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the code has AVX-512")
	}
	c := load(t, code, err)
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Log("without a profile: ", err)
	} else {
		defer pprof.StopCPUProfile()
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for range 2 { // garbage
		wg.Go(func() {
			kept := make([][]byte, 64)
			for i := 0; ctx.Err() == nil; i++ {
				kept[i%len(kept)] = make([]byte, 1<<(i%16))
			}
		})
	}
	wg.Go(func() {
		stacks := make([]byte, 1<<16)
		for ctx.Err() == nil {
			runtime.Stack(stacks, true)
			time.Sleep(time.Millisecond)
		}
	})
	words := make([]uint32, 1<<18)
	var want [16]uint32
	for i := range words {
		words[i] = uint32(i * i)
		want[i%16] += words[i] * 3
	}
	rounds := func(n int) bool { return n < 100 }
	if *long {
		deadline := time.Now().Add(30 * time.Second)
		rounds = func(int) bool { return time.Now().Before(deadline) }
	}
	var whole, cancelled atomic.Int64
	var workers sync.WaitGroup
	for w := range 2 * runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := 0; rounds(n) && !t.Failed(); n++ {
				ctx, cancel := context.WithCancel(ctx)
				if n%4 == w%4 {
					go cancel()
				}
				below(n%50, func() {
					s := sum{words: &words[0], count: uint64(len(words)), budget: 256 << (n % 8)}
					if !s.run(ctx, c) {
						cancelled.Add(1)
					} else if whole.Add(1); s.lanes != want {
						t.Errorf("%d, want %d", s.lanes, want)
					}
				})
				cancel()
			}
		})
	}
	workers.Wait()
	if whole.Load() == 0 {
		t.Error("all were cancelled")
	}
	t.Logf("%d sums, %d cancelled", whole.Load(), cancelled.Load())
}

// below calls f on a stack that is n frames deeper.
func below(n int, f func()) byte {
	var frame [512]byte
	if n == 0 {
		f()
		return frame[0]
	}
	frame[n] = below(n-1, f)
	return frame[n/2]
}
