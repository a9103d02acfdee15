// Matrix-vector products with 4-bit weights (the format is described in quant.h):
//
//   out[row] = sum over i of (q[row, i] * scale + bias) * x[i]
//
// In all kernels in_dim and group_size are multiples of 8, and sums are kept in float. The v3, v4 and v5
// kernels give a row to each simdgroup and share x in threadgroup memory, a tile of 4096 inputs at a
// time, so that in_dim has no upper limit; they need threadgroups of exactly 256 threads. The fast
// kernels give a row to each threadgroup, of any size, and read x from device memory.

#include <metal_stdlib>

#include "quant.h"
#include "reduce.h"
#include "sigmoid.h"

/// Rows of a threadgroup that gives one row to each of its simdgroups.
constant constexpr uint rows_per_tg = 8;

/// One lane's share of a 4-bit row times x, with x shared by the threadgroup. All threads of the
/// threadgroup make the call with the same x and in_dim, those of simdgroups without a row with active = false.
inline float dot_row_4bit_staged(device const uint32_t* words,
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
        const uint word_count = active ? count / 8 : 0;
        for (uint i = lane; i < word_count; i += simd_width) {
            const uint at = start + 8 * i;
            threadgroup const float* x_word = x_tile + 8 * i;
            sum += dot_word_4bit(words[at / 8], scales, biases, at / group_size, load4(x_word), load4(x_word + 4));
        }
    }
    return sum;
}

/// Multiplies a 4-bit matrix by a vector, one thread a row: the plain kernel that the others are measured against.
// metalgen:require group_size > 0
kernel void dequant_matvec_4bit(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
    uint tid [[thread_position_in_grid]]) {
    if (tid >= out_dim) return;

    const ulong groups = group_count(in_dim, group_size);
    out[tid] = dot_row_4bit(W_packed + ulong(tid) * (in_dim / 8), scales + tid * groups, biases + tid * groups, x,
                            in_dim, group_size, 0, 1);
}

/// Multiplies a 4-bit matrix by a vector, one threadgroup a row: its threads take words in turn and add up what they find.
// metalgen:require group_size > 0
// metalgen:threadgroups (out_dim, 1, 1)
// metalgen:threads (64, 1, 1)
kernel void dequant_matvec_4bit_fast(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tgid >= out_dim) return;

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_4bit(W_packed + ulong(tgid) * (in_dim / 8), scales + tgid * groups,
                                     biases + tgid * groups, x, in_dim, group_size, lid, tg_size);
    const float sum = simdgroup_sum(share, partial, simd_lane, simd_group, simd_groups);
    if (lid == 0) {
        out[tgid] = sum;
    }
}

