package prove

import "github.com/metalgen/metalgen/internal/ir"

// Instrument has a kernel look at what it does. It is an error if that proves nothing: then the kernel is as it was.
// Afterwards it has locals, which pass "values" makes values.
func Instrument(k *ir.Kernel, how Options) (*Plan, error) {
	a, err := analyse(k, how)
	if err != nil {
		return nil, err
	}
	p := &prover{Writer: ir.NewWriter(k), known: a, shadows: map[shadowOf]int{}, pointers: map[pointerOf]ir.Value{},
		stored: map[placeKey]bool{}}
	a.among = a.mixed()
	for i := range a.uses {
		p.plan(i)
	}
	for in := range k.All() {
		p.hasBarriers = p.hasBarriers || in.Op == ir.OpBarrier
		if access, ok := in.Aux.(*ir.Access); ok && in.Op == ir.OpStore {
			p.stored[keyOf(in.Args, access)] = true
		}
	}
	if p.result.Atomics {
		p.result.Undo = p.result.Written
	}
	if p.hasBarriers && how.Barrier {
		k.AddObject(&ir.Object{Kind: ir.GroupVariable, Name: "proof", Space: ir.Threadgroup, Size: 4, Routine: -1})
		p.meeting = len(k.Objects) - 1
	}
	body := k.Body.Code
	k.Body.Code = nil
	p.In(k.Body, p.begin)
	begun := k.Body.Code
	k.Body.Code = body
	p.region(k.Body)
	k.Body.Code = append(begun, k.Body.Code...)
	return &p.result, nil
}

// prover writes the instructions that prove something, among those of the kernel.
type prover struct {
	*ir.Writer
	known    *analysis
	result   Plan
	shadows  map[shadowOf]int // their objects
	pointers map[pointerOf]ir.Value
	stored   map[placeKey]bool // where the kernel stores

	thread ir.Value // which of its threadgroup the thread is
	group  ir.Value // which of them the simd-group is, where it does something as a whole, else 0
	grid   stamps   // for memory of the device
	base   int64    // locals: of the numbers for threadgroup memory
	doubts int64    // whether something is in doubt
	trace  int64    // of the barriers and the rounds around them that a thread has come to

	hasBarriers  bool
	writesItself bool // who loads may have stored there
	meeting      int  // the object with the trace of the first thread that has ended, 0 for none
	sites        int64
}

// shadowOf names a shadow of an object.
type shadowOf struct {
	object int
	reads  bool
}

// pointerOf names a pointer into a shadow.
type pointerOf struct {
	to    ir.Value
	reads bool
}

// plan makes the shadow of an object.
func (p *prover) plan(object int) {
	u := &p.known.uses[object]
	if u.grain == 0 {
		return
	}
	o := p.Objects[object]
	p.result.Atomics = p.result.Atomics || u.atomics
	switch {
	case o.Space == ir.Thread && o.Kind != ir.TextureArgument:
		if !p.known.how.Uninit || !u.cleared || !u.loads {
			return
		}
		p.Objects = append(p.Objects, &ir.Object{Kind: ir.ThreadVariable, Name: "proof", Size: o.Size, Routine: -1})
		p.shadows[shadowOf{object, false}] = len(p.Objects) - 1
		return
	case (o.Space == ir.Device || o.Kind == ir.TextureArgument) && (u.stores || u.atomics):
		p.result.Written = append(p.result.Written, object)
		if u.loads || u.atomics {
			p.result.Undo = append(p.result.Undo, object)
		}
	case o.Space != ir.Threadgroup:
		return
	}
	if o.Space == ir.Threadgroup && !p.known.how.Race && !p.known.how.Uninit {
		return
	}
	p.shadow(object, false)
	if p.known.how.Race && u.loads || u.atomics {
		p.shadow(object, true)
	}
}

// shadow makes shadow of memory that threads share.
func (p *prover) shadow(object int, reads bool) {
	o := p.Objects[object]
	s := &ir.Object{Kind: ir.Buffer, Name: "proof", Space: ir.Device, Index: First + len(p.Objects), Routine: -1}
	if o.Space == ir.Threadgroup {
		s.Kind, s.Space = ir.GroupVariable, ir.Threadgroup
	}
	times := p.known.times(object)
	if reads && p.known.coarse(object) {
		times, s.Size = 0, 4
	}
	p.Objects = append(p.Objects, s)
	n := len(p.Objects) - 1
	p.shadows[shadowOf{object, reads}] = n
	p.result.Shadows = append(p.result.Shadows, Shadow{
		Of: object, Object: n, Times: times, Group: o.Space == ir.Threadgroup, Reads: reads,
	})
}

