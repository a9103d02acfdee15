package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// What the threads of a simd-group do together (section 6.9.2). Where all 32 are active, sums go over a butterfly;
// elsewhere each lane reads the values of all others, and joins them as a tree in which those that are not active count
// as the neutral element. Both ways the sums of floats are those of the CPU device, to the bit.

var groupWriters = map[ir.Op]func(g *lanes, in *ir.Instr){
	ir.OpGroupSum: reduction("add", "0", "0", "0f00000000"), ir.OpGroupProduct: reduction("mul", "1", "1", "0f3F800000"),
	ir.OpGroupMax: reduction("max", "min", "0", "0f7FFFFFFF"), ir.OpGroupMin: reduction("min", "max", "-1", "0f7FFFFFFF"),
	ir.OpGroupAnd: reduction("and", "-1", "-1", ""), ir.OpGroupOr: reduction("or", "0", "0", ""),
	ir.OpGroupXor: reduction("xor", "0", "0", ""),

	ir.OpPrefixExclusiveSum:     prefix("add", "0", "0f00000000", false),
	ir.OpPrefixInclusiveSum:     prefix("add", "0", "0f00000000", true),
	ir.OpPrefixExclusiveProduct: prefix("mul", "1", "0f3F800000", false),
	ir.OpPrefixInclusiveProduct: prefix("mul", "1", "0f3F800000", true),

	ir.OpBroadcast: shuffle((*lanes).sameGroup), ir.OpShuffle: shuffle((*lanes).sameGroup),
	ir.OpShuffleDown: shuffle(within("add.s32")), ir.OpShuffleUp: shuffle(within("sub.s32")),
	ir.OpShuffleXor: shuffle(within("xor.b32")), ir.OpShuffleRotateDown: shuffle(rotated("add.s32")),
	ir.OpShuffleRotateUp: shuffle(rotated("sub.s32")), ir.OpBroadcastFirst: (*lanes).broadcastFirst,
	ir.OpShuffleFillDown: filled("add.s32"), ir.OpShuffleFillUp: filled("sub.s32"),

	ir.OpGroupAll: (*lanes).voteAll, ir.OpGroupAny: (*lanes).voteAny, ir.OpBallot: (*lanes).ballot,
	ir.OpActiveThreads: (*lanes).activeThreads, ir.OpIsFirst: (*lanes).isFirst,
	ir.OpIsHelper: func(g *lanes, in *ir.Instr) { g.Op("mov.pred %s, 0;", g.e.reg(in.Result())) },
	ir.OpVoteAll:  testedVote(true), ir.OpVoteAny: testedVote(false),
}

// lanes writes what the threads of a simd-group do together.
type lanes struct {
	*text.Writer
	e *emitter
}

// read returns a register with what a lane has of a value. The lane is a register or a number.
func (g *lanes) read(t ir.Type, value, lane string) string {
	switch t.Held() {
	case ir.I64, ir.Ptr:
		low, high := g.Fresh(text.Word), g.Fresh(text.Word)
		d := g.Fresh(text.Long)
		g.Op("mov.b64 {%s, %s}, %s;", low, high, value)
		l, h := g.read(ir.I32, low, lane), g.read(ir.I32, high, lane)
		g.Op("mov.b64 %s, {%s, %s};", d, l, h)
		return d
	case ir.F32:
		word, d := g.Fresh(text.Word), g.Fresh(text.Float)
		g.Op("mov.b32 %s, %s;", word, value)
		g.Op("mov.b32 %s, %s;", d, g.read(ir.I32, word, lane))
		return d
	}
	d := g.Fresh(text.Word)
	g.Op("shfl.sync.idx.b32 %s, %s, %s, 31, %s;", d, value, lane, g.e.mask)
	return d
}

// joins returns the instruction that joins two values of a type.
func joins(op string, t ir.Type) string {
	bits := t.Bits()
	switch op {
	case "add", "mul":
		switch {
		case t == ir.F32:
			return op + ".rn.f32"
		case op == "mul":
			return fmt.Sprintf("mul.lo.s%d", bits)
		}
		return fmt.Sprintf("add.s%d", bits)
	case "and", "or", "xor":
		return fmt.Sprintf("%s.b%d", op, bits)
	}
	return op + "." + t.String()
}

