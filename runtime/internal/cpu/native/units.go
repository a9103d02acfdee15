package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// unitsOf are the virtual registers of a register or a bool, which exist in all of the program: what is the same in all
// lanes, or counts up, has its base in one, as a number or as a vector of copies, and its step in another. What varies
// has its lanes in several. The bits of a bool are in base.
type unitsOf struct {
	base, step, splat vcode.Reg
	lanes             vcode.Reg // the first of them
}

// makeUnits makes the units of all slots.
func (l *lowering) makeUnits() {
	l.units = make([]unitsOf, len(l.Slots))
	l.slotOfUnit = append(l.slotOfUnit, 0) // of register 0
	for n := range l.Slots {
		l.makeUnitsOf(int32(n))
	}
}

func (l *lowering) makeUnitsOf(n int32) {
	s, u := l.Slots[n], &l.units[n]
	unit := func(c vcode.Class, disp int32, how vcode.How) vcode.Reg {
		l.slotOfUnit = append(l.slotOfUnit, n)
		return l.alloc.Unit(c, vcode.Home{Base: vcode.Memory, Disp: s.At + disp, How: how})
	}
	if s.Class == wide.Mask {
		u.base = unit(vcode.G, 0, vcode.InWord)
		return
	}
	r, one, all := &l.layout.Word, vcode.InWord, vcode.InSplat32
	if s.Class == wide.Long {
		r, one, all = &l.layout.Long, vcode.InLong, vcode.InSplat64
	}
	u.base, u.step = unit(vcode.G, r.Base, one), unit(vcode.G, r.Step, one)
	u.splat = unit(vcode.V, r.Base, all)
	for i := range l.partsOf(s.Class) {
		first := unit(vcode.V, r.Lanes+int32(i)*l.t.VectorBytes(), vcode.InLanes)
		if i == 0 {
			u.lanes = first
		}
	}
}

// partsOf returns how many vectors have the lanes of a register.
func (l *lowering) partsOf(c wide.Class) int {
	if c == wide.Long {
		return 2 * l.parts
	}
	return l.parts
}

// choosesVectors finds which registers have what is the same in all lanes in a vector: those that mostly meet others
// there.
func (l *lowering) choosesVectors() {
	score := make([]int, len(l.Slots))
	for pc := range l.Code {
		in := &l.Code[pc]
		op := &operations[in.Op]
		if op.Flow {
			continue
		}
		by := 0
		switch {
		case op.Access:
			by = -4
		case op.Foreign, op.neutral:
		case op.scalar != nil:
			by = -1
		case op.lane != nil:
			by = 1
		}
		for o := range op.Operands(in) {
			switch {
			case op.Access && o.At == in.D:
				score[l.slotOf(o.At)]++
			default:
				score[l.slotOf(o.At)] += by
			}
		}
		if op.D == wide.Word && !op.Foreign && in.Matrices == nil {
			if op.Access {
				by = 1
			}
			score[l.slotOf(in.D)] += by
		}
	}
	l.vectors = make([]bool, len(l.Slots))
	for n, s := range l.Slots {
		l.vectors[n] = s.Class == wide.Word && score[n] > 0
	}
}

func (l *lowering) slotOf(at int32) int32 { return l.SlotAt[at/8] - 1 }
