package prove

import "github.com/metalgen/metalgen/internal/ir"

// load writes what comes before a load: nobody else has written what it reads since the last barrier, and somebody has
// written it before.
func (p *prover) load(args []ir.Value, a *ir.Access) {
	if a.Space == ir.Thread {
		p.loadOwn(args, a)
		return
	}
	if a.Space == ir.ConstantSpace {
		return
	}
	at, shadow, s := p.place(args, a, false)
	if shadow == nil {
		return
	}
	object := int(p.known.origin[args[0]])
	if p.known.coarse(object) && p.known.how.Race && p.known.how.Uninit {
		for _, w := range p.words(shadow, at...) {
			p.doubt(p.Op(ir.OpLe, ir.U32, s.base, w)) // written since the last barrier, or never
		}
	} else {
		p.written(p.words(shadow, at...), a.Space, &s)
	}
	reads := p.shadows[shadowOf{object, true}]
	switch {
	case reads == 0:
	case p.known.coarse(object):
		p.mark(readsAccess, p.address(reads), s.base)
	default:
		at, shadow, s = p.place(args, a, true)
		if p.stored[keyOf(args, a)] || p.known.uses[object].atomics || p.writesItself {
			p.read(at, shadow, &s)
		} else {
			p.mark(shadow, append(at, s.several)...)
		}
	}
}

// readsAccess reaches what is noted of reads of an object where that is coarse.
var readsAccess = &ir.Access{Space: ir.Threadgroup, Kind: ir.Word32, Count: 1}

// coarse reports whether it is only noted that an object was read, and not where.
func (a *analysis) coarse(object int) bool {
	return a.kernel.Objects[object].Space == ir.Threadgroup && !a.uses[object].atomics && !a.among[int32(object)]
}

// placeKey is what accesses have in common that certainly reach the same place.
type placeKey struct {
	pointer, index ir.Value
	offset         int64
	scale          int32
}

func keyOf(args []ir.Value, a *ir.Access) placeKey {
	k := placeKey{pointer: args[0], offset: a.Offset, scale: a.Scale}
	if a.Index != ir.Void {
		k.index = args[1]
	}
	return k
}

// written looks at who has written what is read.
func (p *prover) written(words []ir.Value, space ir.Space, s *stamps) {
	for _, w := range words {
		p.doubt(p.others(w, s))
		if space == ir.Threadgroup && p.known.how.Uninit {
			p.doubt(p.Op(ir.OpEq, ir.I32, w, p.number(-1)))
		}
	}
}

// read notes who reads what the thread itself writes too, or atomics touch. Of threads that read the same at once, one
// has its number there: then all count as several.
func (p *prover) read(at []ir.Value, shadow *ir.Access, s *stamps) {
	var notes []ir.Value
	for _, w := range p.words(shadow, at...) {
		p.doubt(p.Op(ir.OpEq, ir.I32, w, s.atomic))
		fresh := p.Op(ir.OpOr, ir.Bool, p.Op(ir.OpLt, ir.S32, w, s.base), p.Op(ir.OpEq, ir.I32, w, s.own))
		notes = append(notes, p.Op(ir.OpSelect, ir.I32, fresh, s.own, s.several))
	}
	p.Emit(ir.Instr{Op: ir.OpStore, Type: ir.I32, Args: append(at[:len(at):len(at)], notes...), Aux: shadow})
	same := p.Known(ir.Bool, 0)
	for i, w := range p.words(shadow, at...) {
		same = p.Op(ir.OpOr, ir.Bool, same, p.Op(ir.OpNe, ir.I32, w, notes[i]))
	}
	p.when(same, func() { p.mark(shadow, append(at[:len(at):len(at)], s.several)...) })
}

