package sanitize

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// begin says that an instruction touches memory from now on, and returns its shadow.
func (w *watcher) begin(f *interp.Frame, in *program.Instruction, o *interp.Object, writes, atomic bool) *shadow.View {
	v := w.views[o.Watched]
	w.frame, w.instruction, w.object = f, in, o
	v.Begin(f.Index, int(in.Scope), writes, atomic)
	return v
}

// addressIn returns where a byte of an object is in its shadow.
func addressIn(o *interp.Object, offset int64) uintptr {
	if o.Watched == interp.InThreadgroupMemory {
		return uintptr(int64(o.Start) + offset)
	}
	return uintptr(o.Base) + uintptr(offset)
}

// touch returns the operation that says what the access after it is going to touch: d bytes, else with the fields of
// that access. What is out of bounds it leaves to it.
func touch(writes bool) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		size := int(in.D)
		base, step, ok := f.Address(in)
		if !ok {
			touchLanes(f, in, f.Addresses(in), size, writes, false)
			return
		}
		o := f.Object(base)
		if o.Watched == interp.NotWatched {
			return
		}
		offset := program.Displacement(base) + in.Imm
		first, last := bits.TrailingZeros32(f.Mask), 31-bits.LeadingZeros32(f.Mask)
		if step == 0 && o.Holds(offset, size) { // two lanes stand for all
			v := watcherOf(f).begin(f, in, o, writes, false)
			v.Lane(first, addressIn(o, offset), size)
			if last != first {
				v.Lane(last, addressIn(o, offset), size)
			}
			return
		}
		low, high := offset+int64(first)*step, offset+int64(last)*step
		_, gap := interp.ActiveRange(f.Mask)
		switch n := last - first + 1; {
		case gap < 0 || !o.Holds(low, size) || !o.Holds(high, size):
			touchLanes(f, in, f.Addresses(in), size, writes, false)
		case step == int64(size):
			watcherOf(f).begin(f, in, o, writes, false).Row(first, n, addressIn(o, low), size)
		default:
			watcherOf(f).begin(f, in, o, writes, false).Stride(first, n, addressIn(o, low), step, size)
		}
	}
}

func touchAtomic(writes bool) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		touchLanes(f, in, interp.At[uint64](f, in.A).Lanes(), int(in.D), writes, true)
	}
}

// touchLanes touches memory lane by lane, from most often one object.
func touchLanes(f *interp.Frame, in *program.Instruction, x *[width]uint64, size int, writes, atomic bool) {
	var v *shadow.View
	var in1 *interp.Object
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		o := f.Object(x[l])
		offset := program.Displacement(x[l]) + in.Imm
		if o.Watched == interp.NotWatched || !o.Holds(offset, size) {
			continue
		}
		if o != in1 {
			v, in1 = watcherOf(f).begin(f, in, o, writes, atomic), o
		}
		v.Lane(l, addressIn(o, offset), size)
		if atomic && writes && f.Code.Fences {
			v.Publish(addressIn(o, offset))
		}
	}
}

// observeAtomic says that an atomic was touched. What others have published is asked for after
// the atomic, and what is published is said in front of it: so threadgroups that run at once see
// of each other what their atomics do.
func observeAtomic(f *interp.Frame, in *program.Instruction) {
	if !f.Code.Fences {
		return
	}
	x, w := interp.At[uint64](f, in.A).Lanes(), watcherOf(f)
	for m := f.Mask; m != 0; m &= m - 1 {
		at := x[bits.TrailingZeros32(m)]
		if o := f.Object(at); o.Watched != interp.NotWatched && o.Holds(program.Displacement(at), int(in.D)) {
			w.views[o.Watched].Observe(addressIn(o, program.Displacement(at)))
		}
	}
	w.clocks.Observed()
}

