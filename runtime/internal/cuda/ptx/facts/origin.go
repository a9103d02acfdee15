package facts

import (
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
)

// Where pointers come from. A pointer to which all paths lead from one object is held as its offset in it.

const (
	OffsetBits = 48
	// Unknown is the origin of a pointer that may lead to any object, and is held with its number.
	Unknown = 0
	// nowhere is that of one that nothing has been said about yet.
	nowhere = -1
)

// most is how many low bits are 0 of an offset that is 0 itself.
const most = 47

// findOrigins finds the object of each pointer, and how its offset is aligned: what holds whichever way a thread comes.
func (f *Facts) findOrigins() {
	f.Origins, f.Zeros = make([]int, f.Values()), make([]int, f.Values())
	for v := range f.Origins {
		f.Origins[v], f.Zeros[v] = nowhere, most
		if _, ok := f.Bits(ir.Value(v)); ok {
			f.Origins[v], f.Zeros[v] = Unknown, 0
		}
	}
	for _, one := range f.Kernel.Routines {
		for _, v := range one.Body.Params {
			f.Origins[v], f.Zeros[v] = Unknown, 0
		}
	}
	for changed := true; changed; {
		changed = false
		for r := range f.Bodies() {
			changed = f.originsIn(r, nil) || changed
		}
	}
	for v, o := range f.Origins {
		if o == nowhere {
			f.Origins[v] = Unknown
		}
	}
}

// merge notes that a pointer may be another one, with an offset that has so many more zeros at its end at most.
func (f *Facts) merge(to ir.Value, origin, zeros int) bool {
	if f.Type(to) != ir.Ptr || origin == nowhere {
		return false
	}
	was, wasZeros := f.Origins[to], f.Zeros[to]
	switch {
	case was == nowhere:
		f.Origins[to] = origin
	case was != origin:
		f.Origins[to] = Unknown
	}
	f.Zeros[to] = min(wasZeros, zeros)
	return f.Origins[to] != was || f.Zeros[to] != wasZeros
}

func (f *Facts) mergeAll(to, from []ir.Value) bool {
	changed := false
	for i, v := range from {
		if f.Type(v) == ir.Ptr {
			changed = f.merge(to[i], f.Origins[v], f.Zeros[v]) || changed
		}
	}
	return changed
}

func (f *Facts) originsIn(r *ir.Region, open []*ir.Instr) bool {
	changed := false
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpAddress:
			changed = f.merge(in.Result(), int(in.Imm), most) || changed
		case ir.OpMove:
			zeros := min(f.Zeros[in.Args[0]], f.ZerosOf(in.Args[1], 0)+bits.TrailingZeros64(uint64(in.Imm)|1<<most))
			changed = f.merge(in.Result(), f.Origins[in.Args[0]], zeros) || changed
		case ir.OpSelect:
			for _, v := range in.Args[1:] {
				changed = f.mergeAll(in.Results, []ir.Value{v}) || changed
			}
		case ir.OpPick:
			for _, v := range in.Args[1:] {
				changed = f.mergeAll(in.Results, []ir.Value{v}) || changed
			}
		case ir.OpLeave, ir.OpAgain, ir.OpFall:
			for i := len(open) - 1; i >= 0; i-- {
				if c := open[i]; c.Label() == in.Label() {
					changed = f.mergeAll(f.Targets(in, c), in.Args) || changed
				}
			}
		default:
			if in.Op.Info().Has(ir.Constructs) {
				for _, inner := range in.Regions {
					changed = f.mergeAll(inner.Params, in.Initial()) || changed
					changed = f.originsIn(inner, append(open, in)) || changed
				}
				continue
			}
			for _, v := range in.Results {
				changed = f.merge(v, Unknown, 0) || changed
			}
		}
	}
	return changed
}

// Targets returns what a terminator that leads to a construct assigns its operands to.
func (f *Facts) Targets(in, to *ir.Instr) []ir.Value {
	switch in.Op {
	case ir.OpAgain:
		return to.Regions[0].Params
	case ir.OpFall:
		return to.Regions[1].Params // all regions have parameters of the same types
	}
	return to.Results
}

// ZerosOf returns how many low bits of an integer are 0 whatever a thread computes.
func (f *Facts) ZerosOf(v ir.Value, depth int) int {
	if n, ok := f.Bits(v); ok {
		return min(bits.TrailingZeros64(n|1<<most), most)
	}
	in := f.By[v]
	if in == nil || depth > 8 {
		return 0
	}
	of := func(i int) int { return f.ZerosOf(in.Args[i], depth+1) }
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpOr:
		return min(of(0), of(1))
	case ir.OpAnd:
		return max(of(0), of(1))
	case ir.OpMul:
		return min(of(0)+of(1), most)
	case ir.OpShl:
		if n, ok := f.Bits(in.Args[1]); ok {
			return min(of(0)+int(n&31), most)
		}
		return of(0)
	case ir.OpWiden, ir.OpNarrow, ir.OpNeg:
		return of(0)
	}
	return 0
}

// LengthOf returns how many bits an integer takes with its sign, whatever a thread computes.
func (f *Facts) LengthOf(v ir.Value, depth int) int {
	if n, ok := f.Bits(v); ok {
		return bits.Len64(uint64(max(int64(n), -int64(n)))) + 1
	}
	in := f.By[v]
	if in == nil || depth > 8 || f.Type(v) != ir.I64 {
		return f.Type(v).Bits()
	}
	of := func(i int) int { return f.LengthOf(in.Args[i], depth+1) }
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

// RootOf returns the pointer from which one has been moved by a constant, and how far.
func (f *Facts) RootOf(v ir.Value) (root ir.Value, fixed int64) {
	for {
		made := f.By[v]
		if made == nil || made.Op != ir.OpMove || f.Origins[made.Args[0]] == Unknown {
			return v, fixed
		}
		n, ok := f.Bits(made.Args[1])
		by := BytesOf(made.Type, n, made.Imm)
		if !ok || by < 0 || by > 1<<20 || fixed+by > 1<<24 {
			return v, fixed
		}
		v, fixed = made.Args[0], fixed+by
	}
}

// BytesOf returns so many elements of so many bytes: where they go too far, what is lost.
func BytesOf(t ir.Type, n uint64, scale int64) int64 {
	elements := signedBits(t, n)
	if limit := Reach / max(scale, -scale, 1); elements > limit {
		return Lost
	} else if elements < -limit {
		return -Lost
	}
	return elements * scale
}

func signedBits(t ir.Type, n uint64) int64 {
	switch t {
	case ir.S32:
		return int64(int32(n))
	case ir.U32:
		return int64(uint32(n))
	}
	return int64(n)
}

// Reach is how far pointers may be moved. Those that go further are lost: no move brings them back.
const (
	Reach = int64(1) << 46
	Lost  = int64(1) << 60
)
