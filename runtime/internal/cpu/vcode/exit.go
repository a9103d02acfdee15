package vcode

// exitStub is the last way out, and what was in registers there.
type exitStub struct {
	exit   Exit
	label  Label
	change int
}

// exit returns the label of a way out, which stores what only registers hold.
func (a *Allocator) exit(e *Exit) Label {
	if e.Bare {
		return e.To
	}
	if a.last.change == a.change && a.last.exit == *e {
		return a.last.label
	}
	type saving struct{ r, p Reg }
	var list []saving
	for file := range a.owner {
		for p, r := range a.owner[file] {
			if r > 0 && int(r) < a.units && a.fixed[r] == 0 && a.dirty[r] && a.block.Needed(r, e.PC) {
				list = append(list, saving{r, Reg(p)})
			}
		}
	}
	for _, u := range a.block.Fixed {
		if a.block.Needed(u, e.PC) {
			list = append(list, saving{u, a.fixed[u]})
		}
	}
	l, exit := a.m.Label(), *e
	a.last = exitStub{exit: exit, label: l, change: a.change}
	a.Later(func() {
		a.put(Instr{Op: Bind, Target: l})
		for _, s := range list {
			a.storeFrom(s.r, s.p)
		}
		a.put(Instr{Op: GConst, D: exitPC, Imm: int64(exit.PC)})
		a.put(Instr{Op: GConst, D: exitResult, Imm: exit.Result})
		a.put(Instr{Op: Jump, Target: a.Leave})
	})
	return l
}

// What the code at Leave finds in registers.
const (
	exitPC     Reg = 1
	exitResult Reg = 2
)
