package prove

import (
	"maps"

	"github.com/metalgen/metalgen/internal/ir"
)

// stretches finds the objects in threadgroup memory that a thread may read and then write without a barrier between.
// Of all others it suffices to note that they were read since the last barrier, and not where: whoever writes one then
// is in doubt.
type stretches struct {
	*analysis
	read  objects         // since the last barrier, on some path to here
	at    map[int]objects // the same where constructs end, and in a loop where rounds begin, by label
	mixed objects
}

// objects is a set of them.
type objects map[int32]bool

// mixed returns the objects that may be read and then written between two barriers.
func (a *analysis) mixed() objects {
	s := &stretches{analysis: a, read: objects{}, at: map[int]objects{}, mixed: objects{}}
	s.region(a.kernel.Body)
	return s.mixed
}

// meets has a label be reached with what was read here.
func (s *stretches) meets(label int) (more bool) {
	if s.at[label] == nil {
		s.at[label] = objects{}
	}
	n := len(s.at[label])
	maps.Copy(s.at[label], s.read)
	return len(s.at[label]) > n
}

func (s *stretches) region(r *ir.Region) {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpLoad, ir.OpStore:
			object := s.origin[in.Args[0]]
			switch a := in.Aux.(*ir.Access); {
			case a.Space != ir.Threadgroup:
			case in.Op == ir.OpLoad:
				s.read[object] = true
			case s.read[object]:
				s.mixed[object] = true
			}
		case ir.OpBarrier:
			if s.orders(in) {
				s.read = objects{}
			}
		case ir.OpLeave, ir.OpAgain, ir.OpFall:
			s.meets(in.Label())
		case ir.OpLoop:
			s.loop(in)
		default:
			s.branches(in)
		}
	}
}

// branches goes through the regions of a construct.
func (s *stretches) branches(in *ir.Instr) {
	if len(in.Regions) == 0 {
		return
	}
	before := s.read
	for _, r := range in.Regions {
		s.read = maps.Clone(before)
		if in.Op == ir.OpSwitch {
			maps.Copy(s.read, s.at[in.Label()]) // of the case before
		}
		s.region(r)
	}
	s.read = maps.Clone(s.at[in.Label()])
	if s.read == nil { // nothing comes after it
		s.read = objects{}
	}
}

// loop goes through a loop until a round begins with nothing more. Its label is that of its end as well, so what a
// round ends with counts as what the loop ends with.
func (s *stretches) loop(in *ir.Instr) {
	s.meets(in.Label())
	for n := -1; n < len(s.at[in.Label()]); {
		n = len(s.at[in.Label()])
		s.read = maps.Clone(s.at[in.Label()])
		s.region(in.Regions[0])
	}
	s.read = maps.Clone(s.at[in.Label()])
}
