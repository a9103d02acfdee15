package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestMlaQPrime4bitTakesQueriesToLatentSpace(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct{ heads, nope, rank, rowsPerHead, group int }{
		{1, 1, 8, 1, 8},
		{3, 20, 104, 50, 40},
		{2, 13, 40, 13, 7}, // a group need not be whole words here
		{16, 4, 512, 6, 64},
		{1, 24, 4096, 24, 64},
		{2, 3, 4104, 5, 4096},
		{1, 1000, 16, 1000, 16},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			w := newQuantized(uint64(i), 4, c.heads*c.rowsPerHead, c.rank, c.group)
			q := uniform(uint64(i), c.heads*c.nope, -1, 1)
			want := newReference(c.heads * c.rank)
			for h := range c.heads {
				for i := range c.nope {
					for col := range c.rank {
						want.add(h*c.rank+col, float64(q[h*c.nope+i])*w.at(h*c.rowsPerHead+i, col))
					}
				}
			}
			a := gen.MlaQPrime4bitArgs{
				WPacked:    input(t, dev, w.words),
				Scales:     input(t, dev, w.scales),
				Biases:     input(t, dev, w.biases),
				QNope:      input(t, dev, q),
				QPrime:     output[float32](t, dev, c.heads*c.rank),
				NumHeads:   uint32(c.heads),
				Nope:       uint32(c.nope),
				KvLoraRank: uint32(c.rank),
				KvBPerHead: uint32(c.rowsPerHead),
				GroupSize:  uint32(c.group),
			}
			execute(t, dev, func(b *runtime.Batch) { gen.MlaQPrime4bit(b, a) })
			want.check(t, "mla_q_prime_4bit", a.QPrime.Data(), sumRel)
		})
	}
}

func TestMlaOutPerHead4bitTakesLatentsToOutputs(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct{ heads, nope, rank, headDim, rowsPerHead, group int }{
		{1, 0, 8, 1, 1, 8},
		{3, 20, 104, 30, 50, 40}, // all rows of a head
		{3, 20, 104, 25, 50, 40}, // some are left
		{16, 2, 512, 3, 6, 64},
		{2, 3, 4096, 5, 9, 64},
		{1, 2, 8200, 3, 5, 48},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			w := newQuantized(uint64(i), 4, c.heads*c.rowsPerHead, c.rank, c.group)
			v := uniform(uint64(i), c.heads*c.rank, -1, 1)
			want := newReference(c.heads * c.headDim)
			for h := range c.heads {
				for f := range c.headDim {
					for col := range c.rank {
						want.add(h*c.headDim+f, float64(v[h*c.rank+col])*w.at(h*c.rowsPerHead+c.nope+f, col))
					}
				}
			}
			a := gen.MlaOutPerHead4bitArgs{
				WPacked:    input(t, dev, w.words),
				Scales:     input(t, dev, w.scales),
				Biases:     input(t, dev, w.biases),
				VCombine:   input(t, dev, v),
				OutPerHead: output[float32](t, dev, c.heads*c.headDim),
				NumHeads:   uint32(c.heads),
				Nope:       uint32(c.nope),
				KvLoraRank: uint32(c.rank),
				VHeadDim:   uint32(c.headDim),
				KvBPerHead: uint32(c.rowsPerHead),
				GroupSize:  uint32(c.group),
			}
			execute(t, dev, func(b *runtime.Batch) { gen.MlaOutPerHead4bit(b, a) })
			want.check(t, "mla_out_per_head_4bit", a.OutPerHead.Data(), sumRel)
		})
	}
}

// latentAttention is an attention in latent space, of heads queries over a cache.
type latentAttention struct {
	heads, rank, rope, length int
	softmaxScale              float32
	q, qPe, latent, ropeK     []float32
}

func newLatentAttention(seed uint64, heads, rank, rope, length int, softmaxScale float32) latentAttention {
	return latentAttention{
		heads, rank, rope, length, softmaxScale,
		uniform(4*seed, heads*rank, -1, 1),
		uniform(4*seed+1, heads*rope, -1, 1),
		uniform(4*seed+2, length*rank, -1, 1),
		uniform(4*seed+3, length*rope, -1, 1),
	}
}

// attended is what is known after some positions of the cache.
type attended struct {
	largest  reference // score of each head
	denom    reference // sum of exp(score - largest)
	partial  reference // latents weighted with exp(score - largest)
	combined reference // partial / denom
}

