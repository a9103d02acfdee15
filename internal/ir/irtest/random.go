package irtest

import (
	"math"
	"math/rand/v2"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
)

func floatBits(v float32) uint64 { return uint64(math.Float32bits(v)) }

func float(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

// The objects of a random kernel, and the bytes of each.
const (
	InBuffer  = 1 // floats and integers that it reads
	OutBuffer = 2 // what it writes
	Array     = 3 // a variable in memory
	Size      = 64
)

// variables is how many locals statements assign.
const variables = 16

// Random returns a random kernel, which verifies. It reads InBuffer, writes OutBuffer and ends, sometimes with a trap.
func Random(seed uint64) *ir.Kernel { return random(seed, false) }

// RandomThreads returns the same for several threads, each writing its own part of OutBuffer.
func RandomThreads(seed uint64) *ir.Kernel { return random(seed, true) }

func random(seed uint64, threads bool) *ir.Kernel {
	k := ir.NewKernel("random", parser.Pos{Filename: "random.metal", Line: 1, Column: 1})
	r := &maker{Writer: ir.NewWriter(k), Rand: rand.New(rand.NewPCG(seed, 0)), left: 60, threads: threads}
	k.AddObject(&ir.Object{Kind: ir.Buffer, Name: "in", ReadOnly: true, Routine: -1})
	k.AddObject(&ir.Object{Kind: ir.Buffer, Name: "out", Index: 1, Routine: -1})
	k.AddObject(&ir.Object{Kind: ir.ThreadVariable, Name: "array", Size: Size, Routine: -1})
	k.Inputs = []ir.Input{{Attribute: "thread_position_in_grid"}}
	r.place()
	r.clear()
	for range variables / 4 {
		for _, t := range [...]ir.Type{ir.I32, ir.F32, ir.I64, ir.Bool} {
			k.Locals = append(k.Locals, ir.Local{Type: t})
			r.set(len(k.Locals)-1, r.constant(t))
		}
	}
	r.known = append(r.known, r.OpImm(ir.OpInput, ir.I32, 0))
	r.statements()
	for i := range variables {
		r.output(i)
	}
	r.Emit(ir.Instr{Op: ir.OpReturn})
	return k
}

// maker makes a random kernel.
type maker struct {
	*ir.Writer
	*rand.Rand
	known []ir.Value // that may be used here
	open  []target
	left  int // statements
	line  int

	threads bool // threads write parts of OutBuffer
}

// target is a construct around what is made.
type target struct {
	label   int
	op      ir.Op
	results []ir.Type
}

// place begins a line of the source.
func (r *maker) place() {
	r.line++
	r.At(parser.Pos{Filename: "random.metal", Line: r.line, Column: 1 + r.IntN(9)})
}

func (r *maker) clear() {
	at := r.OpImm(ir.OpAddress, ir.Ptr, Array)
	r.Emit(ir.Instr{Op: ir.OpClear, Type: ir.Ptr, Args: []ir.Value{at}})
}

func (r *maker) set(local int, v ir.Value) {
	r.Emit(ir.Instr{Op: ir.OpSet, Type: r.Locals[local].Type, Imm: int64(local), Args: []ir.Value{v}})
}

func (r *maker) constant(t ir.Type) ir.Value {
	switch t {
	case ir.Bool:
		return r.Known(t, uint64(r.IntN(2)))
	case ir.F32:
		return r.Known(t, floatBits([...]float32{0, 1, -1, 0.5, 3, 1e30, -7.25}[r.IntN(7)]))
	}
	return r.Known(t, uint64([...]int64{0, 1, 2, 3, -1, 7, 31, math.MinInt32, math.MaxInt32}[r.IntN(9)]))
}

// value returns a value of a type.
func (r *maker) value(t ir.Type) ir.Value {
	switch r.IntN(8) {
	case 0:
		return r.constant(t)
	case 1, 2:
		for i, l := range r.Locals[:variables] {
			if l.Type == t && r.IntN(2) == 0 {
				return r.OpImm(ir.OpGet, t, int64(i))
			}
		}
	case 3:
		if t == ir.F32 || t == ir.I32 {
			return r.load(t)
		}
	case 4, 5, 6:
		for range 8 {
			if len(r.known) == 0 {
				break
			}
			if v := r.known[r.IntN(len(r.known))]; r.Type(v) == t {
				return v
			}
		}
	}
	if len(r.known) > 400 {
		return r.constant(t)
	}
	v := r.operation(t)
	r.known = append(r.known, v)
	return v
}

// operation returns the result of an operation.
func (r *maker) operation(t ir.Type) ir.Value {
	two := func(op ir.Op, as ir.Type) ir.Value { return r.Op(op, as, r.value(as.Held()), r.value(as.Held())) }
	switch t {
	case ir.Bool:
		ops := [...]ir.Op{ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe}
		as := [...]ir.Type{ir.S32, ir.U32, ir.F32, ir.S64}[r.IntN(4)]
		op := ops[r.IntN(4)]
		if op == ir.OpEq || op == ir.OpNe {
			as = as.Held()
		}
		return two(op, as)
	case ir.F32:
		switch r.IntN(5) {
		case 0:
			return r.Op(ir.OpToFloat, ir.S32, r.value(ir.I32))
		case 1:
			return r.Op(ir.OpSqrt, t, r.value(t))
		case 2:
			return r.Op(ir.OpSelect, t, r.value(ir.Bool), r.value(t), r.value(t))
		}
		return two([...]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpFmax}[r.IntN(4)], t)
	case ir.I32:
		switch r.IntN(6) {
		case 0:
			return r.OpImm(ir.OpFromFloat, ir.S32, 32, r.value(ir.F32))
		case 1:
			return r.OpImm(ir.OpWrap, ir.S32, 8, r.value(t))
		case 2:
			return r.Op(ir.OpNarrow, ir.I64, r.value(ir.I64))
		case 3:
			return two([...]ir.Op{ir.OpDiv, ir.OpRem}[r.IntN(2)], ir.U32) // a trap, now and then
		}
		return two([...]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpXor, ir.OpShl}[r.IntN(6)], t)
	}
	if r.IntN(3) == 0 {
		return r.Op(ir.OpWiden, ir.S32, r.value(ir.I32))
	}
	return two([...]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpOr}[r.IntN(4)], t)
}

