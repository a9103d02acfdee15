// Matrix-vector products with bfloat16 weights, used where weights are too few or too delicate to
// quantize, such as a router's. One threadgroup, of any size, computes one element.

#include <metal_stdlib>

#include "bf16.h"
#include "reduce.h"

/// One thread's share of a bfloat16 row times x.
inline float dot_row_bf16(device const uint16_t* row, device const float* x, uint in_dim, uint tid, uint tg_size) {
    float sum = 0.0f;
    for (uint i = tid; i < in_dim; i += tg_size) {
        sum = metal::fma(bf16_to_float(row[i]), x[i], sum);
    }
    return sum;
}

/// Multiplies a bfloat16 matrix by a vector: output[row] = sum over i of w[row, i] * input[i].
// metalgen:threadgroups (out_dim, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void bf16_matvec(
    device const uint16_t* w [[buffer(0)]],  // [out_dim, in_dim] weights, bfloat16 bits
    device const float* input [[buffer(1)]], // [in_dim] input vector
    device float* output [[buffer(2)]],      // [out_dim] product
    constant uint& in_dim [[buffer(3)]],     // columns
    constant uint& out_dim [[buffer(4)]],    // rows
    uint tg_idx [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tg_idx >= out_dim) return;

    const float share = dot_row_bf16(w + ulong(tg_idx) * in_dim, input, in_dim, lid, tg_size);
    const float sum = simdgroup_sum(share, partial, simd_lane, simd_group, simd_groups);
    if (lid == 0) {
        output[tg_idx] = sum;
    }
}

/// Multiplies a bfloat16 matrix by n_tokens vectors: output[t, row] = sum over i of w[row, i] * input[t, i].
/// Threadgroup t * out_dim + row does what [bf16_matvec] does for that row, in the same order.
// metalgen:threadgroups (out_dim * n_tokens, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void bf16_matmul_n_tokens(
    device const uint16_t* w [[buffer(0)]],  // [out_dim, in_dim] weights, bfloat16 bits
    device const float* input [[buffer(1)]], // [n_tokens, in_dim] input vectors
    device float* output [[buffer(2)]],      // [n_tokens, out_dim] products
    constant uint& in_dim [[buffer(3)]],     // columns
    constant uint& out_dim [[buffer(4)]],    // rows
    constant uint& n_tokens [[buffer(5)]],   // input vectors
    uint tg_idx_flat [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    const uint token = tg_idx_flat / out_dim;
    const uint row = tg_idx_flat % out_dim;
    if (token >= n_tokens) return;

    const float share =
        dot_row_bf16(w + ulong(row) * in_dim, input + ulong(token) * in_dim, in_dim, lid, tg_size);
    const float sum = simdgroup_sum(share, partial, simd_lane, simd_group, simd_groups);
    if (lid == 0) {
        output[ulong(token) * out_dim + row] = sum;
    }
}
