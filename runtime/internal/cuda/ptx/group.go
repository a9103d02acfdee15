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

var groupWriters = map[ir.Op]func(e *emitter, in *ir.Instr){
	ir.OpGroupSum: reduction("add", "0", "0", "0f00000000"), ir.OpGroupProduct: reduction("mul", "1", "1", "0f3F800000"),
	ir.OpGroupMax: reduction("max", "min", "0", "0f7FFFFFFF"), ir.OpGroupMin: reduction("min", "max", "-1", "0f7FFFFFFF"),
	ir.OpGroupAnd: reduction("and", "-1", "-1", ""), ir.OpGroupOr: reduction("or", "0", "0", ""),
	ir.OpGroupXor: reduction("xor", "0", "0", ""),

	ir.OpPrefixExclusiveSum:     prefix("add", "0", "0f00000000", false),
	ir.OpPrefixInclusiveSum:     prefix("add", "0", "0f00000000", true),
	ir.OpPrefixExclusiveProduct: prefix("mul", "1", "0f3F800000", false),
	ir.OpPrefixInclusiveProduct: prefix("mul", "1", "0f3F800000", true),

	ir.OpBroadcast: shuffle((*emitter).sameGroup), ir.OpShuffle: shuffle((*emitter).sameGroup),
	ir.OpShuffleDown: shuffle(within("add.s32")), ir.OpShuffleUp: shuffle(within("sub.s32")),
	ir.OpShuffleXor: shuffle(within("xor.b32")), ir.OpShuffleRotateDown: shuffle(rotated("add.s32")),
	ir.OpShuffleRotateUp: shuffle(rotated("sub.s32")), ir.OpBroadcastFirst: (*emitter).broadcastFirst,
	ir.OpShuffleFillDown: filled("add.s32"), ir.OpShuffleFillUp: filled("sub.s32"),

	ir.OpGroupAll: (*emitter).voteAll, ir.OpGroupAny: (*emitter).voteAny, ir.OpBallot: (*emitter).ballot,
	ir.OpActiveThreads: (*emitter).activeThreads, ir.OpIsFirst: (*emitter).isFirst,
	ir.OpIsHelper: func(e *emitter, in *ir.Instr) { e.Op("mov.pred %s, 0;", e.reg(in.Result())) },
	ir.OpVoteAll:  testedVote(true), ir.OpVoteAny: testedVote(false),
}

