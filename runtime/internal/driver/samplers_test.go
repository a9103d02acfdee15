package driver

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
)

func TestSamplersHaveOneIDEach(t *testing.T) {
	var s Samplers
	nearest, linear := bind.Sampler{}, bind.Sampler{Min: 1}
	a, b := s.ID(nearest), s.ID(linear)
	if a == 0 || b == 0 || a == b || s.ID(nearest) != a || s.ID(linear) != b {
		t.Errorf("the IDs are %d and %d, then %d and %d", a, b, s.ID(nearest), s.ID(linear))
	}
	for id, want := range map[uint64]bind.Sampler{a: nearest, b: linear} {
		if got, ok := s.Find(id); !ok || got != want {
			t.Errorf("%d is %+v, %v", id, got, ok)
		}
	}
	for _, id := range []uint64{0, max(a, b) + 1, 1 << 63} {
		if got, ok := s.Find(id); ok {
			t.Errorf("%d is %+v", id, got)
		}
	}
}
