package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// deltaKernels all apply the gated delta rule. Their arguments are alike.
var deltaKernels = []struct {
	name string
	call func(*runtime.Batch, gen.GatedDeltaNetStepArgs)
	// Calls for so many tokens and the next ones do just what one call does.
	unit int
}{
	{"gated_delta_net_step", gen.GatedDeltaNetStep, 1},
	{"gated_delta_net_sequential", func(b *runtime.Batch, a gen.GatedDeltaNetStepArgs) {
		gen.GatedDeltaNetSequential(b, gen.GatedDeltaNetSequentialArgs(a))
	}, 1},
	{"gated_delta_net_chunkwise", func(b *runtime.Batch, a gen.GatedDeltaNetStepArgs) {
		gen.GatedDeltaNetChunkwise(b, gen.GatedDeltaNetChunkwiseArgs(a))
	}, 16},
}

// headDim is the width of a head of linear attention.
const headDim = 128

type deltaShape struct {
	kHeadsPerV, tokens, keyTotal, vHeads int
}

func (s deltaShape) String() string {
	return fmt.Sprintf("%d tokens, %d value heads, %d for a key head, key_total %d", s.tokens, s.vHeads, s.kHeadsPerV,
		s.keyTotal)
}

func (s deltaShape) stride() int { return 2*s.keyTotal + s.vHeads*headDim }

var deltaShapes = []deltaShape{
	{1, 1, 128, 1},
	{1, 5, 256, 2},
	{2, 15, 128, 2},
	{2, 16, 384, 4}, // keys that belong to no value head
	{3, 17, 256, 6},
	{1, 33, 128, 1},
}

// longDeltaShapes are those of -long.
var longDeltaShapes = []deltaShape{
	{4, 3, 1024, 32},
	{1, 64, 128, 1},
	{1, 500, 128, 1},
}

// deltaInput has the inputs of a call, its tokens row by row as the shader has them.
type deltaInput struct {
	deltaShape
	state, convOut, decay, beta []float32
}

// newDeltaInput makes keys of length 1, as rms_norm_qk does, which keeps the state
// in bounds. Keys and queries of heads that no value head belongs to are NaN: they
// are not to be read.
func newDeltaInput(s deltaShape) *deltaInput {
	x := &deltaInput{
		deltaShape: s,
		state:      uniform(1, s.vHeads*headDim*headDim, -0.5, 0.5),
		convOut:    uniform(2, s.tokens*s.stride(), -1, 1),
		decay:      uniform(3, s.tokens*s.vHeads, 0.8, 1),
		beta:       uniform(4, s.tokens*s.vHeads, 0, 1),
	}
	used := ceilDiv(s.vHeads, s.kHeadsPerV) * headDim
	for t := range s.tokens {
		token := x.convOut[t*s.stride():][:s.stride()]
		for _, part := range [][]float32{token[:s.keyTotal], token[s.keyTotal:][:s.keyTotal]} {
			for at := 0; at < used; at += headDim {
				length := float32(norm64(part[at:][:headDim]))
				for i := range headDim {
					part[at+i] /= length
				}
			}
			for at := used; at < s.keyTotal; at++ {
				part[at] = float32(math.NaN())
			}
		}
	}
	return x
}

func norm64(v []float32) float64 {
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	return math.Sqrt(sum)
}

