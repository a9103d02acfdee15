package pass

import "github.com/metalgen/metalgen/internal/ir"

// Limits of unrolling. Beyond them loops stay loops.
const (
	// maxRoundsUnrolled bounds the rounds of a loop that is written out, maxUnrolled the instructions that it comes
	// to, and maxUnrolledAll those of all such loops of a kernel.
	maxRoundsUnrolled = 64
	maxUnrolled       = 1 << 12
	maxUnrolledAll    = 1 << 14
)

// unroll writes the rounds of a loop one after the other where constants say how many there are. What counts the rounds
// is a constant in each, and so is what follows from it: indexes of arrays above all.
func unroll(k *ir.Kernel, _ *Options) {
	u := &unroller{Kernel: k, by: make([]int32, k.Values())}
	for body := range k.Bodies() {
		u.region(body)
	}
}

type unroller struct {
	*ir.Kernel
	by      []int32 // by value: the place of what assigns it in the region that was noted last; else anything
	written int     // instructions so far
	copies  *copier
}

func (u *unroller) region(r *ir.Region) {
	for i := 0; i < len(r.Code); i++ {
		in := r.Code[i]
		for _, inner := range in.Regions {
			u.region(inner)
		}
		if in.Op != ir.OpLoop {
			continue
		}
		if u.loop(in) {
			for _, inner := range in.Regions { // loops in it may go round a known number of times now
				u.region(inner)
			}
		}
	}
}

// loop unrolls a loop, which becomes a block. It reports false for one that stays.
func (u *unroller) loop(in *ir.Instr) bool {
	body := in.Regions[0]
	again := body.End()
	exit, leave := u.exit(in)
	if exit < 0 || again.Op != ir.OpAgain || again.Label() != in.Label() || !u.starts(in) {
		return false
	}
	size, ok := u.size(body, in.Label())
	if !ok {
		return false
	}
	u.know(body)
	rounds, ok := u.rounds(in, body, body.Code[exit], leave)
	if !ok || rounds*size > maxUnrolled || u.written+rounds*size > maxUnrolledAll {
		return false
	}
	u.written += rounds * size
	w := u.copier()
	out := &ir.Region{}
	args := in.Args
	test := body.Code[exit]
	stays := test.Regions[0].End()
	if stays == leave {
		stays = test.Regions[1].End()
	}
	for range rounds {
		w.begin(body.Params, args)
		w.code(out, body.Code[:exit])
		w.begin(test.Results, w.list(nil, stays.Args))
		w.code(out, body.Code[exit+1:len(body.Code)-1])
		args = w.list(nil, again.Args)
	}
	w.begin(body.Params, args)
	w.code(out, body.Code[:exit])
	last := *leave
	last.Args = w.list(nil, leave.Args)
	out.Code = append(out.Code, &last)
	in.Op, in.Args, in.Regions = ir.OpBlock, nil, []*ir.Region{out}
	return true
}

// copier returns what copies the rounds of a loop.
func (u *unroller) copier() *copier {
	if u.copies == nil {
		u.copies = &copier{Kernel: u.Kernel}
	}
	u.copies.grow()
	return u.copies
}

// exit returns the place in a loop of the If that ends it, and its terminator that does; or -1.
func (u *unroller) exit(in *ir.Instr) (int, *ir.Instr) {
	for i, c := range in.Regions[0].Code {
		if c.Op != ir.OpIf {
			continue
		}
		x, y := c.Regions[0], c.Regions[1]
		if len(x.Code) == 1 && len(y.Code) == 1 {
			for _, side := range [...][2]*ir.Instr{{x.Code[0], y.Code[0]}, {y.Code[0], x.Code[0]}} {
				if leadsTo(side[0], in.Label()) && leadsTo(side[1], c.Label()) {
					return i, side[0]
				}
			}
		}
	}
	return -1, nil
}

