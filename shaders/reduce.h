#ifndef METALGEN_SHADERS_REDUCE_H
#define METALGEN_SHADERS_REDUCE_H

#include <metal_stdlib>

// Reductions over one threadgroup. Every thread of the group must make the call, every thread gets
// the result, and on return the scratch memory is free to be written again. No power of two is
// needed: where the number of values is odd, the middle one simply waits for the next round.
//
// tree_*       scratch of one float a thread; tid counts the n threads.
// simdgroup_*  scratch of one float a simd-group (max_simdgroups is always enough); lane, group and
//              groups are the kernel's simd-group built-ins.

/// The most simd-groups a threadgroup can have: 1024 threads, at least 8 lanes each.
constant constexpr uint max_simdgroups = 128;

inline float tree_sum(float value, threadgroup float* scratch, uint tid, uint n) {
    scratch[tid] = value;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    for (uint live = n; live > 1;) {
        const uint keep = live / 2 + live % 2;
        if (tid < live - keep) {
            scratch[tid] += scratch[tid + keep];
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        live = keep;
    }
    const float total = scratch[0];
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return total;
}

/// Two sums for the barriers of one; scratch holds 2 * n floats.
inline float2 tree_sum_pair(float2 value, threadgroup float* scratch, uint tid, uint n) {
    threadgroup float* first = scratch;
    threadgroup float* second = scratch + n;
    first[tid] = value.x;
    second[tid] = value.y;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    for (uint live = n; live > 1;) {
        const uint keep = live / 2 + live % 2;
        if (tid < live - keep) {
            first[tid] += first[tid + keep];
            second[tid] += second[tid + keep];
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        live = keep;
    }
    const float2 total = float2(first[0], second[0]);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return total;
}

inline float tree_max(float value, threadgroup float* scratch, uint tid, uint n) {
    scratch[tid] = value;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    for (uint live = n; live > 1;) {
        const uint keep = live / 2 + live % 2;
        if (tid < live - keep) {
            scratch[tid] = metal::max(scratch[tid], scratch[tid + keep]);
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        live = keep;
    }
    const float largest = scratch[0];
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return largest;
}

// The partial results are combined by a plain loop in every thread: a second simd_sum would miss
// some of them whenever the last simd-group has fewer lanes than there are partials.

inline float simdgroup_sum(float value, threadgroup float* partial, uint lane, uint group, uint groups) {
    const float part = metal::simd_sum(value);
    if (lane == 0) {
        partial[group] = part;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float total = 0.0f;
    for (uint g = 0; g < groups; ++g) {
        total += partial[g];
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return total;
}

inline float simdgroup_max(float value, threadgroup float* partial, uint lane, uint group, uint groups) {
    const float part = metal::simd_max(value);
    if (lane == 0) {
        partial[group] = part;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float largest = partial[0];
    for (uint g = 1; g < groups; ++g) {
        largest = metal::max(largest, partial[g]);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return largest;
}

#endif
