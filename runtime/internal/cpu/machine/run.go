package machine

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
)

// Prepare makes ready for the dispatch of the threadgroup.
func (n *natively) Prepare() { n.native, n.settled = nil, false }

// Active reports whether the threadgroup runs native code.
func (n *natively) Active() bool { return n.native != nil }

// Begin is told of a threadgroup at its start. It reports whether native code enters the simd-groups.
func (n *natively) Begin(more int64) bool {
	n.run.More = 0
	if n.native != nil && n.native.Tires() {
		n.retire()
	}
	return n.begins(more)
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
	if all.after > 0 && all.interpreted.Add(int64(g.Simdgroups())) <= all.after {
		return
	}
	p := all.nativeOf(&g.Frames[0], all.after == 0, g.Dispatch.Stop)
	if p == nil {
		return
	}
	n.settled = true
	if p.Parts != nil && !p.Tires() {
		n.native, n.shape = p, [3]int{}
		for i := range g.Frames {
			g.Frames[i].Steps = p.mixed
		}
	}
}

// retire makes the threadgroup, which has not begun, run without native code from here on.
func (n *natively) retire() {
	n.native = nil
	for i := range n.group.Frames {
		n.group.Frames[i].Steps = n.all.code.Steps
	}
}

// Codes are the native codes of a program.
type Codes struct {
	code        *interp.Code
	kind        Kind
	after       int64        // simd-groups that are interpreted before there is native code
	interpreted atomic.Int64 // simd-groups, as long as there is no code

	mu   sync.Mutex
	List []*Code
}

// New returns the native codes of a program for a kind of machine, before any is made.
func New(c *interp.Code, kind Kind, after int64) *Codes {
	return &Codes{code: c, kind: kind, after: after}
}

// Machine returns what runs native code for a threadgroup.
func (all *Codes) Machine(g *interp.Threadgroup) interp.Machine {
	return &natively{all: all, group: g, run: new(abi.Run)}
}

// instructionsAtOnce is how many instructions native code executes until it returns, about, so that the
// collector and those who cancel get their chance: some ten microseconds.
const instructionsAtOnce = 1 << 13

// How simd-groups go through loops by turns, where they read memory that no cache of a core holds. A turn is so few
// rounds that what these read stays in a cache, also where it is a large power of two apart, until the last simd-group
// has read what is beside it.
const (
	roundsInTurn = 8
	roundsAhead  = 8
	roundsAlone  = 64      // where they do not take turns
	muchMemory   = 4 << 20 // bytes
)

// takesTurns reports whether simd-groups take turns.
func (n *natively) takesTurns(frames []interp.Frame) bool {
	return slices.ContainsFunc(n.native.Parts.Far, func(object int32) bool {
		return frames[0].Objects[object].Size >= muchMemory
	})
}

// Offers reports whether the interpreter stops at an instruction for native code to go on.
func (n *natively) Offers(f *interp.Frame, pc int32) bool {
	if f.Handoff.Refused == pc+1 {
		f.Handoff.Refused = 0
		return false
	}
	f.PC, f.Handoff.Offered = pc, true
	return true
}

// Run executes simd-groups in the order in which they run, each until its next barrier or its end, and on from a
// barrier that the code passes. It reports false where one was stopped.
func (n *natively) Run(frames []interp.Frame) bool {
	g := n.group
	if g.Dispatch.Stop.Load() { // loops with barriers may have no end either
		g.Failed = frames[0].Index
		return false
	}
	if n.sweep(frames) {
		return true
	}
	for k := 0; k < len(frames); { // in the order in which they run
		f := &frames[n.turn(k, len(frames))]
		if !n.IsFresh(f) && f.Done {
			k++
			continue
		}
		if !n.IsFresh(f) && !n.adopt(f) {
			if !n.interpret(f) {
				return false
			}
			k++
			continue
		}
		end := k + 1
		for end < len(frames) {
			if f := &frames[n.turn(end, len(frames))]; !n.IsFresh(f) && !f.Done && !n.adopt(f) {
				break
			}
			end++
		}
		n.run.Again, n.run.Paused = 0, 0
		for begin := k; k < end; {
			at, result := n.call(frames, k, end)
			f := &frames[at]
			k = n.turn(at, len(frames)) // the order may be another one now
			switch {
			case result == abi.Waits:
				k++
			case result == abi.Exhausted:
				if f.Stop.Load() {
					g.Failed = f.Index
					return false
				}
			case n.outside(f):
			case n.run.Paused > 0 || n.run.Again > 0:
				if n.run.Again > 0 {
					k = end - 1
				}
				f.Paused = true
				if !n.endTurns(frames, begin, k+1) {
					return false
				}
				k++
			default:
				n.giveBack(f)
				if !n.interpret(f) {
					return false
				}
				k++
			}
		}
	}
	return true
}

