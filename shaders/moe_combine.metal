// Bringing the outputs of a token's experts together again.
//
// hidden_out may be the buffer of h_mid, shared_out or moe_sum: each element is written by the one
// thread that reads it, after reading.

#include <metal_stdlib>

#include "reduce.h"
#include "rms.h"
#include "sigmoid.h"
#include "weighted_sum.h"

/// Adds up the weighted outputs of K experts: out = sum over k of weights[k] * expert_outs[k].
kernel void weighted_sum(
    device const float* expert_outs [[buffer(0)]], // [K, dim] what each expert computed
    device const float* weights [[buffer(1)]],     // [K] routing weights
    device float* out [[buffer(2)]],               // [dim] weighted sum
    constant uint& K [[buffer(3)]],                // experts
    constant uint& dim [[buffer(4)]],              // elements of an output
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    out[tid] = weighted_column(expert_outs, weights, K, dim, tid);
}

/// Parameters of weighted_sum_stacked_f32 and weighted_sum_residual_stacked_f32.
struct WeightedSumStackedParams {
    int hidden;  // elements of a slot
    int n_slots; // slots, one for each chosen expert
};

/// Adds up the weighted slots of one token: out = sum over s of weights[s] * slots[s].
// metalgen:threadgroups (ceil_div(p.hidden, 256), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void weighted_sum_stacked_f32(
    device const float* slots [[buffer(0)]],   // [p.n_slots, p.hidden] what each expert computed
    device const float* weights [[buffer(1)]], // [p.n_slots] routing weights
    device float* out [[buffer(2)]],           // [p.hidden] weighted sum
    constant WeightedSumStackedParams& p [[buffer(3)]],
    uint tid [[thread_position_in_grid]]) {
    const uint hidden = uint(metal::max(p.hidden, 0));
    const uint n_slots = uint(metal::max(p.n_slots, 0));
    if (tid >= hidden) return;

    out[tid] = weighted_column(slots, weights, n_slots, hidden, tid);
}

/// Weighs the slots of one token and adds them to its residual in place:
/// residual = residual + sum over s of weights[s] * slots[s].
// metalgen:threadgroups (ceil_div(p.hidden, 256), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void weighted_sum_residual_stacked_f32(
    device const float* slots [[buffer(0)]],   // [p.n_slots, p.hidden] what each expert computed
    device const float* weights [[buffer(1)]], // [p.n_slots] routing weights
    device float* residual [[buffer(2)]],      // [p.hidden] residual stream
    constant WeightedSumStackedParams& p [[buffer(3)]],
    uint tid [[thread_position_in_grid]]) {
    const uint hidden = uint(metal::max(p.hidden, 0));
    const uint n_slots = uint(metal::max(p.n_slots, 0));
    if (tid >= hidden) return;

    residual[tid] += weighted_column(slots, weights, n_slots, hidden, tid);
}

/// Parameters of weighted_sum_residual_norm_stacked_f32.
struct WSumResNormParams {
    int hidden;  // elements of a slot
    int n_slots; // slots, one for each chosen expert
    float eps;   // added to the mean square
};

/// Weighs the slots of one token, adds them to its residual in place and RMS-normalises the new residual for the
/// layer that follows: residual = residual + sum over s of weights[s] * slots[s],
/// normed_out = residual * rsqrt(mean(residual^2) + eps) * next_norm_w.
/// The work is that of a single threadgroup; any further one does nothing.
// metalgen:threadgroups (1, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void weighted_sum_residual_norm_stacked_f32(
    device const float* slots [[buffer(0)]],       // [p.n_slots, p.hidden] what each expert computed
    device const float* weights [[buffer(1)]],     // [p.n_slots] routing weights
    device float* residual [[buffer(2)]],          // [p.hidden] residual stream
    device const float* next_norm_w [[buffer(3)]], // [p.hidden] learned scale of the next layer's norm
    device float* normed_out [[buffer(4)]],        // [p.hidden] normalised residual, not the buffer of residual
    constant WSumResNormParams& p [[buffer(5)]],
    uint tgid [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tgid != 0) return;

    const uint hidden = uint(metal::max(p.hidden, 0));
    const uint n_slots = uint(metal::max(p.n_slots, 0));
    float own = 0.0f;
    for (uint i = tid; i < hidden; i += tg_size) {
        const float sum = residual[i] + weighted_column(slots, weights, n_slots, hidden, i);
        residual[i] = sum;
        own += sum * sum;
    }
    const float to_unit = inverse_rms(simdgroup_sum(own, partial, lane, group, groups), hidden, p.eps);

    for (uint i = tid; i < hidden; i += tg_size) {
        normed_out[i] = residual[i] * to_unit * next_norm_w[i];
    }
}