// leadsTo reports whether a terminator leads to the end of a construct.
func leadsTo(end *ir.Instr, label int) bool { return end.Op == ir.OpLeave && end.Label() == label }

// starts reports whether a parameter of a loop is a constant at first.
func (u *unroller) starts(in *ir.Instr) bool {
	for _, v := range in.Args {
		if _, ok := u.Bits(v); ok {
			return true
		}
	}
	return false
}

// size counts the instructions of a region. It reports false where they cannot be written more than once: messages tell
// the rounds with barriers apart, and a round must begin at the end of another one only.
func (u *unroller) size(body *ir.Region, label int) (n int, ok bool) {
	for in := range body.All() {
		switch {
		case in.Op == ir.OpBarrier:
			return 0, false
		case in.Op == ir.OpAgain && in.Label() == label && in != body.End():
			return 0, false
		}
		if n += weight(in); n > maxUnrolled {
			return 0, false
		}
	}
	return n, true
}

// weight returns what an instruction comes to: accesses to memory reach several scalars.
func weight(in *ir.Instr) int {
	if a, ok := in.Aux.(*ir.Access); ok {
		return max(a.Count, 1)
	}
	return 1
}

// know notes what assigns the values of a region itself.
func (u *unroller) know(r *ir.Region) {
	if more := u.Values() - len(u.by); more > 0 {
		u.by = append(u.by, make([]int32, more)...)
	}
	for i, in := range r.Code {
		for _, v := range in.Results {
			u.by[v] = int32(i)
		}
	}
}

// assigns returns the instruction of a region that was noted last whose only result is a value, or nil.
func (u *unroller) assigns(r *ir.Region, v ir.Value) *ir.Instr {
	if i := int(u.by[v]); i < len(r.Code) && len(r.Code[i].Results) == 1 && r.Code[i].Result() == v {
		return r.Code[i]
	}
	return nil
}

// rounds counts how often a loop goes round. It reports false where constants do not say so, or it is too often.
func (u *unroller) rounds(in *ir.Instr, body *ir.Region, exit, leave *ir.Instr) (n int, ok bool) {
	counts := &counter{unroller: u, body: body, known: map[ir.Value]ir.Value{}}
	for i, p := range body.Params {
		if _, ok := u.Bits(in.Args[i]); ok {
			counts.known[p] = in.Args[i]
		}
	}
	leavesWhen := exit.Regions[0].Code[0] == leave
	for ; n <= maxRoundsUnrolled; n++ {
		cond, ok := counts.value(exit.Args[0], 0)
		if !ok {
			return 0, false
		}
		if bits, _ := u.Bits(cond); bits != 0 == leavesWhen {
			return n, true
		}
		next := map[ir.Value]ir.Value{}
		for i, p := range body.Params {
			if v, ok := counts.value(body.End().Args[i], 0); ok {
				next[p] = v
			}
		}
		counts.known = next
	}
	return 0, false
}

// counter computes what follows in a round from what its parameters are.
type counter struct {
	*unroller
	body  *ir.Region
	known map[ir.Value]ir.Value
}

// maxChain bounds the operations between a parameter of a loop and what follows from it.
const maxChain = 32

func (c *counter) value(v ir.Value, depth int) (ir.Value, bool) {
	if _, ok := c.Bits(v); ok {
		return v, true
	}
	if known, ok := c.known[v]; ok {
		return known, true
	}
	in := c.assigns(c.body, v)
	if in == nil || depth > maxChain || len(in.Args) > 3 || in.Aux != nil || len(in.Regions) > 0 {
		return 0, false
	}
	var args [3]ir.Value
	for i, a := range in.Args {
		known, ok := c.value(a, depth+1)
		if !ok {
			return 0, false
		}
		args[i] = known
	}
	result, ok := c.Fold(in.Op, in.Type, in.Imm, args[:len(in.Args)]...)
	if ok {
		_, ok = c.Bits(result)
	}
	if ok {
		c.known[v] = result
	}
	return result, ok
}
