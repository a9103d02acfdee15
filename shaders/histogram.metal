// Histograms, and curves that are made of them.
//
// A histogram counts the values of one component in 256 bins: value v from 0 to 1 is in bin 255 * v, rounded. Values
// beyond are in the first and the last bin, NaN is in the first. A curve has a result for each of the values 0, 1/255
// ... 1, and lines in between.
//
// To equalise an image: histogram, equalization and apply_curves, with one component. A color image is taken through
// rgb_to_ycbcr before and ycbcr_to_rgb after, because components that are equalised each by itself change colors.

#include <metal_stdlib>

#include "reduce.h"

/// Bins of a histogram, and points of a curve.
constant constexpr uint bins = 256;

/// The most components of a texel.
constant constexpr uint most_components = 4;

/// Rows that a threadgroup of histogram counts, so that few threadgroups add to the counts of all.
constant constexpr uint histogram_rows = 128;

/// Counts the values of the first components of an image. Counts are added to what is there: zeros, or the histogram of
/// another image. Each threadgroup counts in its own memory first.
// metalgen:threadgroups (ceil_div(width(src), 32), ceil_div(height(src), histogram_rows), 1)
// metalgen:threads (32, 8, 1)
kernel void histogram(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    device metal::atomic_uint* counts [[buffer(0)]], // [components, 256]
    constant uint& components [[buffer(1)]],         // of a texel that are counted, at most 4
    uint2 group [[threadgroup_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]],
    uint2 threads [[threads_per_threadgroup]],
    uint tid [[thread_index_in_threadgroup]]) {
    threadgroup metal::atomic_uint own_counts[most_components * bins];
    const uint all = metal::min(components, most_components) * bins;
    const uint tg_size = threads.x * threads.y;
    for (uint i = tid; i < all; i += tg_size) {
        metal::atomic_store_explicit(&own_counts[i], 0, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

    const uint x = group.x * threads.x + own.x;
    const uint end = metal::min((group.y + 1) * histogram_rows, src.get_height());
    if (x < src.get_width()) {
        for (uint y = group.y * histogram_rows + own.y; y < end; y += threads.y) {
            const float4 scaled = metal::saturate(src.read(uint2(x, y))) * float(bins - 1);
            // Also of NaN, whatever fast math makes of it.
            const uint4 bin = metal::min(uint4(scaled + 0.5f), uint4(bins - 1));
            for (uint c = 0; c * bins < all; ++c) {
                metal::atomic_fetch_add_explicit(&own_counts[c * bins + bin[c]], 1, metal::memory_order_relaxed);
            }
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

    for (uint i = tid; i < all; i += tg_size) {
        const uint count = metal::atomic_load_explicit(&own_counts[i], metal::memory_order_relaxed);
        if (count > 0) {
            metal::atomic_fetch_add_explicit(&counts[i], count, metal::memory_order_relaxed);
        }
    }
}

/// Computes the curves that equalise components: the cumulative distribution of each, from 0 at the least value that
/// the image has to 1 at the greatest. That of an image with one value only, or none, leaves values as they are. Any
/// number of threads will do.
// metalgen:threadgroups (components, 1, 1)
// metalgen:threads (bins, 1, 1)
// metalgen:simd any
kernel void equalization(
    device const uint* counts [[buffer(0)]], // [components, 256]
    device float* curves [[buffer(1)]],      // [components, 256]
    constant uint& components [[buffer(2)]], // histograms
    uint component [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup uint totals[max_simdgroups];
    threadgroup uint least;
    if (component >= components) return;

    // Each thread has some bins beside each other, and needs the count of all bins before them: of its simd-group, and
    // of the simd-groups before it.
    device const uint* count = counts + component * bins;
    const uint share = (bins + tg_size - 1) / tg_size;
    const uint begin = metal::min(tid * share, bins);
    const uint end = metal::min(begin + share, bins);
    uint own = 0;
    for (uint b = begin; b < end; ++b) {
        own += count[b];
    }
    uint upto = metal::simd_prefix_exclusive_sum(own);
    const uint group_total = metal::simd_sum(own);
    if (lane == 0) {
        totals[group] = group_total;
    }
    if (tid == 0) {
        least = 0;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint total = 0;
    for (uint g = 0; g < groups; ++g) {
        upto += g < group ? totals[g] : 0;
        total += totals[g];
    }
    if (upto == 0 && own > 0) { // the first bin that is not empty is here
        uint b = begin;
        while (count[b] == 0) {
            ++b;
        }
        least = count[b];
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

    const float range = float(total - least);
    for (uint b = begin; b < end; ++b) {
        upto += count[b];
        const float identity = float(b) / float(bins - 1);
        curves[component * bins + b] = range > 0.0f ? float(metal::max(upto, least) - least) / range : identity;
    }
}

/// Maps the first components of an image through a curve each, and leaves the others. src and dst have the same size.
kernel void apply_curves(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    device const float* curves [[buffer(0)]], // [components, 256] results of the values 0, 1/255 ... 1
    constant uint& components [[buffer(1)]],  // of a texel that are mapped, at most 4
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    float4 texel = src.read(at);
    for (uint c = 0; c < metal::min(components, most_components); ++c) {
        const float point = metal::saturate(texel[c]) * float(bins - 1);
        const uint below = metal::min(uint(point), bins - 2);
        device const float* curve = curves + c * bins + below;
        texel[c] = metal::mix(curve[0], curve[1], point - float(below));
    }
    dst.write(texel, at);
}
