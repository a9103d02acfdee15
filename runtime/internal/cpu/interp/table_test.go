package interp

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// operationsElsewhere are those of ir that the emitter makes without a row of the table.
var operationsElsewhere = map[ir.Op]bool{
	ir.OpUnset: true, ir.OpGet: true, ir.OpSet: true, ir.OpInput: true, ir.OpConstant: true, ir.OpDefined: true,
	ir.OpAddress: true, ir.OpFloatBits: true, ir.OpPtrBits: true, ir.OpBitsPtr: true, ir.OpFromMem: true,
	ir.OpLoad: true, ir.OpStore: true, ir.OpAtomic: true, ir.OpExchange: true, ir.OpCheck: true,
	ir.OpBarrier: true, ir.OpSimdBarrier: true, ir.OpFence: true, ir.OpMatrix: true, ir.OpMatrixLoad: true,
	ir.OpMatrixStore: true, ir.OpTexture: true, ir.OpTextureFence: true, ir.OpLog: true, ir.OpPick: true, ir.OpFault: true,
	ir.OpBlock: true, ir.OpIf: true, ir.OpLoop: true, ir.OpSwitch: true, ir.OpLeave: true, ir.OpAgain: true,
	ir.OpFall: true, ir.OpReturn: true, ir.OpCall: true,
}

func TestEveryOperationOfIRIsInTheTable(t *testing.T) {
	for op := ir.Op(1); int(op) < ir.Ops(); op++ {
		for on := ir.Type(0); on < ir.Type(program.Types); on++ {
			if !op.Info().On(on) || operationsElsewhere[op] {
				continue
			}
			if Operations()[program.OpcodeOf(op, on, 0)] == nil && Operations()[program.OpcodeOf(op, on, 8)] == nil {
				t.Errorf("%s on %s has no operation", op, on)
			}
		}
	}
	for op := program.Opcode(1); int(op) < program.Opcodes(); op++ {
		if op.String() == "" {
			t.Errorf("operation %d has no name", op)
		}
	}
}

// TestOperationsComputeWhatIRSays compares the loop over the lanes of each operation with its function in ir's table,
// on values that differ from lane to lane, are the same, or count up.
func TestOperationsComputeWhatIRSays(t *testing.T) {
	m := newLaneMachine()
	r := rand.New(rand.NewPCG(1, 2))
	for op := ir.Op(1); int(op) < ir.Ops(); op++ {
		for on := ir.Type(0); on < ir.Type(program.Types); on++ {
			if !op.Info().On(on) || ir.Function(op, on) == nil && op != ir.OpSelect || operationsElsewhere[op] {
				continue
			}
			for _, imm := range immsOf(op, on) {
				run := Operations()[program.OpcodeOf(op, on, imm)]
				for form := range 30 {
					m.compare(t, r, op, on, imm, run, form)
				}
			}
		}
	}
}

// immsOf returns what the Imm of an operation may be.
func immsOf(op ir.Op, on ir.Type) []int64 {
	switch op {
	case ir.OpWrap:
		return []int64{8, 16}
	case ir.OpFract, ir.OpNextafter, ir.OpFma:
		return []int64{0, ir.OfHalf, ir.OfBFloat}
	case ir.OpFromFloat, ir.OpAbs, ir.OpAddSat, ir.OpSubSat, ir.OpMulHigh, ir.OpRotate, ir.OpClz, ir.OpCtz,
		ir.OpPopcount, ir.OpReverseBits:
		if on.Held() == ir.I32 {
			return []int64{8, 16, 32}
		}
	}
	return []int64{int64(on.Bits())}
}

// laneMachine is a frame with a few registers.
type laneMachine struct {
	frame Frame
}

func newLaneMachine() *laneMachine {
	m := &laneMachine{}
	m.frame.Mask = full
	return m
}

