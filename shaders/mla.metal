// Multi-head latent attention with the key-value projection folded into queries and outputs, so that
// only latent vectors and rotary keys need to be cached:
//
//   mla_split_q_kv          q_full, kv_pre -> q_nope, q_pe, kv_lat, k_pe
//   mla_kv_cache_append     kv_lat, k_pe -> one row of each cache
//   mla_q_prime_4bit        q_nope -> q_prime, the queries in latent space
//   mla_sdpa_folded         q_prime, q_pe, caches -> v_combine (mla_sdpa_tile_*: the same, in pieces)
//   mla_out_per_head_4bit   v_combine -> outputs of the heads
//
// The projection W (4-bit, see quant.h) has kv_b_per_head rows a head: nope rows that make keys, and
// after them v_head_dim rows that make values.

#include <metal_stdlib>

#include "quant.h"
#include "reduce.h"

/// Cache positions whose scores are held in threadgroup memory at a time (16 KiB).
constant constexpr uint score_tile_size = 4096;

/// Folds `count` cache positions (score_tile_size at most) into the softmax of one head, by the whole
/// threadgroup. `latent` and `rope_k` point to the first of them. All threads hold the same running_max
/// and running_sum; acc is the sum of the latents seen so far, weighted with exp(score - running_max).
/// Each thread keeps the elements tid, tid + tg_size, and so on. With `fresh` nothing has been
/// seen, and acc is not read.
inline void fold_positions(device const float* query,
                           device const float* query_pe,
                           device const float* latent,
                           device const float* rope_k,
                           device float* acc,
                           uint count,
                           uint rank,
                           uint rope_dim,
                           float scale,
                           bool fresh,
                           thread float& running_max,
                           thread float& running_sum,
                           threadgroup float* scores,
                           threadgroup float* partial,
                           uint tid,
                           uint tg_size,
                           uint lane,
                           uint group,
                           uint groups) {
    float largest = running_max;
    for (uint p = tid; p < count; p += tg_size) {
        device const float* latent_row = latent + ulong(p) * rank;
        device const float* rope_row = rope_k + ulong(p) * rope_dim;
        float score = 0.0f;
        for (uint c = 0; c < rank; ++c) {
            score += query[c] * latent_row[c];
        }
        for (uint r = 0; r < rope_dim; ++r) {
            score += query_pe[r] * rope_row[r];
        }
        score *= scale;
        scores[p] = score;
        largest = metal::max(largest, score);
    }
    largest = simdgroup_max(largest, partial, lane, group, groups);

    float sum = 0.0f;
    for (uint p = tid; p < count; p += tg_size) {
        const float weight = metal::exp(scores[p] - largest);
        scores[p] = weight;
        sum += weight;
    }
    // The barriers of this sum are also what shows every thread all of the weights.
    sum = simdgroup_sum(sum, partial, lane, group, groups);

    const float keep = metal::exp(running_max - largest);
    for (uint c = tid; c < rank; c += tg_size) {
        float value = fresh ? 0.0f : acc[c] * keep;
        for (uint p = 0; p < count; ++p) {
            value += scores[p] * latent[ulong(p) * rank + c];
        }
        acc[c] = value;
    }
    running_max = largest;
    running_sum = metal::fma(running_sum, keep, sum);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup); // scores are free again
}

/// Takes the queries of all heads to latent space: q_prime[h, c] = sum over i < nope of
/// q_nope[h, i] * W[h * kv_b_per_head + i, c]. One thread computes one element.
/// nope must not be more than kv_b_per_head, and num_heads * kv_lora_rank must be below 2^32.
kernel void mla_q_prime_4bit(
    device const uint32_t* W_packed [[buffer(0)]], // [num_heads * kv_b_per_head, kv_lora_rank / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [num_heads * kv_b_per_head, ceil_div(kv_lora_rank, group_size)] bfloat16 scales
    device const uint16_t* biases [[buffer(2)]],   // [num_heads * kv_b_per_head, ceil_div(kv_lora_rank, group_size)] bfloat16 biases
    device const float* q_nope [[buffer(3)]],      // [num_heads, nope] queries without rotary part
    device float* q_prime [[buffer(4)]],           // [num_heads, kv_lora_rank] queries in latent space
    constant uint& num_heads [[buffer(5)]],        // heads
    constant uint& nope [[buffer(6)]],             // floats of a query
    constant uint& kv_lora_rank [[buffer(7)]],     // floats of a latent vector, a multiple of 8
    constant uint& kv_b_per_head [[buffer(8)]],    // rows of W for each head
    constant uint& group_size [[buffer(9)]],       // weights that share a scale
    uint tid [[thread_position_in_grid]]) {
    const uint total = num_heads * kv_lora_rank;
    if (tid >= total) return;

    const uint head = tid / kv_lora_rank;
    const uint c = tid % kv_lora_rank;
    const ulong words = kv_lora_rank / 8;
    const ulong groups = group_count(kv_lora_rank, group_size);
    const ulong first_row = ulong(head) * kv_b_per_head;
    device const float* query = q_nope + ulong(head) * nope;
    float sum = 0.0f;
    for (uint i = 0; i < nope; ++i) {
        const ulong row = first_row + i;
        const ulong g = row * groups + c / group_size;
        const float weight = dequant_4bit(W_packed[row * words + c / 8], c % 8, bf16_to_float(scales[g]),
                                          bf16_to_float(biases[g]));
        sum = metal::fma(query[i], weight, sum);
    }
    q_prime[tid] = sum;
}

