package assemble

import "github.com/metalgen/metalgen/runtime/internal/cpu/program"

// Unsets are registers like others, which only programs that follow what is unset have. Elsewhere their number is 0,
// and what is to be done to them is nothing.

// newUnset returns an unset that is free.
func (e *code) newUnset() int32 {
	if !e.how.Uninit {
		return 0
	}
	return e.regs.allocate(program.UnsetClass)
}

// clearedUnset is newUnset for a register all of whose bits are set.
func (e *code) clearedUnset() int32 {
	u := e.newUnset()
	e.setUnset(u, 0)
	return u
}

// lastingUnset returns an unset that is never freed.
func (e *code) lastingUnset() int32 {
	if !e.how.Uninit {
		return 0
	}
	return e.regs.extend(program.UnsetClass, 1)
}

// freeUnset frees an unset.
func (e *code) freeUnset(u int32) {
	if u != 0 {
		e.regs.giveBack(program.UnsetClass, u)
	}
}

// setUnset makes an unset what another one is, or clears it where that is 0.
func (e *code) setUnset(to, from int32) {
	switch {
	case to == 0:
	case from == 0:
		e.emit(program.Instruction{Op: program.OpUnsetClear, D: to})
	default:
		e.emit(program.Instruction{Op: program.OpUnsetCopy, D: to, A: from})
	}
}