// over attends to the positions from, up to to.
//
// A score is a sum. An error of it is one of its weight, relative to the weight:
// everything made with weights has a tolerance larger by that of the scores. Where
// a weight stands against the sum of all, and the largest score against each, it
// counts twice.
func (l latentAttention) over(from, to int) attended {
	r := attended{newReference(l.heads), newReference(l.heads), newReference(l.heads * l.rank),
		newReference(l.heads * l.rank)}
	for h := range l.heads {
		scores := newReference(to - from)
		for p := range to - from {
			for c := range l.rank {
				scores.add(p, float64(l.softmaxScale)*float64(l.q[h*l.rank+c])*float64(l.latent[(from+p)*l.rank+c]))
			}
			for c := range l.rope {
				scores.add(p, float64(l.softmaxScale)*float64(l.qPe[h*l.rope+c])*float64(l.ropeK[(from+p)*l.rope+c]))
			}
		}
		if from == to {
			continue
		}
		r.largest.want[h] = slices.Max(scores.want)
		r.largest.scale[h] = slices.Max(scores.scale)
		loose := 1 + 2*r.largest.scale[h]
		for p, score := range scores.want {
			weight := math.Exp(score - r.largest.want[h])
			r.denom.add(h, weight)
			for c := range l.rank {
				r.partial.add(h*l.rank+c, weight*float64(l.latent[(from+p)*l.rank+c]))
			}
		}
		denom := r.denom.want[h]
		for c := range l.rank {
			i := h*l.rank + c
			r.partial.scale[i] *= loose
			r.combined.want[i] = r.partial.want[i] / denom
			r.combined.scale[i] = r.partial.scale[i] / denom
		}
		r.denom.scale[h] *= loose
	}
	return r
}

func (l latentAttention) folded(t testing.TB, dev *runtime.Device) gen.MlaSdpaFoldedArgs {
	return gen.MlaSdpaFoldedArgs{
		QPrime:        input(t, dev, l.q),
		QPe:           input(t, dev, l.qPe),
		LatentCache:   input(t, dev, l.latent),
		RopeKCache:    input(t, dev, l.ropeK),
		VCombine:      output[float32](t, dev, l.heads*l.rank),
		NumHeads:      uint32(l.heads),
		KvLoraRank:    uint32(l.rank),
		QkRopeHeadDim: uint32(l.rope),
		CacheLen:      uint32(l.length),
		SoftmaxScale:  l.softmaxScale,
	}
}

func TestMlaSdpaFoldedAttendsOverTheWholeCache(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		heads, rank, rope, length int
		softmaxScale              float32
	}{
		{1, 1, 1, 1, 1},
		{2, 5, 3, 0, 1}, // zeros
		{3, 20, 7, 33, 0.25},
		{2, 13, 5, 129, 0.5},
		{2, 8, 0, 50, 1}, // no rotary part
		{16, 130, 64, 20, 0.1},
		{2, 512, 64, 40, 0.04},
		{1, 4096, 5, 24, 0.02},
		{3, 40, 30, 60, 30}, // scores of hundreds, of either sign
		{1, 8, 4, 4096, 1},
		{2, 5, 3, 4097, 1},
		{1, 3, 2, 12300, 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			l := newLatentAttention(uint64(i), c.heads, c.rank, c.rope, c.length, c.softmaxScale)
			a := l.folded(t, dev)
			execute(t, dev, func(b *runtime.Batch) { gen.MlaSdpaFolded(b, a) })
			l.over(0, c.length).combined.check(t, "mla_sdpa_folded", a.VCombine.Data(), sumRel)
		})
	}
}