/// Multiplies a 4-bit matrix by n_tokens vectors, one threadgroup for each row and token;
/// threadgroup token * out_dim + row does what [dequant_matvec_4bit_fast] does for that row.
// metalgen:require group_size > 0
// metalgen:threadgroups (out_dim * n_tokens, 1, 1)
// metalgen:threads (64, 1, 1)
kernel void dequant_matvec_4bit_fast_n_tokens(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x_inputs [[buffer(3)]],    // [n_tokens, in_dim] input vectors
    device float* out [[buffer(4)]],               // [n_tokens, out_dim] products
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
    constant uint& n_tokens [[buffer(8)]],         // input vectors
    uint tgid_flat [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    const uint token = tgid_flat / out_dim;
    const uint row = tgid_flat % out_dim;
    if (token >= n_tokens) return;

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_4bit(W_packed + ulong(row) * (in_dim / 8), scales + row * groups,
                                     biases + row * groups, x_inputs + ulong(token) * in_dim, in_dim, group_size, lid,
                                     tg_size);
    const float sum = simdgroup_sum(share, partial, simd_lane, simd_group, simd_groups);
    if (lid == 0) {
        out[ulong(token) * out_dim + row] = sum;
    }
}

/// Computes the gated half of a feed-forward layer in one pass over x: out = silu(gate_W * x) * (up_W * x),
/// where silu(v) = v / (1 + exp(-v)). One threadgroup computes one element of out.
// metalgen:require group_size > 0
// metalgen:threadgroups (out_dim, 1, 1)
// metalgen:threads (64, 1, 1)
kernel void fused_gate_up_swiglu(
    device const uint32_t* gate_W [[buffer(0)]], // [out_dim, in_dim / 8] gate weights, 8 a word
    device const uint16_t* gate_s [[buffer(1)]], // [out_dim, ceil_div(in_dim, group_size)] bfloat16 gate scales
    device const uint16_t* gate_b [[buffer(2)]], // [out_dim, ceil_div(in_dim, group_size)] bfloat16 gate biases
    device const uint32_t* up_W [[buffer(3)]],   // [out_dim, in_dim / 8] up weights, 8 a word
    device const uint16_t* up_s [[buffer(4)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 up scales
    device const uint16_t* up_b [[buffer(5)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 up biases
    device const float* x [[buffer(6)]],         // [in_dim] input vector
    device float* out [[buffer(7)]],             // [out_dim] activation
    constant uint& out_dim [[buffer(8)]],        // rows of each matrix
    constant uint& in_dim [[buffer(9)]],         // columns, a multiple of 8
    constant uint& group_size [[buffer(10)]],    // weights that share a scale, a multiple of 8
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tgid >= out_dim) return;

    const uint words = in_dim / 8;
    const ulong word_base = ulong(tgid) * words;
    const ulong group_base = ulong(tgid) * group_count(in_dim, group_size);
    float gate = 0.0f;
    float up = 0.0f;
    for (uint i = lid; i < words; i += tg_size) {
        const uint at = 8 * i;
        const ulong g = group_base + at / group_size;
        const float4 low = load4(x + at);
        const float4 high = load4(x + at + 4);
        gate += dot_word_4bit(gate_W[word_base + i], gate_s + g, gate_b + g, 0, low, high);
        up += dot_word_4bit(up_W[word_base + i], up_s + g, up_b + g, 0, low, high);
    }
    gate = simdgroup_sum(gate, partial, simd_lane, simd_group, simd_groups);
    up = simdgroup_sum(up, partial, simd_lane, simd_group, simd_groups);
    if (lid == 0) {
        out[tgid] = silu(gate) * up;
    }
}

/// Multiplies a 4-bit matrix by a vector, one simdgroup a row. The eight rows of a threadgroup share x
/// in threadgroup memory; neighbouring lanes read neighbouring words.
// metalgen:require group_size > 0
// metalgen:threadgroups (ceil_div(out_dim, rows_per_tg), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_4bit_v3(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const ulong row = ulong(tgid) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_4bit_staged(W_packed + row * (in_dim / 8), scales + row * groups, biases + row * groups,
                                            x, x_tile, in_dim, group_size, active, lid, tg_size, simd_lane);
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[row] = sum;
    }
}

/// Multiplies a 4-bit matrix by n_tokens vectors, one simdgroup for each row and token;
/// threadgroup token * num_row_tiles + tile does what [dequant_matvec_4bit_v3] does for eight rows.
// metalgen:require group_size > 0
// metalgen:threadgroups (num_row_tiles * n_tokens, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_4bit_v3_n_tokens(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x_inputs [[buffer(3)]],    // [n_tokens, in_dim] input vectors
    device float* out [[buffer(4)]],               // [n_tokens, out_dim] products
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
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
    const float share = dot_row_4bit_staged(W_packed + row * (in_dim / 8), scales + row * groups, biases + row * groups,
                                            x_inputs + ulong(token) * in_dim, x_tile, in_dim, group_size, active, lid,
                                            tg_size, simd_lane);
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[ulong(token) * out_dim + row] = sum;
    }
}

/// Multiplies a 4-bit matrix by a vector, one simdgroup a row, with vector loads: a lane fetches four
/// words (32 weights) at once. Rows may start at any word; what in_dim leaves over 32 is done word by word.
// metalgen:require group_size > 0
// metalgen:threadgroups (ceil_div(out_dim, rows_per_tg), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_4bit_v4(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const ulong row = ulong(tgid) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    device const uint16_t* row_scales = scales + row * groups;
    device const uint16_t* row_biases = biases + row * groups;
    float share = 0.0f;
    for (uint start = 0; start < in_dim; start += x_tile_size) {
        const uint count = metal::min(x_tile_size, in_dim - start);
        stage_tile(x + start, x_tile, count, lid, tg_size);

        // A packed_uint4 is aligned like one word, so that rows of any length will do.
        device const uint32_t* words = W_packed + row * (in_dim / 8) + start / 8;
        device const packed_uint4* quads = (device const packed_uint4*)words;
        const uint word_count = active ? count / 8 : 0;
        const uint quad_count = word_count / 4;
        for (uint i = simd_lane; i < quad_count; i += simd_width) {
            const uint4 quad = uint4(quads[i]);
            for (uint j = 0; j < 4; ++j) {
                const uint at = 32 * i + 8 * j;
                share += dot_word_4bit(quad[j], row_scales, row_biases, (start + at) / group_size, load4(x_tile + at),
                                       load4(x_tile + at + 4));
            }
        }
        for (uint i = 4 * quad_count + simd_lane; i < word_count; i += simd_width) {
            const uint at = 8 * i;
            share += dot_word_4bit(words[i], row_scales, row_biases, (start + at) / group_size, load4(x_tile + at),
                                   load4(x_tile + at + 4));
        }
    }
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[row] = sum;
    }
}