// endTurns executes the paused ones of some simd-groups, each until its next barrier or its end. So if several have a
// fault, that of the first counts, as where they do not take turns.
func (n *natively) endTurns(frames []interp.Frame, from, to int) bool {
	n.run.Again, n.run.Paused, n.run.More = 0, 0, 0
	for k := from; k < to; k++ {
		f := &frames[n.turn(k, len(frames))]
		if !f.Paused {
			continue
		}
		f.Paused = false
		if ended, ok := n.goOn(f); !ok {
			return false
		} else if !ended && !n.interpret(f) {
			return false
		}
	}
	return true
}

// turn returns which of so many simd-groups is the k-th to run, or when it runs: that is the same.
func (n *natively) turn(k, of int) int {
	if n.group.Backward {
		return of - 1 - k
	}
	return k
}

// outside executes the instruction to which native code has come in a simd-group, where that may be executed alone. It
// reports false where the interpreter has to go on from there.
func (n *natively) outside(f *interp.Frame) bool {
	o := n.native.Parts.Outside(f.PC)
	if o == nil {
		return false
	}
	give(f, o.Before)
	f.Apply(f.PC)
	if !adoptAll(f, o.After) { // which is as varied as what is adopted at that place
		panic("registers are not as the code takes them")
	}
	f.PC++
	return true
}

// call enters native code for some simd-groups, those from a turn to another, or with all of them through barriers as
// well. It returns the one at which that came back.
func (n *natively) call(frames []interp.Frame, from, to int) (at int, result abi.Result) {
	g, r := n.group, n.run
	first, size := uintptr(unsafe.Pointer(&frames[0])), int(unsafe.Sizeof(interp.Frame{}))
	address := func(turn int) uintptr { return first + uintptr(n.turn(turn, len(frames))*size) }
	r.Frame, r.End, r.Stride = address(from), address(to), int64(size)
	if g.Backward {
		r.Stride = -r.Stride
	}
	r.Budget, r.First, r.Last, r.Passed = instructionsAtOnce, first, 0, 0
	if r.Rounds, r.Ahead = roundsAlone, 0; n.takesTurns(frames) {
		r.Ahead = roundsAhead
		if to-from > 1 || r.Again > 0 || r.Paused > 0 {
			r.Rounds = roundsInTurn
		}
	}
	if r.Again == 0 && r.Paused == 0 {
		r.Start = r.Frame
	}
	frames[n.turn(from, len(frames))].Paused = r.Again != 0
	if from == 0 && to == g.Simdgroups() {
		r.Last = first + uintptr((to-1)*size)
	}
	more := r.More
	result = abi.Result(n.native.code.Call(0, unsafe.Pointer(r)))
	begun := to
	if r.More < more {
		from = 0
		g.Followed(int64(more - r.More))
	}
	if r.Passed > 0 {
		begun = len(frames)
		g.PassBarriers(int(r.Passed), r.Stride < 0)
	}
	at = n.turn(to-1, len(frames))
	if result != abi.Waits {
		at = int(r.Frame-first) / size
		if r.Passed == 0 && r.Again == 0 {
			begun = n.turn(at, len(frames)) + 1
		}
	}
	for k := from; k < begun; k++ {
		frames[n.turn(k, len(frames))].Handoff.Holds = true
	}
	return at, result
}

// natively is how a threadgroup runs native code.
type natively struct {
	all    *Codes
	group  *interp.Threadgroup
	native *Code // nil while there is none

	run    *abi.Run
	values []uint32    // of the builtins, in the first simd-group
	origin []uint32    // those of the first threadgroup
	rows   []uint32    // how much more they are in each, and its mask
	along  [3][]uint32 // how much more they are in the next threadgroup
	shape  [3]int      // threads of the threadgroup for which that holds, or none
	row    bool        // simd-groups of a threadgroup are a row of threads, so that they may be swept
	lasts  []uint32    // of the builtins, in the last simd-group that is swept
	strays bool        // a simd-group has been in the interpreter

	settled bool // whether there is code for the dispatch
}

// notes makes ready for threadgroups that native code begins, where this one shows how and is not the only one.
func (n *natively) notes() {
	g := n.group
	n.run.Fresh = ^uintptr(0)
	n.strays = false
	if n.native == nil || n.shape == g.Threads || g.Dispatch.Grid.Threadgroups == [3]int{1, 1, 1} {
		return
	}
	builtins := n.native.Builtins
	each, groups := 1, g.Simdgroups()
	for _, b := range builtins {
		each += b.Words()
	}
	n.shape = [3]int{}
	n.rows = slices.Grow(n.rows[:0], each*groups)[:each*groups]
	for i := range groups {
		f, row := &g.Frames[i], n.rows[i*each:][:each]
		if !n.native.fits(f.Code, f, false) { // at the edge of a grid
			return
		}
		f.Row = &row[0]
		for _, b := range builtins {
			from := interp.At[uint32](&g.Frames[0], b.At).Value(0)
			for l := range b.Words() {
				row[l] = interp.At[uint32](f, b.At).Value(l) - from
			}
			row = row[b.Words():]
		}
		row[0] = f.Mask
	}
	n.shape, n.row = g.Threads, n.isRow(each)
	n.notesPlaces()
}

