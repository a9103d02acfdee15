package cuda

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func (s span) meets(t span) bool { return (s.writes || t.writes) && s.from < t.to && t.from < s.to }

// conflicts reports whether an item has to wait for another one.
func (i *item) conflicts(with *item) bool {
	return slices.ContainsFunc(i.spans, func(s span) bool { return slices.ContainsFunc(with.spans, s.meets) })
}

// TestBranchesKeepWhatConflictsInOrder checks random batches: what conflicts is in order, by branches and waits.
func TestBranchesKeepWhatConflictsInOrder(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		items := make([]*item, 1+r.IntN(40))
		for n := range items {
			items[n] = &item{}
			for range r.IntN(4) {
				from := r.Uint64N(60)
				s := span{from, from + 1 + r.Uint64N(8), r.IntN(3) == 0}
				items[n].spans = append(items[n].spans, s)
			}
		}
		steps := branches(items)
		before := make([]map[int]bool, len(items)) // by item: those that end before it begins
		last := map[int]int{}                      // of each branch
		for n, s := range steps {
			direct := s.waits
			if k, ok := last[s.branch]; ok {
				direct = append(direct, k)
			}
			before[n] = map[int]bool{}
			for _, k := range direct {
				before[n][k] = true
				for m := range before[k] {
					before[n][m] = true
				}
			}
			for _, k := range s.waits {
				if !steps[k].marked || steps[k].branch == s.branch || !items[n].conflicts(items[k]) {
					t.Errorf("seed %d: item %d waits for %d, %+v", seed, n, k, steps[k])
				}
			}
			last[s.branch] = n
			for k := range n {
				if items[n].conflicts(items[k]) && !before[n][k] {
					t.Errorf("seed %d: item %d does not come after %d", seed, n, k)
				}
			}
		}
	}
}

func TestBranchesOfBatches(t *testing.T) {
	reads := func(at uint64) span { return span{at, at + 4, false} }
	writes := func(at uint64) span { return span{at, at + 4, true} }
	for _, tt := range []struct {
		name  string
		items [][]span
		want  string
	}{
		{"each needs the one before", [][]span{{writes(0)}, {reads(0), writes(4)}, {reads(4), writes(8)}},
			"[{0 [] false} {0 [] false} {0 [] false}]"},
		{"nothing in common", [][]span{{reads(0), writes(4)}, {reads(0), writes(8)}, {reads(0), writes(12)}},
			"[{0 [] false} {1 [] false} {2 [] false}]"},
		{"two, and one that needs both", [][]span{{writes(0)}, {writes(4)}, {reads(0), reads(4), writes(8)}},
			"[{0 [] true} {1 [] false} {1 [0] false}]"},
		{"one that several need", [][]span{{writes(0)}, {reads(0), writes(4)}, {reads(0), writes(8)}, {writes(0)}},
			"[{0 [] true} {0 [] true} {1 [0] false} {1 [1] false}]"},
	} {
		var items []*item
		for _, spans := range tt.items {
			items = append(items, &item{spans: spans})
		}
		if got := fmt.Sprint(branches(items)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestLargeBatchesAreDivided has 20,000 calls. Each adds the elements of one of 100 buffers to another.
func TestLargeBatchesAreDivided(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	items := make([]*item, 20000)
	last := map[uint64]int{} // the item that wrote a buffer
	for n := range items {
		from, to := r.Uint64N(100), r.Uint64N(100)
		items[n] = &item{spans: []span{{10 * from, 10*from + 10, false}, {10 * to, 10*to + 10, true}}}
	}
	steps := branches(items)
	at := make([]int, len(items)) // its place in its branch
	count := map[int]int{}
	for n, s := range steps {
		at[n] = count[s.branch]
		count[s.branch]++
		for _, sp := range items[n].spans {
			if m, ok := last[sp.from]; ok && steps[m].branch == s.branch && at[m] >= at[n] {
				t.Errorf("item %d does not come after %d", n, m)
			}
		}
		last[items[n].spans[1].from] = n
	}
	if len(count) != maxBranches {
		t.Errorf("%d branches", len(count))
	}
}
