// What a language model computes for one token, but for what shaders/ of this repository has. The number of the token
// and its position are in buffers, so that the same calls are good for every token.
#include <metal_stdlib>
using namespace metal;

// The ways in which weights are stored, in blocks of one or more: at() returns one of the numbers of a block. A row has
// whole blocks.

struct F32 {
    static float at(device const uchar* block, uint) { return *(device const float*)block; }
};

struct F16 {
    static float at(device const uchar* block, uint) { return float(*(device const half*)block); }
};

/// A scale and 32 bytes with sign.
struct Q8_0 {
    static float at(device const uchar* block, uint i) {
        return float(*(device const half*)block) * float(*(device const char*)(block + 2 + i));
    }
};

/// A scale and 32 numbers of four bits, from which 8 is subtracted: those from 16 on are in the upper halves.
struct Q4_0 {
    static float at(device const uchar* block, uint i) {
        const uint both = block[2 + i % 16];
        return float(*(device const half*)block) * (float(i < 16 ? both & 15 : both >> 4) - 8);
    }
};

/// Returns a number of a row, in which a block has so many elements and bytes.
template <typename Format, uint ELEMENTS, uint BYTES>
float weight(device const uchar* row, uint i) {
    return Format::at(row + i / ELEMENTS * BYTES, i % ELEMENTS);
}

/// Multiplies a matrix by a vector, a simd-group for each row.
// metalgen:threadgroups (ceil_div(rows, 8), 1, 1)
// metalgen:threads (256, 1, 1)
template <typename Format, uint ELEMENTS, uint BYTES>
kernel void matvec(
    device const uchar* matrix, // [rows, columns / ELEMENTS * BYTES]
    device const float* x,      // [columns]
    device float* out,          // [rows]
    constant uint& rows, constant uint& columns,
    uint group [[threadgroup_position_in_grid]], uint simd [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
    const uint row = 8 * group + simd;
    if (row >= rows) return;
    device const uchar* weights = matrix + size_t(row) * (columns / ELEMENTS * BYTES);
    float sum = 0;
    for (uint i = lane; i < columns; i += 32) sum += weight<Format, ELEMENTS, BYTES>(weights, i) * x[i];
    sum = simd_sum(sum);
    if (lane == 0) out[row] = sum;
}

/// Takes the row of a token out of a matrix.
template <typename Format, uint ELEMENTS, uint BYTES>
kernel void embed(
    device const uchar* matrix, // [rows, columns / ELEMENTS * BYTES]
    device const uint* token,   // [1] below rows
    device float* out,          // [columns]
    constant uint& rows, constant uint& columns, uint i [[thread_position_in_grid]]) {
    if (i >= columns) return;
    device const uchar* row = matrix + size_t(min(token[0], rows - 1)) * (columns / ELEMENTS * BYTES);
    out[i] = weight<Format, ELEMENTS, BYTES>(row, i);
}

#define FORMAT(NAME, F, ELEMENTS, BYTES) \
    template [[host_name("matvec_" NAME)]] kernel decltype(matvec<F, ELEMENTS, BYTES>) matvec<F, ELEMENTS, BYTES>; \
    template [[host_name("embed_" NAME)]] kernel decltype(embed<F, ELEMENTS, BYTES>) embed<F, ELEMENTS, BYTES>;

FORMAT("f32", F32, 1, 4)
FORMAT("f16", F16, 1, 2)
FORMAT("q8_0", Q8_0, 32, 34)
FORMAT("q4_0", Q4_0, 32, 18)

/// Turns pairs of neighbours in each head by position * base^(-2 pair / head_dim): RoPE (Su et al. 2021,
/// arXiv:2104.09864), with pairs as GGUF files of the architecture "llama" have them.
kernel void rope(
    device float* x,             // [dim]
    device const uint* position, // [1]
    constant uint& dim, constant uint& head_dim, constant float& base, uint i [[thread_position_in_grid]]) {
    if (i >= dim / 2) return;
    const uint pair = i % (head_dim / 2);
    const float angle = float(position[0]) * powr(base, -2 * float(pair) / float(head_dim));
    const float c = cos(angle), s = sin(angle), first = x[2 * i], second = x[2 * i + 1];
    x[2 * i] = first * c - second * s;
    x[2 * i + 1] = first * s + second * c;
}

/// Puts the key and the value of a position into the cache.
kernel void remember(
    device const float* k,       // [kv_dim]
    device const float* v,       // [kv_dim]
    device const uint* position, // [1] below context
    device float* keys,          // [context, kv_dim]
    device float* values,        // [context, kv_dim]
    constant uint& kv_dim, constant uint& context, uint i [[thread_position_in_grid]]) {
    if (i >= kv_dim) return;
    const uint at = min(position[0], context - 1) * kv_dim + i;
    keys[at] = k[i];
    values[at] = v[i];
}

/// Attention over the positions so far, with a threadgroup for each head. It goes through the cache in blocks of 32
/// positions, one for each lane, and corrects what it has so far whenever a block has a greater score (the online
/// softmax of flash attention; Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022, arXiv:2205.14135).
// metalgen:threadgroups (heads, 1, 1)
// metalgen:threads (32, 1, 1)
// metalgen:shared sum head_dim
kernel void attention(
    device const float* q,       // [heads, head_dim]
    device const float* keys,    // [context, kv_heads, head_dim]
    device const float* values,  // [context, kv_heads, head_dim]
    device const uint* position, // [1] below context
    device float* out,           // [heads, head_dim]
    constant uint& heads, constant uint& kv_heads, constant uint& head_dim, constant uint& context,
    threadgroup float* sum,
    uint head [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    const uint kv = head / (heads / kv_heads), row = kv_heads * head_dim, length = min(position[0] + 1, context);
    threadgroup float shares[32];
    for (uint d = lane; d < head_dim; d += 32) sum[d] = 0;
    float greatest = -INFINITY, total = 0;
    for (uint begin = 0; begin < length; begin += 32) {
        const uint at = begin + lane;
        float score = -INFINITY;
        if (at < length) {
            score = 0;
            for (uint d = 0; d < head_dim; d++) score += q[head * head_dim + d] * keys[at * row + kv * head_dim + d];
            score *= rsqrt(float(head_dim));
        }
        const float before = greatest;
        greatest = max(greatest, simd_max(score));
        const float correction = exp(before - greatest);
        shares[lane] = exp(score - greatest);
        total = total * correction + simd_sum(shares[lane]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = lane; d < head_dim; d += 32) {
            float s = sum[d] * correction;
            for (uint i = 0; i < 32 && begin + i < length; i++) {
                s += shares[i] * values[(begin + i) * row + kv * head_dim + d];
            }
            sum[d] = s;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint d = lane; d < head_dim; d += 32) out[head * head_dim + d] = sum[d] / total;
}
