package ptx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Loops that count go round several times at once, so that loads of all these rounds are under way together. In such
// rounds there are no branches: accesses that are out of bounds do nothing and are noted, and in the end the same
// rounds are done once more one by one, where they fault. That is right where a second time goes the same way:
// addresses do not depend on what the loop loads.

// How many rounds are done together, and how many instructions they may have.
const (
	maxRounds       = 4
	maxShortRounds  = 8 // where the limit is a constant
	maxRoundsWeight = 500
	maxShortWeight  = 240
)

// several writes rounds of loops that are done together.
type several struct {
	*text.Writer
	e *emitter
}

// counting is a loop whose rounds a parameter counts.
type counting struct {
	body      *ir.Region
	exit      int // where in the body the If is that ends the loop
	stays     *ir.Instr
	again     *ir.Instr
	test      *ir.Instr // a comparison of the parameter with a limit
	parameter ir.Value
	step      ir.Value
	start     ir.Value               // of the parameter
	inside    map[ir.Value]bool      // what it computes
	within    map[ir.Value]*ir.Instr // where in the body, by what it computes but its parameters
	rounds    int
}

// countingOf returns what is known of a loop, or false where its rounds are not done together.
func (h *several) countingOf(in *ir.Instr) (c counting, ok bool) {
	c.body = in.Regions[0]
	c.again = c.body.End()
	if c.again.Op != ir.OpAgain || c.again.Label() != in.Label() {
		return c, false
	}
	c.exit = -1
	weight, memory := 0, false
	inside := map[ir.Value]bool{}
	for v := range c.body.All() {
		for _, r := range v.Results {
			inside[r] = true
		}
	}
	for _, p := range c.body.Params {
		inside[p] = true
	}
	for inner := range c.body.All() {
		info := inner.Op.Info()
		weight++
		switch {
		case inner.Op == ir.OpLoad || inner.Op == ir.OpStore:
			weight += inner.Aux.(*ir.Access).Count
			if o := h.e.Origins[inner.Args[0]]; o == facts.Unknown || h.e.Objects[o].Optional {
				return c, false
			}
			memory = memory || inner.Op == ir.OpLoad
		case inner.Op == ir.OpIf:
		case inner.Op == ir.OpLeave || inner == c.again:
		case inner.Op == ir.OpDiv || inner.Op == ir.OpRem:
		case info.Has(ir.Constructs), info.Has(ir.Terminates), info.Has(ir.Converges):
			return c, false
		case h.e.Effect(inner) != 0:
			return c, false
		}
	}
	for i, inner := range c.body.Code {
		if inner.Op != ir.OpIf {
			continue
		}
		x, y := inner.Regions[0], inner.Regions[1] // it goes on where the condition holds
		if len(x.Code) == 1 && len(y.Code) == 1 && x.Code[0].Op == ir.OpLeave && y.Code[0].Op == ir.OpLeave &&
			x.Code[0].Label() == inner.Label() && y.Code[0].Label() == in.Label() {
			c.exit, c.stays, c.test = i, x.Code[0], h.e.By[inner.Args[0]]
		}
		break
	}
	if c.exit < 0 || !memory || c.test == nil || c.test.Op != ir.OpLt || c.test.Type != ir.U32 && c.test.Type != ir.S32 {
		return c, false
	}
	for inner := range c.body.All() { // one of them may leave the loop
		if inner.Op == ir.OpLeave && inner.Label() == in.Label() && inner != c.body.Code[c.exit].Regions[1].Code[0] {
			return c, false
		}
	}
	for i, p := range c.body.Params {
		next := h.e.By[c.again.Args[i]]
		if p == c.test.Args[0] && next != nil && next.Op == ir.OpAdd && next.Type.Held() == ir.I32 && next.Args[0] == p {
			c.parameter, c.step, c.start = p, next.Args[1], in.Args[i]
		}
	}
	if c.parameter == 0 || inside[c.step] || inside[c.test.Args[1]] || h.fromMemory(c.body, inside) {
		return c, false
	}
	c.inside, c.within = inside, map[ir.Value]*ir.Instr{}
	for _, top := range c.body.Code {
		for _, v := range top.Results {
			c.within[v] = top
		}
		for _, r := range top.Regions {
			for inner := range r.All() {
				for _, v := range inner.Results {
					c.within[v] = top
				}
			}
		}
	}
	c.rounds = min(maxRounds, maxRoundsWeight/weight)
	limit, known := h.e.Bits(c.test.Args[1])
	if step, ok := h.e.Bits(c.step); ok && known && step > 0 {
		c.rounds = max(c.rounds, min(maxShortRounds, maxShortWeight/weight))
		c.rounds = min(c.rounds, int(limit/step)) // and as many as there are, as far as that is known
	}
	return c, c.rounds > 1
}

