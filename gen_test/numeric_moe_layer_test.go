package gen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// moeLayer is the second half of a layer of a mixture-of-experts model: a norm, a
// router, the experts that it chooses and one that all tokens share, each of them
// down(silu(gate(x)) * up(x)), and their weighted sum on the residual stream.
type moeLayer struct {
	tokens       int
	hidden       []float32 // residual stream, a row for each token
	norm         []uint16
	router       []uint16 // a row for each expert
	sharedRouter []uint16 // of the shared expert's gate
	scale        []float32
	experts      []expert
	shared       expert
	chosen       [][]int // by each token
	want         reference
}

const (
	layerDim     = 64
	layerFFN     = 48
	layerExperts = 6
	layerTopK    = 3
	layerGroup   = 16
	layerEps     = 1e-6
)

// expert is a feed-forward network of 4-bit weights.
type expert struct{ gate, up, down quantized }

func newExpert(seed uint64) expert {
	return expert{
		gate: newQuantized(seed, 4, layerFFN, layerDim, layerGroup),
		up:   newQuantized(seed+1, 4, layerFFN, layerDim, layerGroup),
		down: newQuantized(seed+2, 4, layerDim, layerFFN, layerGroup),
	}
}

func newMoeLayer(t *testing.T, tokens int) *moeLayer {
	l := &moeLayer{
		tokens:       tokens,
		hidden:       uniform(1, tokens*layerDim, -2, 2),
		norm:         uniformBF16(2, layerDim, 0.5, 1.5),
		router:       uniformBF16(3, layerExperts*layerDim, -0.5, 0.5),
		sharedRouter: uniformBF16(4, layerDim, -0.5, 0.5),
		scale:        uniform(5, layerExperts, 0.5, 2),
		shared:       newExpert(6),
	}
	for e := range layerExperts {
		l.experts = append(l.experts, newExpert(uint64(100*(e+1))))
	}
	for token := range tokens {
		row := l.reference(t, l.hidden[token*layerDim:][:layerDim])
		l.want.want, l.want.scale = append(l.want.want, row.want...), append(l.want.scale, row.scale...)
	}
	return l
}

// reference returns the new residual of one token, whose choice it notes.
func (l *moeLayer) reference(t *testing.T, hidden []float32) reference {
	t.Helper()
	normed := make([]float32, layerDim)
	for i, f := range rmsNormRows(hidden, l.norm, layerEps) {
		normed[i] = float32(f)
	}
	logits := make([]float32, layerExperts)
	for e := range logits {
		logits[e] = float32(dotBF16(l.router[e*layerDim:][:layerDim], normed))
	}
	order := fallingOrder(float64s(logits))
	for i := range layerTopK {
		if logits[order[i]]-logits[order[i+1]] < 1e-3 {
			t.Fatal("logits are so near each other that rounding may choose: take other seeds")
		}
	}
	r := route(logits, l.scale, layerTopK)
	l.chosen = append(l.chosen, r.ids)
	out := newReference(layerDim)
	for i, f := range hidden {
		out.add(i, float64(f))
	}
	for place, e := range r.ids {
		out.addScaled(r.weights[place], l.experts[e].of(normed))
	}
	out.addScaled(sigmoid64(dotBF16(l.sharedRouter, normed)), l.shared.of(normed))
	return out
}

func dotBF16(w []uint16, x []float32) float64 {
	sum := 0.0
	for i := range w {
		sum += bf16(w[i]) * float64(x[i])
	}
	return sum
}

// of returns what an expert computes.
func (e expert) of(x []float32) reference {
	activation := gatedReference(e.gate.times(x), e.up.times(x))
	r := newReference(layerDim)
	for row := range layerDim {
		for col, a := range activation.want {
			weight := e.down.at(row, col)
			r.want[row] += weight * a
			r.scale[row] += math.Abs(weight) * (math.Abs(a) + activation.scale[col])
		}
	}
	return r
}

// addScaled adds by * s.
func (r reference) addScaled(by float64, s reference) {
	for i := range r.want {
		r.want[i] += by * s.want[i]
		r.scale[i] += math.Abs(by) * s.scale[i]
	}
}

// recorded is a layer in the memory of a device.
type recorded struct {
	record func(*runtime.Batch)
	ids    runtime.Buffer[uint32]
	out    runtime.Buffer[float32]
}