// reference applies the rule as the shader states it, token by token. Rounding in
// a row of the state is measured by the largest that the row and the value it is
// given have been so far: with keys of length 1, decays and strengths up to 1, what
// is added to an error later on makes it no larger. A result has the errors of its
// row, as much as the query is long.
func (x *deltaInput) reference() (state, output reference) {
	state = reference{float64s(x.state), make([]float64, len(x.state))}
	output = newReference(x.tokens * x.vHeads * headDim)
	for head := range x.vHeads {
		for vi := range headDim {
			row := head*headDim + vi
			s := state.want[row*headDim:][:headDim]
			largest := 0.0
			for t := range x.tokens {
				token := x.convOut[t*x.stride():][:x.stride()]
				q := token[head/x.kHeadsPerV*headDim:][:headDim]
				k := token[x.keyTotal+head/x.kHeadsPerV*headDim:][:headDim]
				v := float64(token[2*x.keyTotal+row])
				g, beta := float64(x.decay[t*x.vHeads+head]), float64(x.beta[t*x.vHeads+head])

				length, known := 0.0, 0.0
				for i := range s {
					length += s[i] * s[i]
					s[i] *= g
					known += s[i] * float64(k[i])
				}
				largest = max(largest, math.Sqrt(length)+math.Abs(v))
				u := beta * (v - known)
				result := 0.0
				for i := range s {
					s[i] += u * float64(k[i])
					result += s[i] * float64(q[i])
				}
				at := t*x.vHeads*headDim + row
				output.want[at] = result
				output.scale[at] = largest * norm64(q)
			}
			for i := range s {
				state.scale[row*headDim+i] = largest
			}
		}
	}
	return state, output
}

func (x *deltaInput) args(t *testing.T, dev *runtime.Device) gen.GatedDeltaNetStepArgs {
	return gen.GatedDeltaNetStepArgs{
		State:      inout(t, dev, x.state),
		ConvOut:    input(t, dev, x.convOut),
		GDecay:     input(t, dev, x.decay),
		BetaGate:   input(t, dev, x.beta),
		Output:     output[float32](t, dev, x.tokens*x.vHeads*headDim),
		KHeadsPerV: uint32(x.kHeadsPerV), NTokens: uint32(x.tokens), KeyTotal: uint32(x.keyTotal),
		NumVHeads: uint32(x.vHeads),
	}
}

// deltaCase is an input with a name.
type deltaCase struct {
	name  string
	input *deltaInput
}

func deltaCases() []deltaCase {
	var cases []deltaCase
	shapes := deltaShapes
	if *long {
		shapes = slices.Concat(deltaShapes, longDeltaShapes)
	}
	for _, s := range shapes {
		cases = append(cases, deltaCase{s.String(), newDeltaInput(s)})
	}
	// Decays and strengths at their limits, which must not become logarithms or
	// divisors, in the middle of chunks and at their ends.
	x := newDeltaInput(deltaShape{2, 37, 128, 2})
	for i := range x.decay {
		switch i / x.vHeads % 4 {
		case 0:
			x.decay[i] = 0
		case 1:
			x.decay[i], x.beta[i] = 1, 1
		case 2:
			x.beta[i] = 0
		}
	}
	cases = append(cases, deltaCase{"decays and strengths of 0 and 1", x})
	// Every token overwrites what the one before has stored.
	x = newDeltaInput(deltaShape{1, 20, 128, 1})
	for t := range x.tokens {
		copy(x.convOut[t*x.stride()+x.keyTotal:][:headDim], x.convOut[x.keyTotal:][:headDim])
		x.decay[t], x.beta[t] = 1, 1
	}
	return append(cases, deltaCase{"one key for all tokens", x})
}

func TestGatedDeltaNetKernelsApplyTheDeltaRule(t *testing.T) {
	dev := openDevice(t)
	for _, c := range deltaCases() {
		state, output := c.input.reference()
		var states, outputs [][]float32 // of all kernels
		for _, k := range deltaKernels {
			t.Run(k.name+", "+c.name, func(t *testing.T) {
				a := c.input.args(t, dev)
				execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
				output.check(t, "output", a.Output.Data(), sumRel)
				state.check(t, "state", a.State.Data(), sumRel)
				states, outputs = append(states, slices.Clone(a.State.Data())), append(outputs, slices.Clone(a.Output.Data()))
			})
		}
		for i := 1; i < len(states); i++ {
			t.Run("agreement with the first kernel, "+c.name, func(t *testing.T) {
				compare(t, "output", outputs[i], float64s(outputs[0]), output.scale, sumRel)
				compare(t, "state", states[i], float64s(states[0]), state.scale, sumRel)
			})
		}
	}
}

