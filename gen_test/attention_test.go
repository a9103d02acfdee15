package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestAttentionCalls(t *testing.T) { attentionTable.run(t) }

var attentionTable = table{
	of("attn_scores_batched", gen.AttnScoresBatched, func(m *memory, n dims) (gen.AttnScoresBatchedArgs, want) {
		headDim, kvDim, seqLen, seqStride, headsPerKv, numSeqTgs := n[0], n[1], n[2], n[3], n[4], n[5]
		a := gen.AttnScoresBatchedArgs{
			Q:          buffer[float32](m, (kvDim/headDim*headsPerKv)*headDim),
			KCache:     buffer[float32](m, min(seqLen, seqStride)*kvDim),
			Scores:     buffer[float32](m, (kvDim/headDim*headsPerKv)*seqStride),
			HeadDim:    uint32(headDim),
			KvDim:      uint32(kvDim),
			SeqLen:     uint32(seqLen),
			SeqStride:  uint32(seqStride),
			Scale:      0.25,
			HeadsPerKv: uint32(headsPerKv),
			NumSeqTgs:  uint32(numSeqTgs),
		}
		return a, want{
			threadgroups: [3]int{numSeqTgs * (kvDim / headDim * headsPerKv), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "Q", a.Q),
				reads(1, "K_cache", a.KCache),
				writes(2, "scores", a.Scores),
				value(3, "head_dim", a.HeadDim),
				value(4, "kv_dim", a.KvDim),
				value(5, "seq_len", a.SeqLen),
				value(6, "seq_stride", a.SeqStride),
				value(7, "scale", a.Scale),
				value(8, "heads_per_kv", a.HeadsPerKv),
				value(9, "num_seq_tgs", a.NumSeqTgs),
			},
		}
	}, dims{128, 512, 300, 1024, 8, 301}, dims{20, 60, 33, 17, 2, 33}),
	of("attn_softmax_batched", gen.AttnSoftmaxBatched, func(m *memory, n dims) (gen.AttnSoftmaxBatchedArgs, want) {
		seqLen, seqStride, heads := n[0], n[1], n[2]
		a := gen.AttnSoftmaxBatchedArgs{
			Scores:    buffer[float32](m, heads*seqStride),
			SeqLen:    uint32(seqLen),
			SeqStride: uint32(seqStride),
		}
		return a, want{
			threadgroups: [3]int{heads, 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				updates(0, "scores", a.Scores).needing(0),
				value(1, "seq_len", a.SeqLen),
				value(2, "seq_stride", a.SeqStride),
			},
		}
	}, dims{300, 1024, 32}, dims{33, 17, 6}),
	of("attn_values_batched", gen.AttnValuesBatched, func(m *memory, n dims) (gen.AttnValuesBatchedArgs, want) {
		headDim, kvDim, seqLen, seqStride, headsPerKv := n[0], n[1], n[2], n[3], n[4]
		a := gen.AttnValuesBatchedArgs{
			Scores:     buffer[float32](m, (kvDim/headDim*headsPerKv)*seqStride),
			VCache:     buffer[float32](m, min(seqLen, seqStride)*kvDim),
			Out:        buffer[float32](m, (kvDim/headDim*headsPerKv)*headDim),
			HeadDim:    uint32(headDim),
			KvDim:      uint32(kvDim),
			SeqLen:     uint32(seqLen),
			SeqStride:  uint32(seqStride),
			HeadsPerKv: uint32(headsPerKv),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(kvDim/headDim*headsPerKv*headDim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			size:         [3]int{kvDim / headDim * headsPerKv * headDim, 1, 1},
			args: []arg{
				reads(0, "scores", a.Scores),
				reads(1, "V_cache", a.VCache),
				writes(2, "out", a.Out),
				value(3, "head_dim", a.HeadDim),
				value(4, "kv_dim", a.KvDim),
				value(5, "seq_len", a.SeqLen),
				value(6, "seq_stride", a.SeqStride),
				value(7, "heads_per_kv", a.HeadsPerKv),
			},
		}
	}, dims{128, 512, 300, 1024, 8}, dims{20, 60, 33, 17, 2}),
	of("split_q_gate", gen.SplitQGate, func(m *memory, n dims) (gen.SplitQGateArgs, want) {
		numHeads, headDim, nTokens := n[0], n[1], n[2]
		a := gen.SplitQGateArgs{
			QProj:    buffer[float32](m, nTokens*numHeads*2*headDim),
			QOut:     buffer[float32](m, nTokens*numHeads*headDim),
			GateOut:  buffer[float32](m, nTokens*numHeads*headDim),
			NumHeads: uint32(numHeads),
			HeadDim:  uint32(headDim),
			NTokens:  uint32(nTokens),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(nTokens*numHeads*headDim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "q_proj", a.QProj),
				writes(1, "q_out", a.QOut),
				writes(2, "gate_out", a.GateOut),
				value(3, "num_heads", a.NumHeads),
				value(4, "head_dim", a.HeadDim),
				value(5, "n_tokens", a.NTokens),
			},
		}
	}, dims{32, 128, 4}, dims{3, 20, 7}),
	of("kv_cache_append_n_tokens", gen.KvCacheAppendNTokens, func(m *memory, n dims) (gen.KvCacheAppendNTokensArgs, want) {
		kvDim, nTokens, kvStart := n[0], n[1], n[2]
		a := gen.KvCacheAppendNTokensArgs{
			KSrc:    buffer[float32](m, nTokens*kvDim),
			VSrc:    buffer[float32](m, nTokens*kvDim),
			KCache:  buffer[float32](m, (kvStart+nTokens)*kvDim),
			VCache:  buffer[float32](m, (kvStart+nTokens)*kvDim),
			KvDim:   uint32(kvDim),
			NTokens: uint32(nTokens),
			KvStart: uint32(kvStart),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(nTokens*kvDim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "k_src", a.KSrc),
				reads(1, "v_src", a.VSrc),
				writes(2, "k_cache", a.KCache),
				writes(3, "v_cache", a.VCache),
				value(4, "kv_dim", a.KvDim),
				value(5, "n_tokens", a.NTokens),
				value(6, "kv_start", a.KvStart),
			},
		}
	}, dims{512, 4, 100}, dims{60, 3, 1}),
}