// part returns the nth of parts of so many elements.
func part[T any](b runtime.Buffer[T], n, size int) runtime.Buffer[T] {
	return b.Slice(n*size, (n+1)*size)
}

// oneByOne returns the layer for one token, with a call for each matrix. The experts write
// next to each other into one buffer. Which experts these are an engine must know when
// it records them: one that has to read it first cuts its batch there.
func (l *moeLayer) oneByOne(m *memories) recorded {
	vector := func(n int) runtime.Buffer[float32] { return with(m, make([]float32, n)) }
	product := func(q quantized) func(b *runtime.Batch, x, out runtime.Buffer[float32]) {
		a := gen.DequantMatvec4bitV3Args{
			WPacked: with(m, q.words), Scales: with(m, q.scales), Biases: with(m, q.biases),
			OutDim: uint32(q.rows), InDim: uint32(q.cols), GroupSize: uint32(q.group),
		}
		return func(b *runtime.Batch, x, out runtime.Buffer[float32]) {
			a.X, a.Out = x, out
			gen.DequantMatvec4bitV3(b, a)
		}
	}
	const k = layerTopK
	hidden, norm, router, sharedRouter, scale := with(m, l.hidden), with(m, l.norm), with(m, l.router),
		with(m, l.sharedRouter), with(m, l.scale)
	sumSq, normed, logits, ids := vector(1), vector(layerDim), vector(layerExperts), with(m, make([]uint32, k))
	params := vector(17) // weights, and as the last one the shared expert's gate
	gates, ups, activations, outs := vector(k*layerFFN), vector(k*layerFFN), vector(k*layerFFN), vector(k*layerDim)
	sharedGate, sharedUp, sharedActivation, sharedOut := vector(layerFFN), vector(layerFFN), vector(layerFFN),
		vector(layerDim)
	out := vector(layerDim)
	gate, up, down := product(l.shared.gate), product(l.shared.up), product(l.shared.down)
	var expertGate, expertUp, expertDown []func(b *runtime.Batch, x, out runtime.Buffer[float32])
	for _, e := range l.chosen[0] {
		expertGate = append(expertGate, product(l.experts[e].gate))
		expertUp = append(expertUp, product(l.experts[e].up))
		expertDown = append(expertDown, product(l.experts[e].down))
	}
	return recorded{ids: ids, out: out, record: func(b *runtime.Batch) {
		gen.RmsNormSumSq(b, gen.RmsNormSumSqArgs{X: hidden, SumSq: sumSq, Dim: layerDim})
		gen.RmsNormApplyBf16(b,
			gen.RmsNormApplyBf16Args{X: hidden, Weight: norm, SumSq: sumSq, Out: normed, Dim: layerDim, Eps: layerEps})

		gen.Bf16Matvec(b, gen.Bf16MatvecArgs{W: router, Input: normed, Output: logits, OutDim: layerExperts, InDim: layerDim})
		gen.Bf16Matvec(b,
			gen.Bf16MatvecArgs{W: sharedRouter, Input: normed, Output: params.Slice(16, 17), OutDim: 1, InDim: layerDim})
		gate(b, normed, sharedGate)
		up(b, normed, sharedUp)
		for i := range k {
			expertGate[i](b, normed, part(gates, i, layerFFN))
			expertUp[i](b, normed, part(ups, i, layerFFN))
		}

		gen.FusedMoeRoutingF32(b, gen.FusedMoeRoutingF32Args{
			Logits: logits, ExpertIds: ids, RoutingWeights: params.Slice(0, k), PerExpertScale: scale,
			Params: gen.FusedMoeRoutingParams{NumExperts: layerExperts, TopK: k},
		})
		gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: sharedGate, Up: sharedUp, Out: sharedActivation, Dim: layerFFN})
		gen.SwigluFusedBatched(b, gen.SwigluFusedBatchedArgs{Gate: gates, Up: ups, Out: activations, Dim: layerFFN, K: k})

		down(b, sharedActivation, sharedOut)
		for i := range k {
			expertDown[i](b, part(activations, i, layerFFN), part(outs, i, layerDim))
		}

		gen.MoeCombineResidualFlat(b, gen.MoeCombineResidualFlatArgs{
			HMid: hidden, SharedOut: sharedOut, HiddenOut: out, ExpertOut: outs, Params: params, Dim: layerDim, K: k,
		})
	}}
}

