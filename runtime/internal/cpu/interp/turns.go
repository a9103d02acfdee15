package interp

import "math/rand/v2"

// Turns are those that simd-groups take under a schedule.
type Turns struct {
	Random *rand.Rand
	left   int // accesses until the simd-group that runs stops; less than 0 for none
	logged int // messages
}

// stops reports whether a simd-group stops before its next access.
func (s *Turns) stops() bool {
	s.left--
	return s.left == 0
}

// Turn lets one of the simd-groups go on: most often for a few accesses, sometimes to its next
// barrier. It reports whether the threadgroup has not ended.
func (g *Threadgroup) Turn() (goesOn bool, err error) {
	defer g.recover(&err)
	s, frames := g.Turns, g.Frames[:g.Simdgroups()]
	var ready []*Frame
	waiting := 0
	for i := range frames {
		switch f := &frames[i]; {
		case f.Done:
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
	s.left = 1 << s.Random.IntN(6)
	if s.Random.IntN(4) == 0 {
		s.left = -1
	}
	f := ready[s.Random.IntN(len(ready))]
	f.waiting = true // unless it stops before
	if !f.Execute() {
		return false, g.Stopped()
	}
	return true, nil
}
