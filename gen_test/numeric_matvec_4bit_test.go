package gen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// matvec4bitKernels multiply one matrix by one vector. All take the same arguments.
var matvec4bitKernels = []struct {
	name string
	call func(*runtime.Batch, gen.DequantMatvec4bitArgs)
}{
	{"dequant_matvec_4bit", gen.DequantMatvec4bit},
	{"dequant_matvec_4bit_fast", func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
		gen.DequantMatvec4bitFast(b, gen.DequantMatvec4bitFastArgs(a))
	}},
	{"dequant_matvec_4bit_v3", func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
		gen.DequantMatvec4bitV3(b, gen.DequantMatvec4bitV3Args(a))
	}},
	{"dequant_matvec_4bit_v4", func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
		gen.DequantMatvec4bitV4(b, gen.DequantMatvec4bitV4Args(a))
	}},
	{"dequant_matvec_4bit_v5", func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
		gen.DequantMatvec4bitV5(b, gen.DequantMatvec4bitV5Args(a))
	}},
}

// matvecShape is a matrix and the number of vectors it is multiplied by.
type matvecShape struct{ rows, cols, group, tokens int }

func (s matvecShape) String() string {
	return fmt.Sprintf("%dx%d in groups of %d times %d", s.rows, s.cols, s.group, s.tokens)
}

var matvec4bitShapes = []matvecShape{
	{1, 8, 8, 1},           // one word
	{1, 104, 40, 2},        // one row, the last group short
	{13, 1000, 64, 3},      // neither rows of a threadgroup nor quads of words come out even
	{300, 40, 8, 1},        // rows for two threadgroups of one thread a row
	{9, 520, 1024, 2},      // one group, longer than the row
	{24, 4096, 64, 2},      // one tile of x
	{9, 4104, 64, 1},       // a tile and one word
	{10, 8200, 40, 2},      // three tiles, groups across their borders
	{3, 12320, 128, 1},     // four tiles, the last with an odd quad
	{1, 16384, 1 << 13, 1}, // groups of two tiles
}

// matvec is a matrix, some vectors and what the products should be.
type matvec struct {
	quantized
	x    []float32 // of all tokens
	want reference // of all tokens
}

func newMatvec(seed uint64, bits int, s matvecShape) matvec {
	m := newQuantized(seed, bits, s.rows, s.cols, s.group)
	x := uniform(seed+1000, s.tokens*s.cols, -1, 1)
	return matvec{m, x, m.times(x)}
}

// times multiplies m by each of the vectors in x.
func (m quantized) times(x []float32) reference {
	r := newReference(len(x) / m.cols * m.rows)
	for row := range m.rows {
		for col := range m.cols {
			weight := m.at(row, col)
			for token := range len(x) / m.cols {
				r.add(token*m.rows+row, weight*float64(x[token*m.cols+col]))
			}
		}
	}
	return r
}

// args returns those for the first vector, except the output.
func (m matvec) args(t testing.TB, dev *runtime.Device) gen.DequantMatvec4bitArgs {
	return gen.DequantMatvec4bitArgs{
		WPacked:   input(t, dev, m.words),
		Scales:    input(t, dev, m.scales),
		Biases:    input(t, dev, m.biases),
		X:         input(t, dev, m.x[:m.cols]),
		OutDim:    uint32(m.rows),
		InDim:     uint32(m.cols),
		GroupSize: uint32(m.group),
	}
}

// first returns the reference of the first vector.
func (m matvec) first() reference {
	return reference{m.want.want[:m.rows], m.want.scale[:m.rows]}
}

func TestMatvec4bitIsTheProduct(t *testing.T) {
	dev := openDevice(t)
	for i, s := range matvec4bitShapes {
		m := newMatvec(uint64(i), 4, s)
		t.Run(s.String(), func(t *testing.T) {
			a := m.args(t, dev)
			var naive []float32
			for _, k := range matvec4bitKernels {
				a.Out = output[float32](t, dev, s.rows)
				execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
				got := a.Out.Data()
				m.first().check(t, k.name, got, sumRel)
				if naive == nil {
					naive = got
				}
				compare(t, k.name+" against "+matvec4bitKernels[0].name, got, floats64(naive), m.first().scale, sumRel)
			}
		})
	}
}

