#include <metal_stdlib>
using namespace metal;

/// The most simd-groups that a threadgroup has.
constant constexpr uint most_groups = 32;

/// A score, and where it stands. Of equal scores the first is the better one.
struct Place {
    float score;
    uint index;

    bool better(Place other) const {
        return score > other.score || (score == other.score && index < other.index);
    }
};

/// Returns the best place of a simd-group.
Place best_of_simdgroup(Place place) {
    const float score = simd_max(place.score);
    return {score, simd_min(place.score == score ? place.index : UINT_MAX)};
}

/// Finds the k best scores, in falling order.
// metalgen:threadgroups (1, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void best(
    device const float* scores, // [n] finite
    device uint* places,        // [k] of the best scores
    constant uint& n,
    constant uint& k, // at most n
    uint thread_index [[thread_index_in_threadgroup]],
    uint threads [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup Place of_group[most_groups];
    const Place none = {-FLT_MAX, UINT_MAX};

    // Each round finds the best place after the one that the round before has found.
    Place last = {FLT_MAX, 0};
    for (uint i = 0; i < k; i++) {
        Place own = none;
        for (uint j = thread_index; j < n; j += threads) {
            const Place place = {scores[j], j};
            if (last.better(place) && place.better(own)) {
                own = place;
            }
        }
        own = best_of_simdgroup(own);
        if (lane == 0) {
            of_group[group] = own;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        own = none;
        if (lane < groups) {
            own = of_group[lane];
        }
        last = best_of_simdgroup(own);
        if (thread_index == 0) {
            places[i] = last.index;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}
