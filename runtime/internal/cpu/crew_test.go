package cpu

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestCrewsKeepTheirGoroutines until they end: then none is left, or synctest would find a deadlock.
func TestCrewsKeepTheirGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, done := &crew{}, 0
		for range 10 {
			c.do(func() { done++ })
			synctest.Wait()
		}
		if done != 10 || len(c.idle) != 1 {
			t.Errorf("%d calls were made, and %d goroutines wait", done, len(c.idle))
		}
		both := make(chan bool)
		c.do(func() { both <- true })
		c.do(func() { <-both })
		synctest.Wait()
		if len(c.idle) != 2 {
			t.Errorf("%d goroutines wait, want 2", len(c.idle))
		}
		c.do(func() { <-both })
		c.end()
		both <- true
		synctest.Wait()
		c.do(func() { done++ }) // and goes
		synctest.Wait()
		if done != 11 || len(c.idle) != 0 {
			t.Errorf("%d calls were made, and %d goroutines wait at the end", done, len(c.idle))
		}
	})
}

// TestDevicesThatNobodyClosesLeaveNoGoroutines once they are collected.
func TestDevicesThatNobodyClosesLeaveNoGoroutines(t *testing.T) {
	t.Parallel()
	dev := Open(driver.Options{})
	d, _ := dispatchOf(t, dev, "kernel void test(device int* x) { *x = 1; }", threads(1), make([]int32, 1))
	if _, err := run(t.Context(), t, dev, d); err != nil {
		t.Fatal(err)
	}
	crews, done := []*crew{dev.helpers, dev.queue.crew}, make(chan bool)
	runtime.AddCleanup(dev, func(done chan bool) { close(done) }, done)
	dev, d = nil, nil
	for range 1000 {
		runtime.GC()
		select {
		case <-done:
			if !slices.ContainsFunc(crews, waits) {
				return
			}
		case <-time.After(time.Millisecond):
		}
	}
	t.Error("the device was not collected, or its goroutines wait")
}

// waits reports whether a crew has not ended, or some of its goroutines still wait.
func waits(c *crew) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.idle) > 0 || !c.ended
}