func floats64(s []float32) []float64 {
	f := make([]float64, len(s))
	for i := range s {
		f[i] = float64(s[i])
	}
	return f
}

func TestMatvec4bitOfSeveralTokensIsThatOfEach(t *testing.T) {
	dev := openDevice(t)
	for i, s := range matvec4bitShapes {
		m := newMatvec(uint64(i), 4, s)
		t.Run(s.String(), func(t *testing.T) {
			a := m.args(t, dev)
			all := input(t, dev, m.x)
			fast, v3 := output[float32](t, dev, s.tokens*s.rows), output[float32](t, dev, s.tokens*s.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.DequantMatvec4bitFastNTokens(b, gen.DequantMatvec4bitFastNTokensArgs{
					WPacked: a.WPacked, Scales: a.Scales, Biases: a.Biases, XInputs: all, Out: fast,
					OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize, NTokens: uint32(s.tokens),
				})
				gen.DequantMatvec4bitV3NTokens(b, gen.DequantMatvec4bitV3NTokensArgs{
					WPacked: a.WPacked, Scales: a.Scales, Biases: a.Biases, XInputs: all, Out: v3,
					OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize, NTokens: uint32(s.tokens),
					NumRowTiles: uint32(ceilDiv(s.rows, 8)),
				})
			})
			m.want.check(t, "dequant_matvec_4bit_fast_n_tokens", fast.Data(), sumRel)
			m.want.check(t, "dequant_matvec_4bit_v3_n_tokens", v3.Data(), sumRel)

			for token := range s.tokens {
				a.X = all.Slice(token*s.cols, (token+1)*s.cols)
				fastOne, v3One := output[float32](t, dev, s.rows), output[float32](t, dev, s.rows)
				execute(t, dev, func(b *runtime.Batch) {
					a.Out = fastOne
					gen.DequantMatvec4bitFast(b, gen.DequantMatvec4bitFastArgs(a))
					a.Out = v3One
					gen.DequantMatvec4bitV3(b, gen.DequantMatvec4bitV3Args(a))
				})
				from, to := token*s.rows, (token+1)*s.rows
				sameBits(t, fmt.Sprint("fast, token ", token), fast.Data()[from:to], fastOne.Data())
				sameBits(t, fmt.Sprint("v3, token ", token), v3.Data()[from:to], v3One.Data())
			}
		})
	}
}

// The kernels with a threadgroup for each row say that it may have any size. What
// is one threadgroup too many has nothing to do.
func TestMatvec4bitWithThreadgroupsOfAnySize(t *testing.T) {
	dev := openDevice(t)
	s := matvecShape{5, 1000, 40, 2}
	gate, up := newMatvec(1, 4, s), newMatvec(2, 4, s)
	swiglu := gatedReference(gate.first(), up.times(gate.x[:s.cols]))
	for _, threads := range []int{1, 7, 32, 33, 100, 256, 1000, 1024} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			a, u := gate.args(t, dev), up.args(t, dev)
			a.Grid = groups(s.rows+1, 1, 1, threads, 1, 1)
			a.Out = output[float32](t, dev, s.rows)
			all := output[float32](t, dev, s.tokens*s.rows)
			gated := output[float32](t, dev, s.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.DequantMatvec4bitFast(b, gen.DequantMatvec4bitFastArgs(a))
				gen.DequantMatvec4bitFastNTokens(b, gen.DequantMatvec4bitFastNTokensArgs{
					WPacked: a.WPacked, Scales: a.Scales, Biases: a.Biases, XInputs: input(t, dev, gate.x), Out: all,
					OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize, NTokens: uint32(s.tokens),
					Grid: groups(s.rows*s.tokens+1, 1, 1, threads, 1, 1),
				})
				gen.FusedGateUpSwiglu(b, gen.FusedGateUpSwigluArgs{
					GateW: a.WPacked, GateS: a.Scales, GateB: a.Biases,
					UpW: u.WPacked, UpS: u.Scales, UpB: u.Biases,
					X: a.X, Out: gated, OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize, Grid: a.Grid,
				})
			})
			gate.first().check(t, "dequant_matvec_4bit_fast", a.Out.Data(), sumRel)
			gate.want.check(t, "dequant_matvec_4bit_fast_n_tokens", all.Data(), sumRel)
			swiglu.check(t, "fused_gate_up_swiglu", gated.Data(), sumRel)
		})
	}
}