/// Multiplies a 4-bit matrix by a vector, one simdgroup a row, with a table: a lane takes whole groups,
/// computes the 16 values that a weight of the group can have, and then only looks weights up.
// metalgen:require group_size > 0
// metalgen:threadgroups (ceil_div(out_dim, rows_per_tg), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_4bit_v5(
    device const uint32_t* W_packed [[buffer(0)]], // [out_dim, in_dim / 8] weights, 8 a word
    device const uint16_t* scales [[buffer(1)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 scale of each group
    device const uint16_t* biases [[buffer(2)]],   // [out_dim, ceil_div(in_dim, group_size)] bfloat16 bias of each group
    device const float* x [[buffer(3)]],           // [in_dim] input vector
    device float* out [[buffer(4)]],               // [out_dim] product
    constant uint& out_dim [[buffer(5)]],          // rows
    constant uint& in_dim [[buffer(6)]],           // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale, a multiple of 8
    uint tgid [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const ulong row = ulong(tgid) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    const uint words_per_group = group_size / 8;
    device const uint32_t* words = W_packed + row * (in_dim / 8);
    float share = 0.0f;
    for (uint start = 0; start < in_dim; start += x_tile_size) {
        const uint count = metal::min(x_tile_size, in_dim - start);
        stage_tile(x + start, x_tile, count, lid, tg_size);

        // A group that lies across two tiles is done in two parts.
        const uint tile_begin = start / 8;
        const uint tile_end = (start + count) / 8;
        const uint end_group = active ? group_count(start + count, group_size) : 0;
        for (uint g = start / group_size + simd_lane; g < end_group; g += simd_width) {
            const float scale = bf16_to_float(scales[row * groups + g]);
            const float bias = bf16_to_float(biases[row * groups + g]);
            float table[16];
            for (uint q = 0; q < 16; ++q) {
                table[q] = metal::fma(float(q), scale, bias);
            }

            const uint begin = metal::max(g * words_per_group, tile_begin);
            const uint end = metal::min((g + 1) * words_per_group, tile_end);
            for (uint i = begin; i < end; ++i) {
                const uint32_t word = words[i];
                threadgroup const float* x_word = x_tile + 8 * (i - tile_begin);
                for (uint slot = 0; slot < 8; ++slot) {
                    share = metal::fma(table[(word >> (4 * slot)) & 0xFu], x_word[slot], share);
                }
            }
        }
    }
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[row] = sum;
    }
}

/// Multiplies the 4-bit matrix of each of K experts by that expert's vector, in one dispatch; K is the
/// length of w_offsets. The matrices lie anywhere in W_packed, scales and biases, an offset in elements
/// says where; each must be complete there: out_dim rows of in_dim / 8 words, and of
/// ceil(in_dim / group_size) scales and biases. Threadgroup expert * num_row_tiles + tile computes eight rows.
// metalgen:require group_size > 0
// metalgen:shape W_packed any
// metalgen:shape scales any
// metalgen:shape biases any
// metalgen:shape w_offsets any
// metalgen:threadgroups (num_row_tiles * len(w_offsets), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_4bit_batched(
    device const uint32_t* W_packed [[buffer(0)]],   // weights of all experts, 8 a word
    device const uint16_t* scales [[buffer(1)]],     // bfloat16 scales of all experts
    device const uint16_t* biases [[buffer(2)]],     // bfloat16 biases of all experts
    device const float* x_inputs [[buffer(3)]],      // [len(w_offsets), in_dim] an input vector for each expert
    device float* out [[buffer(4)]],                 // [len(w_offsets), out_dim] a product for each expert
    constant uint& out_dim [[buffer(5)]],            // rows of an expert's matrix
    constant uint& in_dim [[buffer(6)]],             // columns, a multiple of 8
    constant uint& group_size [[buffer(7)]],         // weights that share a scale, a multiple of 8
    device const uint* w_offsets [[buffer(8)]],      // where each expert's matrix starts in W_packed, in words
    device const uint* s_offsets [[buffer(9)]],      // [len(w_offsets)] where each expert's part of scales starts
    device const uint* b_offsets [[buffer(10)]],     // [len(w_offsets)] where each expert's part of biases starts
    constant uint& num_row_tiles [[buffer(11)]],     // out_dim / 8, rounded up
    uint tgid_flat [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const uint expert = tgid_flat / num_row_tiles;
    const ulong row = ulong(tgid_flat % num_row_tiles) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_4bit_staged(W_packed + w_offsets[expert] + row * (in_dim / 8),
                                            scales + s_offsets[expert] + row * groups,
                                            biases + b_offsets[expert] + row * groups,
                                            x_inputs + ulong(expert) * in_dim, x_tile, in_dim, group_size, active, lid,
                                            tg_size, simd_lane);
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[ulong(expert) * out_dim + row] = sum;
    }
}

