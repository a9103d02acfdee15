package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// attentionShape is one token attending to a cache.
type attentionShape struct {
	headDim, kvHeads, headsPerKv int
	seqLen, seqStride            int
}

var attentionShapes = []attentionShape{
	{headDim: 1, kvHeads: 1, headsPerKv: 1, seqLen: 1, seqStride: 1},
	{headDim: 100, kvHeads: 3, headsPerKv: 2, seqLen: 33, seqStride: 40},
	{headDim: 128, kvHeads: 2, headsPerKv: 4, seqLen: 130, seqStride: 130},
	{headDim: 300, kvHeads: 1, headsPerKv: 3, seqLen: 7, seqStride: 300},
	{headDim: 64, kvHeads: 2, headsPerKv: 1, seqLen: 50, seqStride: 30}, // the cache is longer than a row of scores
}

// longAttentionShapes returns attentionShapes, with -long a long cache among them.
func longAttentionShapes() []attentionShape {
	if !*long {
		return attentionShapes
	}
	return append(slices.Clone(attentionShapes),
		attentionShape{headDim: 16, kvHeads: 1, headsPerKv: 1, seqLen: 4096, seqStride: 4096})
}

func (s attentionShape) String() string {
	return fmt.Sprintf("%d heads of %d for each of %d, seq_len %d, seq_stride %d", s.headsPerKv, s.headDim, s.kvHeads,
		s.seqLen, s.seqStride)
}

func (s attentionShape) heads() int     { return s.kvHeads * s.headsPerKv }
func (s attentionShape) kvDim() int     { return s.kvHeads * s.headDim }
func (s attentionShape) positions() int { return min(s.seqLen, s.seqStride) }

// at returns where the key-value head of a head begins in a cache, for a position.
func (s attentionShape) at(pos, head int) int { return pos*s.kvDim() + head/s.headsPerKv*s.headDim }

func TestAttnScoresAreScaledProductsOfQueryAndKeys(t *testing.T) {
	dev := openDevice(t)
	for _, s := range longAttentionShapes() {
		for _, surplus := range []int{0, 3} { // threadgroups beyond the sequence
			if surplus > 0 && s.seqLen > 1000 {
				continue
			}
			t.Run(fmt.Sprintf("%v, num_seq_tgs %d", s, s.seqLen+surplus), func(t *testing.T) {
				const scale = 0.3
				q := uniform(1, s.heads()*s.headDim, -2, 2)
				keys := uniform(2, s.positions()*s.kvDim(), -2, 2)
				before := uniform(3, s.heads()*s.seqStride, 100, 200) // stays behind the positions of a row
				scores := inout(t, dev, before)
				execute(t, dev, func(b *runtime.Batch) {
					gen.AttnScoresBatched(b, gen.AttnScoresBatchedArgs{
						Q: input(t, dev, q), KCache: input(t, dev, keys), Scores: scores,
						HeadDim: uint32(s.headDim), KvDim: uint32(s.kvDim()), SeqLen: uint32(s.seqLen), SeqStride: uint32(s.seqStride),
						Scale: scale, HeadsPerKv: uint32(s.headsPerKv), NumSeqTgs: uint32(s.seqLen + surplus),
					})
				})
				for head := range s.heads() {
					want := newReference(s.positions())
					for pos := range s.positions() {
						for d := range s.headDim {
							want.add(pos, float64(float32(scale))*float64(q[head*s.headDim+d])*float64(keys[s.at(pos, head)+d]))
						}
					}
					row := scores.Data()[head*s.seqStride:][:s.seqStride]
					want.check(t, fmt.Sprintf("head %d", head), row[:s.positions()], sumRel)
					sameBits(t, fmt.Sprintf("rest of head %d", head), row[s.positions():],
						before[head*s.seqStride:][s.positions():s.seqStride])
				}
			})
		}
	}
}

// softmax64 returns the weights of a row of scores, and how far off they may be. Each
// exponential is as inexact as exp is for its argument, which is a difference that
// is rounded; the divisor as inexact as its terms are on average, and as a sum is.
func softmax64(scores []float64) (weights, tolerance []float64) {
	peak := slices.Max(scores)
	weights, tolerance = make([]float64, len(scores)), make([]float64, len(scores))
	if math.IsInf(peak, -1) {
		return weights, tolerance
	}
	sum, sumError := 0.0, 0.0
	for i, s := range scores {
		weights[i] = math.Exp(s - peak)
		if weights[i] > 0 { // else of -infinity, where nothing is rounded
			tolerance[i] = expRel(s-peak) + math.Abs(s-peak)*ulp
		}
		sum += weights[i]
		sumError += weights[i] * tolerance[i]
	}
	for i := range weights {
		weights[i] /= sum
		tolerance[i] = weights[i] * (tolerance[i] + sumError/sum + sumRel)
	}
	return weights, tolerance
}

