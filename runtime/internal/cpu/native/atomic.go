package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// exchange writes an operation by which the active lanes, one after the other, replace words that others may work on.
func exchange(op vcode.Op, c vcode.Cond) scalarFunc {
	return func(l *lowering, in *wide.Instruction) {
		access := wide.Instruction{Op: wide.Load32, D: in.D, A: in.A, Imm: in.Imm}
		t, ok := l.target(&access, 4)
		if !ok || l.Objects[t.object].Constant || l.Objects[t.object].Striped {
			give1(l, in)
			return
		}
		own, n := l.Objects[t.object].Own, l.slotOf(in.D)
		wanted := l.needed(l.units[n].lanes, l.pc+1)
		if own && op == vcode.GMove && !wanted {
			access.Op, access.D = wide.Store32, in.B
			store(&inWords)(l, &access)
			l.exchanged(in)
			return
		}
		from, args := l.wordsOf(&access, &t)
		args = append(args, l.all(in.B)...)
		if op == vcode.GPick {
			args = append(args, l.all(in.C)...)
		}
		how := int64(0)
		if own {
			how |= vcode.Apart
		}
		if !wanted {
			how |= vcode.Silent
		}
		l.emit(vcode.Instr{Op: vcode.Exchange, Cond: c, A: from, Args: args, Imm: int64(op), Imm2: how})
		if wanted {
			for part := range l.parts {
				l.setPart(in, l.blends(in), l.kind(in.D), part, l.opI(vcode.VLoad, vcode.Run, l.alloc.Old(part)))
			}
		}
		l.exchanged(in)
	}
}

// exchanged notes what does not hold any more after an exchange.
func (l *lowering) exchanged(in *wide.Instruction) {
	l.finishLanes(in)
	l.cache.forgetWords()
}

// wordsOf returns an address, and how many bytes the words of the lanes are away from there.
func (l *lowering) wordsOf(access *wide.Instruction, t *target) (from reg, list []reg) {
	if t.form != wide.Uniform {
		from, list = l.indexes(access, t)
		return from, append([]reg{}, list...)
	}
	from, more := l.one(access, t)
	if more != 0 {
		from = l.opI(vcode.GAdd, from, more)
	}
	for range l.parts {
		list = append(list, l.word32(0))
	}
	return l.keep(from), list
}
