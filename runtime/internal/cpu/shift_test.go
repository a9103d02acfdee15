package cpu

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestShiftsWaitForHelpersThatAreInside and for no others: those that come later do not work, nor do more than there
// are places for.
func TestShiftsWaitForHelpersThatAreInside(t *testing.T) {
	var s shift
	for range 200 {
		const places, come = 3, 8
		var working, worked atomic.Int64
		s.begin(places)
		var all sync.WaitGroup
		for range come {
			all.Go(func() {
				worker, ok := s.join()
				if !ok {
					return
				}
				if worker < 1 || worker > places {
					t.Errorf("worker %d of %d", worker, places)
				}
				working.Add(1)
				worked.Add(1)
				working.Add(-1)
				s.leave()
			})
		}
		s.end()
		before := worked.Load()
		if n := working.Load(); n != 0 {
			t.Errorf("%d work when the shift has ended", n)
		}
		all.Wait()
		if n := worked.Load(); n != before || n > places {
			t.Errorf("%d helpers have worked, %d of them in time, in %d places", n, before, places)
		}
	}
}
