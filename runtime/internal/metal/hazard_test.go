package metal

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBarriersSeparateWhatOverlapsAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name string
		old  span
		new  span
		want bool
	}{
		{"read after read", span{start: 0, end: 8}, span{start: 0, end: 8}, false},
		{"read after write", span{start: 0, end: 8, writes: true}, span{start: 4, end: 5}, true},
		{"write after read", span{start: 4, end: 8}, span{start: 0, end: 5, writes: true}, true},
		{"write after write", span{start: 0, end: 8, writes: true}, span{start: 7, end: 9, writes: true}, true},
		{"bytes side by side", span{start: 0, end: 8, writes: true}, span{start: 8, end: 9, writes: true}, false},
		{"bytes before", span{start: 8, end: 9, writes: true}, span{start: 0, end: 8, writes: true}, false},
		{"no bytes", span{start: 4, end: 4, writes: true}, span{start: 0, end: 8, writes: true}, false},
		{"no bytes later", span{start: 0, end: 8, writes: true}, span{start: 4, end: 4, writes: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h hazards
			h.add(c.old)
			if got := h.conflicts(c.new); got != c.want {
				t.Errorf("conflict %v, want %v", got, c.want)
			}
			h.clear()
			if h.conflicts(c.new) {
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
		s := span{start: uintptr(r.IntN(2000)), writes: r.IntN(3) == 0}
		s.end = s.start + uintptr(r.IntN(8))
		want := slices.ContainsFunc(list, func(o span) bool {
			return (o.writes || s.writes) && max(o.start, s.start) < min(o.end, s.end)
		})
		if got := h.conflicts(s); got != want {
			t.Fatalf("%+v conflicts: %v, want %v", s, got, want)
		}
		if want {
			h.clear()
			list = list[:0]
		}
		h.add(s)
		list = append(list, s)
		for _, set := range []ranges{h.read, h.written} {
			for i := 1; i < len(set); i++ {
				if set[i-1].end >= set[i].start {
					t.Fatalf("%v is not in order, or has neighbours that touch", set)
				}
			}
		}
	}
}
