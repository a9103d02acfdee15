package native

import (
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// joins are the reductions, each with what joins two lanes.
var joins = []struct {
	op   wide.Op
	name string
	join func(a, b uint32) uint32
}{
	{wide.SumWord, "sum", func(a, b uint32) uint32 { return a + b }},
	{wide.MaxOfInts, "max of ints", func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }},
	{wide.MinOfInts, "min of ints", func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }},
	{wide.MaxOfUints, "max of uints", func(a, b uint32) uint32 { return max(a, b) }},
	{wide.MinOfUints, "min of uints", func(a, b uint32) uint32 { return min(a, b) }},
	{wide.AndOfWords, "and", func(a, b uint32) uint32 { return a & b }},
	{wide.OrOfWords, "or", func(a, b uint32) uint32 { return a | b }},
	{wide.XorOfWords, "xor", func(a, b uint32) uint32 { return a ^ b }},
	{wide.MaxOfFloats, "max of floats", onBits(fmath.Fmax)},
	{wide.MinOfFloats, "min of floats", onBits(fmath.Fmin)},
	{wide.FirstWord, "first", func(a, _ uint32) uint32 { return a }},
}

func onBits(f func(a, b float32) float32) func(a, b uint32) uint32 {
	return func(a, b uint32) uint32 {
		return math.Float32bits(f(math.Float32frombits(a), math.Float32frombits(b)))
	}
}

// anyMasks returns masks with many lanes, few, one and all.
func anyMasks(r *rand.Rand) []uint32 {
	return []uint32{1<<32 - 1, 1 << r.IntN(32), r.Uint32() | 1, r.Uint32()&r.Uint32() | 1<<31, 1<<16 - 1}
}

func TestReductionsJoinTheActiveLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, j := range joins {
		o := compileOperation(t, j.op, false)
		regs := &o.frame.registers
		for range 50 {
			for _, mask := range anyMasks(r) {
				for l := range width {
					regs[0].lanes[l] = anyFloat(r)
				}
				if !o.run(t, mask) {
					t.Fatalf("%s is left to the interpreter", j.name)
				}
				active := mask
				want := math.Float32bits(regs[0].lanes[mathbits.TrailingZeros32(active)])
				for active &= active - 1; active != 0; active &= active - 1 {
					want = j.join(want, math.Float32bits(regs[0].lanes[mathbits.TrailingZeros32(active)]))
				}
				if got := regs[3].base; !equalFloats(got, math.Float32frombits(want)) {
					t.Errorf("%s of %x in %08x is %x, want %x", j.name, regs[0].lanes, mask, math.Float32bits(got), want)
				}
			}
		}
	}
}

// Sums of floats are those of a tree.
func TestSumsOfFloatsHaveTheOrderOfTheInterpreter(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	o := compileOperation(t, wide.SumFloat, false)
	regs := &o.frame.registers
	for range 100 {
		for _, mask := range anyMasks(r) {
			var v [width]float32
			for l := range width {
				regs[0].lanes[l] = float32(r.NormFloat64())
				if mask>>l&1 != 0 {
					v[l] = regs[0].lanes[l]
				}
			}
			if !o.run(t, mask) {
				t.Fatal("left to the interpreter")
			}
			for half := 16; half > 0; half /= 2 {
				for i := range half {
					v[i] += v[i+half]
				}
			}
			if got := regs[3].base; math.Float32bits(got) != math.Float32bits(v[0]) {
				t.Errorf("%v in %08x: %v, want %v", regs[0].lanes, mask, got, v[0])
			}
		}
	}
}

func TestShufflesReadOtherLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	inside := func(to, l int) int {
		if to < 0 || to >= width {
			return l
		}
		return to
	}
	for _, s := range []struct {
		op   wide.Op
		name string
		from func(l, by int) int
	}{
		{wide.Shuffle, "shuffle", func(_, by int) int { return by % width }},
		{wide.ShuffleDown, "down", func(l, by int) int { return inside(l+by, l) }},
		{wide.ShuffleUp, "up", func(l, by int) int { return inside(l-by, l) }},
		{wide.ShuffleXor, "xor", func(l, by int) int { return inside(l^by, l) }},
		{wide.RotateDown, "rotate down", func(l, by int) int { return (l + by) % width }},
		{wide.RotateUp, "rotate up", func(l, by int) int { return ((l-by)%width + width) % width }},
	} {
		o := compileOperation(t, s.op, false)
		same := compileOperation(t, s.op, true)
		for range 200 {
			regs := &o.frame.registers
			for l := range width {
				by := uint32(r.IntN(40))
				if r.IntN(8) == 0 {
					by = r.Uint32()
				}
				regs[0].lanes[l], regs[1].lanes[l] = anyFloat(r), math.Float32frombits(by)
			}
			o.run(t, 1<<32-1)
			for l, got := range regs[3].lanes {
				by := uint16(math.Float32bits(regs[1].lanes[l]))
				want := regs[0].lanes[s.from(l, int(by))]
				if math.Float32bits(got) != math.Float32bits(want) {
					t.Errorf("%s by %d in lane %d: %v of %v", s.name, by, l, got, regs[0].lanes)
				}
			}
			uniform := &same.frame.registers
			uniform[0].base, uniform[1].base = regs[0].lanes[0], regs[1].lanes[0]
			same.run(t, 1<<32-1)
			if math.Float32bits(uniform[3].base) != math.Float32bits(uniform[0].base) {
				t.Errorf("%s of the same in all lanes changes it", s.name)
			}
		}
	}
}

func TestVotes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	all := func(holds bool) uint64 {
		if holds {
			return 1<<32 - 1
		}
		return 0
	}
	for _, v := range []struct {
		op   wide.Op
		name string
		want func(holds, active uint32) uint64
	}{
		{wide.AnyMask, "any", func(holds, active uint32) uint64 { return all(holds&active != 0) }},
		{wide.AllMask, "all", func(holds, active uint32) uint64 { return all(holds&active == active) }},
		{wide.Ballot, "ballot", func(holds, active uint32) uint64 { return uint64(holds & active) }},
	} {
		o := compileOperation(t, v.op, false)
		regs := &o.frame.registers
		for range 50 {
			for _, active := range anyMasks(r) {
				for _, holds := range []uint32{0, active, ^active, r.Uint32(), 1<<32 - 1} {
					regs[0].lanes[0] = math.Float32frombits(holds)
					o.run(t, active)
					got := uint64(math.Float32bits(regs[3].lanes[0]))
					if v.op == wide.Ballot {
						got = regs[3].long
					}
					if want := v.want(holds, active); got != want {
						t.Errorf("%s of %08x in %08x is %x, want %x", v.name, holds, active, got, want)
					}
				}
			}
		}
	}
}
