package cpu

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// nativeAfter returns how many simd-groups of a program a device interprets before it makes machine
// code of it, or -1 where it makes none: what runs once is done before the code would be.
// METALGEN_NATIVE=on makes it at once, for tests. The sanitizer and schedules have the interpreter.
func nativeAfter(o driver.Options) int64 {
	mode := os.Getenv("METALGEN_NATIVE")
	switch {
	case mode == "off", o.Sanitize != 0, o.Schedule != 0, !lanes.Has("avx512"):
		return -1
	case mode == "on":
		return 0
	}
	return 64
}

// useNative makes the threadgroup run native code from here on, if there is any.
func (g *threadgroup) useNative() {
	after, p := g.dispatch.kernel.device.nativeAfter, g.dispatch.program
	if g.natively.settled || after < 0 {
		return
	}
	if after > 0 && p.natives.interpreted.Add(int64(g.simdgroups())) <= after {
		return
	}
	n := p.nativeOf(&g.frames[0], after == 0, g.dispatch.stop)
	if n == nil {
		return
	}
	g.natively.settled = true
	if n.parts != nil && !n.tires() {
		g.native, g.natively.shape = n, [3]int{}
		for i := range g.frames {
			g.frames[i].code = n.mixed
		}
	}
}

// retire makes the threadgroup, which has not begun, run without native code from here on.
func (g *threadgroup) retire() {
	g.native = nil
	for i := range g.frames {
		g.frames[i].code = g.dispatch.program.actions
	}
}

// natives are the native codes of a program.
type natives struct {
	interpreted atomic.Int64 // simd-groups, as long as there is no code

	mu   sync.Mutex
	list []*nativeProgram
}

// nativeState is how a simd-group stands between the interpreter and native code.
type nativeState struct {
	holds   bool  // the registers are as native code holds them at pc
	offered bool  // the interpreter has stopped at pc, where native code may go on
	refused int32 // an instruction at which it does not go on, plus one
}

// instructionsAtOnce is how many instructions native code executes until it returns, about, so that the
// collector and those who cancel get their chance: some ten microseconds.
const instructionsAtOnce = 1 << 12

// offers reports whether the interpreter stops at an instruction for native code to go on.
func (f *frame) offers(pc int32) bool {
	if f.native.refused == pc+1 {
		f.native.refused = 0
		return false
	}
	f.pc, f.native.offered = pc, true
	return true
}

// runNative executes simd-groups, one after the other, each until its next barrier or its end.
// It reports false where one was stopped.
func (g *threadgroup) runNative(frames []frame) bool {
	if g.dispatch.stop.Load() { // loops with barriers may have no end either
		g.failed = frames[0].index
		return false
	}
	for i := 0; i < len(frames); {
		f := &frames[i]
		if !g.isFresh(f) && f.done {
			i++
			continue
		}
		if !g.isFresh(f) && !f.adopt() {
			if !f.interpret() {
				return false
			}
			i++
			continue
		}
		end := i + 1
		for end < len(frames) && (g.isFresh(&frames[end]) || frames[end].done || frames[end].adopt()) {
			end++
		}
		switch at, result := g.call(frames, i, end); result {
		case native.Waits:
			i = end
		case native.Exhausted:
			if i = at; f.stop.Load() {
				g.failed = frames[at].index
				return false
			}
		case native.Interpret:
			f := &frames[at]
			f.giveBack()
			if !f.interpret() {
				return false
			}
			i = at + 1
		}
	}
	return true
}

// call enters native code for some simd-groups. It returns the one at which that came back.
func (g *threadgroup) call(frames []frame, from, to int) (at int, result native.Result) {
	first, size := uintptr(unsafe.Pointer(&frames[0])), unsafe.Sizeof(frame{})
	r := &g.natively.run
	r.Frame, r.End, r.Budget = first+uintptr(from)*size, first+uintptr(to)*size, instructionsAtOnce
	result = native.Result(g.native.code.Call(0, unsafe.Pointer(r)))
	at = to - 1
	if result != native.Waits {
		at = int((r.Frame - first) / size)
	}
	for i := from; i <= at; i++ {
		frames[i].native.holds = true
	}
	return at, result
}

// natively is what a threadgroup keeps for native code.
type natively struct {
	run    native.Run
	values []uint32 // of the builtins, in the first simd-group
	rows   []uint32 // how much more they are in each, and its mask
	shape  [3]int   // threads of the threadgroup for which that holds, or none
	strays bool     // a simd-group has been in the interpreter

	settled bool // whether there is code for the dispatch
}

