package cpu

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
)

// Prepare makes ready for the dispatch of the threadgroup.
func (n *natively) Prepare() { n.native, n.settled = nil, false }

// Active reports whether the threadgroup runs native code.
func (n *natively) Active() bool { return n.native != nil }

// Begin is told of a threadgroup at its start. It reports whether native code enters the simd-groups.
func (n *natively) Begin() bool {
	if n.native != nil && n.native.tires() {
		n.retire()
	}
	return n.begins()
}

// Entered is told that the interpreter has entered the simd-groups.
func (n *natively) Entered() {
	if n.native == nil {
		n.use()
	}
	n.notes()
}

// use makes the threadgroup run native code from here on, if there is any.
func (n *natively) use() {
	g, all := n.group, n.all
	if n.settled {
		return
	}
	if all.after > 0 && all.interpreted.Add(int64(g.simdgroups())) <= all.after {
		return
	}
	p := all.nativeOf(&g.frames[0], all.after == 0, g.dispatch.stop)
	if p == nil {
		return
	}
	n.settled = true
	if p.parts != nil && !p.tires() {
		n.native, n.shape = p, [3]int{}
		for i := range g.frames {
			g.frames[i].code = p.mixed
		}
	}
}

// retire makes the threadgroup, which has not begun, run without native code from here on.
func (n *natively) retire() {
	n.native = nil
	for i := range n.group.frames {
		n.group.frames[i].code = n.all.code.actions
	}
}

// natives are the native codes of a program.
type natives struct {
	code        *code
	after       int64        // simd-groups that are interpreted before there is native code
	interpreted atomic.Int64 // simd-groups, as long as there is no code

	mu   sync.Mutex
	list []*nativeProgram
}

// newNatives returns the native codes of a program, of which there are none yet.
func newNatives(c *code, after int64) *natives { return &natives{code: c, after: after} }

// machine returns what runs native code for a threadgroup.
func (all *natives) machine(g *threadgroup) machine { return &natively{all: all, group: g} }

// instructionsAtOnce is how many instructions native code executes until it returns, about, so that the
// collector and those who cancel get their chance: some ten microseconds.
const instructionsAtOnce = 1 << 12

// Offers reports whether the interpreter stops at an instruction for native code to go on.
func (n *natively) Offers(f *frame, pc int32) bool {
	if f.handoff.refused == pc+1 {
		f.handoff.refused = 0
		return false
	}
	f.pc, f.handoff.offered = pc, true
	return true
}

// Run executes simd-groups, one after the other, each until its next barrier or its end.
// It reports false where one was stopped.
func (n *natively) Run(frames []frame) bool {
	g := n.group
	if g.dispatch.stop.Load() { // loops with barriers may have no end either
		g.failed = frames[0].index
		return false
	}
	for i := 0; i < len(frames); {
		f := &frames[i]
		if !n.IsFresh(f) && f.done {
			i++
			continue
		}
		if !n.IsFresh(f) && !n.adopt(f) {
			if !n.interpret(f) {
				return false
			}
			i++
			continue
		}
		end := i + 1
		for end < len(frames) && (n.IsFresh(&frames[end]) || frames[end].done || n.adopt(&frames[end])) {
			end++
		}
		switch at, result := n.call(frames, i, end); result {
		case native.Waits:
			i = end
		case native.Exhausted:
			if i = at; f.stop.Load() {
				g.failed = frames[at].index
				return false
			}
		case native.Interpret:
			f := &frames[at]
			n.giveBack(f)
			if !n.interpret(f) {
				return false
			}
			i = at + 1
		}
	}
	return true
}

// call enters native code for some simd-groups. It returns the one at which that came back.
func (n *natively) call(frames []frame, from, to int) (at int, result native.Result) {
	first, size := uintptr(unsafe.Pointer(&frames[0])), unsafe.Sizeof(frame{})
	r := &n.run
	r.Frame, r.End, r.Budget = first+uintptr(from)*size, first+uintptr(to)*size, instructionsAtOnce
	result = native.Result(n.native.code.Call(0, unsafe.Pointer(r)))
	at = to - 1
	if result != native.Waits {
		at = int((r.Frame - first) / size)
	}
	for i := from; i <= at; i++ {
		frames[i].handoff.holds = true
	}
	return at, result
}

// natively is how a threadgroup runs native code.
type natively struct {
	all    *natives
	group  *threadgroup
	native *nativeProgram // nil while there is none

	run    native.Run
	values []uint32 // of the builtins, in the first simd-group
	rows   []uint32 // how much more they are in each, and its mask
	shape  [3]int   // threads of the threadgroup for which that holds, or none
	strays bool     // a simd-group has been in the interpreter

	settled bool // whether there is code for the dispatch
}

// notes makes ready for threadgroups that native code begins, where this one shows how.
func (n *natively) notes() {
	g := n.group
	n.run.Fresh = ^uintptr(0)
	n.strays = false
	if n.native == nil || !n.native.counting || n.shape == g.threads {
		return
	}
	builtins := n.native.builtins
	each, groups := len(builtins)+1, g.simdgroups()
	n.shape = [3]int{}
	n.values = slices.Grow(n.values[:0], len(builtins))[:len(builtins)]
	n.rows = slices.Grow(n.rows[:0], each*groups)[:each*groups]
	for i := range groups {
		f, row := &g.frames[i], n.rows[i*each:][:each]
		if !n.native.fits(f.program, f) { // at the edge of a grid
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

// begins leaves the beginning of all simd-groups to native code, where that knows how.
func (n *natively) begins() bool {
	g := n.group
	if n.native == nil || g.backward || n.strays || n.shape != g.threads {
		return false
	}
	f := &g.frames[0]
	for i := range f.program.setters {
		v := &f.program.setters[i]
		v.set(f, v.regs, 0)
	}
	for j, b := range n.native.builtins {
		n.values[j] = at[uint32](f, b.At).base
	}
	if len(n.values) > 0 {
		n.run.Values = uintptr(unsafe.Pointer(&n.values[0]))
	}
	n.run.Fresh = uintptr(unsafe.Pointer(f))
	return true
}

// IsFresh reports whether native code is yet to begin a simd-group.
func (n *natively) IsFresh(f *frame) bool { return uintptr(unsafe.Pointer(f)) >= n.run.Fresh }

// interpret executes a simd-group from where native code has given it back until its next barrier
// or its end, with native code where that can go on.
func (n *natively) interpret(f *frame) bool {
	g := n.group
	f.handoff.refused = f.pc + 1
	for {
		f.handoff.offered = false
		if !f.execute() {
			return false
		}
		if !f.handoff.offered {
			return true
		}
		if !n.adopt(f) {
			f.handoff.refused = f.pc + 1
			continue
		}
		for {
			_, result := n.call(g.frames, f.index, f.index+1)
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
		n.giveBack(f)
		f.handoff.refused = f.pc + 1
	}
}

// adopt makes the registers what native code wants them to be at pc. It reports false where they
// are not.
func (n *natively) adopt(f *frame) bool {
	if f.handoff.holds {
		return true
	}
	held, ok := n.native.parts.Entries[f.pc]
	if !ok || n.native.tires() {
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
	f.handoff.holds = true
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
func (n *natively) giveBack(f *frame) {
	f.handoff.holds = false
	n.strays = true
	list, steps := n.native.parts.At(f.pc)
	if steps > 0 {
		n.native.searched.Add(int64(steps))
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
