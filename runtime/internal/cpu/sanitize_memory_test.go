package cpu

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestShadowLivesAsLongAsADispatch has a batch of several run, again and again.
func TestShadowLivesAsLongAsADispatch(t *testing.T) {
	t.Parallel()
	text := "kernel void test(device uint* x, uint i [[thread_position_in_grid]]) { x[i] = i; }"
	dev := Open(driver.Options{Sanitize: driver.CheckAll})
	defer dev.Close()
	const n = 1 << 14
	memory, err := dev.NewMemory(4*n, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver.Dispatch{
		Kernel:  &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
		Grid:    driver.Grid{Threadgroups: [3]int{n / 64, 1, 1}, Threads: [3]int{64, 1, 1}},
		Buffers: []driver.Buffer{{Arg: &driver.Arg{}, Memory: memory, Length: 4 * n}},
	}
	rec := newRecorder(dev)
	for range 3 {
		for range 4 {
			if err := rec.Record(d); err != nil {
				t.Fatal(err)
			}
		}
		job, err := rec.Submit()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, d := range rec.dispatches {
			if got := d.sanitizer.Device.Bytes(); got != 0 {
				t.Errorf("%d bytes of shadow are left", got)
			}
			for _, g := range d.kernel.pool(d.Code).idle {
				if g.Watch != nil {
					t.Error("an idle threadgroup keeps shadow alive")
				}
			}
		}
		rec.Reset()
	}
}