// touchMatrix touches the elements of a matrix that the simd-group loads or stores
// together.
func touchMatrix(f *interp.Frame, in *program.Instruction) {
	size, m := int(in.D), f.Code.Matrices[in.Imm]
	o, offset, row, column := f.MatrixMemory(in, m, int64(size))
	if o.Watched == interp.NotWatched {
		return
	}
	v := watcherOf(f).begin(f, in, o, in.C != 0, false)
	for r := range int64(interp.MatrixSide) {
		if at := offset + r*row; column == int64(size) {
			v.Whole(addressIn(o, at), interp.MatrixSide*size)
			continue
		}
		for c := range int64(interp.MatrixSide) {
			v.Whole(addressIn(o, offset+r*row+c*column), size)
		}
	}
}

// passedBarrier is the last threadgroup_barrier that a threadgroup has passed.
type passedBarrier struct {
	pos   int32 // -1 for none
	steps [maxSimdgroups]uint32
}

// ordering returns which shadows the flags of a barrier order.
func ordering(flags uint32) (s shadow.Flags) {
	if flags&program.MemDevice != 0 {
		s |= shadow.Device.Of()
	}
	if flags&program.MemThreadgroup != 0 {
		s |= shadow.Threadgroup.Of()
	}
	if flags&program.MemTexture != 0 {
		s |= shadow.Texture.Of()
	}
	return s
}

// flagsOf returns the flags of a barrier that a frame executes.
func flagsOf(f *interp.Frame, in *program.Instruction) uint32 {
	return interp.At[uint32](f, in.A).Value(bits.TrailingZeros32(f.Mask) & (width - 1))
}

// PassBarrier is threadgroup_barrier, when the simd-groups have come to it; f is one of them.
func (w *watcher) PassBarrier(f *interp.Frame) {
	in := f.WaitsAt()
	w.passed.pos = in.Pos
	for i := range w.passed.steps {
		w.passed.steps[i] = w.clocks.Step(i)
	}
	w.clocks.Barrier(ordering(flagsOf(f, in)))
}

// passFence is atomic_thread_fence, of the flags a, the order b and the scope c.
func passFence(f *interp.Frame, in *program.Instruction) {
	lane := bits.TrailingZeros32(f.Mask) & (width - 1)
	order, scope := interp.At[int32](f, in.B).Value(lane), interp.At[int32](f, in.C).Value(lane)
	if order == orderRelaxed || scope < scopeThreadgroup {
		return
	}
	watcherOf(f).clocks.Fence(f.Index, ordering(flagsOf(f, in)), order != orderAcquire, order != orderRelease)
}

// The orders and scopes of fences (section 6.15.3).
const (
	orderRelaxed     = 0
	orderAcquire     = 2
	orderRelease     = 3
	scopeThreadgroup = 2
)

// passTextureFence is fence of a texture. It counts for all textures.
func passTextureFence(f *interp.Frame, _ *program.Instruction) {
	watcherOf(f).clocks.TextureFence(f.Index, f.Mask)
}

// passSimdgroupBarrier is simdgroup_barrier.
func passSimdgroupBarrier(f *interp.Frame, in *program.Instruction) {
	watcherOf(f).clocks.SimdgroupBarrier(f.Index, ordering(flagsOf(f, in)))
}