// read returns a register with what a lane has of a value. The lane is a register or a number.
func (e *emitter) read(t ir.Type, value, lane string) string {
	switch t.Held() {
	case ir.I64, ir.Ptr:
		low, high := e.Fresh(text.Word), e.Fresh(text.Word)
		d := e.Fresh(text.Long)
		e.Op("mov.b64 {%s, %s}, %s;", low, high, value)
		l, h := e.read(ir.I32, low, lane), e.read(ir.I32, high, lane)
		e.Op("mov.b64 %s, {%s, %s};", d, l, h)
		return d
	case ir.F32:
		word, d := e.Fresh(text.Word), e.Fresh(text.Float)
		e.Op("mov.b32 %s, %s;", word, value)
		e.Op("mov.b32 %s, %s;", d, e.read(ir.I32, word, lane))
		return d
	}
	d := e.Fresh(text.Word)
	e.Op("shfl.sync.idx.b32 %s, %s, %s, 31, %s;", d, value, lane, e.mask)
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
func reduction(op, signed, unsigned, float string) func(e *emitter, in *ir.Instr) {
	return func(e *emitter, in *ir.Instr) {
		t, n := in.Type, int(in.Imm)
		join := joins(op, t)
		d, value := e.reg(in.Result()), e.reg(in.Args[0])
		typ := text.ClassOf(t).Type()
		slow, done := e.Label(), e.Label()
		if e.mask != allLanes {
			e.Op("@%s bra %s;", e.Test("ne.s32", e.mask, allLanes), slow)
		}
		sum := value
		for half := n / 2; half > 0; half /= 2 {
			next := e.Fresh(text.ClassOf(t))
			e.Op("%s %s, %s, %s;", join, next, sum, e.across(t, sum, half))
			sum = next
		}
		e.Op("mov.%s %s, %s;", typ, d, sum)
		if e.mask == allLanes {
			return
		}
		e.Op("bra %s;", done)
		e.Place(slow)
		values := e.all(t, value, n, neutral(signed, unsigned, float, t))
		for half := n / 2; half > 0; half /= 2 {
			for i := range half {
				next := e.Fresh(text.ClassOf(t))
				e.Op("%s %s, %s, %s;", join, next, values[i], values[i+half])
				values[i] = next
			}
		}
		e.Op("mov.%s %s, %s;", typ, d, values[0])
		e.Place(done)
	}
}

// across returns what the lane has of a value whose number differs in one bit.
func (e *emitter) across(t ir.Type, value string, bit int) string {
	other := e.Computed("xor.b32", e.lane(), bit)
	return e.read(t, value, other)
}

// all returns what each lane of the group has of a value, and the neutral element of those that are not active.
func (e *emitter) all(t ir.Type, value string, n int, none string) []string {
	values := make([]string, n)
	for i := range values {
		lane := e.groupLane(n, i)
		other := e.read(t, value, lane)
		if e.mask == allLanes {
			values[i] = other
			continue
		}
		bit, active := e.Fresh(text.Word), e.Fresh(text.Pred)
		e.Op("shr.u32 %s, %s, %s;", bit, e.mask, lane)
		e.Op("and.b32 %s, %s, 1;", bit, bit)
		e.Op("setp.ne.s32 %s, %s, 0;", active, bit)
		values[i] = e.Fresh(text.ClassOf(t))
		e.Op("selp.%s %s, %s, %s, %s;", text.ClassOf(t).Type(), values[i], other, none, active)
	}
	return values
}

// groupLane returns lane i of the group of n lanes that this one is in.
func (e *emitter) groupLane(n, i int) string {
	if n == 32 {
		return fmt.Sprint(i)
	}
	return e.Computed("add.u32", e.Computed("and.b32", e.lane(), -n), i)
}

// prefix returns what writes the joins of what all lanes before have, in the order of the lanes.
func prefix(op, none, float string, inclusive bool) func(e *emitter, in *ir.Instr) {
	return func(e *emitter, in *ir.Instr) {
		t, n, none := in.Type, int(in.Imm), none
		if t == ir.F32 {
			none = float
		}
		c := text.ClassOf(t)
		sum, d := e.Fresh(c), e.Fresh(c)
		e.Op("mov.%s %s, %s;", c.Type(), sum, none)
		e.Op("mov.%s %s, %s;", c.Type(), d, none)
		for i, v := range e.all(t, e.reg(in.Args[0]), n, none) {
			is, next := e.Fresh(text.Pred), e.Fresh(c)
			e.Op("%s %s, %s, %s;", joins(op, t), next, sum, v)
			e.Op("setp.eq.u32 %s, %s, %s;", is, e.lane(), e.groupLane(n, i))
			taken := sum
			if inclusive {
				taken = next
			}
			e.Op("selp.%s %s, %s, %s, %s;", c.Type(), d, taken, d, is)
			sum = next
		}
		e.Op("mov.%s %s, %s;", c.Type(), e.reg(in.Result()), d)
	}
}

// shuffle returns what writes a shuffle, from the lane that from finds.
func shuffle(from func(e *emitter, by string, n int) string) func(e *emitter, in *ir.Instr) {
	return func(e *emitter, in *ir.Instr) {
		by := e.Fresh(text.Word)
		e.Op("and.b32 %s, %s, 65535;", by, e.reg(in.Args[1]))
		e.result(in, e.read(in.Type, e.reg(in.Args[0]), from(e, by, int(in.Imm))))
	}
}

func (e *emitter) result(in *ir.Instr, r string) {
	c := text.ClassOf(e.Type(in.Result()))
	e.Op("mov.%s %s, %s;", c.Type(), e.reg(in.Result()), r)
}

// sameGroup returns a lane of the group by its number.
func (e *emitter) sameGroup(by string, n int) string {
	r := e.Fresh(text.Word)
	e.Op("and.b32 %s, %s, %d;", r, by, n-1)
	if n < 32 {
		e.Op("or.b32 %s, %s, %s;", r, r, e.Computed("and.b32", e.lane(), -n))
	}
	return r
}

// within returns what finds the lane that is so far away, or this one where that is not in the group.
func within(op string) func(e *emitter, by string, n int) string {
	return func(e *emitter, by string, n int) string {
		to, bits, r, out := e.Fresh(text.Word), e.Fresh(text.Word), e.Fresh(text.Word), e.Fresh(text.Pred)
		e.Op("%s %s, %s, %s;", op, to, e.lane(), by)
		e.Op("xor.b32 %s, %s, %s;", bits, to, e.lane())
		e.Op("setp.ge.u32 %s, %s, %d;", out, bits, n)
		e.Op("selp.b32 %s, %s, %s, %s;", r, e.lane(), to, out)
		return r
	}
}

func rotated(op string) func(e *emitter, by string, n int) string {
	return func(e *emitter, by string, n int) string {
		to := e.Fresh(text.Word)
		e.Op("%s %s, %s, %s;", op, to, e.lane(), by)
		return e.sameGroup(to, n)
	}
}

// filled returns what writes a shuffle in groups of as many lanes as an operand says, with what goes beyond them taken
// from a second value.
func filled(op string) func(e *emitter, in *ir.Instr) {
	return func(e *emitter, in *ir.Instr) {
		n := int(in.Imm)
		modulo := fmt.Sprint(n)
		if len(in.Args) > 3 && in.Args[3] != 0 {
			given, r := e.reg(in.Args[3]), e.Fresh(text.Word)
			e.Expand("sub.s32 {r1}, {a}, 1;\nsetp.ge.u32 {p1}, {r1}, {n};\nselp.b32 {d}, {n}, {a}, {p1};", r,
				[]string{given}, int64(n))
			modulo = r
		}
		by := e.reg(in.Args[2])
		start, to, at, out := e.Fresh(text.Word), e.Fresh(text.Word), e.Fresh(text.Word), e.Fresh(text.Pred)
		e.Expand("div.u32 {r1}, {a}, {b};\nmul.lo.u32 {d}, {r1}, {b};", start, []string{e.lane(), modulo}, 0)
		e.Op("sub.s32 %s, %s, %s;", to, e.lane(), start)
		e.Op("%s %s, %s, %s;", op, to, to, by)
		e.Op("setp.ge.u32 %s, %s, %s;", out, to, modulo)
		e.Expand("rem.s32 {r1}, {a}, {b};\nadd.s32 {r1}, {r1}, {b};\nrem.s32 {r2}, {r1}, {b};\nadd.s32 {r3}, {r2}, {c};\n"+
			"and.b32 {d}, {r3}, 31;", at, []string{to, modulo, start}, 0)
		first := e.read(in.Type, e.reg(in.Args[0]), at)
		second := e.read(in.Type, e.reg(in.Args[1]), at)
		e.Op("selp.%s %s, %s, %s, %s;", text.ClassOf(in.Type).Type(), e.reg(in.Result()), second, first, out)
	}
}

// activeIn returns the active lanes of the group, from bit 0.
func (e *emitter) activeIn(mask string, n int) string {
	if mask == allLanes {
		return e.Computed("mov.b32", 1<<n-1)
	}
	if n == 32 {
		return mask
	}
	r := e.Fresh(text.Word)
	e.Op("shr.u32 %s, %s, %s;", r, mask, e.Computed("and.b32", e.lane(), -n))
	e.Op("and.b32 %s, %s, %d;", r, r, 1<<n-1)
	return r
}

// lowest returns the number of the lowest bit that is set.
func (e *emitter) lowest(mask string) string {
	r := e.Fresh(text.Word)
	e.Expand("brev.b32 {r1}, {a};\nclz.b32 {d}, {r1};", r, []string{mask}, 0)
	return r
}

func (e *emitter) broadcastFirst(in *ir.Instr) {
	n := int(in.Imm)
	lane := e.sameGroup(e.lowest(e.activeIn(e.mask, n)), n)
	e.result(in, e.read(in.Type, e.reg(in.Args[0]), lane))
}

// holds returns the lanes for which a condition holds, of those that are active.
func (e *emitter) holds(v ir.Value) string {
	r := e.Fresh(text.Word)
	e.Op("vote.sync.ballot.b32 %s, %s, %s;", r, e.reg(v), e.mask)
	return r
}

func (e *emitter) voteAll(in *ir.Instr) {
	n := int(in.Imm)
	e.Op("setp.eq.s32 %s, %s, %s;", e.reg(in.Result()), e.activeIn(e.holds(in.Args[0]), n), e.activeIn(e.mask, n))
}

func (e *emitter) voteAny(in *ir.Instr) {
	e.Op("setp.ne.s32 %s, %s, 0;", e.reg(in.Result()), e.activeIn(e.holds(in.Args[0]), int(in.Imm)))
}

// setVote makes a value one of a simd_vote.
func (e *emitter) setVote(in *ir.Instr, mask string) {
	if e.Type(in.Result()) == ir.I64 {
		e.Op("cvt.u64.u32 %s, %s;", e.reg(in.Result()), mask)
	} else {
		e.Op("mov.b32 %s, %s;", e.reg(in.Result()), mask)
	}
}

func (e *emitter) ballot(in *ir.Instr) { e.setVote(in, e.activeIn(e.holds(in.Args[0]), int(in.Imm))) }

func (e *emitter) activeThreads(in *ir.Instr) { e.setVote(in, e.activeIn(e.mask, int(in.Imm))) }

func (e *emitter) isFirst(in *ir.Instr) {
	n := int(in.Imm)
	own := e.Computed("and.b32", e.lane(), n-1)
	e.Op("setp.eq.s32 %s, %s, %s;", e.reg(in.Result()), e.lowest(e.activeIn(e.mask, n)), own)
}

// testedVote returns what writes whether all or any bits of a vote are set.
func testedVote(all bool) func(e *emitter, in *ir.Instr) {
	return func(e *emitter, in *ir.Instr) {
		name, want := "ne", int64(0)
		if all {
			name, want = "eq", 1<<in.Imm-1
		}
		bits := e.Type(in.Args[0]).Bits()
		e.Op("setp.%s.s%d %s, %s, %d;", name, bits, e.reg(in.Result()), e.reg(in.Args[0]), want)
	}
}

// barrier writes a threadgroup_barrier, to which all threads of a simd-group that have not ended come together.
func (e *emitter) barrier(in *ir.Instr) {
	if e.mask != e.everyone {
		bad := e.Fresh(text.Pred)
		e.Op("setp.ne.s32 %s, %s, %s;", bad, e.mask, e.everyone)
		e.faultIf(bad, e.siteAt(in, abi.Site{Kind: abi.BarrierSite}), "", "")
	}
	e.Op("bar.warp.sync %s;", e.mask)
	e.Op("bar.sync 0;")
	e.deviceFence(in)
	if e.phase != "" {
		e.Op("add.u32 %s, %s, 1;", e.phase, e.phase)
	}
}

// deviceFence makes what this thread has written in device memory visible where the flags of a barrier say so.
func (e *emitter) deviceFence(in *ir.Instr) {
	if flags, ok := e.Bits(in.Args[0]); ok && flags&1 == 0 {
		return
	}
	e.Op("fence.acq_rel.gpu;")
}

func (e *emitter) simdBarrier(*ir.Instr) { e.Op("bar.warp.sync %s;", e.mask) }

func (e *emitter) fence(*ir.Instr) { e.Op("fence.acq_rel.gpu;") }