/// The most experts that the moe_combine_residual kernels take; in params the gate of the shared expert comes after
/// their weights.
constant constexpr uint max_combined = 16;

/// Expert k's share of element i, 0 without touching memory where there are only K experts.
inline float expert_term(uint k, uint K, device const float* params, device const float* expert_out, uint i) {
    if (k >= K) return 0.0f;
    return params[k] * expert_out[i];
}

/// Adds the weighted outputs of K experts and the gated output of the shared expert to the residual stream:
/// hidden_out = h_mid + sum over k of params[k] * expert_out_k + sigmoid(params[16]) * shared_out.
/// There is room for 16 experts; a larger K counts as 16. Buffers of experts beyond K are not read.
kernel void moe_combine_residual(
    device const float* h_mid [[buffer(0)]],            // [dim] residual stream after attention
    device const float* shared_out [[buffer(1)]],       // [dim] shared expert
    device float* hidden_out [[buffer(2)]],             // [dim] new residual stream
    device const float* expert_out0 [[buffer(3)]],      // [min(1, K) * dim] expert 0, read if K > 0
    device const float* expert_out1 [[buffer(4)]],      // [min(1, K / 2) * dim] expert 1, read if K > 1
    device const float* expert_out2 [[buffer(5)]],      // [min(1, K / 3) * dim] expert 2, read if K > 2
    device const float* expert_out3 [[buffer(6)]],      // [min(1, K / 4) * dim] expert 3, read if K > 3
    device const float* expert_out4 [[buffer(7)]],      // [min(1, K / 5) * dim] expert 4, read if K > 4
    device const float* expert_out5 [[buffer(8)]],      // [min(1, K / 6) * dim] expert 5, read if K > 5
    device const float* expert_out6 [[buffer(9)]],      // [min(1, K / 7) * dim] expert 6, read if K > 6
    device const float* expert_out7 [[buffer(10)]],     // [min(1, K / 8) * dim] expert 7, read if K > 7
    device const float* expert_out8 [[buffer(11)]],     // [min(1, K / 9) * dim] expert 8, read if K > 8
    device const float* expert_out9 [[buffer(12)]],     // [min(1, K / 10) * dim] expert 9, read if K > 9
    device const float* expert_out10 [[buffer(13)]],    // [min(1, K / 11) * dim] expert 10, read if K > 10
    device const float* expert_out11 [[buffer(14)]],    // [min(1, K / 12) * dim] expert 11, read if K > 11
    device const float* expert_out12 [[buffer(15)]],    // [min(1, K / 13) * dim] expert 12, read if K > 12
    device const float* expert_out13 [[buffer(16)]],    // [min(1, K / 14) * dim] expert 13, read if K > 13
    device const float* expert_out14 [[buffer(17)]],    // [min(1, K / 15) * dim] expert 14, read if K > 14
    device const float* expert_out15 [[buffer(18)]],    // [min(1, K / 16) * dim] expert 15, read if K > 15
    device const float* params [[buffer(19)]],          // [17] 16 weights, shared gate before the sigmoid
    constant uint& dim [[buffer(20)]],                  // elements of an output
    constant uint& K [[buffer(21)]],                    // experts, at most 16
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    float experts = 0.0f;
    experts += expert_term(0, K, params, expert_out0, tid);
    experts += expert_term(1, K, params, expert_out1, tid);
    experts += expert_term(2, K, params, expert_out2, tid);
    experts += expert_term(3, K, params, expert_out3, tid);
    experts += expert_term(4, K, params, expert_out4, tid);
    experts += expert_term(5, K, params, expert_out5, tid);
    experts += expert_term(6, K, params, expert_out6, tid);
    experts += expert_term(7, K, params, expert_out7, tid);
    experts += expert_term(8, K, params, expert_out8, tid);
    experts += expert_term(9, K, params, expert_out9, tid);
    experts += expert_term(10, K, params, expert_out10, tid);
    experts += expert_term(11, K, params, expert_out11, tid);
    experts += expert_term(12, K, params, expert_out12, tid);
    experts += expert_term(13, K, params, expert_out13, tid);
    experts += expert_term(14, K, params, expert_out14, tid);
    experts += expert_term(15, K, params, expert_out15, tid);
    hidden_out[tid] = h_mid[tid] + experts + sigmoid(params[max_combined]) * shared_out[tid];
}

