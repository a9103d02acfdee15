// Attention of one token over a cache of keys and values, with grouped queries: heads_per_kv query heads
// share one key-value head. A cache row holds kv_dim floats, which is head_dim for each key-value head,
// so that there are kv_dim / head_dim * heads_per_kv query heads. Query head h uses key-value head
// h / heads_per_kv. A row of scores has room for seq_stride positions; a longer seq_len is cut to that.

#include <metal_stdlib>

#include "reduce.h"

/// Query heads that a cache row of kv_dim floats serves.
inline uint query_heads(uint kv_dim, uint head_dim, uint heads_per_kv) {
    return kv_dim / head_dim * heads_per_kv;
}

/// Computes attention scores: scores[h, p] = scale * sum over d of Q[h, d] * K_cache[p, h / heads_per_kv, d].
/// Threadgroup h * num_seq_tgs + p computes one score.
// metalgen:require head_dim > 0 && heads_per_kv > 0
// metalgen:threadgroups (num_seq_tgs * (kv_dim / head_dim * heads_per_kv), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void attn_scores_batched(
    device const float* Q [[buffer(0)]],       // [kv_dim / head_dim * heads_per_kv, head_dim] query of each head
    device const float* K_cache [[buffer(1)]], // [min(seq_len, seq_stride), kv_dim] key cache, position by position
    device float* scores [[buffer(2)]],        // [kv_dim / head_dim * heads_per_kv, seq_stride] scores of each head
    constant uint& head_dim [[buffer(3)]],     // floats of a head
    constant uint& kv_dim [[buffer(4)]],       // floats of a cache row, a multiple of head_dim
    constant uint& seq_len [[buffer(5)]],      // positions in the cache
    constant uint& seq_stride [[buffer(6)]],   // floats between the scores of two heads
    constant float& scale [[buffer(7)]],       // usually 1 / sqrt(head_dim)
    constant uint& heads_per_kv [[buffer(8)]], // query heads that share a key-value head
    constant uint& num_seq_tgs [[buffer(9)]],  // threadgroups of a head, seq_len
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    const uint head = tgid / num_seq_tgs;
    const uint pos = tgid % num_seq_tgs;
    if (head >= query_heads(kv_dim, head_dim, heads_per_kv)) return;
    if (pos >= metal::min(seq_len, seq_stride)) return;

    device const float* query = Q + ulong(head) * head_dim;
    device const float* key = K_cache + ulong(pos) * kv_dim + head / heads_per_kv * head_dim;
    float share = 0.0f;
    for (uint d = lid; d < head_dim; d += tg_size) {
        share = metal::fma(query[d], key[d], share);
    }
    const float sum = simdgroup_sum(share, partial, simd_lane, simd_group, simd_groups);
    if (lid == 0) {
        scores[ulong(head) * seq_stride + pos] = sum * scale;
    }
}

/// Turns the scores of each head into weights in place, one threadgroup a head:
/// scores[h, p] = exp(scores[h, p] - max) / sum over p of exp(scores[h, p] - max). Only the first seq_len
/// positions of a row are read and written. A head whose scores are all -infinity gets weights of 0.
// metalgen:require seq_stride > 0
// metalgen:shape scores any
// metalgen:threadgroups (len(scores) / seq_stride, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void attn_softmax_batched(
    device float* scores [[buffer(0)]],      // in and out, rows of seq_stride scores; its length says how many heads
    constant uint& seq_len [[buffer(1)]],    // positions in the cache
    constant uint& seq_stride [[buffer(2)]], // floats between the scores of two heads
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    device float* row = scores + ulong(tgid) * seq_stride;
    const uint n = metal::min(seq_len, seq_stride);

    // Each thread keeps to its own positions; only the two reductions cross threads.
    float largest = -FLT_MAX;
    for (uint p = lid; p < n; p += tg_size) {
        largest = metal::max(largest, row[p]);
    }
    largest = simdgroup_max(largest, partial, simd_lane, simd_group, simd_groups);

    float sum = 0.0f;
    for (uint p = lid; p < n; p += tg_size) {
        const float e = metal::exp(row[p] - largest);
        row[p] = e;
        sum += e;
    }
    sum = simdgroup_sum(sum, partial, simd_lane, simd_group, simd_groups);

    const float factor = sum > 0.0f ? 1.0f / sum : 0.0f;
    for (uint p = lid; p < n; p += tg_size) {
        row[p] *= factor;
    }
}

