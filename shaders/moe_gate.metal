// Choosing the experts of a token from its hidden state, bfloat16.
//
// A file of its own, because it is a Metal library of its own: bfloat needs version 3.1 of the language.
// Threadgroups have one dimension and any number of threads; any number of experts and any top_k is
// safe. Logits of -infinity or NaN belong to masked experts; a token with all experts masked gets
// weights of 0. Where more experts are asked for than there are, the surplus places hold expert 0
// with weight 0.

#include <metal_stdlib>

#include "expert_choice.h"
#include "reduce.h"
#include "rms.h"

/// Runs the router for each token from its hidden state: RMS-normalises it, multiplies it with the router matrix,
/// chooses the top_k highest logits in falling order (the lower index first among equals), takes the softmax over
/// these, multiplies by the scale of each expert and normalises the products to a sum of 1.
/// Products that add up to 0 yield weights of 0. The length of hidden_state says how many tokens there are.
///
/// The normalised state and the logits are kept in threadgroup memory, which bounds them:
/// 32 KB hold hidden_dim + n_experts floats beside 512 bytes of the kernel's own.
// metalgen:require hidden_dim > 0
// metalgen:threadgroups (len(hidden_state) / hidden_dim, 1, 1)
// metalgen:threads (128, 1, 1)
// metalgen:shared shared hidden_dim + n_experts
kernel void moe_gate(
    device const bfloat* hidden_state [[buffer(0)]],    // [hidden_dim] a row for each token, at least one
    device const float* router_weights [[buffer(1)]],   // [n_experts, hidden_dim] router matrix
    device const float* norm_weight [[buffer(2)]],      // [hidden_dim] learned scale of the norm
    device const float* per_expert_scale [[buffer(3)]], // [n_experts] learned scale
    device uint* expert_ids [[buffer(4)]],              // [len(hidden_state) / hidden_dim, top_k] chosen experts
    device float* expert_weights [[buffer(5)]],         // [len(hidden_state) / hidden_dim, top_k] their weights
    constant uint& hidden_dim [[buffer(6)]],            // elements of a hidden state
    constant uint& n_experts [[buffer(7)]],             // experts to choose from
    constant uint& top_k [[buffer(8)]],                 // experts to choose
    constant float& rms_eps [[buffer(9)]],              // added to the mean square
    uint tid [[thread_index_in_threadgroup]],
    uint token [[threadgroup_position_in_grid]],
    uint tg_size [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    threadgroup float partial[max_simdgroups];
    threadgroup float* normed = shared;
    threadgroup float* scores = shared + hidden_dim;

    device const bfloat* hidden = hidden_state + ulong(token) * hidden_dim;
    float own = 0.0f;
    for (uint i = tid; i < hidden_dim; i += tg_size) {
        const float v = float(hidden[i]);
        own += v * v;
    }
    const float scale = inverse_rms(simdgroup_sum(own, partial, lane, group, groups), hidden_dim, rms_eps);
    for (uint i = tid; i < hidden_dim; i += tg_size) {
        normed[i] = float(hidden[i]) * scale * norm_weight[i];
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

    for (uint e = tid; e < n_experts; e += tg_size) {
        device const float* row = router_weights + ulong(e) * hidden_dim;
        float dot = 0.0f;
        for (uint i = 0; i < hidden_dim; ++i) {
            dot += normed[i] * row[i];
        }
        scores[e] = router_score(dot);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (tid != 0) return;

    // One thread chooses: top_k is small. The softmax's own divisor cancels in the final normalisation.
    device uint* ids = expert_ids + ulong(token) * top_k;
    device float* weights = expert_weights + ulong(token) * top_k;
    const uint found = metal::min(top_k, n_experts);
    uint expert = 0;
    float peak = masked_score;
    float total = 0.0f;
    for (uint k = 0; k < found; ++k) {
        expert = next_expert(scores, n_experts, k, expert);
        if (k == 0) {
            peak = scores[expert];
        }
        const float weight = softmax_term(scores[expert], peak) * per_expert_scale[expert];
        ids[k] = expert;
        weights[k] = weight;
        total += weight;
    }
    const float inverse = total != 0.0f ? 1.0f / total : 0.0f;
    for (uint k = 0; k < found; ++k) {
        weights[k] *= inverse;
    }
    for (uint k = found; k < top_k; ++k) {
        ids[k] = 0;
        weights[k] = 0.0f;
    }
}
