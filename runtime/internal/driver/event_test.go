package driver

import "testing"

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestACounterWakesThoseWhoseValueIsReached(t *testing.T) {
	var c Counter
	three, first := c.Await(3)
	if again, second := c.Await(3); !first || second || again != three {
		t.Error("who waits for the same value waits for another channel")
	}
	five := c.Reached(5)
	for _, s := range []struct {
		signal, value uint64
		three, five   bool
	}{
		{2, 2, false, false}, {3, 3, true, false}, {1, 3, true, false}, {4, 4, true, false}, {9, 9, true, true},
	} {
		c.Signal(s.signal)
		if c.Value() != s.value || isClosed(three) != s.three || isClosed(five) != s.five || c.Has(5) != s.five {
			t.Errorf("after a signal of %d: value %d, 3 reached %v, 5 reached %v", s.signal, c.Value(), isClosed(three),
				isClosed(five))
		}
	}
	if !isClosed(c.Reached(9)) || isClosed(c.Reached(10)) {
		t.Error("9 is not reached, or 10 is")
	}
}

func TestAFreedCounterWakesAllAndHasReachedNothing(t *testing.T) {
	var c Counter
	before := c.Reached(1)
	c.Free()
	if !isClosed(before) || !isClosed(c.Reached(2)) || c.Has(1) {
		t.Error("somebody waits for a counter that is gone, or it has a value")
	}
	c.Signal(1) // by a batch that ends late: the channel is closed already
}