// index returns an index of Size/4 elements, which is not always in range.
func (r *maker) index() ir.Value {
	if r.IntN(3) > 0 {
		return r.Known(ir.I32, uint64(r.IntN(Size/4)))
	}
	most := uint64(Size/4 - 1)
	if r.IntN(20) == 0 {
		most = 2*most + 1
	}
	return r.Op(ir.OpAnd, ir.I32, r.value(ir.I32), r.Known(ir.I32, most))
}

func (r *maker) access(t ir.Type, object int) (ir.Value, *ir.Access) {
	kind, space := ir.Float32, ir.Device
	if t == ir.I32 {
		kind = ir.Word32
	}
	if object == Array {
		space = ir.Thread
	}
	at := r.OpImm(ir.OpAddress, ir.Ptr, int64(object))
	if r.threads && object == OutBuffer {
		at = r.OpImm(ir.OpMove, ir.U32, Size, at, r.OpImm(ir.OpInput, ir.I32, 0))
	}
	return at, &ir.Access{Space: space, Kind: kind, Count: 1, Index: ir.S32, Scale: 4}
}

func (r *maker) load(t ir.Type) ir.Value {
	object := [...]int{InBuffer, Array}[r.IntN(2)]
	at, a := r.access(t, object)
	return r.Emit(ir.Instr{Op: ir.OpLoad, Type: t, Args: []ir.Value{at, r.index()}, Aux: a}, t).Results[0]
}

func (r *maker) store(t ir.Type, object int) {
	at, a := r.access(t, object)
	i := r.index()
	if r.threads && object == OutBuffer {
		i = r.Op(ir.OpAnd, ir.I32, i, r.Known(ir.I32, Size/4-1))
	}
	r.Emit(ir.Instr{Op: ir.OpStore, Type: t, Args: []ir.Value{at, i, r.value(t)}, Aux: a})
}

// output stores a local.
func (r *maker) output(local int) {
	t := r.Locals[local].Type
	v := r.OpImm(ir.OpGet, t, int64(local))
	if t == ir.Bool || t == ir.I64 {
		if t == ir.Bool {
			v = r.Op(ir.OpFromBool, ir.I32, v)
		} else {
			v = r.Op(ir.OpNarrow, ir.I64, v)
		}
		t = ir.I32
	}
	at, a := r.access(t, OutBuffer)
	r.Emit(ir.Instr{Op: ir.OpStore, Type: t, Args: []ir.Value{at, r.Known(ir.I32, uint64(local)), v}, Aux: a})
}