/// Takes what the heads attended to out of latent space: out_per_head[h, f] = sum over c of
/// v_combine[h, c] * W[h * kv_b_per_head + nope + f, c]. One threadgroup, which is one simdgroup,
/// computes one element. kv_lora_rank and group_size are multiples of 8; nope + v_head_dim must not be
/// more than kv_b_per_head.
// metalgen:threadgroups (num_heads * v_head_dim, 1, 1)
// metalgen:threads (32, 1, 1)
kernel void mla_out_per_head_4bit(
    device const uint32_t* W_packed [[buffer(0)]], // [num_heads * kv_b_per_head, kv_lora_rank / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [num_heads * kv_b_per_head, ceil_div(kv_lora_rank, group_size)] bfloat16 scales
    device const uint16_t* biases [[buffer(2)]],   // [num_heads * kv_b_per_head, ceil_div(kv_lora_rank, group_size)] bfloat16 biases
    device const float* v_combine [[buffer(3)]],   // [num_heads, kv_lora_rank] weighted latents of each head
    device float* out_per_head [[buffer(4)]],      // [num_heads, v_head_dim] outputs of the heads
    constant uint& num_heads [[buffer(5)]],        // heads
    constant uint& nope [[buffer(6)]],             // rows of W before the value rows of a head
    constant uint& kv_lora_rank [[buffer(7)]],     // floats of a latent vector, a multiple of 8
    constant uint& v_head_dim [[buffer(8)]],       // floats of a head's output
    constant uint& kv_b_per_head [[buffer(9)]],    // rows of W for each head
    constant uint& group_size [[buffer(10)]],      // weights that share a scale, a multiple of 8
    uint tgid [[threadgroup_position_in_grid]],
    uint simd_lane [[thread_index_in_simdgroup]]) {
    const uint total = num_heads * v_head_dim;
    if (tgid >= total) return;

    const uint head = tgid / v_head_dim;
    const ulong row = ulong(head) * kv_b_per_head + nope + tgid % v_head_dim;
    const ulong groups = group_count(kv_lora_rank, group_size);
    const float share = dot_row_4bit(W_packed + row * (kv_lora_rank / 8), scales + row * groups, biases + row * groups,
                                     v_combine + ulong(head) * kv_lora_rank, kv_lora_rank, group_size, simd_lane,
                                     simd_width);
    const float sum = metal::simd_sum(share);
    if (simd_lane == 0) {
        out_per_head[tgid] = sum;
    }
}

