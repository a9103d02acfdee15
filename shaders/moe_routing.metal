// Choosing the experts of a token: softmax, top-k, weights.
//
// Common to all kernels here: threadgroups have one dimension and any number of threads; any number
// of experts and any top_k is safe. Logits of -infinity or NaN belong to masked experts, whose
// probability is 0; a token with all experts masked gets weights of 0. Where more experts are asked
// for than there are, the surplus places hold expert 0 with weight 0.

#include <metal_stdlib>

#include "expert_choice.h"
#include "reduce.h"

/// Parameters of fused_moe_routing_f32 and fused_moe_routing_batch_f32.
struct FusedMoeRoutingParams {
    uint num_experts; // experts to choose from
    uint top_k;       // experts to choose
};

/// Routes one token with one threadgroup; shared holds tg_size + num_experts floats.
inline void route_token(
    device const float* logits,
    device uint* expert_ids,
    device float* routing_weights,
    device const float* per_expert_scale,
    uint num_experts,
    uint top_k,
    uint tid,
    uint tg_size,
    threadgroup float* shared) {
    threadgroup float* probs = shared + tg_size;

    float own_peak = masked_score;
    for (uint e = tid; e < num_experts; e += tg_size) {
        own_peak = metal::max(own_peak, router_score(logits[e]));
    }
    const float peak = tree_max(own_peak, shared, tid, tg_size);

    float own_total = 0.0f;
    for (uint e = tid; e < num_experts; e += tg_size) {
        const float term = softmax_term(router_score(logits[e]), peak);
        probs[e] = term;
        own_total += term;
    }
    const float total = tree_sum(own_total, shared, tid, tg_size);

    const float divisor = total > 0.0f ? total : 1.0f;
    for (uint e = tid; e < num_experts; e += tg_size) {
        probs[e] /= divisor;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (tid != 0) return;

    // One thread chooses: top_k is small. The scale comes last and is not normalised away.
    const uint found = metal::min(top_k, num_experts);
    uint expert = 0;
    float chosen = 0.0f;
    for (uint k = 0; k < found; ++k) {
        expert = next_expert(probs, num_experts, k, expert);
        expert_ids[k] = expert;
        chosen += probs[expert];
    }
    for (uint k = 0; k < found; ++k) {
        const uint e = expert_ids[k];
        routing_weights[k] = chosen > 0.0f ? probs[e] / chosen * per_expert_scale[e] : 0.0f;
    }
    for (uint k = found; k < top_k; ++k) {
        expert_ids[k] = 0;
        routing_weights[k] = 0.0f;
    }
}

/// Routes one token: takes the softmax over all experts, chooses the top_k most probable ones in falling order
/// (the lower index first among equals), normalises their probabilities to a sum of 1 and multiplies each by its
/// expert's scale. The work is that of a single threadgroup; any further one does nothing.
// metalgen:threadgroups (1, 1, 1)
// metalgen:threads (min(256, next_pow2(params.num_experts)), 1, 1)
// metalgen:shared shared tg_size + params.num_experts
kernel void fused_moe_routing_f32(
    device const float* logits [[buffer(0)]],           // [params.num_experts] router output
    device uint* expert_ids [[buffer(1)]],              // [params.top_k] chosen experts
    device float* routing_weights [[buffer(2)]],        // [params.top_k] their weights
    device const float* per_expert_scale [[buffer(3)]], // [params.num_experts] learned scale
    constant FusedMoeRoutingParams& params [[buffer(4)]],
    uint tgid [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (tgid != 0) return;

    route_token(logits, expert_ids, routing_weights, per_expert_scale,
                params.num_experts, params.top_k, tid, tg_size, shared);
}

/// Routes each of n_tokens tokens as fused_moe_routing_f32 does one: softmax over all experts, the top_k most
/// probable ones in falling order, normalised to a sum of 1 and multiplied by the scale of the expert.
/// The length of logits_all says how many tokens there are.
// metalgen:require params.num_experts > 0
// metalgen:threadgroups (len(logits_all) / params.num_experts, 1, 1)
// metalgen:threads (min(256, next_pow2(params.num_experts)), 1, 1)
// metalgen:shared shared tg_size + params.num_experts
kernel void fused_moe_routing_batch_f32(
    device const float* logits_all [[buffer(0)]],       // [params.num_experts] a row for each of n_tokens, at least one
    device uint* expert_ids_all [[buffer(1)]],          // [len(logits_all) / params.num_experts, params.top_k] chosen experts
    device float* routing_weights_all [[buffer(2)]],    // [len(logits_all) / params.num_experts, params.top_k] their weights
    device const float* per_expert_scale [[buffer(3)]], // [params.num_experts] learned scale
    constant FusedMoeRoutingParams& params [[buffer(4)]],
    uint tok_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    const ulong choice = ulong(tok_id) * params.top_k;
    route_token(logits_all + ulong(tok_id) * params.num_experts, expert_ids_all + choice, routing_weights_all + choice,
                per_expert_scale, params.num_experts, params.top_k, tid, tg_size, shared);
}

/// The probabilities that moe_softmax_topk keeps in threadgroup memory; those of further experts are computed again.
constant constexpr uint staged_experts = 512;

/// Takes the softmax of each token's router logits and keeps the k most probable experts.
///
/// Experts are visited by rising index; one takes the place of the least probable expert kept so far (the first such
/// place) if it is strictly more probable. The k results stay in the places they came to: they are not sorted.
/// The weights are softmax probabilities over all experts, not normalised again.
/// The length of logits says how many tokens there are.
// metalgen:require n_experts > 0
// metalgen:threadgroups (len(logits) / n_experts, 1, 1)
// metalgen:threads (128, 1, 1)
kernel void moe_softmax_topk(
    device const float* logits [[buffer(0)]], // [n_experts] a row for each of n_tokens, at least one
    device int* out_indices [[buffer(1)]],    // [len(logits) / n_experts, k] chosen experts
    device float* out_weights [[buffer(2)]],  // [len(logits) / n_experts, k] their probabilities
    constant uint& n_experts [[buffer(3)]],   // experts to choose from
    constant uint& k [[buffer(4)]],           // experts to choose
    uint tgid [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    threadgroup float terms[staged_experts];

    device const float* row = logits + ulong(tgid) * n_experts;
    float own_peak = masked_score;
    for (uint e = tid; e < n_experts; e += tg_size) {
        own_peak = metal::max(own_peak, router_score(row[e]));
    }
    const float peak = simdgroup_max(own_peak, partial, lane, group, groups);

    float own_total = 0.0f;
    for (uint e = tid; e < n_experts; e += tg_size) {
        const float term = softmax_term(router_score(row[e]), peak);
        if (e < staged_experts) {
            terms[e] = term;
        }
        own_total += term;
    }
    const float total = simdgroup_sum(own_total, partial, lane, group, groups);
    if (tid != 0) return;

    // One thread chooses, with the outputs themselves as its list of places. `lowest` is the first place that holds
    // the least probability, `least` that probability; empty places hold less than any.
    device int* indices = out_indices + ulong(tgid) * k;
    device float* weights = out_weights + ulong(tgid) * k;
    if (k == 0) return;
    for (uint s = 0; s < k; ++s) {
        indices[s] = 0;
        weights[s] = -1.0f;
    }
    const float inverse = total > 0.0f ? 1.0f / total : 0.0f;
    uint lowest = 0;
    float least = -1.0f;
    for (uint e = 0; e < n_experts; ++e) {
        const float term = e < staged_experts ? terms[e] : softmax_term(router_score(row[e]), peak);
        const float prob = term * inverse;
        if (prob > least) {
            indices[lowest] = int(e);
            weights[lowest] = prob;
            lowest = 0;
            least = weights[0];
            for (uint s = 1; s < k; ++s) {
                if (weights[s] < least) {
                    lowest = s;
                    least = weights[s];
                }
            }
        }
    }
    for (uint s = metal::min(k, n_experts); s < k; ++s) {
        weights[s] = 0.0f;
    }
}

/// Normalises the k routing weights of each token in place so that their sum is 1.
/// Weights whose sum is not positive are left as they are. The length of weights says how many tokens there are.
// metalgen:require k > 0
// metalgen:threadgroups (len(weights) / k, 1, 1)
// metalgen:threads (min(k, 256), 1, 1)
kernel void moe_normalize_weights(
    device float* weights [[buffer(0)]], // [k] a row for each of n_tokens, at least one
    constant uint& k [[buffer(1)]],      // experts of a token
    uint tgid [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]]) {
    threadgroup float divisor[1];

    device float* row = weights + ulong(tgid) * k;
    if (tid == 0) {
        float total = 0.0f;
        for (uint s = 0; s < k; ++s) {
            total += row[s];
        }
        divisor[0] = total > 0.0f ? total : 1.0f;
    }
    // The row is complete in the divisor before anyone changes it.
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup | metal::mem_flags::mem_device);
    const float total = divisor[0];
    for (uint s = tid; s < k; s += tg_size) {
        row[s] /= total;
    }
}
