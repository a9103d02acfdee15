// Edges: the gradient of an image by the filters of Sobel.
//
// Each threadgroup brings what its threads share into threadgroup memory, as one float for each texel of its own and of
// those around them. Threadgroups of another size will do, with a tile that is larger by 2 in both dimensions. Beyond
// its edge an image goes on as it is there. src and dst have the same size.

#include <metal_stdlib>

/// The gradient of the sum of weighted components at a texel: the increase from left to right and from top to bottom,
/// 8 times as steep as from one texel to the next. All threads of a threadgroup have to call it.
inline float2 gradient_at(
    metal::texture2d<float, metal::access::read> src,
    float4 weights,
    uint2 at,
    uint2 own,
    uint2 threads,
    threadgroup float* tile) {
    const int2 last = int2(src.get_width(), src.get_height()) - 1;
    const int2 corner = int2(at - own) - 1;
    const uint2 size = threads + 2;
    for (uint y = own.y; y < size.y; y += threads.y) {
        for (uint x = own.x; x < size.x; x += threads.x) {
            const int2 texel = metal::clamp(corner + int2(x, y), int2(0), last);
            tile[y * size.x + x] = metal::dot(src.read(uint2(texel)), weights);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

    threadgroup const float* above = tile + own.y * size.x + own.x;
    threadgroup const float* beside = above + size.x;
    threadgroup const float* below = beside + size.x;
    const float across = (above[2] - above[0]) + 2.0f * (beside[2] - beside[0]) + (below[2] - below[0]);
    const float down = (below[0] - above[0]) + 2.0f * (below[1] - above[1]) + (below[2] - above[2]);
    return float2(across, down);
}

/// Finds edges: the steepness of the sum of weighted components in red, green and blue, and an alpha of 1. An edge
/// between 0 and 1 along a row or column is 4.
// metalgen:threadgroups (ceil_div(width(dst), 32), ceil_div(height(dst), 8), 1)
// metalgen:threads (32, 8, 1)
// metalgen:shared tile (32 + 2) * (8 + 2)
kernel void sobel(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant float4& weights [[buffer(0)]], // of the components: (0.299, 0.587, 0.114, 0) is the luma of BT.601
    uint2 at [[thread_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]],
    uint2 threads [[threads_per_threadgroup]],
    threadgroup float* tile [[threadgroup(0)]]) {
    const float2 gradient = gradient_at(src, weights, at, own, threads, tile);
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    dst.write(float4(float3(metal::length(gradient)), 1.0f), at);
}

/// Computes the gradient of the sum of weighted components: the increase from left to right in red, that from top to
/// bottom in green. Both may be negative, so dst has a format of floats. An edge between 0 and 1 is 4.
// metalgen:threadgroups (ceil_div(width(dst), 32), ceil_div(height(dst), 8), 1)
// metalgen:threads (32, 8, 1)
// metalgen:shared tile (32 + 2) * (8 + 2)
kernel void sobel_gradient(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant float4& weights [[buffer(0)]], // of the components: (0.299, 0.587, 0.114, 0) is the luma of BT.601
    uint2 at [[thread_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]],
    uint2 threads [[threads_per_threadgroup]],
    threadgroup float* tile [[threadgroup(0)]]) {
    const float2 gradient = gradient_at(src, weights, at, own, threads, tile);
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    dst.write(float4(gradient, 0.0f, 1.0f), at);
}
