package assemble

import "github.com/metalgen/metalgen/internal/ir"

// facts is what is known of the values of a kernel before its program is written.
type facts struct {
	*ir.Kernel
	careful    bool // the program has a sanitizer
	late       bool // it looks at operands of floats again when the result is there
	anyBarrier bool

	by     []*ir.Instr // by value: what assigns it; nil of parameters
	raw    []int32     // by value: the region that it is assigned in
	uses   []int32     // by value: how many operands it is
	alias  []ir.Value  // by value: the value that it is, or 0
	fused  []fusion    // by value: what has become of the instruction that assigns it
	fixed  []int32     // by value: the register that holds it from the start, plus one
	def    []int32     // by value: the step that assigns it
	sectAt []int32     // by value: the section in which it is assigned, plus one

	webOf    []int32 // by value: the number of its web plus one
	first    []int32 // by value and once more: the place of its uses in the list of its function, and their end
	mayUnset []bool  // by value: the sanitizer follows what may be unset of it

	leaves      []int32 // by label: how many terminators lead to its end
	constructAt []int32 // by label: the number of the construct in its function, plus one
}

// fusion is what becomes of an instruction whose result one other instruction uses.
type fusion uint8

const (
	alone    fusion = iota
	folded          // into the instruction that uses it
	opposite        // a comparison whose opposite is wanted
)

func factsOf(k *ir.Kernel, careful bool) *facts {
	n := k.Values()
	lists := make([]int32, 7*n+1+2*k.Labels())
	take := func(n int) []int32 {
		list := lists[:n:n]
		lists = lists[n:]
		return list
	}
	f := &facts{Kernel: k, careful: careful, by: make([]*ir.Instr, n), raw: take(n), uses: take(n),
		alias: make([]ir.Value, n), fused: make([]fusion, n), fixed: take(n), def: take(n), sectAt: take(n),
		webOf: take(n), first: take(n + 1),
		leaves: take(k.Labels()), constructAt: take(k.Labels())}
	regions := int32(0)
	for body := range k.Bodies() {
		f.count(body, &regions)
	}
	for body := range k.Bodies() {
		f.fuse(body)
	}
	return f
}

// count notes what assigns and uses values.
func (f *facts) count(r *ir.Region, regions *int32) {
	*regions++
	own := *regions
	for _, in := range r.Code {
		for _, v := range in.Args {
			f.uses[v]++
		}
		for _, v := range in.Results {
			f.by[v], f.raw[v] = in, own
		}
		switch in.Op {
		case ir.OpLeave:
			f.leaves[in.Label()]++
		case ir.OpBarrier:
			f.anyBarrier = true
		}
		for _, inner := range in.Regions {
			f.count(inner, regions)
		}
	}
}

// fuse finds instructions that become one: a product that is added, and the bits of an integer as a float.
func (f *facts) fuse(r *ir.Region) {
	for _, in := range r.Code {
		switch {
		case (in.Op == ir.OpAdd || in.Op == ir.OpSub) && in.Type == ir.F32:
			if !f.join(in, in.Args[0], ir.OpMul, ir.F32) {
				f.join(in, in.Args[1], ir.OpMul, ir.F32)
			}
		case in.Op == ir.OpToFloat && in.Type.Bits() == 32:
			f.field(in)
		}
		for _, inner := range in.Regions {
			f.fuse(inner)
		}
	}
}

// join makes the instruction that assigns a value part of the only one that uses it.
func (f *facts) join(user *ir.Instr, v ir.Value, op ir.Op, on ir.Type) bool {
	made := f.by[v]
	if made == nil || made.Op != op || made.Type != on || f.uses[v] != 1 || f.raw[v] != f.raw[user.Result()] {
		return false
	}
	f.fused[v] = folded
	return true
}

// field finds float((x >> n) & mask), which every kernel for quantized weights is full of.
func (f *facts) field(in *ir.Instr) {
	v := in.Args[0]
	and := f.by[v]
	if and == nil || and.Op != ir.OpAnd {
		return
	}
	if _, _, ok := f.maskOf(and); !ok || !f.join(in, v, ir.OpAnd, ir.I32) {
		return
	}
	x, _, _ := f.maskOf(and)
	if shr := f.by[x]; shr != nil && shr.Op == ir.OpShr {
		f.join(in, x, ir.OpShr, in.Type)
	}
}