// isTestAlone reports whether nothing needs the comparison with the limit but what ends the loop.
func (c *counting) isTestAlone() bool {
	uses := 0
	for in := range c.body.All() {
		for _, v := range in.Args {
			if v == c.test.Result() {
				uses++
			}
		}
	}
	return uses == 1
}

// fromMemory reports whether an address or a condition of a loop depends on what it loads.
func (h *several) fromMemory(body *ir.Region, inside map[ir.Value]bool) bool {
	loaded := map[ir.Value]bool{}
	again := body.End()
	for changed := true; changed; {
		changed = false
		mark := func(v ir.Value) {
			if !loaded[v] {
				loaded[v], changed = true, true
			}
		}
		for in := range body.All() {
			some := in.Op == ir.OpLoad
			for _, v := range in.Args {
				some = some || loaded[v]
			}
			if !some {
				continue
			}
			for _, v := range in.Results {
				mark(v)
			}
			if in.Op == ir.OpLeave { // to an If: its results
				for inner := range body.All() {
					if inner.Op == ir.OpIf && inner.Label() == in.Label() {
						for _, v := range inner.Results {
							mark(v)
						}
					}
				}
			}
		}
		for i, v := range again.Args {
			if loaded[v] {
				mark(body.Params[i])
			}
		}
	}
	for in := range body.All() {
		switch in.Op {
		case ir.OpLoad, ir.OpStore:
			a := in.Aux.(*ir.Access)
			if loaded[in.Args[0]] || a.Index != ir.Void && loaded[in.Args[1]] {
				return true
			}
		case ir.OpIf:
			if loaded[in.Args[0]] {
				return true
			}
		}
	}
	return false
}

// severalRounds writes the rounds that are done together, as long as there are as many left. Then, and where something
// goes wrong in them, the loop goes on one by one.
func (h *several) severalRounds(c *counting) {
	head, rest := h.Label(), h.Label()
	bad := h.Fresh(text.Pred)
	h.Place(head)
	wide := map[ir.Type]string{ir.U32: "u32", ir.S32: "s32"}[c.test.Type]
	long := func(v ir.Value) string { return h.Make(text.Long, "cvt."+wide[:1]+"64."+wide, h.e.reg(v)) }
	step := long(c.step)
	last := h.Make(text.Long, "mad.lo.s64", step, fmt.Sprint(c.rounds-1), long(c.parameter))
	more := h.Both(h.Test("lt.s64", last, long(c.test.Args[1])), h.Test("gt.s64", step, "0"))
	h.Op("@!%s bra %s;", more, rest)
	h.Op("mov.pred %s, 0;", bad)
	h.e.noted = bad
	halves := h.e.halves
	h.writeRounds(c)
	h.Op("@%s bra %s;", bad, rest)
	h.e.joint.enter(h.e, c.rounds-1)
	sources := make([]string, len(c.again.Args))
	for i, v := range c.again.Args {
		if sources[i] = h.constantOr(v, c.body.Params[i]); slices.Contains(h.e.joint.params, sources[i]) {
			class := text.ClassOf(h.e.Type(v))
			sources[i] = h.Make(class, "mov."+class.Type(), sources[i])
		}
	}
	for v := range c.inside {
		h.e.regOf[v] = ""
	}
	for i, v := range c.body.Params {
		h.e.regOf[v] = h.e.joint.params[i]
		h.Op("mov.%s %s, %s;", text.ClassOf(h.e.Type(v)).Type(), h.e.regOf[v], sources[i])
	}
	h.e.noted, h.e.joint, h.e.halves = "", nil, halves
	delete(h.e.Below, c.parameter)
	h.Op("bra %s;", head)
	h.Place(rest)
}

// roundsOf begins the rounds that are done together: the number that counts is linear in them, where the step is a
// constant.
func (h *several) roundsOf(c *counting) *rounds {
	g := &rounds{made: map[string]string{}, inside: c.inside}
	for range c.rounds {
		g.list = append(g.list, round{map[ir.Value]string{}, map[ir.Value]string{}, map[ir.Value]linear{}})
	}
	for _, v := range c.body.Params {
		g.params = append(g.params, h.e.reg(v))
		g.list[0].registers[v] = h.e.reg(v)
	}
	step, ok := h.e.Bits(c.step)
	limit := h.e.MostOf(c.test.Args[1], 0)
	if !ok || int32(step) <= 0 || limit == 0 {
		return g
	}
	l := linear{register: h.Make(text.Word, "mov.b32", h.e.reg(c.parameter)), step: int64(step), most: limit - 1}
	if limit+step <= math.MaxInt32 && h.e.NotNegative(c.start) { // nothing wraps around, in rounds one by one neither
		l.exact = true
		h.e.Below[c.parameter] = limit - 1
	}
	for n := range g.list {
		g.list[n].linear[c.parameter] = l
		l.add += l.step
	}
	return g
}

