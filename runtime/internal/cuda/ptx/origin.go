package ptx

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Where pointers come from. A pointer to which all paths lead from one object is held as its offset in it.

const (
	offsetBits = 48
	// unknown is the origin of a pointer that may lead to any object, and is held with its number.
	unknown = 0
	// nowhere is that of one that nothing has been said about yet.
	nowhere = -1
)

// most is how many low bits are 0 of an offset that is 0 itself.
const most = 47

// findOrigins finds the object of each pointer, and how its offset is aligned: what holds whichever way a thread comes.
func (e *emitter) findOrigins() {
	e.origins, e.zeros = make([]int, e.Values()), make([]int, e.Values())
	for v := range e.origins {
		e.origins[v], e.zeros[v] = nowhere, most
		if _, ok := e.Bits(ir.Value(v)); ok {
			e.origins[v], e.zeros[v] = unknown, 0
		}
	}
	for _, one := range e.Kernel.Routines {
		for _, v := range one.Body.Params {
			e.origins[v], e.zeros[v] = unknown, 0
		}
	}
	for changed := true; changed; {
		changed = false
		for r := range e.Bodies() {
			changed = e.originsIn(r, nil) || changed
		}
	}
	for v, o := range e.origins {
		if o == nowhere {
			e.origins[v] = unknown
		}
	}
}

// merge notes that a pointer may be another one, with an offset that has so many more zeros at its end at most.
func (e *emitter) merge(to ir.Value, origin, zeros int) bool {
	if e.Type(to) != ir.Ptr || origin == nowhere {
		return false
	}
	was, wasZeros := e.origins[to], e.zeros[to]
	switch {
	case was == nowhere:
		e.origins[to] = origin
	case was != origin:
		e.origins[to] = unknown
	}
	e.zeros[to] = min(wasZeros, zeros)
	return e.origins[to] != was || e.zeros[to] != wasZeros
}

func (e *emitter) mergeAll(to, from []ir.Value) bool {
	changed := false
	for i, v := range from {
		if e.Type(v) == ir.Ptr {
			changed = e.merge(to[i], e.origins[v], e.zeros[v]) || changed
		}
	}
	return changed
}

func (e *emitter) originsIn(r *ir.Region, open []*ir.Instr) bool {
	changed := false
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpAddress:
			changed = e.merge(in.Result(), int(in.Imm), most) || changed
		case ir.OpMove:
			zeros := min(e.zeros[in.Args[0]], e.zerosOf(in.Args[1], 0)+bits.TrailingZeros64(uint64(in.Imm)|1<<most))
			changed = e.merge(in.Result(), e.origins[in.Args[0]], zeros) || changed
		case ir.OpSelect:
			for _, v := range in.Args[1:] {
				changed = e.mergeAll(in.Results, []ir.Value{v}) || changed
			}
		case ir.OpPick:
			for _, v := range in.Args[1:] {
				changed = e.mergeAll(in.Results, []ir.Value{v}) || changed
			}
		case ir.OpLeave, ir.OpAgain, ir.OpFall:
			for i := len(open) - 1; i >= 0; i-- {
				if c := open[i]; c.Label() == in.Label() {
					changed = e.mergeAll(e.targets(in, c), in.Args) || changed
				}
			}
		default:
			if in.Op.Info().Has(ir.Constructs) {
				for _, inner := range in.Regions {
					changed = e.mergeAll(inner.Params, in.Initial()) || changed
					changed = e.originsIn(inner, append(open, in)) || changed
				}
				continue
			}
			for _, v := range in.Results {
				changed = e.merge(v, unknown, 0) || changed
			}
		}
	}
	return changed
}

// targets returns what a terminator that leads to a construct assigns its operands to.
func (e *emitter) targets(in, to *ir.Instr) []ir.Value {
	switch in.Op {
	case ir.OpAgain:
		return to.Regions[0].Params
	case ir.OpFall:
		return to.Regions[1].Params // all regions have parameters of the same types
	}
	return to.Results
}

// zerosOf returns how many low bits of an integer are 0 whatever a thread computes.
func (e *emitter) zerosOf(v ir.Value, depth int) int {
	if n, ok := e.Bits(v); ok {
		return min(bits.TrailingZeros64(n|1<<most), most)
	}
	in := e.by[v]
	if in == nil || depth > 8 {
		return 0
	}
	of := func(i int) int { return e.zerosOf(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpOr:
		return min(of(0), of(1))
	case ir.OpAnd:
		return max(of(0), of(1))
	case ir.OpMul:
		return min(of(0)+of(1), most)
	case ir.OpShl:
		if n, ok := e.Bits(in.Args[1]); ok {
			return min(of(0)+int(n&31), most)
		}
		return of(0)
	case ir.OpWiden, ir.OpNarrow, ir.OpNeg:
		return of(0)
	}
	return 0
}

// lengthOf returns how many bits an integer takes with its sign, whatever a thread computes.
func (e *emitter) lengthOf(v ir.Value, depth int) int {
	if n, ok := e.Bits(v); ok {
		return bits.Len64(uint64(max(int64(n), -int64(n)))) + 1
	}
	in := e.by[v]
	if in == nil || depth > 8 || e.Type(v) != ir.I64 {
		return e.Type(v).Bits()
	}
	of := func(i int) int { return e.lengthOf(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpAdd, ir.OpSub:
		return min(max(of(0), of(1))+1, 64)
	case ir.OpMul:
		return min(of(0)+of(1), 64)
	case ir.OpWiden:
		return 33
	}
	return 64
}

// full returns a register with a pointer that has the number of its object.
func (e *emitter) full(v ir.Value) string {
	o := e.origins[v]
	if o == unknown {
		return e.reg(v)
	}
	number := fmt.Sprint(int64(o) << offsetBits)
	if e.isActivated(o) {
		number = e.routines.numberOf(o)
	}
	return e.Make(text.Long, "add.s64", e.reg(v), number)
}

// as returns a register with a pointer held as those of an origin are: that of a value to which it is assigned.
func (e *emitter) as(v ir.Value, origin int) string {
	if origin == unknown {
		return e.full(v)
	}
	return e.reg(v)
}
