package machine

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// adopt makes the registers what native code wants them to be at pc. It reports false where they
// are not.
func (n *natively) adopt(f *interp.Frame) bool {
	if f.Handoff.Holds {
		return true
	}
	e, ok := n.native.Parts.Entries[f.PC]
	if !ok || n.native.Tires() || !masksFit(f, &e) || !adoptAll(f, e.Held) {
		return false
	}
	f.Handoff.Holds = true
	return true
}

// masksFit reports whether masks are as native code takes them.
func masksFit(f *interp.Frame, e *wide.Entry) bool {
	mask := func(at int32) uint32 {
		if at == wide.ActiveMask {
			return f.Mask
		}
		return *interp.MaskAt(f, at)
	}
	for _, m := range e.Equal {
		if mask(m[0]) != mask(m[1]) {
			return false
		}
	}
	alive := mask(f.Code.Alive)
	for _, at := range e.Uniform {
		if m := mask(at); m != 0 && m&alive != alive {
			return false
		}
	}
	return true
}

// adoptAll makes registers what native code wants them to be. It reports false where they are not.
func adoptAll(f *interp.Frame, held []wide.Held) (ok bool) {
	for i := range held {
		h := &held[i]
		if h.Long {
			r := interp.At[uint64](f, h.At)
			ok = pointsInto(r, h.Object) && adoptRegister(r, h)
		} else {
			ok = adoptRegister(interp.At[uint32](f, h.At), h)
		}
		if !ok {
			return false
		}
	}
	return true
}

// pointsInto reports whether a register points into an object in all lanes, unless that is 0: a
// pointer that went too far does not any more.
func pointsInto(r *interp.Register[uint64], object int32) bool {
	if object == 0 {
		return true
	}
	if r.Linear {
		return program.ObjectOf(r.Base) == uint64(object) && program.ObjectOf(r.Value(width-1)) == uint64(object)
	}
	for _, p := range r.Lane {
		if program.ObjectOf(p) != uint64(object) {
			return false
		}
	}
	return true
}

func adoptRegister[T uint32 | uint64](r *interp.Register[T], h *wide.Held) bool {
	switch h.Form {
	case wide.Varying:
		r.Lanes()
		r.Linear = false
		return true
	case wide.Strided:
		return r.Linear
	case wide.Uniform:
		if !r.Linear {
			for _, v := range r.Lane {
				if v != r.Lane[0] {
					return false
				}
			}
			r.Set(r.Lane[0])
		}
	}
	return r.Linear && r.Step == T(int64(h.Step))
}

// giveBack makes the registers what the interpreter takes them for, where native code has come
// to an instruction that needs it.
func (n *natively) giveBack(f *interp.Frame) {
	f.Handoff.Holds = false
	n.strays, n.run.More = true, 0
	list, steps := n.native.Parts.At(f.PC)
	if steps > 0 {
		n.native.Searched.Add(int64(steps))
	}
	give(f, list)
}

// give makes registers what the interpreter takes them for.
func give(f *interp.Frame, list []wide.Held) {
	for i := range list {
		h := &list[i]
		if h.Long {
			giveRegister(interp.At[uint64](f, h.At), h)
		} else {
			giveRegister(interp.At[uint32](f, h.At), h)
		}
	}
}

func giveRegister[T uint32 | uint64](r *interp.Register[T], h *wide.Held) {
	r.Linear, r.Filled = h.Form != wide.Varying, false
	if h.Form == wide.Uniform || h.Form == wide.Linear {
		r.Step = T(int64(h.Step))
	}
}
