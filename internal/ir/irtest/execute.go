package irtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
)

// Thread is a thread of a kernel: what it is told, and the memory that it reaches.
type Thread struct {
	Inputs []uint32
	Memory [][]byte // by object
	Steps  int      // that are left: a thread that takes more ends with ErrSteps
}

// ErrSteps is what the execution of a kernel that takes too many steps ends with.
var ErrSteps = errors.New("too many steps")

// Trap is what a thread ends with that does what it must not.
type Trap struct {
	Op       ir.Op
	Position string
}

func (t *Trap) Error() string { return fmt.Sprintf("%s: %s traps", t.Position, t.Op) }

// Execute executes a kernel with one thread. It knows no operations that communicate between threads, textures, atomics
// or routines.
func Execute(k *ir.Kernel, t *Thread) error {
	e := &execution{Kernel: k, Thread: t, values: make([]uint64, k.Values()), locals: make([]uint64, len(k.Locals))}
	for v := range e.values {
		e.values[v], _ = k.Bits(ir.Value(v))
	}
	_, err := e.region(k.Body)
	return err
}

type execution struct {
	*ir.Kernel
	*Thread
	values, locals []uint64
}

// region executes a region, and returns the terminator at its end.
func (e *execution) region(r *ir.Region) (*ir.Instr, error) {
	for _, in := range r.Code {
		if e.Steps--; e.Steps < 0 {
			return nil, ErrSteps
		}
		info := in.Op.Info()
		switch {
		case info.Has(ir.Terminates):
			return in, nil
		case info.Has(ir.Constructs):
			end, err := e.construct(in)
			if err != nil || end != nil {
				return end, err
			}
		default:
			if err := e.instruction(in); err != nil {
				return nil, err
			}
		}
	}
	return nil, errors.New("a region without an end")
}

// construct executes a construct. It returns the terminator of one around it that a thread has come to, or nil.
func (e *execution) construct(in *ir.Instr) (*ir.Instr, error) {
	region := 0
	var carried []uint64
	switch in.Op {
	case ir.OpIf:
		if e.values[in.Args[0]] == 0 {
			region = 1
		}
	case ir.OpLoop:
		carried = e.list(in.Args)
	case ir.OpSwitch:
		carried = e.list(in.Args[1:])
		region = e.chosen(in)
	}
	for {
		r := in.Regions[region]
		e.assign(r.Params, carried)
		end, err := e.region(r)
		if err != nil {
			return nil, err
		}
		values := e.list(end.Args)
		switch {
		case end.Op == ir.OpReturn || end.Label() != in.Label():
			return end, nil
		case end.Op == ir.OpLeave:
			e.assign(in.Results, values)
			return nil, nil
		case end.Op == ir.OpFall:
			region++
		}
		carried = values
	}
}

// chosen returns the region of a switch that its number leads to.
func (e *execution) chosen(in *ir.Instr) int {
	cases := in.Aux.(*ir.Cases)
	x := e.values[in.Args[0]]
	for i, list := range cases.Values {
		for _, bits := range list {
			if in.Type.Bits() == 32 && uint32(bits) == uint32(x) || bits == x {
				return i
			}
		}
	}
	return cases.Default
}

func (e *execution) list(values []ir.Value) []uint64 {
	list := make([]uint64, len(values))
	for i, v := range values {
		list[i] = e.values[v]
	}
	return list
}

func (e *execution) assign(values []ir.Value, bits []uint64) {
	for i, v := range values {
		e.values[v] = bits[i]
	}
}