// race reports two accesses that nothing orders.
func (w *watcher) race(r shadow.Race) {
	kind := driver.CheckRace
	if r.Kind == shadow.Lockstep {
		kind = driver.CheckRaceSimdgroup
	}
	if !w.looksFor(kind) || w.diverged {
		return
	}
	d := w.threadgroup.Dispatch
	first, second := r.Now, r.Before
	if second.Writes && (!first.Writes || second.Site < first.Site) {
		first, second = second, first
	}
	places := [2]parser.Pos{d.Code.SiteAt(first.Site), d.Code.SiteAt(second.Site)}
	if d.Code.Zeroed[places[0]] && (places[0] == places[1] || w.sameValue(r)) {
		return // an initial value: nothing says who stores it
	}
	key := findingKey{kind: kind, first: places[0], second: places[1]}
	for o := range w.at(r.Address) {
		key.object = o.Info.Name
		break
	}
	w.found.addRace(key, w.threadgroup.Number(), r.Kind, func() driver.Finding {
		var threads, groups [2][3]int
		for i, p := range []shadow.Party{first, second} {
			threads[i], groups[i] = d.ThreadOf(int64(p.Group), p.Simdgroup, max(p.Lane, 0))
		}
		msg := "race on " + w.elementsAt(r.Address)
		switch r.Kind {
		case shadow.Unfenced:
			msg += fmt.Sprintf(": %s writes it, and reads it at %s, with no fence of the texture between",
				named(first, threads[0]), program.Position(places[1]))
		case shadow.Simultaneous:
			msg += fmt.Sprintf(": %s and %s of one simd-group %s it at once%s",
				named(first, threads[0]), named(second, threads[1]), plural(first, second), w.values(r))
		default:
			msg += fmt.Sprintf(": %s %s, and %s %s at %s, %s%s", named(first, threads[0]), does(first),
				named(second, threads[1]), does(second), program.Position(places[1]), w.missing(r), w.values(r))
		}
		f := driver.Finding{Kind: kind, Kernel: d.Code.Name, Msg: msg, Group: groups[0]}
		for i, pos := range places {
			if i == 0 || pos != places[0] {
				f.Places = append(f.Places, w.place(pos, threads[i], groups[i]))
			}
		}
		return f
	})
}

// named returns a party as messages name it.
func named(p shadow.Party, thread [3]int) string {
	if p.Lane < 0 {
		return fmt.Sprintf("the simd-group of thread %s", program.Tuple(thread))
	}
	return "thread " + program.Tuple(thread)
}

// does returns what a party does.
func does(p shadow.Party) string {
	s := "reads it"
	if p.Writes {
		s = "writes it"
	}
	if p.Atomic {
		s += " atomically"
	}
	return s
}

// plural returns what two parties do.
func plural(a, b shadow.Party) string {
	if a.Writes && b.Writes {
		return "write"
	}
	return "write and read"
}

// at returns the objects that have a byte of what is touched: several, where arguments share memory.
func (w *watcher) at(address uintptr) iter.Seq[*interp.Object] {
	return func(yield func(*interp.Object) bool) {
		if w.object.Watched == interp.InThreadgroupMemory {
			yield(w.object)
			return
		}
		d := w.threadgroup.Dispatch
		for i := range d.Objects {
			o := &d.Objects[i]
			if o.Watched < interp.InDeviceMemory || !o.Holds(int64(address-addressIn(o, 0)), 1) {
				continue
			}
			if !yield(o) {
				return
			}
		}
	}
}

// elementsAt names the elements that have a byte.
func (w *watcher) elementsAt(address uintptr) string {
	var names []string
	for o := range w.at(address) {
		if name := o.ElementAt(int64(address - addressIn(o, 0))); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", which is ")
}

// flagNames are the flags of barriers that order memory.
var flagNames = [...]string{
	interp.InThreadgroupMemory: "mem_flags::mem_threadgroup",
	interp.InDeviceMemory:      "mem_flags::mem_device",
	interp.InTextureMemory:     "mem_flags::mem_texture",
}

// missing says what would order two accesses.
func (w *watcher) missing(r shadow.Race) string {
	flag := flagNames[w.object.Watched]
	switch r.Kind {
	case shadow.Between:
		return fmt.Sprintf("in threadgroup %s: nothing orders threadgroups of one dispatch",
			program.Tuple(w.threadgroup.Dispatch.GroupAt(int64(r.Before.Group))))
	case shadow.Lockstep:
		return "with no simdgroup_barrier(" + flag + ") between, and only lockstep orders the lanes of a simd-group"
	}
	if b := &w.passed; b.pos >= 0 && r.Before.Step <= b.steps[r.Before.Simdgroup] {
		at := program.Position(w.threadgroup.Dispatch.Code.Positions[b.pos])
		return fmt.Sprintf("and the barrier between, at %s, has no %s", at, flag)
	}
	return "with no threadgroup_barrier(" + flag + ") between"
}