/// Adds the weighted outputs of K experts, which lie in one buffer, and the gated output of the shared expert to the
/// residual stream: hidden_out = h_mid + sum over k of params[k] * expert_out[k] + sigmoid(params[16]) * shared_out.
/// params has room for 16 experts; a larger K counts as 16.
kernel void moe_combine_residual_flat(
    device const float* h_mid [[buffer(0)]],      // [dim] residual stream after attention
    device const float* shared_out [[buffer(1)]], // [dim] shared expert
    device float* hidden_out [[buffer(2)]],       // [dim] new residual stream
    device const float* expert_out [[buffer(3)]], // [min(K, 16), dim] what each expert computed
    device const float* params [[buffer(4)]],     // [17] 16 weights, shared gate before the sigmoid
    constant uint& dim [[buffer(5)]],             // elements of an output
    constant uint& K [[buffer(6)]],               // experts, at most 16
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    const float experts = weighted_column(expert_out, params, metal::min(K, max_combined), dim, tid);
    hidden_out[tid] = h_mid[tid] + experts + sigmoid(params[max_combined]) * shared_out[tid];
}

/// Adds the weighted outputs of K experts and the output of an ungated shared expert to the residual stream:
/// hidden_out = h_mid + sum over k of params[k] * expert_out_k + shared_out.
/// There is room for 16 experts; a larger K counts as 16. Buffers of experts beyond K are not read.
kernel void moe_combine_residual_unscaled(
    device const float* h_mid [[buffer(0)]],            // [dim] residual stream after attention
    device const float* shared_out [[buffer(1)]],       // [dim] shared expert
    device float* hidden_out [[buffer(2)]],             // [dim] new residual stream
    device const float* expert_out0 [[buffer(3)]],      // [min(1, K) * dim] expert 0, read if K > 0
    device const float* expert_out1 [[buffer(4)]],      // [min(1, K / 2) * dim] expert 1, read if K > 1
    device const float* expert_out2 [[buffer(5)]],      // [min(1, K / 3) * dim] expert 2, read if K > 2
    device const float* expert_out3 [[buffer(6)]],      // [min(1, K / 4) * dim] expert 3, read if K > 3
    device const float* expert_out4 [[buffer(7)]],      // [min(1, K / 5) * dim] expert 4, read if K > 4
    device const float* expert_out5 [[buffer(8)]],      // [min(1, K / 6) * dim] expert 5, read if K > 5
    device const float* expert_out6 [[buffer(9)]],      // [min(1, K / 7) * dim] expert 6, read if K > 6
    device const float* expert_out7 [[buffer(10)]],     // [min(1, K / 8) * dim] expert 7, read if K > 7
    device const float* expert_out8 [[buffer(11)]],     // [min(1, K / 9) * dim] expert 8, read if K > 8
    device const float* expert_out9 [[buffer(12)]],     // [min(1, K / 10) * dim] expert 9, read if K > 9
    device const float* expert_out10 [[buffer(13)]],    // [min(1, K / 11) * dim] expert 10, read if K > 10
    device const float* expert_out11 [[buffer(14)]],    // [min(1, K / 12) * dim] expert 11, read if K > 11
    device const float* expert_out12 [[buffer(15)]],    // [min(1, K / 13) * dim] expert 12, read if K > 12
    device const float* expert_out13 [[buffer(16)]],    // [min(1, K / 14) * dim] expert 13, read if K > 13
    device const float* expert_out14 [[buffer(17)]],    // [min(1, K / 15) * dim] expert 14, read if K > 14
    device const float* expert_out15 [[buffer(18)]],    // [min(1, K / 16) * dim] expert 15, read if K > 15
    device const float* params [[buffer(19)]],          // [min(K, 16)] routing weights; what follows them is not read
    constant uint& dim [[buffer(20)]],                  // elements of an output
    constant uint& K [[buffer(21)]],                    // experts, at most 16
    uint tid [[thread_position_in_grid]]) {
    if (tid >= dim) return;

    float experts = 0.0f;
    experts += expert_term(0, K, params, expert_out0, tid);
    experts += expert_term(1, K, params, expert_out1, tid);
    experts += expert_term(2, K, params, expert_out2, tid);
    experts += expert_term(3, K, params, expert_out3, tid);
    experts += expert_term(4, K, params, expert_out4, tid);
    experts += expert_term(5, K, params, expert_out5, tid);
    experts += expert_term(6, K, params, expert_out6, tid);
    experts += expert_term(7, K, params, expert_out7, tid);
    experts += expert_term(8, K, params, expert_out8, tid);
    experts += expert_term(9, K, params, expert_out9, tid);
    experts += expert_term(10, K, params, expert_out10, tid);
    experts += expert_term(11, K, params, expert_out11, tid);
    experts += expert_term(12, K, params, expert_out12, tid);
    experts += expert_term(13, K, params, expert_out13, tid);
    experts += expert_term(14, K, params, expert_out14, tid);
    experts += expert_term(15, K, params, expert_out15, tid);
    hidden_out[tid] = h_mid[tid] + experts + shared_out[tid];
}