// notesPlaces finds the values of the builtins in the first threadgroup, and how they grow from each to the next: in
// each direction by the same, as they say where threads are.
func (n *natively) notesPlaces() {
	g := n.group
	here := g.Position
	g.Position = [3]int{}
	n.origin = n.valuesInto(n.origin)
	n.values = append(n.values[:0], n.origin...)
	for d := range n.along {
		g.Position = [3]int{}
		g.Position[d] = 1
		n.along[d] = n.valuesInto(n.along[d])
		for i, v := range n.origin {
			n.along[d][i] -= v
		}
	}
	g.Position = here
	n.valuesInto(n.values)
}

// valuesInto returns the values of the builtins in the first simd-group, in as many words as fill vectors.
func (n *natively) valuesInto(to []uint32) []uint32 {
	f, builtins := &n.group.Frames[0], n.native.Builtins
	for i := range f.Code.Setters {
		v := &f.Code.Setters[i]
		v.Set(f, v.Regs, 0)
	}
	words := (len(builtins) + 15) &^ 15
	to = slices.Grow(to[:0], words)[:words]
	clear(to)
	for j, b := range builtins {
		to[j] = interp.At[uint32](f, b.At).Value(0)
	}
	return to
}

// begins leaves the beginning of all simd-groups to native code, where that knows how, and of threadgroups that follow
// if there are more.
func (n *natively) begins(more int64) bool {
	g := n.group
	if n.native == nil || g.Backward || n.strays || n.shape != g.Threads {
		return false
	}
	p, r := &g.Position, n.run
	for j, v := range n.origin[:len(n.native.Builtins)] { // there are more for whole vectors
		n.values[j] = v + uint32(p[0])*n.along[0][j] + uint32(p[1])*n.along[1][j] + uint32(p[2])*n.along[2][j]
	}
	if len(n.values) > 0 {
		r.Values = uintptr(unsafe.Pointer(&n.values[0]))
	}
	r.Fresh = uintptr(unsafe.Pointer(&g.Frames[0]))
	if more > 0 {
		n.mayFollow(more)
	}
	return true
}

// mayFollow lets native code go on with so many threadgroups at most.
func (n *natively) mayFollow(more int64) {
	g, r := n.group, n.run
	like, along := g.Followers()
	r.More = uint32(min(more, like, 1<<16))
	if len(n.values) > 0 {
		r.Steps = uintptr(unsafe.Pointer(&n.along[along][0]))
	}
	r.Shared, r.SharedEnd = 0, 0
	if m := g.Shared(); len(m) > 0 {
		r.Shared = uintptr(unsafe.Pointer(&m[0]))
		r.SharedEnd = r.Shared + uintptr(8*len(m))
	}
}

// IsFresh reports whether native code is yet to begin a simd-group.
func (n *natively) IsFresh(f *interp.Frame) bool { return uintptr(unsafe.Pointer(f)) >= n.run.Fresh }

// interpret executes a simd-group from where native code has given it back until its next barrier
// or its end, with native code where that can go on.
func (n *natively) interpret(f *interp.Frame) bool {
	f.Handoff.Refused = f.PC + 1
	for {
		f.Handoff.Offered = false
		if !f.Execute() {
			return false
		}
		if !f.Handoff.Offered {
			return true
		}
		if !n.adopt(f) {
			f.Handoff.Refused = f.PC + 1
			continue
		}
		if ended, ok := n.goOn(f); ended || !ok {
			return ok
		}
		f.Handoff.Refused = f.PC + 1
	}
}

// goOn executes a simd-group alone until its next barrier or its end, and reports whether it has come to that: else the
// interpreter goes on. It reports !ok where it was stopped.
func (n *natively) goOn(f *interp.Frame) (ended, ok bool) {
	g := n.group
	n.run.Again, n.run.Paused = 0, 0
	for {
		switch _, result := n.call(g.Frames[f.Index:f.Index+1], 0, 1); {
		case result == abi.Waits:
			return true, true
		case result == abi.Exhausted:
			if f.Stop.Load() {
				g.Failed = f.Index
				return false, false
			}
		case !n.outside(f):
			n.giveBack(f)
			return false, true
		}
	}
}
