//go:build (((linux || darwin) && (amd64 || arm64)) || (windows && amd64)) && !purego

package exec

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// load places code, which a function of code_*_test.go writes, or skips the test where that is not permitted.
func load(t testing.TB, code []byte, err error) *Code {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(code)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCodeGetsItsArgumentAndReturnsAResult(t *testing.T) {
	code, second, err := twoEntries()
	c := load(t, code, err)
	v := [2]uint64{1<<63 | 5, 6}
	if got := c.Call(0, unsafe.Pointer(&v)); got != v[0] {
		t.Errorf("loads %#x", got)
	}
	if got := c.Call(second, unsafe.Pointer(&v)); got != uint64(uintptr(unsafe.Pointer(&v[1]))) {
		t.Errorf("computes %#x of %p", got, &v)
	}
}

// left is what code that clobbers returns.
const left = 0xdead0000

// deep calls code below frames of many sizes, whose bytes it checks after.
func deep(c *Code, n int) string {
	var local [16]uint64
	for i := range local {
		local[i] = uint64(n * i)
	}
	below := ""
	if n > 0 {
		below = deep(c, n-1)
	}
	x := float64(n)
	if got := c.Call(0, unsafe.Pointer(&local)); got != left {
		return fmt.Sprintf("returned %#x", got)
	}
	if x*2 != float64(2*n) {
		return "a float changed"
	}
	for i := range local {
		if local[i] != uint64(n*i) {
			return fmt.Sprintf("%d frames above, word %d is %#x", n, i, local[i])
		}
	}
	return below
}

func TestGoGoesOnWhenCodeHasUsedAllThatItMay(t *testing.T) {
	code, err := clobbers()
	c := load(t, code, err)
	var wg sync.WaitGroup
	for n := range 64 {
		wg.Go(func() {
			if what := deep(c, n); what != "" {
				t.Error(what)
			}
		})
	}
	wg.Wait()
}

func TestMemoryIsExecutableOrWritableAndGoesWithItsCode(t *testing.T) {
	c := load(t, returns, nil)
	at := uintptr(unsafe.Pointer(&c.memory[0]))
	if got := permissions(t, at); got != "r-xp" {
		t.Errorf("memory of code is %s", got)
	}
	c.Call(0, nil)
	runtime.KeepAlive(c)
	for range 1000 {
		runtime.GC() // starts cleanups, which run in their own time
		// Something else may be there by now, such as the stack of a thread.
		if permissions(t, at) != "r-xp" {
			return
		}
	}
	t.Error("memory of code that nothing refers to stays")
}

func TestNoCodeIsAnError(t *testing.T) {
	if c, err := Load(nil); err == nil {
		t.Errorf("loaded %v", c)
	}
}

// The collector stops goroutines that do nothing but enter code, between two entries.
func TestCodeThatReturnsLetsTheCollectorIn(t *testing.T) {
	code, err := counts(1000)
	c := load(t, code, err)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		wg.Go(func() {
			for !stop.Load() {
				c.Call(0, nil)
			}
		})
	}
	for range 5 {
		runtime.GC()
	}
	stop.Store(true)
	wg.Wait()
}

func BenchmarkCall(b *testing.B) {
	c := load(b, returns, nil)
	for b.Loop() {
		c.Call(0, nil)
	}
}

func TestAProcessHasSoMuchCodeAtMost(t *testing.T) {
	load(t, returns, nil)
	most := maxMapped - mapped.Load()
	mapped.Add(most)
	defer mapped.Add(-most)
	if _, err := Load(returns); err != errFull {
		t.Errorf("loads with %v", err)
	}
}
