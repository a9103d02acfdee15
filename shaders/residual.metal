// Elementwise addition for the residual stream.

#include <metal_stdlib>

/// Adds two vectors: out = a + b. out may be a or b.
kernel void residual_add(
    device const float* a [[buffer(0)]], // [dim] first summand
    device const float* b [[buffer(1)]], // [dim] second summand
    device float* out [[buffer(2)]],     // [dim] sum
    constant uint& dim [[buffer(3)]],    // elements
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    out[tid] = a[tid] + b[tid];
}

/// Adds two stacks of token rows: out = a + b. out may be a or b.
kernel void residual_add_n_tokens(
    device const float* a [[buffer(0)]], // [total] first summand
    device const float* b [[buffer(1)]], // [total] second summand
    device float* out [[buffer(2)]],     // [total] sum
    constant uint& total [[buffer(3)]],  // elements of all rows together, n_tokens * dim
    uint tid [[thread_position_in_grid]]) {
    if (tid >= total) return;

    out[tid] = a[tid] + b[tid];
}
