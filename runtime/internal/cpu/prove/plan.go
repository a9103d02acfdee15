package prove

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
)

// Options say what is to be proved.
type Options struct {
	Race    bool // no two threads touch the same memory in no order
	Uninit  bool // nothing depends on what was not written
	Barrier bool // all threads of a threadgroup come to the same barriers
	NaN     bool // no operation makes a NaN
}

// Plan says what a kernel needs to prove something of itself.
type Plan struct {
	Shadows []Shadow
	Written []int // buffers that the kernel writes
	Undo    []int // what has to be as it was before the kernel is executed again: what it reads too, or all (Atomics)
	Atomics bool  // it has atomics: what it computes, and where, depends on the order of its simd-groups
}

// Shadow is shadow of an object. Each core that executes threadgroups has its own. No two may have numbers of the
// dispatch at one place, unless both are those of readers.
type Shadow struct {
	Of     int  // the object that it is the shadow of: if that is a texture, there is a word for each texel
	Object int  // its own number
	Times  int  // bytes of shadow for each of the object; 0 for one word in all
	Group  bool // of threadgroup memory
	Reads  bool // of reads and atomics, else of writes
}

// The function constants that a kernel gets, by their indexes: the first number of a thread, that of several readers,
// and how many numbers each threadgroup takes: for Simdgroups simd-groups, and then for its threads.
const (
	First = 1<<24 + iota
	Several
	Threads
	constants
)

// Simdgroups is how many simd-groups a threadgroup has at most.
const Simdgroups = 32

// Numbers of accesses that are no thread's. They are relative to Several.
const (
	several = iota
	byAtomics
	// Numbers is how many numbers a dispatch takes beside those of its threads.
	Numbers
)

// use is how a kernel uses an object.
type use struct {
	loads, stores, atomics bool
	grain                  int // bytes of the smallest piece that an access reaches
	cleared, set           bool
	samples, levels        bool // of a texture: it is sampled, and other levels than 0, or samples, are reached
}

// analysis is what is known of a kernel before it is instrumented.
type analysis struct {
	kernel *ir.Kernel
	how    Options
	origin []int32 // by value: the object that a pointer leads to, 0 if none, or unknown
	uses   []use   // by object
	among  objects // that may be read and written between two barriers
}

// unknown is the origin of a pointer that may lead to several objects.
const unknown = -1

// analyse returns what is known of a kernel. It is an error if that is not enough.
func analyse(k *ir.Kernel, how Options) (*analysis, error) {
	a := &analysis{kernel: k, how: how, origin: make([]int32, k.Values()), uses: make([]use, len(k.Objects))}
	switch {
	case len(k.Routines) > 0:
		return nil, errRecursion
	case how.Uninit && a.branchesOnUnset():
		return nil, errUnset
	}
	a.findOrigins()
	for in := range k.All() {
		if err := a.note(in); err != nil {
			return nil, err
		}
	}
	for i := range a.uses {
		if u := &a.uses[i]; u.cleared && u.set {
			return nil, errUnset
		}
	}
	return a, nil
}

// Reasons for which a kernel proves nothing.
var (
	errRecursion = errors.New("a function calls itself")
	errUnset     = errors.New("something may depend on a variable without a value")
	errPointer   = errors.New("a pointer may lead to several objects")
	errHandle    = errors.New("pointers are in memory")
	errAtomic    = errors.New("there are atomics of texels")
	errTexel     = errors.New("texels that are written are not those of level 0, or are samples")
)

// note notes what an instruction does to memory. It is an error if that proves nothing.
func (a *analysis) note(in *ir.Instr) error {
	switch in.Op {
	case ir.OpLog, ir.OpFromMem, ir.OpToMem, ir.OpCall:
		return fmt.Errorf("there is an operation %s", in.Op)
	case ir.OpTexture:
		return a.noteTexture(in)
	case ir.OpMatrixLoad, ir.OpMatrixStore:
		access := in.Aux.(*ir.MatrixAccess)
		u, err := a.useAt(in.Args[0], access.Space)
		if u == nil {
			return err
		}
		u.loads, u.stores = u.loads || in.Op == ir.OpMatrixLoad, u.stores || in.Op == ir.OpMatrixStore
		u.grain = min(u.grain, access.Kind.Bytes())
	case ir.OpLoad, ir.OpStore:
		access := in.Aux.(*ir.Access)
		u, err := a.useAt(in.Args[0], access.Space)
		if u == nil {
			return err
		}
		u.loads, u.stores = u.loads || in.Op == ir.OpLoad, u.stores || in.Op == ir.OpStore
		u.grain = min(u.grain, access.Kind.Bytes())
		if access.Kind == ir.Address64 && access.Space != ir.Thread {
			return errHandle
		}
	case ir.OpAtomic, ir.OpExchange:
		access := in.Aux.(*ir.AtomicAccess)
		u, err := a.useAt(in.Args[0], access.Space)
		if u == nil {
			return err
		}
		u.grain = min(u.grain, access.Kind.Bytes())
		if in.Op == ir.OpAtomic && access.Op == ir.AtomicLoad {
			u.loads = true
		} else {
			u.atomics = true
		}
	case ir.OpClear:
		u, err := a.useAt(in.Args[0], ir.Thread)
		if u == nil {
			return err
		}
		u.cleared, u.set = u.cleared || in.Imm == 0, u.set || in.Imm != 0
	}
	return nil
}

