package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestMlaCalls(t *testing.T) { mlaTable.run(t) }

var mlaTable = table{
	of("mla_q_prime_4bit", gen.MlaQPrime4bit, func(m *memory, n dims) (gen.MlaQPrime4bitArgs, want) {
		numHeads, nope, kvLoraRank, kvBPerHead, groupSize := n[0], n[1], n[2], n[3], n[4]
		a := gen.MlaQPrime4bitArgs{
			WPacked:    buffer[uint32](m, numHeads*kvBPerHead*(kvLoraRank/8)),
			Scales:     buffer[uint16](m, numHeads*kvBPerHead*ceilDiv(kvLoraRank, groupSize)),
			Biases:     buffer[uint16](m, numHeads*kvBPerHead*ceilDiv(kvLoraRank, groupSize)),
			QNope:      buffer[float32](m, numHeads*nope),
			QPrime:     buffer[float32](m, numHeads*kvLoraRank),
			NumHeads:   uint32(numHeads),
			Nope:       uint32(nope),
			KvLoraRank: uint32(kvLoraRank),
			KvBPerHead: uint32(kvBPerHead),
			GroupSize:  uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(numHeads*kvLoraRank, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "W_packed", a.WPacked),
				reads(1, "scales", a.Scales),
				reads(2, "biases", a.Biases),
				reads(3, "q_nope", a.QNope),
				writes(4, "q_prime", a.QPrime),
				value(5, "num_heads", a.NumHeads),
				value(6, "nope", a.Nope),
				value(7, "kv_lora_rank", a.KvLoraRank),
				value(8, "kv_b_per_head", a.KvBPerHead),
				value(9, "group_size", a.GroupSize),
			},
		}
	}, dims{16, 128, 512, 256, 64}, dims{3, 20, 104, 50, 40}),
	of("mla_out_per_head_4bit", gen.MlaOutPerHead4bit, func(m *memory, n dims) (gen.MlaOutPerHead4bitArgs, want) {
		numHeads, nope, kvLoraRank, vHeadDim, kvBPerHead, groupSize := n[0], n[1], n[2], n[3], n[4], n[5]
		a := gen.MlaOutPerHead4bitArgs{
			WPacked:    buffer[uint32](m, numHeads*kvBPerHead*(kvLoraRank/8)),
			Scales:     buffer[uint16](m, numHeads*kvBPerHead*ceilDiv(kvLoraRank, groupSize)),
			Biases:     buffer[uint16](m, numHeads*kvBPerHead*ceilDiv(kvLoraRank, groupSize)),
			VCombine:   buffer[float32](m, numHeads*kvLoraRank),
			OutPerHead: buffer[float32](m, numHeads*vHeadDim),
			NumHeads:   uint32(numHeads),
			Nope:       uint32(nope),
			KvLoraRank: uint32(kvLoraRank),
			VHeadDim:   uint32(vHeadDim),
			KvBPerHead: uint32(kvBPerHead),
			GroupSize:  uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{numHeads * vHeadDim, 1, 1},
			threads:      [3]int{32, 1, 1},
			args: []arg{
				reads(0, "W_packed", a.WPacked),
				reads(1, "scales", a.Scales),
				reads(2, "biases", a.Biases),
				reads(3, "v_combine", a.VCombine),
				writes(4, "out_per_head", a.OutPerHead),
				value(5, "num_heads", a.NumHeads),
				value(6, "nope", a.Nope),
				value(7, "kv_lora_rank", a.KvLoraRank),
				value(8, "v_head_dim", a.VHeadDim),
				value(9, "kv_b_per_head", a.KvBPerHead),
				value(10, "group_size", a.GroupSize),
			},
		}
	}, dims{16, 128, 512, 127, 256, 64}, dims{3, 20, 104, 30, 50, 40}),
	of("mla_sdpa_folded", gen.MlaSdpaFolded, func(m *memory, n dims) (gen.MlaSdpaFoldedArgs, want) {
		numHeads, kvLoraRank, qkRopeHeadDim, cacheLen := n[0], n[1], n[2], n[3]
		a := gen.MlaSdpaFoldedArgs{
			QPrime:        buffer[float32](m, numHeads*kvLoraRank),
			QPe:           buffer[float32](m, numHeads*qkRopeHeadDim),
			LatentCache:   buffer[float32](m, cacheLen*kvLoraRank),
			RopeKCache:    buffer[float32](m, cacheLen*qkRopeHeadDim),
			VCombine:      buffer[float32](m, numHeads*kvLoraRank),
			NumHeads:      uint32(numHeads),
			KvLoraRank:    uint32(kvLoraRank),
			QkRopeHeadDim: uint32(qkRopeHeadDim),
			CacheLen:      uint32(cacheLen),
			SoftmaxScale:  0.25,
		}
		return a, want{
			threadgroups: [3]int{numHeads, 1, 1},
			threads:      [3]int{128, 1, 1},
			args: []arg{
				reads(0, "q_prime", a.QPrime),
				reads(1, "q_pe", a.QPe),
				reads(2, "latent_cache", a.LatentCache),
				reads(3, "rope_k_cache", a.RopeKCache),
				updates(4, "v_combine", a.VCombine),
				value(5, "num_heads", a.NumHeads),
				value(6, "kv_lora_rank", a.KvLoraRank),
				value(7, "qk_rope_head_dim", a.QkRopeHeadDim),
				value(8, "cache_len", a.CacheLen),
				value(9, "softmax_scale", a.SoftmaxScale),
			},
		}
	}, dims{16, 512, 64, 300}, dims{3, 104, 20, 33}),
	of("mla_sdpa_tile_accumulate", gen.MlaSdpaTileAccumulate,
		func(m *memory, n dims) (gen.MlaSdpaTileAccumulateArgs, want) {
			numHeads, kvLoraRank, qkRopeHeadDim, tileStart, tileEnd, isFirstTile := n[0], n[1], n[2], n[3], n[4], n[5]
			a := gen.MlaSdpaTileAccumulateArgs{
				QPrime:          buffer[float32](m, numHeads*kvLoraRank),
				QPe:             buffer[float32](m, numHeads*qkRopeHeadDim),
				LatentCache:     buffer[float32](m, tileEnd*kvLoraRank),
				RopeKCache:      buffer[float32](m, tileEnd*qkRopeHeadDim),
				RunningMax:      buffer[float32](m, numHeads),
				RunningDenom:    buffer[float32](m, numHeads),
				VCombinePartial: buffer[float32](m, numHeads*kvLoraRank),
				NumHeads:        uint32(numHeads),
				KvLoraRank:      uint32(kvLoraRank),
				QkRopeHeadDim:   uint32(qkRopeHeadDim),
				TileStart:       uint32(tileStart),
				TileEnd:         uint32(tileEnd),
				SoftmaxScale:    0.25,
				IsFirstTile:     uint32(isFirstTile),
			}
			return a, want{
				threadgroups: [3]int{numHeads, 1, 1},
				threads:      [3]int{128, 1, 1},
				args: []arg{
					reads(0, "q_prime", a.QPrime),
					reads(1, "q_pe", a.QPe),
					reads(2, "latent_cache", a.LatentCache),
					reads(3, "rope_k_cache", a.RopeKCache),
					updates(4, "running_max", a.RunningMax),
					updates(5, "running_denom", a.RunningDenom),
					updates(6, "v_combine_partial", a.VCombinePartial),
					value(7, "num_heads", a.NumHeads),
					value(8, "kv_lora_rank", a.KvLoraRank),
					value(9, "qk_rope_head_dim", a.QkRopeHeadDim),
					value(10, "tile_start", a.TileStart),
					value(11, "tile_end", a.TileEnd),
					value(12, "softmax_scale", a.SoftmaxScale),
					value(13, "is_first_tile", a.IsFirstTile),
				},
			}
		}, dims{16, 512, 64, 0, 128, 1}, dims{3, 104, 20, 33, 50, 0}),
	of("mla_sdpa_tile_finalize", gen.MlaSdpaTileFinalize, func(m *memory, n dims) (gen.MlaSdpaTileFinalizeArgs, want) {
		numHeads, kvLoraRank := n[0], n[1]
		a := gen.MlaSdpaTileFinalizeArgs{
			VCombinePartial: buffer[float32](m, numHeads*kvLoraRank),
			RunningDenom:    buffer[float32](m, numHeads),
			VCombine:        buffer[float32](m, numHeads*kvLoraRank),
			NumHeads:        uint32(numHeads),
			KvLoraRank:      uint32(kvLoraRank),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(numHeads*kvLoraRank, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "v_combine_partial", a.VCombinePartial),
				reads(1, "running_denom", a.RunningDenom),
				writes(2, "v_combine", a.VCombine),
				value(3, "num_heads", a.NumHeads),
				value(4, "kv_lora_rank", a.KvLoraRank),
			},
		}
	}, dims{16, 512}, dims{3, 104}),
	of("mla_split_q_kv", gen.MlaSplitQKv, func(m *memory, n dims) (gen.MlaSplitQKvArgs, want) {
		numHeads, qkNope, qkRope, kvLoraRank := n[0], n[1], n[2], n[3]
		a := gen.MlaSplitQKvArgs{
			QFull:      buffer[float32](m, numHeads*(qkNope+qkRope)),
			KvPre:      buffer[float32](m, kvLoraRank+qkRope),
			QNope:      buffer[float32](m, numHeads*qkNope),
			QPe:        buffer[float32](m, numHeads*qkRope),
			KvLat:      buffer[float32](m, kvLoraRank),
			KPe:        buffer[float32](m, qkRope),
			NumHeads:   uint32(numHeads),
			QkNope:     uint32(qkNope),
			QkRope:     uint32(qkRope),
			KvLoraRank: uint32(kvLoraRank),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(max(numHeads*qkNope, numHeads*qkRope, kvLoraRank, qkRope), 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "q_full", a.QFull),
				reads(1, "kv_pre", a.KvPre),
				writes(2, "q_nope", a.QNope),
				writes(3, "q_pe", a.QPe),
				writes(4, "kv_lat", a.KvLat),
				writes(5, "k_pe", a.KPe),
				value(6, "num_heads", a.NumHeads),
				value(7, "qk_nope", a.QkNope),
				value(8, "qk_rope", a.QkRope),
				value(9, "kv_lora_rank", a.KvLoraRank),
			},
		}
	}, dims{16, 128, 64, 512}, dims{3, 20, 100, 50}, dims{2, 20, 30, 600}, dims{1, 20, 600, 30}),
	of("mla_kv_cache_append", gen.MlaKvCacheAppend, func(m *memory, n dims) (gen.MlaKvCacheAppendArgs, want) {
		kvLoraRank, qkRope, pos := n[0], n[1], n[2]
		a := gen.MlaKvCacheAppendArgs{
			KvLat:       buffer[float32](m, kvLoraRank),
			KPe:         buffer[float32](m, qkRope),
			LatentCache: buffer[float32](m, max(pos+1, 0)*kvLoraRank),
			RopeKCache:  buffer[float32](m, max(pos+1, 0)*qkRope),
			KvLoraRank:  uint32(kvLoraRank),
			QkRope:      uint32(qkRope),
			Pos:         int32(pos),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(max(kvLoraRank, qkRope), 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "kv_lat", a.KvLat),
				reads(1, "k_pe", a.KPe),
				writes(2, "latent_cache", a.LatentCache),
				writes(3, "rope_k_cache", a.RopeKCache),
				value(4, "kv_lora_rank", a.KvLoraRank),
				value(5, "qk_rope", a.QkRope),
				value(6, "pos", a.Pos),
			},
		}
	}, dims{512, 64, 10}, dims{50, 300, 0}, dims{50, 20, -1}),
}