/// Multiplies one 4-bit matrix of each of up to eight experts by a vector, in one dispatch, with every
/// expert's weights in a buffer of its own. The blobs are laid out alike: the matrix starts w_byte_off
/// bytes into its blob (a multiple of 4), its scales s_byte_off and its biases b_byte_off (multiples of
/// 2), and all three must lie inside. Blobs from k_active on are not read, and a call may leave them out.
/// Expert k reads x from k * input_stride: 0 gives all experts the same input, in_dim each its own.
/// Threadgroup expert * num_row_tiles + tile computes eight rows.
// metalgen:require group_size > 0
// metalgen:shape blob0 [min(k_active, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob1 [min(k_active / 2, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob2 [min(k_active / 3, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob3 [min(k_active / 4, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob4 [min(k_active / 5, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob5 [min(k_active / 6, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob6 [min(k_active / 7, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:shape blob7 [min(k_active / 8, 1), max(w_byte_off + 4 * out_dim * (in_dim / 8), max(s_byte_off, b_byte_off) + 2 * out_dim * ceil_div(in_dim, group_size))]
// metalgen:threadgroups (num_row_tiles * min(k_active, 8), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void dequant_matvec_4bit_v3_experts(
    device const char* blob0 [[buffer(0)]],       // weights of expert 0
    device const char* blob1 [[buffer(1)]],       // weights of expert 1
    device const char* blob2 [[buffer(2)]],       // weights of expert 2
    device const char* blob3 [[buffer(3)]],       // weights of expert 3
    device const char* blob4 [[buffer(4)]],       // weights of expert 4
    device const char* blob5 [[buffer(5)]],       // weights of expert 5
    device const char* blob6 [[buffer(6)]],       // weights of expert 6
    device const char* blob7 [[buffer(7)]],       // weights of expert 7
    device const float* x [[buffer(8)]],          // [(max(min(k_active, 8), 1) - 1) * input_stride + in_dim] input vectors
    device float* out [[buffer(9)]],              // [min(k_active, 8), out_dim] a product for each expert
    constant uint& out_dim [[buffer(10)]],        // rows of an expert's matrix
    constant uint& in_dim [[buffer(11)]],         // columns, a multiple of 8
    constant uint& group_size [[buffer(12)]],     // weights that share a scale, a multiple of 8
    constant uint& w_byte_off [[buffer(13)]],     // where the weights start in a blob, in bytes
    constant uint& s_byte_off [[buffer(14)]],     // where the scales start in a blob, in bytes
    constant uint& b_byte_off [[buffer(15)]],     // where the biases start in a blob, in bytes
    constant uint& num_row_tiles [[buffer(16)]],  // out_dim / 8, rounded up
    constant uint& k_active [[buffer(17)]],       // experts, 8 at most
    constant uint& input_stride [[buffer(18)]],   // floats between the inputs of two experts
    uint tgid_flat [[threadgroup_position_in_grid]],
    uint lid [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float x_tile[x_tile_size];
    const uint expert = tgid_flat / num_row_tiles;
    if (expert >= k_active || expert >= 8) return; // the whole threadgroup does, before any barrier
    const ulong row = ulong(tgid_flat % num_row_tiles) * rows_per_tg + simd_group;
    const bool active = simd_group < rows_per_tg && row < out_dim;

    device const char* blob = blob0;
    switch (expert) {
    case 1: blob = blob1; break;
    case 2: blob = blob2; break;
    case 3: blob = blob3; break;
    case 4: blob = blob4; break;
    case 5: blob = blob5; break;
    case 6: blob = blob6; break;
    case 7: blob = blob7; break;
    default: break;
    }
    device const uint32_t* words = (device const uint32_t*)(blob + w_byte_off);
    device const uint16_t* scales = (device const uint16_t*)(blob + s_byte_off);
    device const uint16_t* biases = (device const uint16_t*)(blob + b_byte_off);

    const ulong groups = group_count(in_dim, group_size);
    const float share = dot_row_4bit_staged(words + row * (in_dim / 8), scales + row * groups, biases + row * groups,
                                            x + ulong(expert) * input_stride, x_tile, in_dim, group_size, active, lid,
                                            tg_size, simd_lane);
    const float sum = metal::simd_sum(share);
    if (active && simd_lane == 0) {
        out[ulong(expert) * out_dim + row] = sum;
    }
}