func TestGatedDeltaNetInTwoCallsEqualsOne(t *testing.T) {
	dev := openDevice(t)
	x := newDeltaInput(deltaShape{2, 37, 128, 2})
	const first = 16 // whole units of all kernels
	for _, k := range deltaKernels {
		t.Run(fmt.Sprintf("%s, %d and %d tokens", k.name, first, x.tokens-first), func(t *testing.T) {
			one, two := x.args(t, dev), x.args(t, dev)
			execute(t, dev, func(b *runtime.Batch) {
				k.call(b, one)
				a := two
				a.NTokens = first
				k.call(b, a)
				a.NTokens = uint32(x.tokens - first)
				a.ConvOut = two.ConvOut.Slice(first*x.stride(), two.ConvOut.Len())
				a.GDecay = two.GDecay.Slice(first*x.vHeads, two.GDecay.Len())
				a.BetaGate = two.BetaGate.Slice(first*x.vHeads, two.BetaGate.Len())
				a.Output = two.Output.Slice(first*x.vHeads*headDim, two.Output.Len())
				k.call(b, a)
			})
			sameBits(t, "output", two.Output.Data(), one.Output.Data())
			sameBits(t, "state", two.State.Data(), one.State.Data())
		})
		if k.unit > 1 {
			continue // other calls for the same tokens may round differently
		}
		t.Run(k.name+", token by token", func(t *testing.T) {
			one, all := x.args(t, dev), x.args(t, dev)
			execute(t, dev, func(b *runtime.Batch) {
				k.call(b, one)
				for i := range x.tokens {
					a := all
					a.NTokens = 1
					a.ConvOut = all.ConvOut.Slice(i*x.stride(), (i+1)*x.stride())
					a.GDecay = all.GDecay.Slice(i*x.vHeads, (i+1)*x.vHeads)
					a.BetaGate = all.BetaGate.Slice(i*x.vHeads, (i+1)*x.vHeads)
					a.Output = all.Output.Slice(i*x.vHeads*headDim, (i+1)*x.vHeads*headDim)
					k.call(b, a)
				}
			})
			sameBits(t, "output", all.Output.Data(), one.Output.Data())
			sameBits(t, "state", all.State.Data(), one.State.Data())
		})
	}
}

func TestGatedDeltaNetOfNoTokensLeavesTheState(t *testing.T) {
	dev := openDevice(t)
	for _, k := range deltaKernels {
		t.Run(k.name, func(t *testing.T) {
			a := gen.GatedDeltaNetStepArgs{
				State:      input(t, dev, uniform(1, 2*headDim*headDim, -1, 1)), // which must not change
				KHeadsPerV: 1, KeyTotal: 256, NumVHeads: 2,
			}
			execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
		})
	}
}

// convolution has the inputs of the kernels for the convolution.
type convolution struct {
	dim, tokens  int
	state, input []float32
	weights      []uint16
}

func newConvolution(dim, tokens int) *convolution {
	weights := uniformBF16(3, 4*dim, 0.25, 1)
	for i := range weights {
		if i%3 == 0 {
			weights[i] |= 0x8000 // negative
		}
	}
	return &convolution{dim, tokens, uniform(1, 3*dim, -2, 2), uniform(2, tokens*dim, -2, 2), weights}
}

// seen returns a row of the state followed by the input.
func (c *convolution) seen(row int) []float32 {
	return append(slices.Clone(c.state), c.input...)[row*c.dim:][:c.dim]
}