// compare carries out an operation on operands of one of several forms.
func (m *laneMachine) compare(t *testing.T, r *rand.Rand, op ir.Op, on ir.Type, imm int64, run Operation, form int) {
	t.Helper()
	backing := make([]uint64, (6*program.LongBytes+program.LineSize)/8)
	f := &m.frame
	start := unsafe.Pointer(&backing[0])
	f.Memory = unsafe.Add(start, -uintptr(start)&(program.LineSize-1))
	types := operandsIn(op, on)
	var operands [4][width]uint64
	in := program.Instruction{Imm: imm, D: 5 * program.LongBytes}
	for i, o := range types {
		at32 := int32(i) * program.LongBytes
		*[]*int32{&in.A, &in.B, &in.C, &in.Target}[i] = at32
		for l := range width {
			operands[i][l] = someBits(r, o, op, imm)
			if form%3 == 1 && l > 0 || form%3 == 2 && i == 1 && l > 0 {
				operands[i][l] = operands[i][0]
			}
		}
		if (op == ir.OpDiv || op == ir.OpRem) && i == 1 {
			for l := range width {
				if operands[i][l] == 0 {
					operands[i][l] = 1
				}
			}
		}
		setLanesOf(f, o, at32, &operands[i], form%3 == 1 || form%3 == 2 && i == 1)
	}
	if op == ir.OpSelect {
		in.A, in.B, in.C = in.B, in.C, in.A
	}
	run(f, &in)
	for l := range width {
		var bits []uint64
		for i := range types {
			bits = append(bits, operands[i][l])
		}
		want, ok := ir.Eval(op, on, imm, bits...)
		if !ok {
			continue
		}
		got := laneOf(f, op.Result(on), in.D, l)
		if got != want && !(op.Result(on) == ir.F32 && isNaN32(got) && isNaN32(want)) {
			t.Fatalf("%s on %s, imm %d, of %x: %x in lane %d, not %x", op, on, imm, bits, got, l, want)
		}
	}
}

func isNaN32(bits uint64) bool { v := math.Float32frombits(uint32(bits)); return v != v }

// operandsIn returns the types of the operands of an operation.
func operandsIn(op ir.Op, on ir.Type) []ir.Type {
	var list []ir.Type
	for _, letter := range op.Info().Signature {
		switch letter {
		case ':':
			return list
		case 'T':
			list = append(list, on.Held())
		case 'b':
			list = append(list, ir.Bool)
		case 'i':
			list = append(list, ir.I32)
		case 'l':
			list = append(list, ir.I64)
		case 'f':
			list = append(list, ir.F32)
		}
	}
	return list
}

// someBits returns a value of a type: small ones, the ends, and any.
func someBits(r *rand.Rand, t ir.Type, op ir.Op, imm int64) uint64 {
	switch t {
	case ir.Bool:
		return r.Uint64() & 1
	case ir.F32:
		some := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1e30, -1e30, 3.25, 255.5, 1e-40,
			float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
		v := some[r.IntN(len(some))]
		if r.IntN(3) > 0 {
			v = float32(r.NormFloat64() * math.Pow(2, float64(r.IntN(60)-30)))
		}
		if imm == ir.OfHalf {
			v, _ = roundedTo(ir.OpRoundHalf, v)
		}
		if imm == ir.OfBFloat {
			v, _ = roundedTo(ir.OpRoundBFloat, v)
		}
		return uint64(math.Float32bits(v))
	}
	v := r.Uint64() >> r.IntN(64)
	if r.IntN(4) == 0 {
		v = -v
	}
	if t == ir.I32 {
		if imm < 32 && op != ir.OpWrap && imm > 0 {
			return uint64(uint32(int32(v<<(64-imm)>>(64-imm)))) & 0x7F
		}
		return uint64(uint32(v))
	}
	return v
}

func roundedTo(op ir.Op, v float32) (float32, bool) {
	bits, ok := ir.Eval(op, ir.F32, 0, uint64(math.Float32bits(v)))
	return math.Float32frombits(uint32(bits)), ok
}

func setLanesOf(f *Frame, t ir.Type, r int32, v *[width]uint64, uniform bool) {
	switch t {
	case ir.Bool:
		var m uint32
		for l, b := range v {
			m |= uint32(b) << l
		}
		*MaskAt(f, r) = m
	case ir.I32, ir.F32:
		if uniform {
			At[uint32](f, r).Set(uint32(v[0]))
			return
		}
		z := At[uint32](f, r).vector()
		for l, b := range v {
			z[l] = uint32(b)
		}
	default:
		if uniform {
			At[uint64](f, r).Set(v[0])
			return
		}
		*At[uint64](f, r).vector() = *v
	}
}

func laneOf(f *Frame, t ir.Type, r int32, l int) uint64 {
	switch t {
	case ir.Bool:
		return uint64(*MaskAt(f, r) >> l & 1)
	case ir.I32, ir.F32:
		return uint64(At[uint32](f, r).Value(l))
	}
	return At[uint64](f, r).Value(l)
}