func TestMlaSdpaTilesMakeWhatFoldedMakes(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		heads, rank, rope int
		softmaxScale      float32
		borders           []int // of the tiles
	}{
		{1, 1, 1, 1, []int{0, 1}},
		{3, 20, 7, 0.25, []int{0, 33}},
		{3, 20, 7, 0.25, []int{0, 1, 18, 33, 130, 131}},
		{2, 13, 5, 1, []int{0, 0, 7, 7, 7, 50, 50}}, // empty tiles, the first and the last among them
		{2, 5, 3, 1, []int{0, 0}},                   // nothing at all: zeros
		{2, 8, 0, 1, []int{0, 30, 50}},              // no rotary part
		{2, 512, 64, 0.04, []int{0, 16, 31, 40}},
		{3, 40, 30, 30, []int{0, 9, 27, 60}}, // scores of hundreds, of either sign
		{2, 5, 3, 1, []int{11, 20, 45}},      // not from the start of the cache
		{1, 8, 4, 1, []int{0, 4095, 4096, 8192}},
		{1, 3, 2, 2, []int{0, 3, 4102, 12300}}, // larger than what is worked on at a time
		{1, 3, 2, 2, []int{0, 4097, 8300}},     // the first one too
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			from, to := c.borders[0], c.borders[len(c.borders)-1]
			l := newLatentAttention(uint64(i), c.heads, c.rank, c.rope, to, c.softmaxScale)
			folded := l.folded(t, dev)
			tile := gen.MlaSdpaTileAccumulateArgs{
				QPrime:          folded.QPrime,
				QPe:             folded.QPe,
				LatentCache:     folded.LatentCache,
				RopeKCache:      folded.RopeKCache,
				RunningMax:      output[float32](t, dev, c.heads), // NaN, not to be read by the first tile
				RunningDenom:    output[float32](t, dev, c.heads),
				VCombinePartial: output[float32](t, dev, c.heads*c.rank),
				NumHeads:        uint32(c.heads),
				KvLoraRank:      uint32(c.rank),
				QkRopeHeadDim:   uint32(c.rope),
				SoftmaxScale:    c.softmaxScale,
			}
			combined := output[float32](t, dev, c.heads*c.rank)
			execute(t, dev, func(b *runtime.Batch) {
				for i, end := range c.borders[1:] {
					tile.TileStart, tile.TileEnd = uint32(c.borders[i]), uint32(end)
					tile.IsFirstTile = 0
					if i == 0 {
						tile.IsFirstTile = uint32(len(c.borders)) // anything but 0
					}
					gen.MlaSdpaTileAccumulate(b, tile)
				}
				gen.MlaSdpaTileFinalize(b, gen.MlaSdpaTileFinalizeArgs{
					VCombinePartial: tile.VCombinePartial,
					RunningDenom:    tile.RunningDenom,
					VCombine:        combined,
					NumHeads:        tile.NumHeads,
					KvLoraRank:      tile.KvLoraRank,
				})
				folded.LatentCache = folded.LatentCache.Slice(from*c.rank, to*c.rank)
				folded.RopeKCache = folded.RopeKCache.Slice(from*c.rope, to*c.rope)
				folded.CacheLen = uint32(to - from)
				gen.MlaSdpaFolded(b, folded)
			})
			want := l.over(from, to)
			if from < to { // else there is no score to be the largest
				want.largest.check(t, "running_max", tile.RunningMax.Data(), sumRel)
			}
			want.denom.check(t, "running_denom", tile.RunningDenom.Data(), sumRel)
			want.partial.check(t, "v_combine_partial", tile.VCombinePartial.Data(), sumRel)
			want.combined.check(t, "v_combine", combined.Data(), sumRel)
			compare(t, "against mla_sdpa_folded", combined.Data(), floats64(folded.VCombine.Data()), want.combined.scale, sumRel)
		})
	}
}

func TestMlaSdpaTileFinalizeDividesByTheSumOfWeights(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct{ heads, rank int }{{1, 1}, {3, 104}, {2, 4096}, {70, 13}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			partial := uniform(uint64(2*i), c.heads*c.rank, -5, 5)
			denom := uniform(uint64(2*i+1), c.heads, 0.5, 50)
			denom[c.heads/2] = 0 // saw nothing
			want := make([]float64, len(partial))
			for j, p := range partial {
				if d := denom[j/c.rank]; d != 0 {
					want[j] = float64(p) / float64(d)
				}
			}
			a := gen.MlaSdpaTileFinalizeArgs{
				VCombinePartial: input(t, dev, partial),
				RunningDenom:    input(t, dev, denom),
				VCombine:        output[float32](t, dev, len(want)),
				NumHeads:        uint32(c.heads),
				KvLoraRank:      uint32(c.rank),
			}
			execute(t, dev, func(b *runtime.Batch) { gen.MlaSdpaTileFinalize(b, a) })
			compare(t, "mla_sdpa_tile_finalize", a.VCombine.Data(), want, nil, elementRel)
		})
	}
}

