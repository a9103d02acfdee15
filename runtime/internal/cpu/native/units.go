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
func (l *lanes) makeUnits() {
	l.units = make([]unitsOf, len(l.x.Slots))
	l.slotOfUnit = append(l.slotOfUnit, 0) // of register 0
	for n := range l.x.Slots {
		l.makeUnitsOf(int32(n))
	}
}

func (l *lanes) makeUnitsOf(n int32) {
	s, u := l.x.Slots[n], &l.units[n]
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
func (l *lanes) partsOf(c wide.Class) int {
	if c == wide.Long {
		return 2 * l.parts
	}
	return l.parts
}

func (l *lanes) slotOf(at int32) int32 { return l.x.SlotAt[at/8] - 1 }

// The ways in which units hold a register.
const (
	inBase = 1 << iota
	inStep
	inSplat
	inLanes
)

func repOf(l *lanes, n int32, k wide.Kind) uint8 {
	switch {
	case l.x.Slots[n].Class == wide.Mask:
		return inBase
	case k.Form == wide.Varying || k.Form == wide.Unreached:
		return inLanes
	case k.Form == wide.Uniform && l.vectors[n]:
		return inSplat
	case k.Form == wide.Strided:
		return inBase | inStep
	}
	return inBase
}

// repsIn calls f with the units that hold a register in some ways.
func (l *lanes) repsIn(n int32, ways uint8, f func(reg)) {
	u := &l.units[n]
	if ways&inBase != 0 {
		f(u.base)
	}
	if ways&inStep != 0 {
		f(u.step)
	}
	if ways&inSplat != 0 {
		f(u.splat)
	}
	if ways&inLanes != 0 {
		for i := range l.partsOf(l.x.Slots[n].Class) {
			f(u.lanes + reg(i))
		}
	}
}