// together returns the layer for several tokens, with kernels that take all tokens, or
// all experts of a token, at once.
func (l *moeLayer) together(m *memories) recorded {
	vector := func(n int) runtime.Buffer[float32] { return with(m, make([]float32, n)) }
	shared := func(q quantized) func(b *runtime.Batch, x, out runtime.Buffer[float32]) {
		a := gen.DequantMatvec4bitV3NTokensArgs{
			WPacked: with(m, q.words), Scales: with(m, q.scales), Biases: with(m, q.biases),
			OutDim: uint32(q.rows), InDim: uint32(q.cols), GroupSize: uint32(q.group),
			NTokens: uint32(l.tokens), NumRowTiles: uint32(ceilDiv(q.rows, 8)),
		}
		return func(b *runtime.Batch, x, out runtime.Buffer[float32]) {
			a.XInputs, a.Out = x, out
			gen.DequantMatvec4bitV3NTokens(b, a)
		}
	}
	const k = layerTopK
	tokens := uint32(l.tokens)
	blobs := make([]runtime.Buffer[int8], layerExperts)
	var at [3]blobMatrix
	for e := range l.experts {
		var blob []byte
		blob, at = l.experts[e].blob()
		blobs[e] = runtime.Cast[int8](with(m, blob))
	}
	chosen := func(b *runtime.Batch, token int, matrix blobMatrix, x, out runtime.Buffer[float32], stride int) {
		own := make([]runtime.Buffer[int8], 8)
		for i := range own {
			own[i] = blobs[l.chosen[token][i%k]] // something must be bound for each
		}
		gen.DequantMatvec4bitV3Experts(b, gen.DequantMatvec4bitV3ExpertsArgs{
			Blob0: own[0], Blob1: own[1], Blob2: own[2], Blob3: own[3], Blob4: own[4], Blob5: own[5], Blob6: own[6],
			Blob7: own[7],
			X:     x, Out: out, OutDim: uint32(matrix.rows), InDim: uint32(matrix.cols), GroupSize: layerGroup,
			WByteOff: matrix.words, SByteOff: matrix.scales, BByteOff: matrix.biases,
			NumRowTiles: uint32(ceilDiv(matrix.rows, 8)), KActive: k, InputStride: uint32(stride),
		})
	}
	n := l.tokens
	hidden, norm, router, sharedRouter, scale := with(m, l.hidden), with(m, l.norm), with(m, l.router),
		with(m, l.sharedRouter), with(m, l.scale)
	normed, logits, sharedLogits := vector(n*layerDim), vector(n*layerExperts), vector(n)
	ids, weights := with(m, make([]uint32, n*k)), vector(n*k)
	gates, ups, activations, outs := vector(n*k*layerFFN), vector(n*k*layerFFN), vector(n*k*layerFFN), vector(n*k*layerDim)
	sharedGate, sharedUp, sharedActivation, sharedOut := vector(n*layerFFN), vector(n*layerFFN), vector(n*layerFFN),
		vector(n*layerDim)
	sums, out := vector(n*layerDim), vector(n*layerDim)
	gate, up, down := shared(l.shared.gate), shared(l.shared.up), shared(l.shared.down)
	return recorded{ids: ids, out: out, record: func(b *runtime.Batch) {
		gen.RmsNormBf16FusedNTokens(b,
			gen.RmsNormBf16FusedNTokensArgs{X: hidden, Weight: norm, Out: normed, Dim: layerDim, Eps: layerEps})

		gen.Bf16MatmulNTokens(b,
			gen.Bf16MatmulNTokensArgs{W: router, Input: normed, Output: logits, InDim: layerDim, OutDim: layerExperts,
				NTokens: tokens})
		gen.Bf16MatmulNTokens(b,
			gen.Bf16MatmulNTokensArgs{W: sharedRouter, Input: normed, Output: sharedLogits, InDim: layerDim, OutDim: 1,
				NTokens: tokens})
		gate(b, normed, sharedGate)
		up(b, normed, sharedUp)
		for token := range n {
			x := part(normed, token, layerDim)
			chosen(b, token, at[0], x, part(gates, token, k*layerFFN), 0)
			chosen(b, token, at[1], x, part(ups, token, k*layerFFN), 0)
		}

		gen.FusedMoeRoutingBatchF32(b, gen.FusedMoeRoutingBatchF32Args{
			LogitsAll: logits, ExpertIdsAll: ids, RoutingWeightsAll: weights, PerExpertScale: scale,
			Params: gen.FusedMoeRoutingParams{NumExperts: layerExperts, TopK: k},
		})
		gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: sharedGate, Up: sharedUp, Out: sharedActivation, Dim: tokens * layerFFN})
		gen.SiluMulStackedF32(b,
			gen.SiluMulStackedF32Args{Gate: gates, Up: ups, Out: activations,
				P: gen.SiluMulStackedParams{Ffn: layerFFN, NSlots: int32(n * k)}})

		down(b, sharedActivation, sharedOut)
		for token := range n {
			chosen(b, token, at[2], part(activations, token, k*layerFFN), part(outs, token, k*layerDim), layerFFN)
		}

		for token := range n {
			gen.WeightedSum(b, gen.WeightedSumArgs{
				ExpertOuts: part(outs, token, k*layerDim), Weights: part(weights, token, k), Out: part(sums, token, layerDim), K: k,
				Dim: layerDim,
			})
		}

		gen.MoeCombineResidualNTokens(b, gen.MoeCombineResidualNTokensArgs{
			HMid: hidden, MoeSum: sums, SharedOut: sharedOut, SharedGate: sharedLogits, HiddenOut: out, NTokens: tokens,
			Dim: layerDim,
		})
	}}
}

