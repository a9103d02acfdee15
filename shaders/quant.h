#ifndef METALGEN_SHADERS_QUANT_H
#define METALGEN_SHADERS_QUANT_H

#include <metal_stdlib>

#include "bf16.h"

// Affine quantization by groups. A row of in_dim weights is stored in 32-bit words that hold 16 weights
// of 2 bits, 8 of 4 bits or 4 of 8 bits each, the first weight in the lowest bits. Every group_size
// weights of a row share a bfloat16 scale and a bfloat16 bias: weight = q * scale + bias. Where
// group_size does not divide in_dim, the last group of a row is a short one.

/// Lanes of a simdgroup, on every GPU that these kernels are written for.
constant constexpr uint simd_width = 32;

/// Inputs that are held in threadgroup memory at a time (16 KiB), a multiple of what any word covers.
constant constexpr uint x_tile_size = 4096;

/// Groups that in_dim weights fall into.
inline uint group_count(uint in_dim, uint group_size) {
    return (in_dim + group_size - 1) / group_size;
}

inline float4 load4(device const float* x) {
    return float4(x[0], x[1], x[2], x[3]);
}

inline float4 load4(threadgroup const float* x) {
    return float4(x[0], x[1], x[2], x[3]);
}

/// The four lowest 4-bit fields of `word`.
inline float4 unpack_4bit(uint32_t word) {
    return float4((uint4(word) >> uint4(0, 4, 8, 12)) & uint4(0xF));
}

/// Weight `slot` (0 to 7) of a word of 4-bit weights.
inline float dequant_4bit(uint32_t word, uint slot, float scale, float bias) {
    return metal::fma(float((word >> (4 * slot)) & 0xFu), scale, bias);
}

/// A word of 4-bit weights times the eight inputs it meets. All of its weights are in group `g` of the row,
/// so scale and bias are taken out of the sums.
inline float dot_word_4bit(uint32_t word,
                           device const uint16_t* scales,
                           device const uint16_t* biases,
                           uint g,
                           float4 x_low,
                           float4 x_high) {
    const float q_sum = metal::dot(unpack_4bit(word), x_low) + metal::dot(unpack_4bit(word >> 16), x_high);
    const float4 x = x_low + x_high;
    const float x_sum = (x.x + x.y) + (x.z + x.w);
    return metal::fma(bf16_to_float(scales[g]), q_sum, bf16_to_float(biases[g]) * x_sum);
}

/// One thread's share of a 4-bit row times x: the words first, first + step, and so on.
inline float dot_row_4bit(device const uint32_t* words,
                          device const uint16_t* scales,
                          device const uint16_t* biases,
                          device const float* x,
                          uint in_dim,
                          uint group_size,
                          uint first,
                          uint step) {
    const uint word_count = in_dim / 8;
    float sum = 0.0f;
    for (uint i = first; i < word_count; i += step) {
        const uint at = 8 * i;
        sum += dot_word_4bit(words[i], scales, biases, at / group_size, load4(x + at), load4(x + at + 4));
    }
    return sum;
}

/// Copies `count` inputs into the tile. All threads of the threadgroup make the call together: the tile
/// is overwritten only once nobody reads it any more, and on return all of it can be read.
inline void stage_tile(device const float* x, threadgroup float* tile, uint count, uint tid, uint tg_size) {
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    for (uint i = tid; i < count; i += tg_size) {
        tile[i] = x[i];
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
}

#endif
