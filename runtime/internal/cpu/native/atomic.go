package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// exchange writes an operation by which the active lanes, one after the other, replace words that others may work on.
func exchange(op vcode.Op, c vcode.Cond) accessFunc {
	return func(a *accesses, in *wide.Instruction) {
		access := wide.Instruction{Op: wide.Load32, D: in.D, A: in.A, Imm: in.Imm}
		t, ok := a.target(&access, 4)
		if !ok || a.x.Objects[t.object].Constant || a.x.Objects[t.object].Striped {
			give1(a.lanes, in)
			return
		}
		own, n := a.x.Objects[t.object].Own, a.lanes.slotOf(in.D)
		wanted := a.chain.Needed(n, a.pc+1)
		if own && op == vcode.GMove && !wanted {
			access.Op, access.D = wide.Store32, in.B
			store(&inWords)(a, &access)
			exchanged(a, in)
			return
		}
		from, args := wordsOf(a, &access, &t)
		args = append(args, a.lanes.all(in.B)...)
		if op == vcode.GPick {
			args = append(args, a.lanes.all(in.C)...)
		}
		how := int64(0)
		if own {
			how |= vcode.Apart
		}
		if !wanted {
			how |= vcode.Silent
		}
		a.emit(vcode.Instr{Op: vcode.Exchange, Cond: c, A: from, Args: args, Imm: int64(op), Imm2: how})
		if wanted {
			old, blend := a.lanes.kind(in.D), a.lanes.blends(in)
			for part := range a.parts {
				a.lanes.setPart(in, blend, old, part, a.opI(vcode.VLoad, vcode.Run, a.alloc.Old(part)))
			}
		}
		exchanged(a, in)
	}
}

// exchanged notes what does not hold any more after an exchange.
func exchanged(a *accesses, in *wide.Instruction) {
	a.lanes.finishLanes(in)
	a.forgetWords(in.A)
}

// wordsOf returns an address, and how many bytes the words of the lanes are away from there.
func wordsOf(a *accesses, access *wide.Instruction, t *target) (from reg, list []reg) {
	if t.form != wide.Uniform {
		from, list = a.indexes(access, t)
		return from, append([]reg{}, list...)
	}
	from, more := a.one(access, t)
	if more != 0 {
		from = a.opI(vcode.GAdd, from, more)
	}
	for range a.parts {
		list = append(list, a.lanes.word32(0))
	}
	return a.keep(from), list
}
