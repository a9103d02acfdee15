package cpu

import (
	"math/rand/v2"
	"testing"
)

// TestThreadgroupsAreTakenOnce by workers that come in any order, and all of those before a cut.
func TestThreadgroupsAreTakenOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for range 500 {
		var s shares
		total, workers := 1+rng.Int64N(3000), 1+rng.Int64N(9)
		s.divide(total, workers)
		cut, rounds := total, rng.IntN(20)
		taken := make([]int, total)
		for last := int64(0); last < workers; rounds-- {
			if rounds == 0 {
				cut = rng.Int64N(total)
				s.cut(cut)
			}
			worker := rng.Int64N(workers)
			got := s.take(worker)
			if got.size() == 0 {
				last++ // there is nothing for anybody
				continue
			}
			if last > 0 {
				t.Fatalf("worker %d takes %v after another found nothing", worker, got)
			}
			for i := got.from; i < got.to; i++ {
				if taken[i]++; rounds < 0 && i >= cut {
					t.Fatalf("threadgroup %d was taken, behind %d", i, cut)
				}
			}
		}
		for i, n := range taken {
			if n > 1 || n == 0 && int64(i) < cut {
				t.Fatalf("threadgroup %d of %d was taken %d times by %d workers", i, total, n, workers)
			}
		}
	}
}

func TestSharesOfAHugeGridAreEven(t *testing.T) {
	var s shares
	s.divide(maxGroups, 3)
	for i, own := range s.list {
		if n := own.size(); n < maxGroups/3 || n > maxGroups/3+1 {
			t.Errorf("worker %d has %d threadgroups", i, n)
		}
	}
	if s.list[0].from != 0 || s.list[2].to != maxGroups {
		t.Errorf("the shares are %v", s.list)
	}
}
