// Matrix-vector products with 8-bit and 2-bit weights (the format is described in quant.h):
//
//   out[row] = sum over i of (q[row, i] * scale + bias) * x[i]
//
// Each simdgroup computes a row. The eight rows of a threadgroup share x in threadgroup memory, a tile
// of 4096 inputs at a time, so that in_dim has no upper limit. Threadgroups must have exactly 256 threads.

#include <metal_stdlib>

#include "quant.h"

/// Rows of a threadgroup, one for each of its simdgroups.
constant constexpr uint rows_per_tg = 8;

/// The four bytes of `word`, lowest first.
inline float4 unpack_8bit(uint32_t word) {
    return float4((uint4(word) >> uint4(0, 8, 16, 24)) & uint4(0xFF));
}

/// The four lowest 2-bit fields of `word`.
inline float4 unpack_2bit(uint32_t word) {
    return float4((uint4(word) >> uint4(0, 2, 4, 6)) & uint4(0x3));
}

/// One lane's share of an 8-bit row times x. All threads of the threadgroup make the call with the same
/// x and in_dim, those of simdgroups without a row with active = false.
inline float dot_row_8bit_staged(device const uint32_t* words,
                                 device const uint16_t* scales,
                                 device const uint16_t* biases,
                                 device const float* x,
                                 threadgroup float* x_tile,
                                 uint in_dim,
                                 uint group_size,
                                 bool active,
                                 uint tid,
                                 uint tg_size,
                                 uint lane) {
    float sum = 0.0f;
    for (uint start = 0; start < in_dim; start += x_tile_size) {
        const uint count = metal::min(x_tile_size, in_dim - start);
        stage_tile(x + start, x_tile, count, tid, tg_size);
        const uint word_count = active ? count / 4 : 0;
        for (uint i = lane; i < word_count; i += simd_width) {
            const uint at = start + 4 * i;
            const uint g = at / group_size;
            const float4 weights = metal::fma(unpack_8bit(words[at / 4]), float4(bf16_to_float(scales[g])),
                                              float4(bf16_to_float(biases[g])));
            sum += metal::dot(weights, load4(x_tile + 4 * i));
        }
    }
    return sum;
}

/// Multiplies an 8-bit matrix by a vector, one simdgroup a row.
// metalgen:threadgroups (ceil_div(out_dim, rows_per_tg), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_8bit_v3(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 4] weights, 4 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 4
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 4
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const ulong row = ulong(tgid) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_8bit_staged(W_packed + row * (in_dim / 4), scales + row * groups, biases + row * groups,
                                            x, x_tile, in_dim, group_size, active, lid, tg_size, simd_lane);
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[row] = sum;
    }
}

/// Multiplies an 8-bit matrix by n_tokens vectors, one simdgroup for each row and token;
/// threadgroup token * num_row_tiles + tile does what [dequant_matvec_8bit_v3] does for eight rows.
// metalgen:threadgroups (num_row_tiles * n_tokens, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_8bit_v3_n_tokens(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 4] weights, 4 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x_inputs [[buffer(3)]],    // [n_tokens, in_dim] input vectors
    device float* out [[buffer(4)]],               // [n_tokens, out_dim] products
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 4
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 4
    constant uint& n_tokens [[buffer(8)]],         // input vectors
    constant uint& num_row_tiles [[buffer(9)]],    // out_dim / 8, rounded up
    uint tgid_flat [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const uint token = tgid_flat / num_row_tiles;
    if (token >= n_tokens) return; // the whole threadgroup does, before any barrier
    const ulong row = ulong(tgid_flat % num_row_tiles) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_8bit_staged(W_packed + row * (in_dim / 4), scales + row * groups, biases + row * groups,
                                            x_inputs + ulong(token) * in_dim, x_tile, in_dim, group_size, active, lid,
                                            tg_size, simd_lane);
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[ulong(token) * out_dim + row] = sum;
    }
}

/// Multiplies a 2-bit matrix by a vector, one simdgroup a row.
// metalgen:threadgroups (ceil_div(out_dim, rows_per_tg), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_2bit(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 16] weights, 16 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 16
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 16
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const ulong row = ulong(tgid) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    device const uint32_t* words = W_packed + row * (in_dim / 16);
    float share = 0.0f;
    for (uint start = 0; start < in_dim; start += x_tile_size) {
        const uint count = metal::min(x_tile_size, in_dim - start);
        stage_tile(x + start, x_tile, count, lid, tg_size);
        const uint word_count = active ? count / 16 : 0;
        for (uint i = simd_lane; i < word_count; i += simd_width) {
            const uint at = start + 16 * i;
            const ulong g = row * groups + at / group_size;
            const float4 scale = float4(bf16_to_float(scales[g]));
            const float4 bias = float4(bf16_to_float(biases[g]));
            const uint32_t word = words[at / 16];
            for (uint j = 0; j < 16; j += 4) {
                const float4 weights = metal::fma(unpack_2bit(word >> (2 * j)), scale, bias);
                share += metal::dot(weights, load4(x_tile + 16 * i + j));
            }
        }
    }
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[row] = sum;
    }
}