func TestConv1dStepConvolvesAndActivates(t *testing.T) {
	dev := openDevice(t)
	for _, shape := range [][2]int{{1, 1}, {100, 5}, {257, 2}, {256, 3}, {8192, 1}, {4, 4096}} {
		c := newConvolution(shape[0], shape[1])
		t.Run(fmt.Sprintf("conv_dim %d, %d tokens", c.dim, c.tokens), func(t *testing.T) {
			seen := append(slices.Clone(c.state), c.input...)
			want, tolerance := make([]float64, c.tokens*c.dim), make([]float64, c.tokens*c.dim)
			for token := range c.tokens {
				for ch := range c.dim {
					sum, terms := 0.0, 0.0
					for j := range 4 {
						term := bf16(c.weights[4*ch+j]) * float64(seen[(token+j)*c.dim+ch])
						sum += term
						terms += math.Abs(term)
					}
					// The four roundings of the sum go through silu, which is nowhere
					// steeper than 1.1, and then there is the error of silu itself.
					at := token*c.dim + ch
					want[at] = sum * sigmoid64(sum)
					tolerance[at] = 1.1*4*ulp/2*terms + math.Abs(want[at])*sigmoidRel(sum)
				}
			}
			out := output[float32](t, dev, len(want))
			execute(t, dev, func(b *runtime.Batch) {
				gen.Conv1dStep(b, gen.Conv1dStepArgs{
					ConvState: input(t, dev, c.state), Input: input(t, dev, c.input), Weights: input(t, dev, c.weights),
					Output: out, ConvDim: uint32(c.dim),
				})
			})
			compare(t, "output", out.Data(), want, tolerance, 1)
		})
	}
}

func TestConv1dStateUpdateKeepsTheLastThreeRows(t *testing.T) {
	dev := openDevice(t)
	for _, dim := range []int{1, 100, 257, 8192} {
		for _, tokens := range []int{0, 1, 2, 3, 4, 9} {
			t.Run(fmt.Sprintf("conv_dim %d, %d tokens", dim, tokens), func(t *testing.T) {
				c := newConvolution(dim, tokens)
				state := inout(t, dev, c.state)
				execute(t, dev, func(b *runtime.Batch) {
					gen.Conv1dStateUpdate(b, gen.Conv1dStateUpdateArgs{
						ConvState: state, Input: input(t, dev, c.input), ConvDim: uint32(dim), NTokens: uint32(tokens),
					})
				})
				for row := range 3 {
					sameBits(t, fmt.Sprintf("row %d", row), state.Data()[row*dim:][:dim], c.seen(tokens+row))
				}
			})
		}
	}
}

func TestConv1dInPartsEqualsOnePass(t *testing.T) {
	dev := openDevice(t)
	for _, parts := range [][]int{{1, 6}, {2, 5}, {4, 3}, {6, 1}, {1, 1, 1, 1, 1, 1, 1}} {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			const dim, tokens = 301, 7
			c := newConvolution(dim, tokens)
			in, weights := input(t, dev, c.input), input(t, dev, c.weights)
			whole, pieces := output[float32](t, dev, tokens*dim), output[float32](t, dev, tokens*dim)
			wholeState, piecesState := inout(t, dev, c.state), inout(t, dev, c.state)
			pass := func(b *runtime.Batch, state, in, out runtime.Buffer[float32]) {
				gen.Conv1dStep(b, gen.Conv1dStepArgs{ConvState: state, Input: in, Weights: weights, Output: out, ConvDim: dim})
				gen.Conv1dStateUpdate(b,
					gen.Conv1dStateUpdateArgs{ConvState: state, Input: in, ConvDim: dim, NTokens: uint32(in.Len() / dim)})
			}
			execute(t, dev, func(b *runtime.Batch) {
				pass(b, wholeState, in, whole)
				at := 0
				for _, n := range parts {
					pass(b, piecesState, in.Slice(at*dim, (at+n)*dim), pieces.Slice(at*dim, (at+n)*dim))
					at += n
				}
			})
			sameBits(t, "output", pieces.Data(), whole.Data())
			sameBits(t, "conv_state", piecesState.Data(), wholeState.Data())
		})
	}
}