// store writes what comes before a store: nobody else has read or written it since the last barrier, nor does at once.
func (p *prover) store(args []ir.Value, a *ir.Access) {
	place := args[:len(args)-a.Count]
	if a.Space == ir.Thread {
		p.storeOwn(place, a)
		return
	}
	at, shadow, s := p.place(place, a, false)
	if shadow == nil {
		return
	}
	if p.known.how.Race {
		for _, w := range p.words(shadow, at...) {
			p.doubt(p.others(w, &s))
		}
		object := int(p.known.origin[args[0]])
		if reads := p.shadows[shadowOf{object, true}]; reads != 0 && p.known.coarse(object) {
			p.doubt(p.Op(ir.OpLe, ir.S32, s.base, p.words(readsAccess, p.address(reads))[0]))
		} else if reads != 0 {
			at, shadow, s := p.place(place, a, true)
			for _, w := range p.words(shadow, at...) {
				p.doubt(p.others(w, &s))
			}
		}
	}
	p.mark(shadow, append(at[:len(at):len(at)], s.own)...)
	if p.known.how.Race {
		for _, w := range p.words(shadow, at...) {
			p.doubt(p.Op(ir.OpNe, ir.I32, w, s.own))
		}
	}
}

// reach is load or store for what the kernel may read and write at one place.
func (p *prover) reach(object int, writes bool, args []ir.Value, a *ir.Access) {
	if writes {
		p.store(append(args[:len(args):len(args)], 0), a)
		return
	}
	p.writesItself = p.known.uses[object].stores
	p.load(args, a)
	p.writesItself = false
}

// atomic writes what comes before an atomic: others touch the same by atomics only.
func (p *prover) atomic(in *ir.Instr) {
	access := in.Aux.(*ir.AtomicAccess)
	a := &ir.Access{Space: access.Space, Kind: access.Kind, Count: 1}
	if in.Op == ir.OpAtomic && access.Op == ir.AtomicLoad {
		p.load(in.Args[:1], a)
		return
	}
	at, shadow, s := p.place(in.Args[:1], a, false)
	if shadow == nil {
		return
	}
	p.written(p.words(shadow, at...), a.Space, &s)
	if at, shadow, s = p.place(in.Args[:1], a, true); shadow != nil {
		for _, w := range p.words(shadow, at...) {
			p.doubt(p.Op(ir.OpAnd, ir.Bool, p.Op(ir.OpLe, ir.S32, s.base, w), p.Op(ir.OpNe, ir.I32, w, s.atomic)))
		}
		p.mark(shadow, append(at, s.atomic)...)
	}
}

// others reports whether a word of shadow is of another thread since the last barrier.
func (p *prover) others(w ir.Value, s *stamps) ir.Value {
	if !p.known.how.Race {
		return p.Known(ir.Bool, 0)
	}
	return p.Op(ir.OpAnd, ir.Bool, p.Op(ir.OpLe, ir.S32, s.base, w), p.Op(ir.OpNe, ir.I32, w, s.own))
}

// place returns where the shadow of an access is, and an access to that, nil for none.
func (p *prover) place(args []ir.Value, a *ir.Access, reads bool) ([]ir.Value, *ir.Access, stamps) {
	to := p.pointer(args[0], reads)
	if to == 0 {
		return nil, nil, stamps{}
	}
	times := p.known.times(int(p.known.origin[args[0]]))
	shadow := &ir.Access{
		Space: a.Space, Kind: ir.Word32, Count: a.Count * a.Kind.Bytes() * times / 4, Index: a.Index,
		Scale: a.Scale * int32(times), Offset: a.Offset * int64(times),
	}
	return append([]ir.Value{to}, args[1:]...), shadow, p.stampsIn(a.Space)
}

// words loads words of shadow.
func (p *prover) words(a *ir.Access, at ...ir.Value) []ir.Value {
	results := make([]ir.Type, a.Count)
	for i := range results {
		results[i] = ir.I32
	}
	return p.Emit(ir.Instr{Op: ir.OpLoad, Type: ir.I32, Args: at, Aux: a}, results...).Results
}

// mark stores a number to words of shadow: the last operand.
func (p *prover) mark(a *ir.Access, args ...ir.Value) {
	for range a.Count - 1 {
		args = append(args, args[len(args)-1])
	}
	p.Emit(ir.Instr{Op: ir.OpStore, Type: ir.I32, Args: args, Aux: a})
}