// blobMatrix says where in an expert's blob a matrix is, in bytes.
type blobMatrix struct {
	rows, cols            int
	words, scales, biases uint32
}

// blob returns an expert in one piece, as dequant_matvec_4bit_v3_experts takes it.
func (e expert) blob() (blob []byte, at [3]blobMatrix) {
	for i, q := range []quantized{e.gate, e.up, e.down} {
		at[i] = blobMatrix{rows: q.rows, cols: q.cols, words: uint32(len(blob))}
		for _, w := range q.words {
			blob = binary.NativeEndian.AppendUint32(blob, w)
		}
		at[i].scales = uint32(len(blob))
		for _, s := range q.scales {
			blob = binary.NativeEndian.AppendUint16(blob, s)
		}
		at[i].biases = uint32(len(blob))
		for _, b := range q.biases {
			blob = binary.NativeEndian.AppendUint16(blob, b)
		}
	}
	return blob, at
}

// moeLayers are the layers of the tests, and what they must be encoded as.
var moeLayers = []struct {
	name   string
	tokens int
	on     func(*moeLayer, *memories) recorded
	order  []string
}{
	{"one token, a call for each matrix", 1, (*moeLayer).oneByOne, []string{
		"rms_norm_sum_sq",
		fakemetal.Barrier,
		"rms_norm_apply_bf16",
		fakemetal.Barrier,
		"bf16_matvec",            // logits
		"bf16_matvec",            // the shared expert's gate, into the params of the combination
		"dequant_matvec_4bit_v3", // the shared expert: gate
		"dequant_matvec_4bit_v3", //                    up
		"dequant_matvec_4bit_v3", // expert 0: gate
		"dequant_matvec_4bit_v3", //           up
		"dequant_matvec_4bit_v3", // expert 1: gate
		"dequant_matvec_4bit_v3", //           up
		"dequant_matvec_4bit_v3", // expert 2: gate
		"dequant_matvec_4bit_v3", //           up
		fakemetal.Barrier,
		"fused_moe_routing_f32", // weights, into the params beside the gate
		"swiglu_fused",
		"swiglu_fused_batched",
		fakemetal.Barrier,
		"dequant_matvec_4bit_v3", // the shared expert: down
		"dequant_matvec_4bit_v3", // expert 0: down
		"dequant_matvec_4bit_v3", // expert 1: down
		"dequant_matvec_4bit_v3", // expert 2: down
		fakemetal.Barrier,
		"moe_combine_residual_flat",
	}},
	{"two tokens, calls for many matrices", 2, (*moeLayer).together, []string{
		"rms_norm_bf16_fused_n_tokens",
		fakemetal.Barrier,
		"bf16_matmul_n_tokens",            // logits
		"bf16_matmul_n_tokens",            // the shared expert's gates
		"dequant_matvec_4bit_v3_n_tokens", // the shared expert: gate
		"dequant_matvec_4bit_v3_n_tokens", //                    up
		"dequant_matvec_4bit_v3_experts",  // token 0: gate
		"dequant_matvec_4bit_v3_experts",  //          up
		"dequant_matvec_4bit_v3_experts",  // token 1: gate
		"dequant_matvec_4bit_v3_experts",  //          up
		fakemetal.Barrier,
		"fused_moe_routing_batch_f32",
		"swiglu_fused",
		"silu_mul_stacked_f32",
		fakemetal.Barrier,
		"dequant_matvec_4bit_v3_n_tokens", // the shared expert: down
		"dequant_matvec_4bit_v3_experts",  // token 0: down
		"dequant_matvec_4bit_v3_experts",  // token 1: down
		fakemetal.Barrier,
		"weighted_sum", // token 0
		"weighted_sum", // token 1
		fakemetal.Barrier,
		"moe_combine_residual_n_tokens",
	}},
}

