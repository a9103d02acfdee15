// Gated activations, elementwise. Every out may be one of the inputs.

#include <metal_stdlib>

#include "sigmoid.h"

/// Applies SwiGLU to one vector: out = silu(gate) * up, where silu(x) = x / (1 + exp(-x)).
kernel void swiglu_fused(
    device const float* gate [[buffer(0)]], // [dim] gate projection
    device const float* up [[buffer(1)]],   // [dim] up projection
    device float* out [[buffer(2)]],        // [dim] activation
    constant uint& dim [[buffer(3)]],       // elements
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    out[tid] = silu(gate[tid]) * up[tid];
}

/// Applies SwiGLU to one vector, four elements a thread: out = silu(gate) * up.
/// dim counts floats and must be a multiple of 4; what is left over is not touched.
kernel void swiglu_fused_vec4(
    device const float4* gate [[buffer(0)]], // [dim / 4] gate projection
    device const float4* up [[buffer(1)]],   // [dim / 4] up projection
    device float4* out [[buffer(2)]],        // [dim / 4] activation
    constant uint& dim [[buffer(3)]],        // floats, a multiple of 4
    uint tid [[thread_position_in_grid]]) {
    const uint quads = dim / 4;
    if (tid >= quads) return;

    out[tid] = silu(gate[tid]) * up[tid];
}

/// Applies SwiGLU to the vectors of K experts: out = silu(gate) * up. K * dim must be below 2^32.
kernel void swiglu_fused_batched(
    device const float* gate [[buffer(0)]], // [K, dim] gate projections
    device const float* up [[buffer(1)]],   // [K, dim] up projections
    device float* out [[buffer(2)]],        // [K, dim] activations
    constant uint& dim [[buffer(3)]],       // elements of an expert's vector
    constant uint& K [[buffer(4)]],         // experts
    uint tid [[thread_position_in_grid]]) {
    const uint total = K * dim;
    if (tid >= total) return;

    out[tid] = silu(gate[tid]) * up[tid];
}

/// Gates a vector in place: x_out = x_out * sigmoid(gate), where sigmoid(x) = 1 / (1 + exp(-x)).
kernel void sigmoid_gate(
    device float* x_out [[buffer(0)]],      // [dim] vector to be gated
    device const float* gate [[buffer(1)]], // [dim] gate before the sigmoid
    constant uint& dim [[buffer(2)]],       // elements
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    x_out[tid] *= sigmoid(gate[tid]);
}

/// Parameters of silu_mul_stacked_f32.
struct SiluMulStackedParams {
    int ffn;     // elements of a slot
    int n_slots; // slots, one for each chosen expert
};

/// Applies SwiGLU to a stack of expert slots: out = silu(gate) * up for each of n_slots rows.
// metalgen:threadgroups (ceil_div(p.ffn, 256), p.n_slots, 1)
// metalgen:threads (256, 1, 1)
kernel void silu_mul_stacked_f32(
    device const float* gate [[buffer(0)]], // [p.n_slots, p.ffn] gate projections
    device const float* up [[buffer(1)]],   // [p.n_slots, p.ffn] up projections
    device float* out [[buffer(2)]],        // [p.n_slots, p.ffn] activations
    constant SiluMulStackedParams& p [[buffer(3)]],
    uint2 gid [[thread_position_in_grid]]) { // element, slot
    const uint ffn = uint(metal::max(p.ffn, 0));
    const uint n_slots = uint(metal::max(p.n_slots, 0));
    if (gid.x >= ffn || gid.y >= n_slots) return;

    const ulong at = ulong(gid.y) * ffn + gid.x;
    out[at] = silu(gate[at]) * up[at];
}
