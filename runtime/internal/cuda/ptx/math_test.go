package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
)

// functionKernel returns a kernel that has one operation on floats, from buffer 1 to buffer 2.
func functionKernel(op ir.Op, operands int, imm int64) *ir.Kernel {
	k := ir.NewKernel("function", parser.Pos{})
	k.AddObject(&ir.Object{Kind: ir.Buffer, Name: "in", Space: ir.Device, Routine: -1})
	k.AddObject(&ir.Object{Kind: ir.Buffer, Name: "out", Space: ir.Device, Index: 1, Routine: -1})
	w := ir.NewWriter(k)
	w.At(parser.Pos{Filename: "f.metal", Line: 1, Column: 1})
	from, to := w.OpImm(ir.OpAddress, ir.Ptr, 1), w.OpImm(ir.OpAddress, ir.Ptr, 2)
	for i := range count {
		var args []ir.Value
		for o := range operands {
			load := w.Emit(ir.Instr{Op: ir.OpLoad, Type: ir.F32, Args: []ir.Value{from},
				Aux: &ir.Access{Space: ir.Device, Kind: ir.Float32, Count: 1, Offset: int64(4 * (i*operands + o))}}, ir.F32)
			args = append(args, load.Result())
		}
		kind := ir.Float32
		if op == ir.OpIlogb || op == ir.OpFrexpExponent {
			kind = ir.Word32
		}
		result := w.Emit(ir.Instr{Op: op, Type: ir.F32, Imm: imm, Args: args}, kind.Held()).Result()
		w.Emit(ir.Instr{Op: ir.OpStore, Type: kind.Held(), Args: []ir.Value{to, result},
			Aux: &ir.Access{Space: ir.Device, Kind: kind, Count: 1, Offset: int64(4 * i)}})
	}
	w.Emit(ir.Instr{Op: ir.OpReturn})
	return k
}

// count is how many numbers each function is tried with.
const count = 96

var awkwardFloats = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.5, 2, -2, 3, 1e-45, -1e-40,
	0x1p-126, 88.7, -88,
	127.5, 1e10, -1e10, 1 << 20, 1<<20 + 1, 3.4e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

// TestFunctionsOfFloatsHaveTheBitsOfTheCPUDevice compares with what ir says, which is what the CPU device computes.
// Sines of large numbers and hyperbolic ones, which that leaves to package math, may be off by one unit in the last
// place.
func TestFunctionsOfFloatsHaveTheBitsOfTheCPUDevice(t *testing.T) {
	for op := ir.Op(1); int(op) < ir.Ops(); op++ {
		if info := op.Info(); !info.On(ir.F32) || ir.Function(op, ir.F32) == nil {
			continue
		}
		from, to, _ := strings.Cut(op.Info().Signature, ":")
		operands := len(from)
		if strings.Trim(from, "T") != "" || to == "b" {
			continue
		}
		if op == ir.OpFloatBits || op == ir.OpHalfBits || op == ir.OpBFloatBits {
			continue
		}
		if op == ir.OpToUnorm || op == ir.OpToSnorm || op == ir.OpToSRGB {
			continue
		}
		k := functionKernel(op, operands, 0)
		t.Run(op.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(op), 1))
			in := make([]byte, 4*count*operands)
			for i := range count * operands {
				v := math.Float32frombits(r.Uint32())
				switch {
				case r.IntN(3) == 0:
					v = awkwardFloats[r.IntN(len(awkwardFloats))]
				case r.IntN(3) == 0:
					v = r.Float32()*2 - 1
				case r.IntN(2) == 0:
					v = float32(r.NormFloat64() * 10)
				}
				binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(v))
			}
			out := make([]byte, 4*count)
			if _, err := on(k, 1, [][]byte{1: in, 2: out}, ptx.Options{}); err != nil {
				t.Skip(err)
			}
			for i := range count {
				var x []uint64
				var shown []float32
				for o := range operands {
					bits := binary.LittleEndian.Uint32(in[4*(i*operands+o):])
					x, shown = append(x, uint64(bits)), append(shown, math.Float32frombits(bits))
				}
				want, _ := ir.Eval(op, ir.F32, 0, x...)
				got := binary.LittleEndian.Uint32(out[4*i:])
				if problem := unlike(op, shown, got, uint32(want)); problem != "" {
					t.Errorf("%s of %v: %s", op, shown, problem)
				}
			}
		})
	}
}

func unlike(op ir.Op, x []float32, got, want uint32) string {
	g, w := math.Float32frombits(got), math.Float32frombits(want)
	far := (op == ir.OpSin || op == ir.OpCos || op == ir.OpTan) && max(x[0], -x[0]) > 1<<20
	near := (far || op == ir.OpSinh || op == ir.OpCosh) && max(got, want)-min(got, want) <= 1
	if got == want || g != g && w != w || near {
		return ""
	}
	return fmt.Sprintf("%v (%08x), not %v (%08x)", g, got, w, want)
}