func TestMlaSplitQKvCopiesEachPart(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct{ heads, nope, rope, rank int }{
		{1, 1, 1, 1},
		{16, 128, 64, 512},
		{3, 20, 100, 50},
		{2, 20, 30, 600}, // the latent vector is the longest
		{1, 20, 600, 30}, // the rotary key is
		{5, 4096, 3, 8},
		{2, 0, 30, 8},
		{2, 30, 0, 8},
		{2, 7, 5, 0},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			qFull := uniform(uint64(2*i), c.heads*(c.nope+c.rope), -1, 1)
			kvPre := uniform(uint64(2*i+1), c.rank+c.rope, -1, 1)
			var nope, pe []float32
			for head := range slices.Chunk(qFull, c.nope+c.rope) {
				nope, pe = append(nope, head[:c.nope]...), append(pe, head[c.nope:]...)
			}
			a := gen.MlaSplitQKvArgs{
				QFull:      input(t, dev, qFull),
				KvPre:      input(t, dev, kvPre),
				QNope:      output[float32](t, dev, c.heads*c.nope),
				QPe:        output[float32](t, dev, c.heads*c.rope),
				KvLat:      output[float32](t, dev, c.rank),
				KPe:        output[float32](t, dev, c.rope),
				NumHeads:   uint32(c.heads),
				QkNope:     uint32(c.nope),
				QkRope:     uint32(c.rope),
				KvLoraRank: uint32(c.rank),
			}
			execute(t, dev, func(b *runtime.Batch) { gen.MlaSplitQKv(b, a) })
			sameBits(t, "q_nope", a.QNope.Data(), nope)
			sameBits(t, "q_pe", a.QPe.Data(), pe)
			sameBits(t, "kv_lat", a.KvLat.Data(), kvPre[:c.rank])
			sameBits(t, "k_pe", a.KPe.Data(), kvPre[c.rank:])
		})
	}
}

func TestMlaKvCacheAppendWritesOneRow(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct{ rank, rope, rows, pos int }{
		{1, 1, 1, 0},
		{512, 64, 5, 4},
		{50, 300, 7, 3}, // the rotary key is the longer one
		{257, 255, 3, 0},
		{8, 4, 4096, 4095},
		{50, 20, 3, -1}, // nowhere
		{50, 20, 3, math.MinInt32},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			lat, pe := uniform(uint64(4*i), c.rank, -1, 1), uniform(uint64(4*i+1), c.rope, -1, 1)
			latents, keys := uniform(uint64(4*i+2), c.rows*c.rank, -1, 1), uniform(uint64(4*i+3), c.rows*c.rope, -1, 1)
			a := gen.MlaKvCacheAppendArgs{
				KvLat:       input(t, dev, lat),
				KPe:         input(t, dev, pe),
				LatentCache: inout(t, dev, latents),
				RopeKCache:  inout(t, dev, keys),
				KvLoraRank:  uint32(c.rank),
				QkRope:      uint32(c.rope),
				Pos:         int32(c.pos),
			}
			execute(t, dev, func(b *runtime.Batch) { gen.MlaKvCacheAppend(b, a) })
			if c.pos >= 0 {
				copy(latents[c.pos*c.rank:], lat)
				copy(keys[c.pos*c.rope:], pe)
			}
			sameBits(t, "latent_cache", a.LatentCache.Data(), latents)
			sameBits(t, "rope_k_cache", a.RopeKCache.Data(), keys)
		})
	}
}