func (e *execution) instruction(in *ir.Instr) error {
	args := e.list(in.Args)
	trap := &Trap{in.Op, fmt.Sprint(e.Position(in))}
	one := func(bits uint64) error {
		e.values[in.Result()] = bits
		return nil
	}
	switch in.Op {
	case ir.OpUnset, ir.OpDefined:
		return one(0)
	case ir.OpGet:
		return one(e.locals[in.Imm])
	case ir.OpSet:
		e.locals[in.Imm] = args[0]
		return nil
	case ir.OpInput:
		return one(uint64(e.Thread.Inputs[in.Imm]))
	case ir.OpAddress:
		return one(uint64(in.Imm) << 48)
	case ir.OpMove:
		return one(args[0] + uint64(integer(in.Type, args[1])*in.Imm))
	case ir.OpDiff:
		return one(uint64(int64(args[0]-args[1]) / in.Imm))
	case ir.OpBeside: // no two objects share memory
		return one(args[1])
	case ir.OpPtrBits, ir.OpBitsPtr:
		return one(args[0])
	case ir.OpClear:
		clear(e.Memory[args[0]>>48])
		return nil
	case ir.OpLoad, ir.OpStore, ir.OpCheck:
		return e.access(in, args, trap)
	case ir.OpPick:
		if uint32(args[0]) >= uint32(len(args)-1) {
			return trap
		}
		return one(args[1+args[0]])
	case ir.OpCheckIndex:
		if uint32(args[0]) >= uint32(in.Imm) {
			return trap
		}
		return nil
	case ir.OpFault:
		return trap
	}
	bits, ok := ir.Eval(in.Op, in.Type, in.Imm, args...)
	if !ok {
		if in.Op.Info().Has(ir.Traps) {
			return trap
		}
		return fmt.Errorf("%s is not known", in.Op)
	}
	return one(bits)
}

// integer returns the value of an integer.
func integer(t ir.Type, bits uint64) int64 {
	switch t {
	case ir.S32:
		return int64(int32(bits))
	case ir.U32:
		return int64(uint32(bits))
	}
	return int64(bits)
}

func (e *execution) access(in *ir.Instr, args []uint64, trap error) error {
	a := in.Aux.(*ir.Access)
	at := args[0]
	rest := args[1:]
	if a.Index != ir.Void {
		at += uint64(integer(a.Index, rest[0]) * int64(a.Scale))
		rest = rest[1:]
	}
	at += uint64(a.Offset)
	object, offset := (at+1<<47)>>48, int64(at<<16)>>16
	size := int64(a.Kind.Bytes())
	if object == 0 || int(object) >= len(e.Memory) {
		return trap
	}
	bytes := e.Memory[object]
	for i := range a.Count {
		begin := offset + int64(i)*size
		if begin < 0 || begin+size > int64(len(bytes)) || !a.Packed && begin%size != 0 {
			return trap
		}
		scalar := bytes[begin : begin+size]
		switch in.Op {
		case ir.OpLoad:
			e.values[in.Results[i]] = load(a.Kind, scalar)
		case ir.OpStore:
			store(a.Kind, scalar, rest[i])
		}
	}
	return nil
}

// load returns the bits of a value that memory holds.
func load(kind ir.Scalar, from []byte) uint64 {
	var b [8]byte
	copy(b[:], from)
	bits := binary.LittleEndian.Uint64(b[:])
	switch kind {
	case ir.Byte:
		return min(bits, 1)
	case ir.Int8:
		return uint64(uint32(int8(bits)))
	case ir.Int16:
		return uint64(uint32(int16(bits)))
	case ir.Half16:
		return floatBits(fmath.HalfFromBits(uint16(bits)))
	case ir.BFloat16:
		return floatBits(fmath.BFloatFromBits(uint16(bits)))
	}
	return bits
}

func store(kind ir.Scalar, to []byte, bits uint64) {
	switch kind {
	case ir.Half16:
		bits = uint64(fmath.HalfBits(float(bits)))
	case ir.BFloat16:
		bits = uint64(fmath.BFloatBits(float(bits)))
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(to, b[:])
}

// NewThread returns a thread of a random kernel, whose input depends on a seed.
func NewThread(k *ir.Kernel, seed uint64) *Thread {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &Thread{Inputs: []uint32{r.Uint32N(100)}, Memory: make([][]byte, len(k.Objects)), Steps: 1 << 16}
	for i := range t.Memory[1:] {
		t.Memory[1+i] = make([]byte, Size)
	}
	for i := range Size / 4 {
		bits := uint32(r.IntN(20) - 5)
		if i%2 == 1 {
			bits = uint32(floatBits(float32(r.IntN(64)-20) / 4))
		}
		binary.LittleEndian.PutUint32(t.Memory[InBuffer][4*i:], bits)
	}
	return t
}
