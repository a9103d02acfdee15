package metal

import (
	"math/rand/v2"
	"testing"
)

func TestBarriersSeparateWhatOverlapsAndNothingElse(t *testing.T) {
	const a, b = 0x1000, 0x2000
	for _, c := range []struct {
		name string
		old  span
		new  span
		want bool
	}{
		{"read after read", span{memory: a, end: 8}, span{memory: a, end: 8}, false},
		{"read after write", span{memory: a, end: 8, writes: true}, span{memory: a, start: 4, end: 5}, true},
		{"write after read", span{memory: a, start: 4, end: 8}, span{memory: a, end: 5, writes: true}, true},
		{"write after write", span{memory: a, end: 8, writes: true}, span{memory: a, start: 7, end: 9, writes: true}, true},
		{"bytes side by side", span{memory: a, end: 8, writes: true}, span{memory: a, start: 8, end: 9, writes: true}, false},
		{"another buffer", span{memory: a, end: 8, writes: true}, span{memory: b, end: 8, writes: true}, false},
		{"no bytes", span{memory: a, start: 4, end: 4, writes: true}, span{memory: a, end: 8, writes: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h hazards
			h.add(c.old)
			if got := h.conflicts(&c.new); got != c.want {
				t.Errorf("conflict %v, want %v", got, c.want)
			}
			h.clear()
			if h.conflicts(&c.new) {
				t.Error("conflict behind a barrier")
			}
		})
	}
}

// TestHazardsAreThoseOfAPlainList compares with a search through everything.
func TestHazardsAreThoseOfAPlainList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h hazards
	var list []span
	for range 20000 {
		s := span{memory: uintptr(16 * (1 + r.IntN(100))), start: r.IntN(100), writes: r.IntN(3) == 0}
		s.end = s.start + r.IntN(8)
		want := false
		for _, o := range list {
			want = want || o.memory == s.memory && (o.writes || s.writes) && max(o.start, s.start) < min(o.end, s.end) && o.start < o.end
		}
		want = want && s.start < s.end
		if got := s.start < s.end && h.conflicts(&s); got != want {
			t.Fatalf("%+v conflicts: %v, want %v", s, got, want)
		}
		if want {
			h.clear()
			list = list[:0]
		}
		h.add(s)
		list = append(list, s)
	}
}
