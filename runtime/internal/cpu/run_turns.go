package cpu

import "math/rand/v2"

// turns are those that simd-groups take under a schedule.
type turns struct {
	random *rand.Rand
	left   int // accesses until the simd-group that runs stops; less than 0 for none
	logged int // messages
}

// stops reports whether a simd-group stops before its next access.
func (s *turns) stops() bool {
	s.left--
	return s.left == 0
}

// turn lets one of the simd-groups go on: most often for a few accesses, sometimes to its next
// barrier. It reports whether the threadgroup has not ended.
func (g *threadgroup) turn() (goesOn bool, err error) {
	defer g.recover(&err)
	s, frames := g.turns, g.frames[:g.simdgroups()]
	var ready []*frame
	waiting := 0
	for i := range frames {
		switch f := &frames[i]; {
		case f.done:
		case f.waiting:
			waiting++
		default:
			ready = append(ready, f)
		}
	}
	switch {
	case len(ready) == 0 && waiting == 0:
		return false, nil
	case len(ready) == 0:
		for i := range frames {
			frames[i].waiting = false
		}
		return true, g.pass(frames)
	}
	s.left = 1 << s.random.IntN(6)
	if s.random.IntN(4) == 0 {
		s.left = -1
	}
	f := ready[s.random.IntN(len(ready))]
	f.waiting = true // unless it stops before
	if !f.execute() {
		return false, g.stopped()
	}
	return true, nil
}