// neutral returns the element that changes nothing: a number, or "min" or "max" for the least and greatest with a sign.
func neutral(signed, unsigned, float string, t ir.Type) string {
	switch {
	case t == ir.F32:
		return float
	case t.Signed() && signed == "min" && t == ir.S32:
		return "-2147483648"
	case t.Signed() && signed == "min":
		return "-9223372036854775808"
	case t.Signed() && signed == "max" && t == ir.S32:
		return "2147483647"
	case t.Signed() && signed == "max":
		return "9223372036854775807"
	case signed == "min" || signed == "max":
		return unsigned
	}
	return signed
}

// reduction returns what writes the reduction of a group.
func reduction(op, signed, unsigned, float string) func(g *lanes, in *ir.Instr) {
	return func(g *lanes, in *ir.Instr) {
		t, n := in.Type, int(in.Imm)
		join := joins(op, t)
		d, value := g.e.reg(in.Result()), g.e.reg(in.Args[0])
		typ := text.ClassOf(t).Type()
		slow, done := g.Label(), g.Label()
		if g.e.mask != allLanes {
			g.Op("@%s bra %s;", g.Test("ne.s32", g.e.mask, allLanes), slow)
		}
		sum := value
		for half := n / 2; half > 0; half /= 2 {
			next := g.Fresh(text.ClassOf(t))
			g.Op("%s %s, %s, %s;", join, next, sum, g.across(t, sum, half))
			sum = next
		}
		g.Op("mov.%s %s, %s;", typ, d, sum)
		if g.e.mask == allLanes {
			return
		}
		g.Op("bra %s;", done)
		g.Place(slow)
		values := g.all(t, value, n, neutral(signed, unsigned, float, t))
		for half := n / 2; half > 0; half /= 2 {
			for i := range half {
				next := g.Fresh(text.ClassOf(t))
				g.Op("%s %s, %s, %s;", join, next, values[i], values[i+half])
				values[i] = next
			}
		}
		g.Op("mov.%s %s, %s;", typ, d, values[0])
		g.Place(done)
	}
}

// across returns what the lane has of a value whose number differs in one bit.
func (g *lanes) across(t ir.Type, value string, bit int) string {
	other := g.Computed("xor.b32", g.e.grid.lane(), bit)
	return g.read(t, value, other)
}

// all returns what each lane of the group has of a value, and the neutral element of those that are not active.
func (g *lanes) all(t ir.Type, value string, n int, none string) []string {
	values := make([]string, n)
	for i := range values {
		lane := g.groupLane(n, i)
		other := g.read(t, value, lane)
		if g.e.mask == allLanes {
			values[i] = other
			continue
		}
		bit, active := g.Fresh(text.Word), g.Fresh(text.Pred)
		g.Op("shr.u32 %s, %s, %s;", bit, g.e.mask, lane)
		g.Op("and.b32 %s, %s, 1;", bit, bit)
		g.Op("setp.ne.s32 %s, %s, 0;", active, bit)
		values[i] = g.Fresh(text.ClassOf(t))
		g.Op("selp.%s %s, %s, %s, %s;", text.ClassOf(t).Type(), values[i], other, none, active)
	}
	return values
}

// groupLane returns lane i of the group of n lanes that this one is in.
func (g *lanes) groupLane(n, i int) string {
	if n == 32 {
		return fmt.Sprint(i)
	}
	return g.Computed("add.u32", g.Computed("and.b32", g.e.grid.lane(), -n), i)
}

// prefix returns what writes the joins of what all lanes before have, in the order of the lanes.
func prefix(op, none, float string, inclusive bool) func(g *lanes, in *ir.Instr) {
	return func(g *lanes, in *ir.Instr) {
		t, n, none := in.Type, int(in.Imm), none
		if t == ir.F32 {
			none = float
		}
		c := text.ClassOf(t)
		sum, d := g.Fresh(c), g.Fresh(c)
		g.Op("mov.%s %s, %s;", c.Type(), sum, none)
		g.Op("mov.%s %s, %s;", c.Type(), d, none)
		for i, v := range g.all(t, g.e.reg(in.Args[0]), n, none) {
			is, next := g.Fresh(text.Pred), g.Fresh(c)
			g.Op("%s %s, %s, %s;", joins(op, t), next, sum, v)
			g.Op("setp.eq.u32 %s, %s, %s;", is, g.e.grid.lane(), g.groupLane(n, i))
			taken := sum
			if inclusive {
				taken = next
			}
			g.Op("selp.%s %s, %s, %s, %s;", c.Type(), d, taken, d, is)
			sum = next
		}
		g.Op("mov.%s %s, %s;", c.Type(), g.e.reg(in.Result()), d)
	}
}