func TestAMixtureOfExpertsLayerIsTheSumOfItsExperts(t *testing.T) {
	dev := openDevice(t)
	for _, c := range moeLayers {
		t.Run(c.name, func(t *testing.T) {
			l := newMoeLayer(t, c.tokens)
			r := c.on(l, &memories{t: t, dev: dev})
			execute(t, dev, r.record)
			for token, want := range l.chosen {
				if got := part(r.ids, token, layerTopK).Data(); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("token %d: experts %v, want %v", token, got, want)
				}
			}
			l.want.check(t, "residual", r.out.Data(), sumRel)
		})
	}
}

func TestAMixtureOfExpertsLayerInPiecesIsTheSame(t *testing.T) {
	for _, piece := range []int{0, 1, 5} {
		for _, c := range moeLayers {
			t.Run(fmt.Sprintf("%s, %d dispatches at most", c.name, piece), func(t *testing.T) {
				dev, log := openFake(t, fakemetal.Options{Piece: piece})
				l := newMoeLayer(t, c.tokens)
				r := c.on(l, &memories{t: t, dev: dev})
				execute(t, dev, r.record)
				l.want.check(t, "residual", r.out.Data(), sumRel)
				want := slices.DeleteFunc(slices.Clone(c.order), isBarrier)
				if got := slices.DeleteFunc(log.Order(), isBarrier); !slices.Equal(got, want) {
					t.Errorf("encoded\n\t%q\nwant\n\t%q", got, want)
				}
				pieces := 1
				if piece > 0 {
					pieces = (len(want) + piece - 1) / piece
				}
				n := log.Counts()
				if n.Needless != 0 || n.CommandBuffers != pieces || n.Encoders != pieces {
					t.Errorf("%+v, want no barrier that nothing needs, and %d pieces", n, pieces)
				}
				messages := 0
				for _, m := range log.Messages() {
					if m.Class == "MTLComputeCommandEncoder" && m.Selector != "endEncoding" {
						messages++
					}
				}
				if messages > 4*n.Dispatches {
					t.Errorf("%d messages for %d dispatches, want 4 each at most", messages, n.Dispatches)
				}
			})
		}
	}
}

func isBarrier(name string) bool { return name == fakemetal.Barrier }

func TestAMixtureOfExpertsLayerHasBarriersWhereACallNeedsAnotherOnly(t *testing.T) {
	for _, c := range moeLayers {
		t.Run(c.name, func(t *testing.T) {
			dev, log := openFake(t, fakemetal.Options{})
			l := newMoeLayer(t, c.tokens)
			m := &memories{t: t, dev: dev}
			execute(t, dev, c.on(l, m).record)
			if got := log.Order(); !slices.Equal(got, c.order) {
				t.Errorf("encoded\n\t%q\nwant\n\t%q", got, c.order)
			}
			if n := log.Counts(); n.Needless != 0 || n.CommandBuffers != 1 || n.Encoders != 1 {
				t.Errorf("%+v, want no barrier that nothing needs, and all in one encoder", n)
			}

			// The fake computes on the CPU device: all bytes of all buffers are the same.
			cpu, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
			if err != nil {
				t.Fatal(err)
			}
			defer cpu.Close()
			on := &memories{t: t, dev: cpu}
			execute(t, cpu, c.on(l, on).record)
			got, want := m.contents(), on.contents()
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("buffer %d of %d is different on the CPU device", i, len(want))
				}
			}
		})
	}
}