func TestFusedGateUpSwigluIsSiluOfGateTimesUp(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		matvecShape
		magnitude float32 // of x
	}{
		{matvecShape{1, 8, 8, 1}, 1},
		{matvecShape{1, 104, 40, 1}, 1},
		{matvecShape{70, 1000, 64, 1}, 1},
		{matvecShape{24, 4096, 64, 1}, 1},
		{matvecShape{9, 8200, 40, 1}, 0.01},
		{matvecShape{50, 512, 32, 1}, 50}, // gates so far from 0 that exp(-gate) is infinite or nothing
	} {
		t.Run(fmt.Sprintf("%v, up to %v", c.matvecShape, c.magnitude), func(t *testing.T) {
			gate, up := newMatvec(uint64(2*i), 4, c.matvecShape), newMatvec(uint64(2*i+1), 4, c.matvecShape)
			x := uniform(uint64(i), c.cols, -c.magnitude, c.magnitude)
			gate.x, up.x = x, x
			a, u := gate.args(t, dev), up.args(t, dev)
			out := output[float32](t, dev, c.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.FusedGateUpSwiglu(b, gen.FusedGateUpSwigluArgs{
					GateW: a.WPacked, GateS: a.Scales, GateB: a.Biases,
					UpW: u.WPacked, UpS: u.Scales, UpB: u.Biases,
					X: a.X, Out: out, OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize,
				})
			})
			gatedReference(gate.times(x), up.times(x)).check(t, "fused_gate_up_swiglu", out.Data(), sumRel)
		})
	}
}

// gatedReference returns silu(gate) * up. An error of gate comes through silu, whose
// slope is never above 1.1, and then times up; one of up times silu(gate).
func gatedReference(gate, up reference) reference {
	r := newReference(len(gate.want))
	for i, g := range gate.want {
		silu := g / (1 + math.Exp(-g))
		r.want[i] = silu * up.want[i]
		r.scale[i] = 1.1*gate.scale[i]*math.Abs(up.want[i]) + math.Abs(silu)*up.scale[i]
	}
	return r
}

// Matrices lie in any order, with something else between them, and may be used twice.
func TestMatvec4bitBatchedTakesEachMatrixFromItsOffset(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		experts int
		matvecShape
	}{
		{1, matvecShape{1, 8, 8, 1}},
		{3, matvecShape{20, 104, 40, 1}},
		{8, matvecShape{16, 256, 64, 1}},
		{2, matvecShape{9, 4104, 64, 1}},
		{5, matvecShape{1, 1000, 1024, 1}},
	} {
		t.Run(fmt.Sprintf("%d of %v", c.experts, c.matvecShape), func(t *testing.T) {
			var (
				w                            []uint32
				scales, biases               []uint16
				x                            []float32
				wOffsets, sOffsets, bOffsets []uint32
				want                         reference
			)
			for e := range c.experts {
				m := newMatvec(uint64(100+e), 4, c.matvecShape)
				// What is between the matrices would make the result NaN.
				w = append(w, words(uint64(e), 2*e)...)
				scales = append(scales, slices.Repeat([]uint16{0xFFFF}, 3*e)...)
				biases = append(biases, slices.Repeat([]uint16{0xFFFF}, e+1)...)
				wOffsets = append(wOffsets, uint32(len(w)))
				sOffsets = append(sOffsets, uint32(len(scales)))
				bOffsets = append(bOffsets, uint32(len(biases)))
				w, scales, biases = append(w, m.words...), append(scales, m.scales...), append(biases, m.biases...)
				x = append(x, m.x...)
				want.want, want.scale = append(want.want, m.want.want...), append(want.scale, m.want.scale...)
			}
			// In the other direction, with the last one, now the first, once more at the end.
			wOffsets, sOffsets, bOffsets = backAndForth(wOffsets, 1), backAndForth(sOffsets, 1), backAndForth(bOffsets, 1)
			x = backAndForth(x, c.cols)
			want = reference{backAndForth(want.want, c.rows), backAndForth(want.scale, c.rows)}

			a := gen.DequantMatvec4bitBatchedArgs{
				WPacked:     input(t, dev, w),
				Scales:      input(t, dev, scales),
				Biases:      input(t, dev, biases),
				XInputs:     input(t, dev, x),
				Out:         output[float32](t, dev, (c.experts+1)*c.rows),
				OutDim:      uint32(c.rows),
				InDim:       uint32(c.cols),
				GroupSize:   uint32(c.group),
				WOffsets:    input(t, dev, wOffsets),
				SOffsets:    input(t, dev, sOffsets),
				BOffsets:    input(t, dev, bOffsets),
				NumRowTiles: uint32(ceilDiv(c.rows, 8)),
			}
			naive := output[float32](t, dev, (c.experts+1)*c.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.DequantMatvec4bitBatched(b, a)
				for e := range c.experts + 1 {
					w, s, bias := int(wOffsets[e]), int(sOffsets[e]), int(bOffsets[e])
					gen.DequantMatvec4bit(b, gen.DequantMatvec4bitArgs{
						WPacked: a.WPacked.Slice(w, w+c.rows*c.cols/8),
						Scales:  a.Scales.Slice(s, s+c.rows*ceilDiv(c.cols, c.group)),
						Biases:  a.Biases.Slice(bias, bias+c.rows*ceilDiv(c.cols, c.group)),
						X:       a.XInputs.Slice(e*c.cols, (e+1)*c.cols),
						Out:     naive.Slice(e*c.rows, (e+1)*c.rows),
						OutDim:  a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize,
					})
				}
			})
			want.check(t, "dequant_matvec_4bit_batched", a.Out.Data(), sumRel)
			compare(t, "against dequant_matvec_4bit", a.Out.Data(), floats64(naive.Data()), want.scale, sumRel)
		})
	}
}