// straight writes instructions of a region.
func (h *several) straight(list []*ir.Instr) {
	r := &ir.Region{Code: list}
	h.e.accesses.findTogether(r)
	h.e.flow.instructions(list)
}

// note adds a predicate to those that make the rounds be done again.
func (h *several) note(test, a, b string) {
	if h.e.only == "" {
		h.Op("setp.%s %s, %s, %s, %s;", test, h.e.noted, a, b, h.e.noted)
		return
	}
	bad := h.Both(h.Test(strings.Replace(test, ".or", "", 1), a, b), h.e.only)
	h.Op("or.pred %s, %s, %s;", h.e.noted, h.e.noted, bad)
}

// guard returns what an access to a place has before it.
func (h *several) guard(p *place) string {
	switch {
	case h.e.noted == "" || p.sure && h.e.only == "":
		return ""
	case h.e.only == "":
		return "@!" + h.e.noted + " "
	}
	return "@" + h.Both(h.Make(text.Pred, "not.pred", h.e.noted), h.e.only) + " "
}

// isGuarded reports whether a result of a branch is loaded on the first side, and 0 on the other: what a guarded load
// leaves where it does nothing.
func (h *several) isGuarded(in *ir.Instr, n int) bool {
	first, second := in.Regions[0], in.Regions[1]
	bits, constant := h.e.Bits(second.End().Args[n])
	load := h.e.By[first.End().Args[n]]
	return constant && bits == 0 && load != nil && load.Op == ir.OpLoad && slices.Contains(first.Code, load) &&
		h.e.Origins[load.Args[0]] != facts.Unknown && h.e.Type(in.Results[n]) != ir.Ptr
}

// chooseHalf makes what is one of two values have the bits of a half where both have them.
func (h *several) chooseHalf(v ir.Value, p string, x, y ir.Value) {
	half := func(v ir.Value) string {
		if bits, ok := h.e.Bits(v); ok && bits == 0 {
			return h.Make(text.Half, "mov.b16", "0")
		}
		return h.e.halves[v]
	}
	if a, b := half(x), half(y); h.e.Type(v) == ir.F32 && a != "" && b != "" {
		h.e.halves[v] = h.Make(text.Half, "selp.b16", a, b, p)
	}
}

// isFlat reports whether both sides of a branch may be executed, but for their loads.
func (h *several) isFlat(in *ir.Instr) bool {
	for _, r := range in.Regions {
		end := r.End()
		if end.Op != ir.OpLeave || end.Label() != in.Label() {
			return false
		}
		for _, inner := range r.Code[:len(r.Code)-1] {
			if len(inner.Regions) > 0 || inner.Op != ir.OpLoad && h.e.Effect(inner) != 0 {
				return false
			}
		}
	}
	return true
}

// flatBranch writes both sides of a branch one after the other, and then chooses their results.
func (h *several) flatBranch(in *ir.Instr) {
	p, outer := h.e.reg(in.Args[0]), h.e.only
	sides := []string{p, h.Make(text.Pred, "not.pred", p)}
	var values [2][]string
	for i, r := range in.Regions {
		h.e.only = h.Both(outer, sides[i])
		if i == 0 {
			h.e.sides = append(h.e.sides, in.Args[0])
		} else {
			h.e.sides = h.e.sides[:len(h.e.sides)-1]
		}
		h.straight(r.Code[:len(r.Code)-1])
		for n, v := range r.End().Args {
			values[i] = append(values[i], h.e.arithmetic.operandAs(v, in.Results[n]))
		}
	}
	h.e.only = outer
	for n, v := range in.Results {
		x, y, c := values[0][n], values[1][n], text.ClassOf(h.e.Type(v))
		if c == text.Pred {
			h.Expand("and.pred {p1}, {a}, {b};\nand.pred {p2}, {c}, "+sides[1]+";\nor.pred {d}, {p1}, {p2};", h.e.reg(v),
				[]string{p, x, y}, 0)
			continue
		}
		if h.isGuarded(in, n) {
			first := in.Regions[0].End().Args[n]
			if h.e.regOf[v] != "" {
				h.Op("mov.%s %s, %s;", c.Type(), h.e.regOf[v], x)
			} else {
				h.e.regOf[v] = x
			}
			if half := h.e.halves[first]; half != "" {
				h.e.halves[v] = half
			}
			continue
		}
		h.Op("selp.%s %s, %s, %s, %s;", c.Type(), h.e.reg(v), x, y, p)
		h.chooseHalf(v, p, in.Regions[0].End().Args[n], in.Regions[1].End().Args[n])
	}
}