func TestRmsNormQkNormalisesQueriesAndKeysOnly(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		keyDim, total, offset, tokens int
		rest                          int // of x, less than a token
	}{
		{1, 2, 1, 1, 0},
		{20, 130, 60, 2, 0},
		{100, 250, 120, 3, 0}, // one head fits, and 20 floats are left over
		{128, 8192, 2048, 1, 0},
		{128, 600, 256, 5, 599},
		{2000, 4100, 2000, 1, 3}, // more than the threads of a threadgroup
	} {
		t.Run(fmt.Sprintf("key_dim %d, %d of %d, %d tokens and %d", c.keyDim, c.offset, c.total, c.tokens, c.rest),
			func(t *testing.T) {
				before := uniform(1, c.tokens*c.total+c.rest, -3, 3)
				scale := float32(1 / math.Sqrt(float64(c.keyDim)))
				want, same := float64s(before), slices.Repeat([]bool{true}, len(before))
				for token := range c.tokens {
					for head := range c.offset / c.keyDim {
						q := token*c.total + head*c.keyDim
						for at, factor := range map[int]float64{
							q:            float64(scale) * float64(scale),
							q + c.offset: float64(scale),
						} {
							by := inverseRMS(want[at:at+c.keyDim], 1e-6)
							for i := at; i < at+c.keyDim; i++ {
								want[i] *= by * factor
								same[i] = false
							}
						}
					}
				}
				x := inout(t, dev, before)
				execute(t, dev, func(b *runtime.Batch) {
					gen.RmsNormQk(b, gen.RmsNormQkArgs{
						X: x, KeyDim: uint32(c.keyDim), InvScale: scale, PerTokenTotal: uint32(c.total),
						KeyOffsetPerToken: uint32(c.offset),
					})
				})
				compare(t, "x", x.Data(), want, nil, sumRel)
				for i, f := range x.Data() {
					if same[i] && f != before[i] {
						t.Fatalf("[%d] is neither query nor key and became %v, was %v", i, f, before[i])
					}
				}
			})
	}
	t.Run("zeros stay zeros", func(t *testing.T) {
		x := inout(t, dev, make([]float32, 300))
		execute(t, dev, func(b *runtime.Batch) {
			gen.RmsNormQk(b, gen.RmsNormQkArgs{X: x, KeyDim: 100, InvScale: 0.1, PerTokenTotal: 300, KeyOffsetPerToken: 100})
		})
		sameBits(t, "x", x.Data(), make([]float32, 300))
	})
}

func TestComputeDecayBetaComputesItsFormulas(t *testing.T) {
	dev := openDevice(t)
	for _, shape := range [][2]int{{1, 1}, {20, 5}, {32, 3}, {48, 100}, {300, 2}, {4096, 1}} {
		heads, tokens := shape[0], shape[1]
		t.Run(fmt.Sprintf("%d heads, %d tokens", heads, tokens), func(t *testing.T) {
			n := heads * tokens
			alpha, beta := uniform(1, n, -8, 8), gates(2, n)
			aLog := uniform(3, heads, -3, 1)
			// Softplus must not overflow, nor what comes of it be 0 for that.
			copy(alpha, []float32{0, 1000, -50, 50, -1000})
			copy(aLog, []float32{-1, -8})
			bias := uniformBF16(4, heads, 0, 2)
			decay, decayTolerance := make([]float64, n), make([]float64, n)
			gate, gateTolerance := make([]float64, n), make([]float64, n)
			for i := range n {
				a := float64(aLog[i%heads])
				x := float64(alpha[i]) + bf16(bias[i%heads])
				step := max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
				// The logarithm, of a number from 1 to 2, may be off by 2^-21, the rounding of
				// its argument makes 2^-24, the exponential before at most 2 units. Rounding
				// of x and of the sum are relative to these.
				stepError := 0x1p-21 + 0x1p-24 + 2*ulp + 2*ulp*(math.Abs(x)+step)
				exponent := -math.Exp(a) * step
				exponentError := math.Exp(a)*stepError + math.Abs(exponent)*(expRel(a)+ulp)
				decay[i] = math.Exp(exponent)
				decayTolerance[i] = decay[i] * (exponentError + expRel(exponent))
				g := float64(beta[i])
				gate[i] = sigmoid64(g)
				gateTolerance[i] = gate[i] * sigmoidRel(g)
			}
			gDecay, betaGate := output[float32](t, dev, n), output[float32](t, dev, n)
			execute(t, dev, func(b *runtime.Batch) {
				gen.ComputeDecayBeta(b, gen.ComputeDecayBetaArgs{
					AlphaOut: input(t, dev, alpha), BetaOut: input(t, dev, beta), ALog: input(t, dev, aLog),
					DtBias: input(t, dev, bias),
					GDecay: gDecay, BetaGate: betaGate, NumVHeads: uint32(heads),
				})
			})
			compare(t, "g_decay", gDecay.Data(), decay, decayTolerance, 1)
			compare(t, "beta_gate", betaGate.Data(), gate, gateTolerance, 1)
			for i, g := range gDecay.Data() {
				if b := betaGate.Data()[i]; !(g >= 0 && g <= 1 && b >= 0 && b <= 1) {
					t.Fatalf("[%d] decay %v, strength %v: not from 0 to 1", i, g, b)
				}
			}
		})
	}
}

