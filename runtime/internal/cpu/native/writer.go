package native

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// writer collects vcode, with the ways out of it to the interpreter.
type writer struct {
	m     vcode.Machine
	t     *vcode.Traits
	parts int // vectors of the words of all lanes
	alloc *vcode.Allocator
	code  []vcode.Instr
	pcs   []int32
	pc    int32     // of the instruction that is written
	kept  vcode.Reg // the last register that something may still refer to
	given []int32   // instructions that only the interpreter executes

	// In a sweep checks go to bare if they fail. After them what is checked is sure, and what else leaves is unfit.
	bare                 *vcode.Exit
	sure, checked, unfit bool
}

func newWriter(m vcode.Machine) *writer {
	t := m.Traits()
	alloc := vcode.NewAllocator(m, vcode.Scratch{At: abi.RunScratch, Size: abi.ScratchBytes, Tiles: int32(abi.RunTiles)})
	return &writer{m: m, t: t, parts: t.Parts(), alloc: alloc, code: vcode.Buffer()}
}

// clear makes room for code that follows what has been made.
func (w *writer) clear() { w.code, w.pcs, w.kept = w.code[:0], w.pcs[:0], 0 }

type reg = vcode.Reg

func (w *writer) emit(in vcode.Instr) {
	if w.sure && in.Exit != nil {
		w.unfit = w.unfit || in.D != 0 || !w.checked
		return
	}
	if n := len(w.code); n == cap(w.code) {
		w.code = slices.Grow(w.code, n+64) // append grows long slices by a quarter, and leaves four times as much behind
	}
	w.code, w.pcs = append(w.code, in), append(w.pcs, w.pc)
}

// make appends an instruction and returns what it makes, a new register.
func (w *writer) make(in vcode.Instr) reg {
	in.D = w.alloc.Temp(vcode.Infos[in.Op].D)
	w.emit(in)
	return in.D
}

func (w *writer) op(op vcode.Op, a, b reg) reg { return w.make(vcode.Instr{Op: op, A: a, B: b}) }

func (w *writer) op3(op vcode.Op, a, b, c reg) reg {
	return w.make(vcode.Instr{Op: op, A: a, B: b, C: c})
}

func (w *writer) opI(op vcode.Op, a reg, i int64) reg {
	return w.make(vcode.Instr{Op: op, A: a, Imm: i})
}

func (w *writer) compare(op vcode.Op, c vcode.Cond, a, b reg) reg {
	return w.make(vcode.Instr{Op: op, Cond: c, A: a, B: b})
}

func (w *writer) number(v uint64) reg { return w.make(vcode.Instr{Op: vcode.GConst, Imm: int64(v)}) }

func (w *writer) store(op vcode.Op, base reg, disp int64, v reg) {
	w.emit(vcode.Instr{Op: op, A: base, B: v, Imm: disp})
}

// keep notes that a register may be read again later.
func (w *writer) keep(r reg) reg {
	w.kept = max(w.kept, r)
	return r
}

// move makes unit what r is. Where the last instruction has made r it makes the unit instead.
func (w *writer) move(unit, r reg) {
	if n := len(w.code) - 1; n >= 0 && r > w.kept && int(r) >= w.alloc.Units() {
		if last := &w.code[n]; last.D == r && last.Exit == nil {
			last.D = unit
			return
		}
	}
	op := vcode.VMove
	if w.alloc.ClassOf(r) == vcode.G || r < 0 {
		op = vcode.GMove
	}
	w.emit(vcode.Instr{Op: op, D: unit, A: r})
}

// exit returns the way out to the interpreter, which begins the instruction anew.
func (w *writer) exit() *vcode.Exit {
	if w.bare != nil {
		return w.bare
	}
	return &vcode.Exit{PC: w.pc, Result: int64(abi.Interpret)}
}

// leaveIf leaves for the interpreter where a comparison holds.
func (w *writer) leaveIf(c vcode.Cond, a, b reg) {
	w.emit(vcode.Instr{Op: vcode.Branch, Cond: c, A: a, B: b, Exit: w.exit()})
}

func (w *writer) leaveIfI(c vcode.Cond, a reg, i int64) {
	w.emit(vcode.Instr{Op: vcode.Branch, Cond: c, A: a, Imm: i, Exit: w.exit()})
}

// exiting is an instruction that leaves where its result does not fit.
func (w *writer) exiting(op vcode.Op, a, b reg, i int64) reg {
	return w.keep(w.make(vcode.Instr{Op: op, A: a, B: b, Imm: i, Exit: w.exit()}))
}

// give leaves an instruction to the interpreter.
func (w *writer) give() {
	w.unfit = true
	w.emit(vcode.Instr{Op: vcode.Jump, Exit: w.exit()})
	if n := len(w.given); n == 0 || w.given[n-1] != w.pc {
		w.given = append(w.given, w.pc)
	}
}
