// Token embeddings from a quantized table.

#include <metal_stdlib>

#include "quant.h"

/// Looks up the embeddings of n_tokens tokens in a 4-bit table (the format is described in quant.h):
/// out[t, d] = q[token_ids[t], d] * scale + bias. A negative token id gives a row of zeros. The kernel
/// does not know how many rows the table has: an id must be below that, and W_packed, scales and biases
/// must have the row of the largest id. n_tokens * hidden_dim must be below 2^32.
// metalgen:require hidden_dim > 0 && group_size > 0
// metalgen:shape W_packed any
// metalgen:shape scales any
// metalgen:shape biases any
kernel void embed_gather_4bit(
    device const uint32_t* W_packed [[buffer(0)]], // table, rows of hidden_dim / 8 words, 8 weights a word
    device const uint16_t* scales [[buffer(1)]],   // bfloat16 scales, rows of ceil(hidden_dim / group_size)
    device const uint16_t* biases [[buffer(2)]],   // bfloat16 biases, rows of ceil(hidden_dim / group_size)
    device const int* token_ids [[buffer(3)]],     // [n_tokens] rows of the table to fetch
    device float* out [[buffer(4)]],               // [n_tokens, hidden_dim] embeddings
    constant uint& n_tokens [[buffer(5)]],         // tokens
    constant uint& hidden_dim [[buffer(6)]],       // elements of an embedding, a multiple of 8
    constant uint& group_size [[buffer(7)]],       // weights that share a scale
    uint tid [[thread_position_in_grid]]) {
    const uint total = n_tokens * hidden_dim;
    if (tid >= total) return;

    const int id = token_ids[tid / hidden_dim];
    if (id < 0) {
        out[tid] = 0.0f;
        return;
    }
    const uint d = tid % hidden_dim;
    const ulong row = ulong(id);
    const ulong g = row * group_count(hidden_dim, group_size) + d / group_size;
    const uint32_t word = W_packed[row * (hidden_dim / 8) + d / 8];
    out[tid] = dequant_4bit(word, d % 8, bf16_to_float(scales[g]), bf16_to_float(biases[g]));
}
