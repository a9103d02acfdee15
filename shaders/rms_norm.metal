// RMS normalisation by itself: x * rsqrt(mean(x^2) + eps) * weight.
//
// Threadgroups may have any number of threads in one dimension. eps must be positive where all of
// x may be zero.

#include <metal_stdlib>

#include "bf16.h"
#include "reduce.h"
#include "rms.h"

/// Sums the squares of one vector, the first half of an RMS normalisation whose second half is
/// rms_norm_apply or rms_norm_apply_bf16. The work is that of a single threadgroup; any further one does nothing.
// metalgen:threadgroups (1, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void rms_norm_sum_sq(
    device const float* x [[buffer(0)]], // [dim] vector
    device float* sum_sq [[buffer(1)]],  // [1] sum of x^2
    constant uint& dim [[buffer(2)]],    // elements of x
    uint tgid [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tgid != 0) return;

    const float total = simdgroup_sum(partial_sum_sq(x, dim, tid, tg_size), partial, lane, group, groups);
    if (tid == 0) {
        sum_sq[0] = total;
    }
}

/// Applies an RMS normalisation whose sum of squares is known: out = x * rsqrt(sum_sq / dim + eps) * weight.
/// out may be x.
kernel void rms_norm_apply(
    device const float* x [[buffer(0)]],      // [dim] vector
    device const float* weight [[buffer(1)]], // [dim] learned scale
    device const float* sum_sq [[buffer(2)]], // [1] sum of x^2
    device float* out [[buffer(3)]],          // [dim] normalised vector
    constant uint& dim [[buffer(4)]],         // elements of x
    constant float& eps [[buffer(5)]],        // added to the mean square
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    out[tid] = x[tid] * inverse_rms(sum_sq[0], dim, eps) * weight[tid];
}

/// Applies an RMS normalisation whose sum of squares is known, with bfloat16 weights:
/// out = x * rsqrt(sum_sq / dim + eps) * weight. out may be x.
kernel void rms_norm_apply_bf16(
    device const float* x [[buffer(0)]],         // [dim] vector
    device const uint16_t* weight [[buffer(1)]], // [dim] learned scale, bfloat16 bits
    device const float* sum_sq [[buffer(2)]],    // [1] sum of x^2
    device float* out [[buffer(3)]],             // [dim] normalised vector
    constant uint& dim [[buffer(4)]],            // elements of x
    constant float& eps [[buffer(5)]],           // added to the mean square
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    out[tid] = x[tid] * inverse_rms(sum_sq[0], dim, eps) * bf16_to_float(weight[tid]);
}

/// RMS-normalises each of n_tokens rows with one bfloat16 weight row:
/// out = x * rsqrt(mean(x^2) + eps) * weight. The length of x says how many tokens there are. out may be x.
// metalgen:threadgroups (len(x) / dim, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void rms_norm_bf16_fused_n_tokens(
    device const float* x [[buffer(0)]],         // [dim] a row for each of n_tokens, at least one
    device const uint16_t* weight [[buffer(1)]], // [dim] learned scale, bfloat16 bits
    device float* out [[buffer(2)]],             // [len(x) / dim, dim] normalised rows
    constant uint& dim [[buffer(3)]],            // elements of a row
    constant float& eps [[buffer(4)]],           // added to the mean square
    uint tgid [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];

    const ulong base = ulong(tgid) * dim;
    const float own = partial_sum_sq(x + base, dim, tid, tg_size);
    const float scale = inverse_rms(simdgroup_sum(own, partial, lane, group, groups), dim, eps);

    for (uint i = tid; i < dim; i += tg_size) {
        out[base + i] = x[base + i] * scale * bf16_to_float(weight[i]);
    }
}

/// RMS-normalises each head of each token in place, all with one bfloat16 weight row:
/// x = x * rsqrt(mean(x^2) + eps) * weight over the head_dim elements of a head.
/// The length of x says how many tokens there are.
// metalgen:threadgroups (num_heads, len(x) / (num_heads * head_dim), 1)
// metalgen:threads (256, 1, 1)
kernel void rms_norm_per_head_n_tokens(
    device float* x [[buffer(0)]],               // [num_heads, head_dim] such a stack for each of n_tokens, at least one
    device const uint16_t* weight [[buffer(1)]], // [head_dim] learned scale, bfloat16 bits
    constant uint& num_heads [[buffer(2)]],      // heads of a token
    constant uint& head_dim [[buffer(3)]],       // elements of a head
    constant float& eps [[buffer(4)]],           // added to the mean square
    uint3 tgid [[threadgroup_position_in_grid]], // head, token
    uint3 tg_shape [[threads_per_threadgroup]],
    uint tid [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tgid.x >= num_heads) return;

    const uint tg_size = tg_shape.x * tg_shape.y * tg_shape.z;
    device float* head = x + (ulong(tgid.y) * num_heads + tgid.x) * head_dim;
    const float own = partial_sum_sq(head, head_dim, tid, tg_size);
    const float scale = inverse_rms(simdgroup_sum(own, partial, lane, group, groups), head_dim, eps);

    for (uint i = tid; i < head_dim; i += tg_size) {
        head[i] = head[i] * scale * bf16_to_float(weight[i]);
    }
}