/// Attends over the whole cache, one threadgroup a head: score[h, t] = softmax_scale * (q_prime[h] * latent_cache[t] +
/// q_pe[h] * rope_k_cache[t]), v_combine[h] = sum over t of softmax(score[h])[t] * latent_cache[t].
/// A cache of any length will do; it is read 4096 positions at a time. An empty one gives zeros.
// metalgen:threadgroups (num_heads, 1, 1)
// metalgen:threads (128, 1, 1)
kernel void mla_sdpa_folded(
    device const float* q_prime [[buffer(0)]],      // [num_heads, kv_lora_rank] queries in latent space
    device const float* q_pe [[buffer(1)]],         // [num_heads, qk_rope_head_dim] rotary part of the queries
    device const float* latent_cache [[buffer(2)]], // [cache_len, kv_lora_rank] latent vectors
    device const float* rope_k_cache [[buffer(3)]], // [cache_len, qk_rope_head_dim] rotary keys
    device float* v_combine [[buffer(4)]],          // [num_heads, kv_lora_rank] weighted latents of each head
    constant uint& num_heads [[buffer(5)]],         // heads
    constant uint& kv_lora_rank [[buffer(6)]],      // floats of a latent vector
    constant uint& qk_rope_head_dim [[buffer(7)]],  // floats of a rotary key
    constant uint& cache_len [[buffer(8)]],         // positions in the cache
    constant float& softmax_scale [[buffer(9)]],    // factor of the scores
    uint tg [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float scores[score_tile_size];
    threadgroup float partial[max_simdgroups];
    if (tg >= num_heads) return;

    device float* combined = v_combine + ulong(tg) * kv_lora_rank;
    float running_max = -FLT_MAX;
    float running_sum = 0.0f;
    for (uint start = 0; start < cache_len; start += score_tile_size) {
        fold_positions(q_prime + ulong(tg) * kv_lora_rank, q_pe + ulong(tg) * qk_rope_head_dim,
                       latent_cache + ulong(start) * kv_lora_rank, rope_k_cache + ulong(start) * qk_rope_head_dim,
                       combined, metal::min(score_tile_size, cache_len - start), kv_lora_rank, qk_rope_head_dim,
                       softmax_scale, start == 0, running_max, running_sum, scores, partial, lid, tg_size, simd_lane,
                       simd_group, simd_groups);
    }
    for (uint c = lid; c < kv_lora_rank; c += tg_size) {
        combined[c] = running_sum > 0.0f ? combined[c] / running_sum : 0.0f;
    }
}

/// Attends over a part of the cache, the positions from tile_start up to tile_end, one threadgroup a head. Called for
/// one tile after another, it gathers what [mla_sdpa_tile_finalize] turns into the result of [mla_sdpa_folded]:
/// per head the largest score, the sum of exp(score - largest), and the latents weighted with that. The first
/// call, which says so, sets the three up and reads none of them; an empty tile is allowed. Tiles may have any length.
// metalgen:threadgroups (num_heads, 1, 1)
// metalgen:threads (128, 1, 1)
kernel void mla_sdpa_tile_accumulate(
    device const float* q_prime [[buffer(0)]],      // [num_heads, kv_lora_rank] queries in latent space
    device const float* q_pe [[buffer(1)]],         // [num_heads, qk_rope_head_dim] rotary part of the queries
    device const float* latent_cache [[buffer(2)]], // [tile_end, kv_lora_rank] latent vectors
    device const float* rope_k_cache [[buffer(3)]], // [tile_end, qk_rope_head_dim] rotary keys
    device float* running_max [[buffer(4)]],        // [num_heads] in and out, largest score so far
    device float* running_denom [[buffer(5)]],      // [num_heads] in and out, sum of the weights so far
    device float* v_combine_partial [[buffer(6)]],  // [num_heads, kv_lora_rank] in and out, weighted latents so far
    constant uint& num_heads [[buffer(7)]],         // heads
    constant uint& kv_lora_rank [[buffer(8)]],      // floats of a latent vector
    constant uint& qk_rope_head_dim [[buffer(9)]],  // floats of a rotary key
    constant uint& tile_start [[buffer(10)]],       // first position of the tile
    constant uint& tile_end [[buffer(11)]],         // position after the last one of the tile
    constant float& softmax_scale [[buffer(12)]],   // factor of the scores
    constant uint& is_first_tile [[buffer(13)]],    // not 0 for the first tile
    uint tg [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float scores[score_tile_size];
    threadgroup float partial[max_simdgroups];
    if (tg >= num_heads) return;

    device float* combined = v_combine_partial + ulong(tg) * kv_lora_rank;
    const bool first = is_first_tile != 0;
    float largest = -FLT_MAX;
    float denom = 0.0f;
    if (first) {
        for (uint c = lid; c < kv_lora_rank; c += tg_size) {
            combined[c] = 0.0f;
        }
    } else {
        largest = running_max[tg];
        denom = running_denom[tg];
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_device); // all have read what thread 0 will overwrite

    for (uint start = tile_start; start < tile_end; start += score_tile_size) {
        fold_positions(q_prime + ulong(tg) * kv_lora_rank, q_pe + ulong(tg) * qk_rope_head_dim,
                       latent_cache + ulong(start) * kv_lora_rank, rope_k_cache + ulong(start) * qk_rope_head_dim,
                       combined, metal::min(score_tile_size, tile_end - start), kv_lora_rank, qk_rope_head_dim,
                       softmax_scale, first && start == tile_start, largest, denom, scores, partial, lid, tg_size,
                       simd_lane, simd_group, simd_groups);
    }
    if (lid == 0) {
        running_max[tg] = largest;
        running_denom[tg] = denom;
    }
}

/// Ends an attention that was computed tile by tile: v_combine[h, c] = v_combine_partial[h, c] / running_denom[h],
/// or 0 where no position was seen. num_heads * kv_lora_rank must be below 2^32.
kernel void mla_sdpa_tile_finalize(
    device const float* v_combine_partial [[buffer(0)]], // [num_heads, kv_lora_rank] weighted latents
    device const float* running_denom [[buffer(1)]],     // [num_heads] sum of the weights
    device float* v_combine [[buffer(2)]],               // [num_heads, kv_lora_rank] result
    constant uint& num_heads [[buffer(3)]],              // heads
    constant uint& kv_lora_rank [[buffer(4)]],           // floats of a latent vector
    uint tid [[thread_position_in_grid]]) {
    const uint total = num_heads * kv_lora_rank;
    if (tid >= total) return;

    const float denom = running_denom[tid / kv_lora_rank];
    v_combine[tid] = denom > 0.0f ? v_combine_partial[tid] / denom : 0.0f;
}

/// Separates the projections of one token into their parts: each head of q_full is qk_nope floats of q_nope and then
/// qk_rope of q_pe; kv_pre is the latent vector and then the rotary key. A thread copies element tid of each part
/// that is long enough to have one.
// metalgen:threadgroups (ceil_div(max(num_heads * max(qk_nope, qk_rope), max(kv_lora_rank, qk_rope)), 256), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void mla_split_q_kv(
    device const float* q_full [[buffer(0)]],  // [num_heads, qk_nope + qk_rope] projected queries
    device const float* kv_pre [[buffer(1)]],  // [kv_lora_rank + qk_rope] projected latent and rotary key
    device float* q_nope [[buffer(2)]],        // [num_heads, qk_nope] queries without rotary part
    device float* q_pe [[buffer(3)]],          // [num_heads, qk_rope] rotary part of the queries
    device float* kv_lat [[buffer(4)]],        // [kv_lora_rank] latent vector
    device float* k_pe [[buffer(5)]],          // [qk_rope] rotary key
    constant uint& num_heads [[buffer(6)]],    // heads
    constant uint& qk_nope [[buffer(7)]],      // floats of a query without rotary part
    constant uint& qk_rope [[buffer(8)]],      // floats of a rotary part
    constant uint& kv_lora_rank [[buffer(9)]], // floats of a latent vector
    uint tid [[thread_position_in_grid]]) {
    const ulong head_dim = ulong(qk_nope) + qk_rope;
    if (tid < num_heads * qk_nope) {
        q_nope[tid] = q_full[tid / qk_nope * head_dim + tid % qk_nope];
    }
    if (tid < num_heads * qk_rope) {
        q_pe[tid] = q_full[tid / qk_rope * head_dim + qk_nope + tid % qk_rope];
    }
    if (tid < kv_lora_rank) {
        kv_lat[tid] = kv_pre[tid];
    }
    if (tid < qk_rope) {
        k_pe[tid] = kv_pre[ulong(kv_lora_rank) + tid];
    }
}

/// Writes the latent vector and the rotary key of one token to row pos of their caches. Nothing is written where pos is negative.
// metalgen:threadgroups (ceil_div(max(kv_lora_rank, qk_rope), 256), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void mla_kv_cache_append(
    device const float* kv_lat [[buffer(0)]],  // [kv_lora_rank] latent vector
    device const float* k_pe [[buffer(1)]],    // [qk_rope] rotary key
    device float* latent_cache [[buffer(2)]],  // [max(pos + 1, 0), kv_lora_rank] cache of latent vectors
    device float* rope_k_cache [[buffer(3)]],  // [max(pos + 1, 0), qk_rope] cache of rotary keys
    constant uint& kv_lora_rank [[buffer(4)]], // floats of a latent vector
    constant uint& qk_rope [[buffer(5)]],      // floats of a rotary key
    constant int& pos [[buffer(6)]],           // cache row
    uint tid [[thread_position_in_grid]]) {
    if (pos < 0) return;

    const ulong row = ulong(pos);
    if (tid < kv_lora_rank) {
        latent_cache[row * kv_lora_rank + tid] = kv_lat[tid];
    }
    if (tid < qk_rope) {
        rope_k_cache[row * qk_rope + tid] = k_pe[tid];
    }
}