/// Adds up the values that each head attends to: out[h, d] = sum over p of scores[h, p] * V_cache[p, h / heads_per_kv, d].
/// Thread h * head_dim + d computes one element.
// metalgen:require head_dim > 0 && heads_per_kv > 0
// metalgen:grid (kv_dim / head_dim * heads_per_kv * head_dim, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void attn_values_batched(
    device const float* scores [[buffer(0)]],  // [kv_dim / head_dim * heads_per_kv, seq_stride] weights of each head
    device const float* V_cache [[buffer(1)]], // [min(seq_len, seq_stride), kv_dim] value cache, position by position
    device float* out [[buffer(2)]],           // [kv_dim / head_dim * heads_per_kv, head_dim] result of each head
    constant uint& head_dim [[buffer(3)]],     // floats of a head
    constant uint& kv_dim [[buffer(4)]],       // floats of a cache row, a multiple of head_dim
    constant uint& seq_len [[buffer(5)]],      // positions in the cache
    constant uint& seq_stride [[buffer(6)]],   // floats between the weights of two heads
    constant uint& heads_per_kv [[buffer(7)]], // query heads that share a key-value head
    uint tid [[thread_position_in_grid]]) {
    const uint total = query_heads(kv_dim, head_dim, heads_per_kv) * head_dim;
    if (tid >= total) return;

    const uint head = tid / head_dim;
    const uint channel = head / heads_per_kv * head_dim + tid % head_dim;
    device const float* weights = scores + ulong(head) * seq_stride;
    const uint n = metal::min(seq_len, seq_stride);
    float sum = 0.0f;
    for (uint p = 0; p < n; ++p) {
        sum = metal::fma(weights[p], V_cache[ulong(p) * kv_dim + channel], sum);
    }
    out[tid] = sum;
}

/// Separates queries from gates: each head of a projected token holds head_dim queries followed by head_dim gates.
/// n_tokens * num_heads * head_dim must be below 2^32.
// metalgen:require head_dim > 0
kernel void split_q_gate(
    device const float* q_proj [[buffer(0)]], // [n_tokens, num_heads, 2 * head_dim] queries and gates by turns
    device float* q_out [[buffer(1)]],        // [n_tokens, num_heads, head_dim] queries
    device float* gate_out [[buffer(2)]],     // [n_tokens, num_heads, head_dim] gates
    constant uint& num_heads [[buffer(3)]],   // heads of a token
    constant uint& head_dim [[buffer(4)]],    // floats of a head
    constant uint& n_tokens [[buffer(5)]],    // tokens
    uint tid [[thread_position_in_grid]]) {
    const uint total = n_tokens * num_heads * head_dim;
    if (tid >= total) return;

    const ulong source = 2 * ulong(tid / head_dim) * head_dim + tid % head_dim;
    q_out[tid] = q_proj[source];
    gate_out[tid] = q_proj[source + head_dim];
}

/// Appends the keys and values of n_tokens tokens to a cache, from row kv_start on: k_cache[kv_start + t] = k_src[t], and
/// the same for v. n_tokens * kv_dim must be below 2^32.
kernel void kv_cache_append_n_tokens(
    device const float* k_src [[buffer(0)]], // [n_tokens, kv_dim] new keys
    device const float* v_src [[buffer(1)]], // [n_tokens, kv_dim] new values
    device float* k_cache [[buffer(2)]],     // [kv_start + n_tokens, kv_dim] key cache
    device float* v_cache [[buffer(3)]],     // [kv_start + n_tokens, kv_dim] value cache
    constant uint& kv_dim [[buffer(4)]],     // floats of a cache row
    constant uint& n_tokens [[buffer(5)]],   // tokens to append
    constant uint& kv_start [[buffer(6)]],   // cache row of the first one
    uint tid [[thread_position_in_grid]]) {
    const uint total = n_tokens * kv_dim;
    if (tid >= total) return;

    const ulong at = ulong(kv_start) * kv_dim + tid;
    k_cache[at] = k_src[tid];
    v_cache[at] = v_src[tid];
}