// shuffle returns what writes a shuffle, from the lane that from finds.
func shuffle(from func(g *lanes, by string, n int) string) func(g *lanes, in *ir.Instr) {
	return func(g *lanes, in *ir.Instr) {
		by := g.Fresh(text.Word)
		g.Op("and.b32 %s, %s, 65535;", by, g.e.reg(in.Args[1]))
		g.e.lanes.result(in, g.read(in.Type, g.e.reg(in.Args[0]), from(g, by, int(in.Imm))))
	}
}

func (g *lanes) result(in *ir.Instr, r string) {
	c := text.ClassOf(g.e.Type(in.Result()))
	g.Op("mov.%s %s, %s;", c.Type(), g.e.reg(in.Result()), r)
}

// sameGroup returns a lane of the group by its number.
func (g *lanes) sameGroup(by string, n int) string {
	r := g.Fresh(text.Word)
	g.Op("and.b32 %s, %s, %d;", r, by, n-1)
	if n < 32 {
		g.Op("or.b32 %s, %s, %s;", r, r, g.Computed("and.b32", g.e.grid.lane(), -n))
	}
	return r
}

// within returns what finds the lane that is so far away, or this one where that is not in the group.
func within(op string) func(g *lanes, by string, n int) string {
	return func(g *lanes, by string, n int) string {
		to, bits, r, out := g.Fresh(text.Word), g.Fresh(text.Word), g.Fresh(text.Word), g.Fresh(text.Pred)
		g.Op("%s %s, %s, %s;", op, to, g.e.grid.lane(), by)
		g.Op("xor.b32 %s, %s, %s;", bits, to, g.e.grid.lane())
		g.Op("setp.ge.u32 %s, %s, %d;", out, bits, n)
		g.Op("selp.b32 %s, %s, %s, %s;", r, g.e.grid.lane(), to, out)
		return r
	}
}

func rotated(op string) func(g *lanes, by string, n int) string {
	return func(g *lanes, by string, n int) string {
		to := g.Fresh(text.Word)
		g.Op("%s %s, %s, %s;", op, to, g.e.grid.lane(), by)
		return g.sameGroup(to, n)
	}
}

// filled returns what writes a shuffle in groups of as many lanes as an operand says, with what goes beyond them taken
// from a second value.
func filled(op string) func(g *lanes, in *ir.Instr) {
	return func(g *lanes, in *ir.Instr) {
		n := int(in.Imm)
		modulo := fmt.Sprint(n)
		if len(in.Args) > 3 && in.Args[3] != 0 {
			given, r := g.e.reg(in.Args[3]), g.Fresh(text.Word)
			g.Expand("sub.s32 {r1}, {a}, 1;\nsetp.ge.u32 {p1}, {r1}, {n};\nselp.b32 {d}, {n}, {a}, {p1};", r,
				[]string{given}, int64(n))
			modulo = r
		}
		by := g.e.reg(in.Args[2])
		start, to, at, out := g.Fresh(text.Word), g.Fresh(text.Word), g.Fresh(text.Word), g.Fresh(text.Pred)
		g.Expand("div.u32 {r1}, {a}, {b};\nmul.lo.u32 {d}, {r1}, {b};", start, []string{g.e.grid.lane(), modulo}, 0)
		g.Op("sub.s32 %s, %s, %s;", to, g.e.grid.lane(), start)
		g.Op("%s %s, %s, %s;", op, to, to, by)
		g.Op("setp.ge.u32 %s, %s, %s;", out, to, modulo)
		g.Expand("rem.s32 {r1}, {a}, {b};\nadd.s32 {r1}, {r1}, {b};\nrem.s32 {r2}, {r1}, {b};\nadd.s32 {r3}, {r2}, {c};\n"+
			"and.b32 {d}, {r3}, 31;", at, []string{to, modulo, start}, 0)
		first := g.read(in.Type, g.e.reg(in.Args[0]), at)
		second := g.read(in.Type, g.e.reg(in.Args[1]), at)
		g.Op("selp.%s %s, %s, %s, %s;", text.ClassOf(in.Type).Type(), g.e.reg(in.Result()), second, first, out)
	}
}

// activeIn returns the active lanes of the group, from bit 0.
func (g *lanes) activeIn(mask string, n int) string {
	if mask == allLanes {
		return g.Computed("mov.b32", 1<<n-1)
	}
	if n == 32 {
		return mask
	}
	r := g.Fresh(text.Word)
	g.Op("shr.u32 %s, %s, %s;", r, mask, g.Computed("and.b32", g.e.grid.lane(), -n))
	g.Op("and.b32 %s, %s, %d;", r, r, 1<<n-1)
	return r
}