func TestAttnSoftmaxTurnsScoresIntoWeights(t *testing.T) {
	dev := openDevice(t)
	infinity := float32(math.Inf(1))
	for _, c := range []struct {
		name                     string
		heads, seqLen, seqStride int
		lo, hi                   float32
		change                   func(row []float32) // the scores of every other head
	}{
		{"one position", 3, 1, 1, -5, 5, nil},
		{"rows with a rest", 5, 33, 40, -5, 5, nil},
		{"full rows", 2, 257, 257, -20, 20, nil},
		{"a cache longer than a row", 2, 50, 30, -5, 5, nil},
		{"a long row", 1, 4096, 4096, -10, 10, nil},
		{"large scores", 2, 300, 300, 995, 1000, nil},
		{"small scores", 2, 300, 300, -1000, -995, nil},
		{"masked positions", 2, 300, 301, -5, 5, func(row []float32) {
			for i := range row {
				if i%3 == 0 {
					row[i] = -infinity
				}
			}
		}},
		{"a head with all positions masked", 4, 100, 100, -5, 5, func(row []float32) {
			for i := range row {
				row[i] = -infinity
			}
		}},
		{"equal scores", 2, 7, 10, 3, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := uniform(1, c.heads*c.seqStride, c.lo, c.hi)
			n := min(c.seqLen, c.seqStride)
			for head := 0; head < c.heads && c.change != nil; head += 2 {
				c.change(before[head*c.seqStride:][:n])
			}
			scores := inout(t, dev, before)
			execute(t, dev, func(b *runtime.Batch) {
				gen.AttnSoftmaxBatched(b, gen.AttnSoftmaxBatchedArgs{
					Scores: scores, SeqLen: uint32(c.seqLen), SeqStride: uint32(c.seqStride),
				})
			})
			for head := range c.heads {
				row, was := scores.Data()[head*c.seqStride:][:c.seqStride], before[head*c.seqStride:][:c.seqStride]
				want, tolerance := softmax64(float64s(was[:n]))
				compare(t, fmt.Sprintf("head %d", head), row[:n], want, tolerance, 1)
				sameBits(t, fmt.Sprintf("rest of head %d", head), row[n:], was[n:])
			}
		})
	}
}

func TestAttnValuesAreWeightedSums(t *testing.T) {
	dev := openDevice(t)
	for _, s := range longAttentionShapes() {
		t.Run(s.String(), func(t *testing.T) {
			weights := uniform(1, s.heads()*s.seqStride, 0, 1)
			values := uniform(2, s.positions()*s.kvDim(), -2, 2)
			out := output[float32](t, dev, s.heads()*s.headDim)
			execute(t, dev, func(b *runtime.Batch) {
				gen.AttnValuesBatched(b, gen.AttnValuesBatchedArgs{
					Scores: input(t, dev, weights), VCache: input(t, dev, values), Out: out,
					HeadDim: uint32(s.headDim), KvDim: uint32(s.kvDim()), SeqLen: uint32(s.seqLen), SeqStride: uint32(s.seqStride),
					HeadsPerKv: uint32(s.headsPerKv),
				})
			})
			want := newReference(s.heads() * s.headDim)
			for head := range s.heads() {
				for pos := range s.positions() {
					for d := range s.headDim {
						want.add(head*s.headDim+d, float64(weights[head*s.seqStride+pos])*float64(values[s.at(pos, head)+d]))
					}
				}
			}
			want.check(t, "out", out.Data(), sumRel)
		})
	}
}