func TestMatvec4bitThreadgroupsTooManyHaveNothingToDo(t *testing.T) {
	dev := openDevice(t)
	s := matvecShape{13, 104, 40, 3}
	m := newMatvec(1, 4, s)
	a := m.args(t, dev)
	tiles := ceilDiv(s.rows, 8)
	all, v3 := output[float32](t, dev, s.tokens*s.rows), output[float32](t, dev, s.rows)
	v4, v5, naive := output[float32](t, dev, s.rows), output[float32](t, dev, s.rows), output[float32](t, dev, s.rows)
	execute(t, dev, func(b *runtime.Batch) {
		gen.DequantMatvec4bitV3NTokens(b, gen.DequantMatvec4bitV3NTokensArgs{
			WPacked: a.WPacked, Scales: a.Scales, Biases: a.Biases, XInputs: input(t, dev, m.x), Out: all,
			OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize, NTokens: uint32(s.tokens),
			NumRowTiles: uint32(tiles), Grid: groups(tiles*s.tokens+1, 1, 1, 256, 1, 1),
		})
		a.Grid = groups(tiles+1, 1, 1, 256, 1, 1)
		a.Out = v3
		gen.DequantMatvec4bitV3(b, gen.DequantMatvec4bitV3Args(a))
		a.Out = v4
		gen.DequantMatvec4bitV4(b, gen.DequantMatvec4bitV4Args(a))
		a.Out = v5
		gen.DequantMatvec4bitV5(b, gen.DequantMatvec4bitV5Args(a))
		a.Out = naive
		gen.DequantMatvec4bit(b, a)
	})
	m.want.check(t, "dequant_matvec_4bit_v3_n_tokens", all.Data(), sumRel)
	m.first().check(t, "dequant_matvec_4bit_v3", v3.Data(), sumRel)
	m.first().check(t, "dequant_matvec_4bit_v4", v4.Data(), sumRel)
	m.first().check(t, "dequant_matvec_4bit_v5", v5.Data(), sumRel)
	m.first().check(t, "dequant_matvec_4bit", naive.Data(), sumRel)
}

// backAndForth returns s, in records of so many elements, from the last to the first
// and then the last again.
func backAndForth[T any](s []T, record int) []T {
	var r []T
	for i := len(s) - record; i >= 0; i -= record {
		r = append(r, s[i:i+record]...)
	}
	return append(r, s[len(s)-record:]...)
}