// All kernels together are an attention with keys and values that W makes of the
// latent vectors, which is how the reference computes it.
func TestMlaKernelsTogetherAreMultiHeadAttention(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct{ heads, nope, rope, rank, headDim, group, tokens int }{
		{1, 4, 2, 8, 3, 8, 1},
		{3, 12, 6, 40, 10, 24, 9},
		{4, 33, 16, 128, 17, 64, 20},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			const softmaxScale = 0.25
			rowsPerHead := c.nope + c.headDim
			w := newQuantized(uint64(i), 4, c.heads*rowsPerHead, c.rank, c.group)
			qFull := uniform(uint64(10*i), c.tokens*c.heads*(c.nope+c.rope), -1, 1)
			kvPre := uniform(uint64(10*i+1), c.tokens*(c.rank+c.rope), -0.5, 0.5)

			// Each token attends over those up to itself.
			want := newReference(c.tokens * c.heads * c.headDim)
			projected := func(row, token int) (sum, abs float64) { // W times a latent vector
				r := newReference(1)
				for col := range c.rank {
					r.add(0, w.at(row, col)*float64(kvPre[token*(c.rank+c.rope)+col]))
				}
				return r.want[0], r.scale[0]
			}
			for token := range c.tokens {
				for h := range c.heads {
					query := qFull[(token*c.heads+h)*(c.nope+c.rope):]
					scores := newReference(token + 1)
					for p := range token + 1 {
						for i := range c.nope {
							key, abs := projected(h*rowsPerHead+i, p)
							scores.want[p] += softmaxScale * float64(query[i]) * key
							scores.scale[p] += softmaxScale * math.Abs(float64(query[i])) * abs
						}
						for i := range c.rope {
							scores.add(p, softmaxScale*float64(query[c.nope+i])*float64(kvPre[p*(c.rank+c.rope)+c.rank+i]))
						}
					}
					largest, denom := slices.Max(scores.want), 0.0
					for _, score := range scores.want {
						denom += math.Exp(score - largest)
					}
					for f := range c.headDim {
						i := (token*c.heads+h)*c.headDim + f
						for p, score := range scores.want {
							weight := math.Exp(score-largest) / denom
							v, abs := projected(h*rowsPerHead+c.nope+f, p)
							want.want[i] += weight * v
							want.scale[i] += weight * abs * (1 + 2*slices.Max(scores.scale))
						}
					}
				}
			}

			weights, scales, biases := input(t, dev, w.words), input(t, dev, w.scales), input(t, dev, w.biases)
			queries, keys := input(t, dev, qFull), input(t, dev, kvPre)
			floats := func(n int) runtime.Buffer[float32] { return output[float32](t, dev, n) }
			qNope, qPe, kvLat, kPe := floats(c.heads*c.nope), floats(c.heads*c.rope), floats(c.rank), floats(c.rope)
			latents, ropeKeys := floats(c.tokens*c.rank), floats(c.tokens*c.rope)
			qPrime, combined, out := floats(c.heads*c.rank), floats(c.heads*c.rank), floats(len(want.want))
			heads, rank, rope := uint32(c.heads), uint32(c.rank), uint32(c.rope)
			execute(t, dev, func(b *runtime.Batch) {
				for token := range c.tokens {
					qDim, kvDim, outDim := c.heads*(c.nope+c.rope), c.rank+c.rope, c.heads*c.headDim
					gen.MlaSplitQKv(b, gen.MlaSplitQKvArgs{
						QFull: queries.Slice(token*qDim, (token+1)*qDim),
						KvPre: keys.Slice(token*kvDim, (token+1)*kvDim),
						QNope: qNope, QPe: qPe, KvLat: kvLat, KPe: kPe,
						NumHeads: heads, QkNope: uint32(c.nope), QkRope: rope, KvLoraRank: rank,
					})
					gen.MlaKvCacheAppend(b, gen.MlaKvCacheAppendArgs{
						KvLat: kvLat, KPe: kPe, LatentCache: latents, RopeKCache: ropeKeys,
						KvLoraRank: rank, QkRope: rope, Pos: int32(token),
					})
					gen.MlaQPrime4bit(b, gen.MlaQPrime4bitArgs{
						WPacked: weights, Scales: scales, Biases: biases, QNope: qNope, QPrime: qPrime,
						NumHeads: heads, Nope: uint32(c.nope), KvLoraRank: rank,
						KvBPerHead: uint32(rowsPerHead), GroupSize: uint32(c.group),
					})
					gen.MlaSdpaFolded(b, gen.MlaSdpaFoldedArgs{
						QPrime: qPrime, QPe: qPe, LatentCache: latents, RopeKCache: ropeKeys, VCombine: combined,
						NumHeads: heads, KvLoraRank: rank, QkRopeHeadDim: rope,
						CacheLen: uint32(token + 1), SoftmaxScale: softmaxScale,
					})
					gen.MlaOutPerHead4bit(b, gen.MlaOutPerHead4bitArgs{
						WPacked: weights, Scales: scales, Biases: biases,
						VCombine: combined, OutPerHead: out.Slice(token*outDim, (token+1)*outDim),
						NumHeads: heads, Nope: uint32(c.nope), KvLoraRank: rank, VHeadDim: uint32(c.headDim),
						KvBPerHead: uint32(rowsPerHead), GroupSize: uint32(c.group),
					})
				}
			})
			want.check(t, "outputs of the heads", out.Data(), sumRel)
		})
	}
}