// useAt returns the use of what a pointer leads to, or nil for what nothing has to be proved of. It is an error if that
// is unknown and matters.
func (a *analysis) useAt(pointer ir.Value, space ir.Space) (*use, error) {
	if space == ir.ConstantSpace {
		return nil, nil
	}
	object := a.origin[pointer]
	if object <= 0 {
		return nil, errPointer
	}
	if a.harmless(object) {
		return nil, nil
	}
	u := &a.uses[object]
	if u.grain == 0 {
		u.grain = 4
	}
	return u, nil
}

// harmless reports whether nothing has to be proved of an object, since nothing writes it.
func (a *analysis) harmless(object int32) bool {
	o := a.kernel.Objects[object]
	return o.Kind == ir.Table || o.ReadOnly && (o.Kind == ir.Buffer || o.Kind == ir.PassedValue)
}

// branchesOnUnset reports whether an instruction with an effect may depend on a variable that has no value.
func (a *analysis) branchesOnUnset() bool {
	unset, found := make([]bool, a.kernel.Values()), false
	for in := range a.kernel.All() {
		if in.Op == ir.OpUnset {
			unset[in.Result()], found = true, true
		}
	}
	if !found {
		return false
	}
	a.spread(func(from, to ir.Value) bool {
		if !unset[from] || unset[to] {
			return false
		}
		unset[to] = true
		return true
	})
	for in := range a.kernel.All() {
		args := in.Args
		switch {
		case in.Op == ir.OpLeave || in.Op == ir.OpAgain || in.Op == ir.OpFall || in.Op == ir.OpLoop:
			continue
		case in.Op == ir.OpSwitch:
			args = args[:1]
		case in.Op != ir.OpIf && a.kernel.Effect(in) == 0:
			continue
		}
		for _, v := range args {
			if v != 0 && unset[v] {
				return true
			}
		}
	}
	return false
}

// findOrigins finds where pointers lead to.
func (a *analysis) findOrigins() {
	for in := range a.kernel.All() {
		switch in.Op {
		case ir.OpAddress:
			a.origin[in.Result()] = int32(in.Imm)
		case ir.OpMove, ir.OpSelect:
		default:
			if len(in.Regions) > 0 || inThread(in) {
				continue
			}
			for _, v := range in.Results {
				if a.kernel.Type(v) == ir.Ptr {
					a.origin[v] = unknown
				}
			}
		}
	}
	held := make([]int32, len(a.kernel.Objects)) // what pointers lead to that are in the memory of an object
	for changed := true; changed; {
		a.spread(func(from, to ir.Value) bool {
			return a.kernel.Type(to) == ir.Ptr && a.kernel.Type(from) == ir.Ptr && a.join(&a.origin[to], a.origin[from])
		})
		changed = false
		for in := range a.kernel.All() {
			if !inThread(in) || a.origin[in.Args[0]] <= 0 {
				continue
			}
			memory := &held[a.origin[in.Args[0]]]
			for _, v := range in.Args[1:] {
				if a.kernel.Type(v) == ir.Ptr {
					changed = a.join(memory, a.origin[v]) || changed
				}
			}
			for _, v := range in.Results {
				changed = a.join(&a.origin[v], *memory) || changed
			}
		}
	}
}

// inThread reports whether an instruction reaches pointers in the memory of a thread.
func inThread(in *ir.Instr) bool {
	access, ok := in.Aux.(*ir.Access)
	return ok && in.Op != ir.OpCheck && access.Kind == ir.Address64 && access.Space == ir.Thread
}

// join makes an object that pointers lead to one that others lead to as well. It reports whether that is a change.
func (a *analysis) join(to *int32, from int32) bool {
	switch {
	case from == 0 || *to == from || *to == unknown:
		return false
	case *to == 0:
		*to = from
	case from != unknown && a.harmless(*to) && a.harmless(from): // either will do
		return false
	default:
		*to = unknown
	}
	return true
}

// spread calls visit for each value that becomes part of another one, until it reports no change any more.
func (a *analysis) spread(visit func(from, to ir.Value) (changed bool)) {
	for a.spreadIn(a.kernel.Body, nil, visit) {
	}
}

func (a *analysis) spreadIn(r *ir.Region, around []*ir.Instr, visit func(from, to ir.Value) bool) (changed bool) {
	pairs := func(from, to []ir.Value) {
		for i, v := range to {
			changed = visit(from[i], v) || changed
		}
	}
	construct := func(in *ir.Instr) *ir.Instr {
		for _, c := range around {
			if c.Label() == in.Label() {
				return c
			}
		}
		return nil
	}
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpLeave:
			pairs(in.Args, construct(in).Results)
		case in.Op == ir.OpAgain:
			pairs(in.Args, construct(in).Regions[0].Params)
		case in.Op == ir.OpFall:
			c := construct(in)
			for i, inner := range c.Regions {
				if inner == r {
					pairs(in.Args, c.Regions[i+1].Params)
				}
			}
		case len(in.Regions) > 0:
			for _, inner := range in.Regions {
				pairs(in.Initial(), inner.Params)
				changed = a.spreadIn(inner, append(around, in), visit) || changed
			}
		case in.Op.Info().Has(ir.Reads):
		default:
			for _, to := range in.Results {
				for _, from := range in.Args {
					if from != 0 {
						changed = visit(from, to) || changed
					}
				}
			}
		}
	}
	return changed
}