func TestMatvec4bitV3ExpertsReadsEachExpertsBlob(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		kActive, inputStride int
		matvecShape
	}{
		{1, 0, matvecShape{1, 8, 8, 1}},
		{3, 0, matvecShape{20, 104, 40, 1}},    // all experts get the same input
		{5, 104, matvecShape{20, 104, 40, 1}},  // each its own
		{8, 260, matvecShape{16, 256, 64, 1}},  // with something in between
		{2, 4104, matvecShape{9, 4104, 64, 1}}, // more than a tile
		{4, 8, matvecShape{3, 1000, 64, 1}},    // inputs overlap
		{9, 48, matvecShape{5, 48, 16, 1}},     // the ninth there cannot be
	} {
		t.Run(fmt.Sprintf("%d of %v, stride %d", c.kActive, c.matvecShape, c.inputStride), func(t *testing.T) {
			experts := min(c.kActive, 8)
			x := uniform(7, (experts-1)*c.inputStride+c.cols, -1, 1)
			var want reference
			groupCount := c.rows * ceilDiv(c.cols, c.group)
			// The biases first, the weights last, and all as little aligned as allowed.
			bByteOff := 2
			sByteOff := bByteOff + 2*groupCount + 4
			wByteOff := 4 * ceilDiv(sByteOff+2*groupCount+1, 4)

			unused := upload(t, dev, []int8{-1})
			blobs := [8]runtime.Buffer[int8]{unused, unused, unused, unused, unused, unused, unused, unused}
			for e := range experts {
				m := newQuantized(uint64(200+e), 4, c.rows, c.cols, c.group)
				blob := make([]byte, wByteOff, wByteOff+4*len(m.words))
				fill(blob, readGuard)
				for i := range groupCount {
					binary.NativeEndian.PutUint16(blob[bByteOff+2*i:], m.biases[i])
					binary.NativeEndian.PutUint16(blob[sByteOff+2*i:], m.scales[i])
				}
				for _, word := range m.words {
					blob = binary.NativeEndian.AppendUint32(blob, word)
				}
				blobs[e] = runtime.Cast[int8](input(t, dev, blob))
				product := m.times(x[e*c.inputStride:][:c.cols])
				want.want, want.scale = append(want.want, product.want...), append(want.scale, product.scale...)
			}
			a := gen.DequantMatvec4bitV3ExpertsArgs{
				Blob0: blobs[0], Blob1: blobs[1], Blob2: blobs[2], Blob3: blobs[3],
				Blob4: blobs[4], Blob5: blobs[5], Blob6: blobs[6], Blob7: blobs[7],
				X:           input(t, dev, x),
				Out:         output[float32](t, dev, experts*c.rows),
				OutDim:      uint32(c.rows),
				InDim:       uint32(c.cols),
				GroupSize:   uint32(c.group),
				WByteOff:    uint32(wByteOff),
				SByteOff:    uint32(sByteOff),
				BByteOff:    uint32(bByteOff),
				NumRowTiles: uint32(ceilDiv(c.rows, 8)),
				KActive:     uint32(c.kActive),
				InputStride: uint32(c.inputStride),
			}
			if c.inputStride > 0 { // one threadgroup too many, which has nothing to do
				a.Grid = groups(experts*ceilDiv(c.rows, 8)+1, 1, 1, 256, 1, 1)
			}
			naive := output[float32](t, dev, experts*c.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.DequantMatvec4bitV3Experts(b, a)
				for e := range experts {
					gen.DequantMatvec4bit(b, gen.DequantMatvec4bitArgs{
						WPacked: runtime.Cast[uint32](blobs[e].Slice(wByteOff, blobs[e].Len())),
						Scales:  runtime.Cast[uint16](blobs[e].Slice(sByteOff, sByteOff+2*groupCount)),
						Biases:  runtime.Cast[uint16](blobs[e].Slice(bByteOff, bByteOff+2*groupCount)),
						X:       a.X.Slice(e*c.inputStride, e*c.inputStride+c.cols),
						Out:     naive.Slice(e*c.rows, (e+1)*c.rows),
						OutDim:  a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize,
					})
				}
			})
			want.check(t, "dequant_matvec_4bit_v3_experts", a.Out.Data(), sumRel)
			compare(t, "against dequant_matvec_4bit", a.Out.Data(), floats64(naive.Data()), want.scale, sumRel)
		})
	}
}