func TestGatedRmsNormNormalisesAndGates(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		dim, heads, tokens int
		eps                float32
	}{
		{1, 1, 1, 1e-6}, {100, 3, 5, 0.5}, {128, 32, 2, 1e-6}, {33, 5, 3, 1e-5}, {4099, 1, 1, 1e-6},
	} {
		n := c.tokens * c.heads * c.dim
		values, z := uniform(1, n, -3, 3), uniform(2, n, -8, 8)
		weight := uniformBF16(3, c.dim, 0.5, 2)
		want, tolerance := rmsNormRows(values, weight, c.eps), make([]float64, n)
		for i := range want {
			g := float64(z[i])
			want[i] *= g * sigmoid64(g)
			tolerance[i] = math.Abs(want[i]) * (sumRel + sigmoidRel(g))
		}
		for _, place := range []string{"memory of its own", "values", "z"} {
			t.Run(fmt.Sprintf("value_dim %d, %d heads, %d tokens, eps %g, output in %s", c.dim, c.heads, c.tokens, c.eps, place),
				func(t *testing.T) {
					a := gen.GatedRmsNormArgs{
						Weight: input(t, dev, weight), ValueDim: uint32(c.dim), Eps: c.eps, NumVHeads: uint32(c.heads),
					}
					switch place {
					case "values":
						a.Values, a.Z = inout(t, dev, values), input(t, dev, z)
						a.Output = a.Values
					case "z":
						a.Values, a.Z = input(t, dev, values), inout(t, dev, z)
						a.Output = a.Z
					default:
						a.Values, a.Z = input(t, dev, values), input(t, dev, z)
						a.Output = output[float32](t, dev, n)
					}
					execute(t, dev, func(b *runtime.Batch) { gen.GatedRmsNorm(b, a) })
					compare(t, "output", a.Output.Data(), want, tolerance, 1)
				})
		}
	}
}

func TestGatedRmsNormEqualsItsPartsInTurn(t *testing.T) {
	dev := openDevice(t)
	const dim, heads, tokens, eps = 100, 3, 2, 1e-5
	const n = dim * heads * tokens
	values, z := input(t, dev, uniform(1, n, -3, 3)), input(t, dev, uniform(2, n, -8, 8))
	weight := input(t, dev, uniformBF16(3, dim, 0.5, 2))
	fused, inTurn := output[float32](t, dev, n), inout(t, dev, values.Data())
	execute(t, dev, func(b *runtime.Batch) {
		gen.GatedRmsNorm(b,
			gen.GatedRmsNormArgs{Values: values, Z: z, Weight: weight, Output: fused, ValueDim: dim, Eps: eps, NumVHeads: heads})
		gen.RmsNormPerHeadNTokens(b,
			gen.RmsNormPerHeadNTokensArgs{X: inTurn, Weight: weight, NumHeads: heads, HeadDim: dim, Eps: eps})
		gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: z, Up: inTurn, Out: inTurn, Dim: n})
	})
	compare(t, "output", fused.Data(), float64s(inTurn.Data()), nil, 2*sumRel)
}
