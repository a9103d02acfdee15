#ifndef METALGEN_SHADERS_EXPERT_CHOICE_H
#define METALGEN_SHADERS_EXPERT_CHOICE_H

#include <metal_stdlib>

// Router logits as finite scores. A logit of -infinity means that the expert is masked out, and a
// NaN counts as the same, so that every score can be compared and no sum is poisoned. The tests look
// at the bits because fast math, Metal's default, lets the compiler assume that neither occurs.

/// The score of an expert that must not contribute.
constant constexpr float masked_score = -FLT_MAX;

inline float router_score(float logit) {
    const uint bits = as_type<uint>(logit);
    const uint infinity = 0x7f800000u;
    if ((bits & 0x7fffffffu) < infinity) return logit;
    return bits == infinity ? FLT_MAX : masked_score;
}

/// The numerator of a softmax whose largest score is `peak`; 0 for a masked expert.
inline float softmax_term(float score, float peak) {
    return score > masked_score ? metal::exp(score - peak) : 0.0f;
}

/// The expert at place `rank` of the order by falling score, the lower index first among equals, given that
/// `previous` holds the place before it (and is any valid index for rank 0). There is one for every rank below n.
inline uint next_expert(threadgroup const float* scores, uint n, uint rank, uint previous) {
    const float bound = scores[previous];
    uint best = n;
    float best_score = masked_score;
    for (uint e = 0; e < n; ++e) {
        const float score = scores[e];
        const bool ranked = rank > 0 && (score > bound || (score == bound && e <= previous));
        if (!ranked && (best == n || score > best_score)) {
            best = e;
            best_score = score;
        }
    }
    return best;
}

#endif