// lowest returns the number of the lowest bit that is set.
func (g *lanes) lowest(mask string) string {
	r := g.Fresh(text.Word)
	g.Expand("brev.b32 {r1}, {a};\nclz.b32 {d}, {r1};", r, []string{mask}, 0)
	return r
}

func (g *lanes) broadcastFirst(in *ir.Instr) {
	n := int(in.Imm)
	lane := g.sameGroup(g.lowest(g.activeIn(g.e.mask, n)), n)
	g.e.lanes.result(in, g.read(in.Type, g.e.reg(in.Args[0]), lane))
}

// holds returns the lanes for which a condition holds, of those that are active.
func (g *lanes) holds(v ir.Value) string {
	r := g.Fresh(text.Word)
	g.Op("vote.sync.ballot.b32 %s, %s, %s;", r, g.e.reg(v), g.e.mask)
	return r
}

func (g *lanes) voteAll(in *ir.Instr) {
	n := int(in.Imm)
	g.Op("setp.eq.s32 %s, %s, %s;", g.e.reg(in.Result()), g.activeIn(g.holds(in.Args[0]), n), g.activeIn(g.e.mask, n))
}

func (g *lanes) voteAny(in *ir.Instr) {
	g.Op("setp.ne.s32 %s, %s, 0;", g.e.reg(in.Result()), g.activeIn(g.holds(in.Args[0]), int(in.Imm)))
}

// setVote makes a value one of a simd_vote.
func (g *lanes) setVote(in *ir.Instr, mask string) {
	if g.e.Type(in.Result()) == ir.I64 {
		g.Op("cvt.u64.u32 %s, %s;", g.e.reg(in.Result()), mask)
	} else {
		g.Op("mov.b32 %s, %s;", g.e.reg(in.Result()), mask)
	}
}

func (g *lanes) ballot(in *ir.Instr) { g.setVote(in, g.activeIn(g.holds(in.Args[0]), int(in.Imm))) }

func (g *lanes) activeThreads(in *ir.Instr) { g.setVote(in, g.activeIn(g.e.mask, int(in.Imm))) }

func (g *lanes) isFirst(in *ir.Instr) {
	n := int(in.Imm)
	own := g.Computed("and.b32", g.e.grid.lane(), n-1)
	g.Op("setp.eq.s32 %s, %s, %s;", g.e.reg(in.Result()), g.lowest(g.activeIn(g.e.mask, n)), own)
}

// testedVote returns what writes whether all or any bits of a vote are set.
func testedVote(all bool) func(g *lanes, in *ir.Instr) {
	return func(g *lanes, in *ir.Instr) {
		name, want := "ne", int64(0)
		if all {
			name, want = "eq", 1<<in.Imm-1
		}
		bits := g.e.Type(in.Args[0]).Bits()
		g.Op("setp.%s.s%d %s, %s, %d;", name, bits, g.e.reg(in.Result()), g.e.reg(in.Args[0]), want)
	}
}

// barrier writes a threadgroup_barrier, to which all threads of a simd-group that have not ended come together.
func (g *lanes) barrier(in *ir.Instr) {
	if g.e.mask != g.e.everyone {
		bad := g.Fresh(text.Pred)
		g.Op("setp.ne.s32 %s, %s, %s;", bad, g.e.mask, g.e.everyone)
		g.e.faults.faultIf(bad, g.e.faults.siteAt(in, abi.Site{Kind: abi.BarrierSite}), "", "")
	}
	g.Op("bar.warp.sync %s;", g.e.mask)
	g.Op("bar.sync 0;")
	g.deviceFence(in)
	if g.e.phase != "" {
		g.Op("add.u32 %s, %s, 1;", g.e.phase, g.e.phase)
	}
}

// deviceFence makes what this thread has written in device memory visible where the flags of a barrier say so.
func (g *lanes) deviceFence(in *ir.Instr) {
	if flags, ok := g.e.Bits(in.Args[0]); ok && flags&1 == 0 {
		return
	}
	g.Op("fence.acq_rel.gpu;")
}

func (g *lanes) simdBarrier(*ir.Instr) { g.Op("bar.warp.sync %s;", g.e.mask) }

func (g *lanes) fence(*ir.Instr) { g.Op("fence.acq_rel.gpu;") }