// ownKinds are how shadow of thread memory holds what an access reaches, by its bytes.
var ownKinds = map[int]ir.Scalar{1: ir.Uint8, 2: ir.Uint16, 4: ir.Word32, 8: ir.Word64}

// own returns where the shadow of thread memory is, an access to that, and what says that it was written.
func (p *prover) own(args []ir.Value, a *ir.Access) ([]ir.Value, *ir.Access, ir.Type, ir.Value) {
	to := p.pointer(args[0], false)
	if to == 0 {
		return nil, nil, ir.Void, 0
	}
	kind := ownKinds[a.Kind.Bytes()]
	shadow := &ir.Access{
		Space: ir.Thread, Kind: kind, Count: a.Count, Index: a.Index, Scale: a.Scale, Offset: a.Offset, Packed: a.Packed,
	}
	t := kind.Held()
	return append([]ir.Value{to}, args[1:]...), shadow, t, p.Known(t, ^uint64(0)>>(64-8*a.Kind.Bytes()))
}

func (p *prover) loadOwn(args []ir.Value, a *ir.Access) {
	at, shadow, t, all := p.own(args, a)
	if shadow == nil {
		return
	}
	results := make([]ir.Type, a.Count)
	for i := range results {
		results[i] = t
	}
	for _, w := range p.Emit(ir.Instr{Op: ir.OpLoad, Type: t, Args: at, Aux: shadow}, results...).Results {
		p.doubt(p.Op(ir.OpNe, t, w, all))
	}
}

func (p *prover) storeOwn(args []ir.Value, a *ir.Access) {
	at, shadow, t, all := p.own(args, a)
	if shadow == nil {
		return
	}
	for range a.Count {
		at = append(at, all)
	}
	p.Emit(ir.Instr{Op: ir.OpStore, Type: t, Args: at, Aux: shadow})
}

// moves makes the pointers into shadow that an instruction of the kernel makes into an object.
func (p *prover) moves(in *ir.Instr) {
	v := in.Result()
	object := int(p.known.origin[v])
	if object <= 0 {
		return
	}
	for _, reads := range [...]bool{false, true} {
		shadow := p.shadows[shadowOf{object, reads}]
		switch {
		case shadow == 0 || reads && p.known.coarse(object):
		case in.Op == ir.OpAddress:
			p.pointers[pointerOf{v, reads}] = p.address(shadow)
		default:
			from := p.pointer(in.Args[0], reads)
			imm := in.Imm * int64(p.known.times(object))
			p.pointers[pointerOf{v, reads}] = p.OpImm(ir.OpMove, in.Type, imm, from, in.Args[1])
		}
	}
}

// start returns a pointer to the first byte of an object of the kernel.
func (p *prover) start(object int) ir.Value {
	in := p.Emit(ir.Instr{Op: ir.OpAddress, Type: ir.Ptr, Imm: int64(object)}, ir.Ptr)
	p.known.origin = append(p.known.origin, make([]int32, p.Values()-len(p.known.origin))...)
	p.known.origin[in.Result()] = int32(object)
	p.moves(in)
	return in.Result()
}

func (p *prover) address(object int) ir.Value {
	return p.Emit(ir.Instr{Op: ir.OpAddress, Type: ir.Ptr, Imm: int64(object)}, ir.Ptr).Result()
}

// pointer returns the pointer into the shadow of an object that belongs to one into the object, 0 where it has none.
func (p *prover) pointer(v ir.Value, reads bool) ir.Value {
	object := int(p.known.origin[v])
	if object <= 0 {
		return 0
	}
	shadow := p.shadows[shadowOf{object, reads}]
	if shadow == 0 {
		return 0
	}
	if to := p.pointers[pointerOf{v, reads}]; to != 0 {
		return to
	}
	// one that paths give: as far from the beginning as the kernel's
	bits := func(v ir.Value) ir.Value { return p.Op(ir.OpPtrBits, ir.Ptr, v) }
	offset := p.Op(ir.OpSub, ir.I64, bits(v), bits(p.address(object)))
	return p.OpImm(ir.OpMove, ir.S64, int64(p.known.times(object)), p.address(shadow), offset)
}
