package wide

import "slices"

// State is what is known at a point of the program: of each register its kind, and which
// masks are the same.
type State struct {
	Kinds []Kind
	// same are the masks of constructs, the first of them the active lanes. Those with one
	// number are equal.
	same []int16
}

// Clone makes s what o is.
func (s *State) Clone(o *State) {
	s.Kinds = append(s.Kinds[:0], o.Kinds...)
	s.same = append(s.same[:0], o.same...)
}

// join makes s what is known where the paths of s and o join. It reports whether that is less
// than what s was.
func (s *State) join(o *State) bool {
	less := false
	for i, k := range s.Kinds {
		if m := meet(k, o.Kinds[i]); m != k {
			s.Kinds[i], less = m, true
		}
	}
	same := make([]int16, len(s.same))
	for i := range same {
		same[i] = int16(i)
		for j := range i {
			if s.same[i] == s.same[j] && o.same[i] == o.same[j] {
				same[i] = same[j]
				break
			}
		}
	}
	for i := range same {
		for j := range i {
			if s.same[i] == s.same[j] && same[i] != same[j] {
				less = true
			}
		}
	}
	s.same = same
	return less
}

// apart makes mask i one that may differ from all others.
func (s *State) apart(i int) {
	var n int16
	for j, v := range s.same {
		if j != i {
			n = max(n, v+1)
		}
	}
	s.same[i] = n
}

// leave takes lanes from masks: those that were the same stay so, among themselves.
func (s *State) leave(masks []int) {
	var shift int16
	for _, v := range s.same {
		shift = max(shift, v+1)
	}
	for _, i := range masks {
		s.same[i] += shift
	}
	old := slices.Clone(s.same)
	for i, v := range old { // the numbers stay small
		s.same[i] = int16(slices.Index(old, v))
	}
}