// times returns how many bytes of shadow an object has for each of its own.
func (a *analysis) times(object int) int {
	if a.kernel.Objects[object].Space == ir.Thread {
		return 1
	}
	return 4 / a.uses[object].grain
}

// region instruments the instructions of a region.
func (p *prover) region(r *ir.Region) {
	code := r.Code
	r.Code = make([]*ir.Instr, 0, 2*len(code))
	for _, in := range code {
		for _, inner := range in.Regions {
			p.region(inner)
			if p.meeting != 0 && hasBarrier(inner) { // threads enter it: in a loop, each round
				code := inner.Code
				inner.Code = nil
				p.In(inner, p.passes)
				inner.Code = append(inner.Code, code...)
			}
		}
		p.At(p.Position(in))
		p.In(r, func() { p.before(in) })
		r.Code = append(r.Code, in)
		if !in.Op.Info().Has(ir.Terminates) {
			p.In(r, func() { p.after(in) })
		}
	}
}

// before writes what comes before an instruction.
func (p *prover) before(in *ir.Instr) {
	switch in.Op {
	case ir.OpLoad:
		p.load(in.Args, in.Aux.(*ir.Access))
	case ir.OpStore:
		p.store(in.Args, in.Aux.(*ir.Access))
	case ir.OpAtomic, ir.OpExchange:
		p.atomic(in)
	case ir.OpMatrixLoad, ir.OpMatrixStore:
		matrix(p, in)
	case ir.OpTexture:
		texel(p, in)
	case ir.OpClear:
		if to := p.pointer(in.Args[0], false); to != 0 {
			p.Emit(ir.Instr{Op: ir.OpClear, Type: ir.Ptr, Args: []ir.Value{to}})
		}
	case ir.OpReturn:
		p.end()
	}
}

// after writes what comes after an instruction.
func (p *prover) after(in *ir.Instr) {
	switch {
	case in.Op == ir.OpBarrier:
		p.barrier(in)
	case in.Op == ir.OpAddress || in.Op == ir.OpMove:
		p.moves(in)
	case p.known.how.NaN && len(in.Results) == 1 && p.Type(in.Result()) == ir.F32 && p.Effect(in)&^ir.Converges == 0:
		p.doubt(p.Op(ir.OpIsNaN, ir.F32, in.Result()))
	}
}

// memThreadgroup is the flag of a barrier for threadgroup memory.
const memThreadgroup = 2

// orders reports whether a barrier certainly orders threadgroup memory.
func (a *analysis) orders(in *ir.Instr) bool {
	flags, ok := a.kernel.Bits(in.Args[0])
	return ok && flags&memThreadgroup != 0
}

// barrier has new numbers begin, and traces the barrier.
func (p *prover) barrier(in *ir.Instr) {
	if p.known.orders(in) {
		base := p.add(p.get(p.base), p.number(groupStamps))
		p.set(p.base, base)
		p.doubt(p.Op(ir.OpLe, ir.S32, p.number(lastStamp), base))
	}
	p.passes()
}

// passes makes a place part of the trace.
func (p *prover) passes() {
	if p.meeting == 0 {
		return
	}
	p.sites++
	const factor = 0x9E3779B1 // of the golden ratio: sums of few such products are far apart
	t := p.times(p.add(p.get(p.trace), p.number(p.sites)), p.number(factor))
	p.set(p.trace, p.Op(ir.OpAnd, ir.I32, t, p.number(1<<31-1)))
}

// hasBarrier reports whether a region has a barrier in it.
func hasBarrier(r *ir.Region) bool {
	for in := range r.All() {
		if in.Op == ir.OpBarrier {
			return true
		}
	}
	return false
}

// end writes what a thread does at its end: it compares its trace with that of the first of its threadgroup.
func (p *prover) end() {
	if p.meeting != 0 {
		at := p.Emit(ir.Instr{Op: ir.OpAddress, Type: ir.Ptr, Imm: int64(p.meeting)}, ir.Ptr).Result()
		a := &ir.Access{Space: ir.Threadgroup, Kind: ir.Word32, Count: 1}
		none, trace := p.number(-1), p.get(p.trace)
		p.when(p.Op(ir.OpEq, ir.I32, p.words(a, at)[0], none), func() { p.mark(a, at, trace) })
		p.doubt(p.Op(ir.OpNe, ir.I32, p.words(a, at)[0], trace))
	}
	p.when(p.get(p.doubts), func() { p.Emit(ir.Instr{Op: ir.OpFault, Aux: "nothing is proved"}) })
}