// maskOf returns the operands of an And where one is a number of up to 24 ones or so.
func (f *facts) maskOf(and *ir.Instr) (x ir.Value, mask int64, ok bool) {
	for i, v := range and.Args {
		if bits, known := f.Bits(v); known {
			mask = int64(int32(bits))
			return and.Args[1-i], mask, mask > 0 && mask <= 1<<24
		}
	}
	return 0, 0, false
}

// resolve returns the value that another one is.
func (f *facts) resolve(v ir.Value) ir.Value {
	for f.alias[v] != 0 {
		v = f.alias[v]
	}
	return v
}

// same notes that values are others.
func (f *facts) same(list, as []ir.Value) {
	for i, v := range list {
		f.alias[v] = f.resolve(as[i])
	}
}

// assign notes where a value is assigned.
func (f *facts) assign(v ir.Value, step, section int32) { f.def[v], f.sectAt[v] = step, section+1 }

// gone reports whether an instruction comes to none: what it makes is there from the start, is the same as another
// value, or is made by the instruction that uses it.
func (f *facts) gone(in *ir.Instr) bool {
	if len(in.Results) != 1 {
		return false
	}
	v := in.Results[0]
	return f.fixed[v] != 0 || f.fused[v] == folded || f.alias[v] != 0
}

// hasBarrier reports whether a region has a barrier in it.
func (f *facts) hasBarrier(r *ir.Region) bool {
	if !f.anyBarrier {
		return false
	}
	for in := range r.All() {
		if in.Op == ir.OpBarrier {
			return true
		}
	}
	return false
}

// wanted returns the condition of an If under which lanes take a side of it, and whether it is to be inverted. Where it
// costs nothing, that is done where it is computed.
func (f *facts) wanted(in *ir.Instr, side int) (cond ir.Value, invert bool) {
	cond = in.Args[0]
	if side == 0 {
		return cond, false
	}
	by := f.by[cond]
	if by == nil || f.uses[cond] != 1 {
		return cond, true
	}
	switch by.Op {
	case ir.OpNot:
		f.fused[cond] = folded
		return by.Args[0], false
	case ir.OpEq, ir.OpNe:
	case ir.OpLt, ir.OpLe:
		if by.Type == ir.F32 {
			return cond, true
		}
	default:
		return cond, true
	}
	f.fused[cond] = opposite
	return cond, false
}

// grow makes room for constants that have come since.
func (f *facts) grow() {
	for len(f.alias) < f.Values() {
		f.by, f.raw, f.uses = append(f.by, nil), append(f.raw, 0), append(f.uses, 0)
		f.alias, f.fused = append(f.alias, 0), append(f.fused, alone)
		f.fixed, f.def, f.sectAt = append(f.fixed, 0), append(f.def, 0), append(f.sectAt, 0)
		f.webOf, f.first = append(f.webOf, 0), append(f.first, f.first[len(f.first)-1])
	}
}

// isLate reports whether an instruction reads operands when it has written results already.
func (f *facts) isLate(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpLoad:
		return len(in.Results) > 1
	case ir.OpMatrix, ir.OpMatrixLoad, ir.OpTexture, ir.OpPick, ir.OpCall, ir.OpAtomic, ir.OpExchange:
		return true
	}
	return f.late
}

// isWatched reports whether the sanitizer looks for a NaN that an instruction makes.
func (f *facts) isWatched(in *ir.Instr) bool {
	if !f.late || len(in.Results) != 1 || f.Type(in.Results[0]) != ir.F32 || in.Type != ir.F32 {
		return false
	}
	switch in.Op {
	case ir.OpNeg, ir.OpSelect, ir.OpRoundHalf, ir.OpRoundBFloat, ir.OpDiagonal, ir.OpBitsFloat, ir.OpBitsHalf,
		ir.OpBitsBFloat, ir.OpFromBool, ir.OpLdexp, ir.OpModfFraction, ir.OpModfWhole, ir.OpFrexpFraction:
		return false
	}
	return !in.Op.Info().Has(ir.Converges | ir.Reads)
}

// isUnset reports whether the sanitizer follows what may be unset of a value.
func (f *facts) isUnset(v ir.Value) bool { return f.mayUnset != nil && f.mayUnset[v] }