func TestAttentionOfATokenOverItsCache(t *testing.T) {
	dev := openDevice(t)
	for _, s := range longAttentionShapes() {
		t.Run(s.String(), func(t *testing.T) {
			scale := float32(1 / math.Sqrt(float64(s.headDim)))
			q := uniform(1, s.heads()*s.headDim, -2, 2)
			keys := uniform(2, s.positions()*s.kvDim(), -2, 2)
			values := uniform(3, s.positions()*s.kvDim(), -2, 2)
			scores, out := output[float32](t, dev, s.heads()*s.seqStride), output[float32](t, dev, s.heads()*s.headDim)
			execute(t, dev, func(b *runtime.Batch) {
				gen.AttnScoresBatched(b, gen.AttnScoresBatchedArgs{
					Q: input(t, dev, q), KCache: input(t, dev, keys), Scores: scores,
					HeadDim: uint32(s.headDim), KvDim: uint32(s.kvDim()), SeqLen: uint32(s.seqLen), SeqStride: uint32(s.seqStride),
					Scale: scale, HeadsPerKv: uint32(s.headsPerKv), NumSeqTgs: uint32(s.seqLen),
				})
				gen.AttnSoftmaxBatched(b,
					gen.AttnSoftmaxBatchedArgs{Scores: scores, SeqLen: uint32(s.seqLen), SeqStride: uint32(s.seqStride)})
				gen.AttnValuesBatched(b, gen.AttnValuesBatchedArgs{
					Scores: scores, VCache: input(t, dev, values), Out: out,
					HeadDim: uint32(s.headDim), KvDim: uint32(s.kvDim()), SeqLen: uint32(s.seqLen), SeqStride: uint32(s.seqStride),
					HeadsPerKv: uint32(s.headsPerKv),
				})
			})
			want, tolerance := make([]float64, out.Len()), make([]float64, out.Len())
			for head := range s.heads() {
				row := make([]float64, s.positions())
				// A score that is off by e makes its weight wrong by the factor exp(e),
				// and the divisor by no more than that.
				scoreError := 0.0
				for pos := range row {
					magnitude := 0.0
					for d := range s.headDim {
						term := float64(scale) * float64(q[head*s.headDim+d]) * float64(keys[s.at(pos, head)+d])
						row[pos] += term
						magnitude += math.Abs(term)
					}
					scoreError = max(scoreError, sumRel*magnitude)
				}
				weights, weightErrors := softmax64(row)
				for pos, w := range weights {
					for d := range s.headDim {
						v := float64(values[s.at(pos, head)+d])
						want[head*s.headDim+d] += w * v
						tolerance[head*s.headDim+d] += (weightErrors[pos] + w*(2*scoreError+sumRel)) * math.Abs(v)
					}
				}
			}
			compare(t, "out", out.Data(), want, tolerance, 1)
		})
	}
}

func TestSplitQGateSeparatesQueriesFromGates(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct{ heads, dim, tokens int }{
		{1, 1, 1}, {3, 100, 2}, {16, 256, 1}, {5, 33, 130}, {1, 4096, 2},
	} {
		t.Run(fmt.Sprintf("%d heads of %d, %d tokens", c.heads, c.dim, c.tokens), func(t *testing.T) {
			qProj := uniform(1, c.tokens*c.heads*2*c.dim, -2, 2)
			var q, gate []float32
			for at := 0; at < len(qProj); at += 2 * c.dim {
				q = append(q, qProj[at:][:c.dim]...)
				gate = append(gate, qProj[at+c.dim:][:c.dim]...)
			}
			qOut, gateOut := output[float32](t, dev, len(q)), output[float32](t, dev, len(q))
			execute(t, dev, func(b *runtime.Batch) {
				gen.SplitQGate(b, gen.SplitQGateArgs{
					QProj: input(t, dev, qProj), QOut: qOut, GateOut: gateOut,
					NumHeads: uint32(c.heads), HeadDim: uint32(c.dim), NTokens: uint32(c.tokens),
				})
			})
			sameBits(t, "q_out", qOut.Data(), q)
			sameBits(t, "gate_out", gateOut.Data(), gate)
		})
	}
}

func TestKvCacheAppendCopiesToItsRowsOnly(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct{ kvDim, tokens, start, rows int }{
		{1, 1, 0, 1}, {100, 3, 0, 5}, {100, 3, 2, 5}, {257, 1, 17, 40}, {64, 1, 4095, 4096}, {16, 4096, 0, 4096},
		{1024, 5, 3, 9},
	} {
		t.Run(fmt.Sprintf("kv_dim %d, %d tokens at %d of %d", c.kvDim, c.tokens, c.start, c.rows), func(t *testing.T) {
			kSrc, vSrc := uniform(1, c.tokens*c.kvDim, -2, 2), uniform(2, c.tokens*c.kvDim, -2, 2)
			k, v := uniform(3, c.rows*c.kvDim, 10, 20), uniform(4, c.rows*c.kvDim, 10, 20)
			kCache, vCache := inout(t, dev, k), inout(t, dev, v)
			execute(t, dev, func(b *runtime.Batch) {
				gen.KvCacheAppendNTokens(b, gen.KvCacheAppendNTokensArgs{
					KSrc: input(t, dev, kSrc), VSrc: input(t, dev, vSrc), KCache: kCache, VCache: vCache,
					KvDim: uint32(c.kvDim), NTokens: uint32(c.tokens), KvStart: uint32(c.start),
				})
			})
			copy(k[c.start*c.kvDim:], kSrc)
			copy(v[c.start*c.kvDim:], vSrc)
			sameBits(t, "k_cache", kCache.Data(), k)
			sameBits(t, "v_cache", vCache.Data(), v)
		})
	}
}
