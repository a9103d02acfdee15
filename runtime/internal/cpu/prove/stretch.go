package prove

import (
	"maps"

	"github.com/metalgen/metalgen/internal/ir"
)

// stretches finds the objects in threadgroup memory that a thread may both read and write without a barrier between. Of
// all others it suffices to note that they were read since the last barrier, and not where: a thread that writes one
// after that is in doubt.
type stretches struct {
	*analysis
	touched objects         // since the last barrier, on some path to here: read, or as negative numbers written
	at      map[int]objects // the same where constructs end, and in a loop where rounds begin, by label
	mixed   objects
}

// objects is a set of them.
type objects map[int32]bool

// mixed returns the objects that may be read and written between two barriers.
func (a *analysis) mixed() objects {
	s := &stretches{analysis: a, touched: objects{}, at: map[int]objects{}, mixed: objects{}}
	s.region(a.kernel.Body)
	return s.mixed
}

// meets has a label be reached with what was touched here.
func (s *stretches) meets(label int) {
	if s.at[label] == nil {
		s.at[label] = objects{}
	}
	maps.Copy(s.at[label], s.touched)
}

func (s *stretches) region(r *ir.Region) {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpLoad, ir.OpStore:
			s.touches(in, in.Aux.(*ir.Access).Space, in.Op == ir.OpStore)
		case ir.OpMatrixLoad, ir.OpMatrixStore:
			s.touches(in, in.Aux.(*ir.MatrixAccess).Space, in.Op == ir.OpMatrixStore)
		case ir.OpBarrier:
			if s.orders(in) {
				s.touched = objects{}
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

// touches notes an access.
func (s *stretches) touches(in *ir.Instr, space ir.Space, writes bool) {
	if space != ir.Threadgroup {
		return
	}
	object := s.origin[in.Args[0]]
	own, other := object, -object
	if writes {
		own, other = other, own
	}
	s.touched[own] = true
	s.mixed[object] = s.mixed[object] || s.touched[other]
}

// branches goes through the regions of a construct.
func (s *stretches) branches(in *ir.Instr) {
	if len(in.Regions) == 0 {
		return
	}
	before := s.touched
	for _, r := range in.Regions {
		s.touched = maps.Clone(before)
		if in.Op == ir.OpSwitch {
			maps.Copy(s.touched, s.at[in.Label()]) // of the case before
		}
		s.region(r)
	}
	s.touched = maps.Clone(s.at[in.Label()])
	if s.touched == nil { // nothing comes after it
		s.touched = objects{}
	}
}

// loop goes through a loop until a round begins with nothing more. Its label is that of its end as well, so what a
// round ends with counts as what the loop ends with.
func (s *stretches) loop(in *ir.Instr) {
	s.meets(in.Label())
	for n := -1; n < len(s.at[in.Label()]); {
		n = len(s.at[in.Label()])
		s.touched = maps.Clone(s.at[in.Label()])
		s.region(in.Regions[0])
	}
	s.touched = maps.Clone(s.at[in.Label()])
}