/// Adds the combined experts and the gated shared expert of each of n_tokens tokens to the residual stream:
/// hidden_out = h_mid + moe_sum + sigmoid(shared_gate) * shared_out. n_tokens * dim must be below 2^32.
kernel void moe_combine_residual_n_tokens(
    device const float* h_mid [[buffer(0)]],       // [n_tokens, dim] residual stream after attention
    device const float* moe_sum [[buffer(1)]],     // [n_tokens, dim] weighted sum of the experts
    device const float* shared_out [[buffer(2)]],  // [n_tokens, dim] shared expert
    device const float* shared_gate [[buffer(3)]], // [n_tokens] its gate before the sigmoid
    device float* hidden_out [[buffer(4)]],        // [n_tokens, dim] new residual stream
    constant uint& n_tokens [[buffer(5)]],         // tokens
    constant uint& dim [[buffer(6)]],              // elements of a row
    uint tid [[thread_position_in_grid]]) {
    const uint total = n_tokens * dim;
    if (tid >= total) return;

    const float gate = sigmoid(shared_gate[tid / dim]);
    hidden_out[tid] = h_mid[tid] + moe_sum[tid] + gate * shared_out[tid];
}

/// Adds the weighted outputs of one expert to the sums of the tokens that chose it, in place:
/// out_sum[token_idx[b]] = out_sum[token_idx[b]] + weights[b] * bucket_out[b].
///
/// A token may occur only once in a bucket; the addition is not atomic. Entries with a negative token are skipped,
/// all others must be rows of out_sum.
// metalgen:threadgroups (bucket_size, ceil_div(hidden_dim, 256), 1)
// metalgen:threads (1, 256, 1)
kernel void moe_bucket_accumulate(
    device const float* bucket_out [[buffer(0)]], // [bucket_size, hidden_dim] what the expert computed for each entry
    device const int* token_idx [[buffer(1)]],    // [bucket_size] token of each entry
    device const float* weights [[buffer(2)]],    // [bucket_size] routing weight of each entry
    device float* out_sum [[buffer(3)]],          // [hidden_dim] a row for each of n_tokens, at least one
    constant uint& hidden_dim [[buffer(4)]],      // elements of a row
    constant uint& bucket_size [[buffer(5)]],     // entries of the bucket
    uint2 gid [[thread_position_in_grid]]) {      // entry, element
    if (gid.x >= bucket_size || gid.y >= hidden_dim) return;

    const int token = token_idx[gid.x];
    if (token < 0) return;

    const float value = bucket_out[ulong(gid.x) * hidden_dim + gid.y];
    out_sum[ulong(token) * hidden_dim + gid.y] += weights[gid.x] * value;
}
