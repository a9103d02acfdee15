package cuda

import "slices"

// Which items touch the same memory. All that a batch touches is divided where a span begins or ends, and a tree over
// these places says who came there last: so an item asks for its spans, and not for all items before it.

// span is memory that an item touches, by its addresses. Memory of the GPU and of the host never share one.
type span struct {
	from, to uint64
	writes   bool
}

// touches are the last members of each branch that touched some memory, and that wrote it: their numbers, plus 1.
type touches struct{ touched, wrote [maxBranches]int32 }

func (t *touches) join(u *touches) {
	for b := range maxBranches {
		t.touched[b], t.wrote[b] = max(t.touched[b], u.touched[b]), max(t.wrote[b], u.wrote[b])
	}
}

// touched is the memory of a batch. Its tree has the places as leaves, from node len(ends) on; node n has 2n and 2n+1
// below it.
type touched struct {
	ends []uint64  // where spans begin and end, in order
	some []touches // by node: of some of its places
	all  []touches // of all of them
}

func newTouched(items []*item) *touched {
	t := &touched{}
	for _, i := range items {
		for _, s := range i.spans {
			t.ends = append(t.ends, s.from, s.to)
		}
	}
	slices.Sort(t.ends)
	t.ends = slices.Compact(t.ends)
	t.some, t.all = make([]touches, 2*len(t.ends)), make([]touches, 2*len(t.ends))
	return t
}

// nodes returns the nodes whose places together are those of a span, and those above them.
func (t *touched) nodes(s span) (whole, above []int) {
	first, _ := slices.BinarySearch(t.ends, s.from)
	last, _ := slices.BinarySearch(t.ends, s.to)
	l, r := first+len(t.ends), last+len(t.ends)
	for a, b := l, r-1; a > 1 || b > 1; {
		if a /= 2; a > 0 {
			above = append(above, a)
		}
		if b /= 2; b > 0 && b != a {
			above = append(above, b)
		}
	}
	for ; l < r; l, r = l/2, r/2 {
		if l&1 != 0 {
			whole, l = append(whole, l), l+1
		}
		if r&1 != 0 {
			r--
			whole = append(whole, r)
		}
	}
	return whole, above
}

// before returns the last members of each branch that an item comes after, plus 1.
func (t *touched) before(i *item) (last [maxBranches]int) {
	for _, s := range i.spans {
		var u touches
		whole, above := t.nodes(s)
		for _, n := range whole {
			u.join(&t.some[n])
		}
		for _, n := range above {
			u.join(&t.all[n])
		}
		who := &u.wrote
		if s.writes {
			who = &u.touched
		}
		for b, k := range who {
			last[b] = max(last[b], int(k))
		}
	}
	return last
}

// add notes that an item is member k of a branch.
func (t *touched) add(i *item, branch, k int) {
	for _, s := range i.spans {
		var u touches
		if u.touched[branch] = int32(k) + 1; s.writes {
			u.wrote[branch] = int32(k) + 1
		}
		whole, above := t.nodes(s)
		for _, n := range whole {
			t.some[n].join(&u)
			t.all[n].join(&u)
		}
		for _, n := range above {
			t.some[n].join(&u)
		}
	}
}