// notes makes ready for threadgroups that native code begins, where this one shows how.
func (n *natively) notes(g *threadgroup) {
	n.run.Fresh = ^uintptr(0)
	n.strays = false
	if g.native == nil || !g.native.counting || n.shape == g.threads {
		return
	}
	builtins := g.native.builtins
	each, groups := len(builtins)+1, g.simdgroups()
	n.shape = [3]int{}
	n.values = slices.Grow(n.values[:0], len(builtins))[:len(builtins)]
	n.rows = slices.Grow(n.rows[:0], each*groups)[:each*groups]
	for i := range groups {
		f, row := &g.frames[i], n.rows[i*each:][:each]
		if !g.native.fits(f.program, f) { // at the edge of a grid
			return
		}
		f.row = &row[0]
		row[len(builtins)] = f.mask
		for j, b := range builtins {
			row[j] = at[uint32](f, b.At).base - at[uint32](&g.frames[0], b.At).base
		}
	}
	n.shape = g.threads
}

// beginsNatively leaves the beginning of all simd-groups to native code, where that knows how.
func (g *threadgroup) beginsNatively() bool {
	n := &g.natively
	if g.native == nil || g.backward || n.strays || n.shape != g.threads {
		return false
	}
	f := &g.frames[0]
	for i := range f.program.builtins {
		v := &f.program.builtins[i]
		v.set(f, v.regs, 0)
	}
	for j, b := range g.native.builtins {
		n.values[j] = at[uint32](f, b.At).base
	}
	if len(n.values) > 0 {
		n.run.Values = uintptr(unsafe.Pointer(&n.values[0]))
	}
	n.run.Fresh = uintptr(unsafe.Pointer(f))
	return true
}

// isFresh reports whether native code is yet to begin a simd-group.
func (g *threadgroup) isFresh(f *frame) bool {
	return uintptr(unsafe.Pointer(f)) >= g.natively.run.Fresh
}

// interpret executes a simd-group from where native code has given it back until its next barrier
// or its end, with native code where that can go on.
func (f *frame) interpret() bool {
	g := f.group
	f.native.refused = f.pc + 1
	for {
		f.native.offered = false
		if !f.execute() {
			return false
		}
		if !f.native.offered {
			return true
		}
		if !f.adopt() {
			f.native.refused = f.pc + 1
			continue
		}
		for {
			_, result := g.call(g.frames, f.index, f.index+1)
			if result == native.Waits {
				return true
			}
			if result == native.Interpret {
				break
			}
			if f.stop.Load() {
				g.failed = f.index
				return false
			}
		}
		f.giveBack()
		f.native.refused = f.pc + 1
	}
}

// adopt makes the registers what native code wants them to be at pc. It reports false where they
// are not.
func (f *frame) adopt() bool {
	if f.native.holds {
		return true
	}
	held, ok := f.group.native.parts.Entries[f.pc]
	if !ok || f.group.native.tires() {
		return false
	}
	for i := range held {
		h := &held[i]
		if h.Long {
			r := at[uint64](f, h.At)
			ok = pointsInto(r, h.Object) && adoptRegister(r, h)
		} else {
			ok = adoptRegister(at[uint32](f, h.At), h)
		}
		if !ok {
			return false
		}
	}
	f.native.holds = true
	return true
}

// pointsInto reports whether a register points into an object in all lanes, unless that is 0: a
// pointer that went too far does not any more.
func pointsInto(r *register[uint64], object int32) bool {
	if object == 0 {
		return true
	}
	if r.linear {
		return objectOf(r.base) == uint64(object) && objectOf(r.value(width-1)) == uint64(object)
	}
	for _, p := range r.lane {
		if objectOf(p) != uint64(object) {
			return false
		}
	}
	return true
}

func adoptRegister[T uint32 | uint64](r *register[T], h *native.Held) bool {
	switch h.Form {
	case native.Varying:
		r.lanes()
		r.linear = false
		return true
	case native.Strided:
		return r.linear
	case native.Uniform:
		if !r.linear {
			for _, v := range r.lane {
				if v != r.lane[0] {
					return false
				}
			}
			r.set(r.lane[0])
		}
	}
	return r.linear && r.step == T(int64(h.Step))
}

// giveBack makes the registers what the interpreter takes them for, where native code has come
// to an instruction that needs it.
func (f *frame) giveBack() {
	f.native.holds = false
	f.group.natively.strays = true
	n := f.group.native
	list, steps := n.parts.At(f.pc)
	if steps > 0 {
		n.searched.Add(int64(steps))
	}
	for _, h := range list {
		if h.Long {
			giveRegister(at[uint64](f, h.At), &h)
		} else {
			giveRegister(at[uint32](f, h.At), &h)
		}
	}
}

func giveRegister[T uint32 | uint64](r *register[T], h *native.Held) {
	r.linear, r.filled = h.Form != native.Varying, false
	if h.Form == native.Uniform || h.Form == native.Linear {
		r.step = T(int64(h.Step))
	}
}
