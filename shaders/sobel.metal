// Edges: the gradient of an image by the filters of Sobel.
//
// Each threadgroup brings what its threads share into threadgroup memory, as one float for each texel of its own and of
// those around them. Beyond its edge an image goes on as it is there. src and dst have the same size, and threadgroups
// have the size that is stated.

#include <metal_stdlib>

/// Threads of a threadgroup.
constant constexpr uint sobel_width = 32;
constant constexpr uint sobel_height = 8;

/// The gradient of weighted components at a texel: the increase from left to right and from top to bottom, 8 times as
/// steep as from one texel to the next. All threads of a threadgroup of sobel_width times sobel_height have to call it.
inline float2 sobel_gradient_of(
    metal::texture2d<float, metal::access::read> src,
    float4 weights,
    uint2 at,
    uint2 own,
    threadgroup float (&tile)[sobel_height + 2][sobel_width + 2]) {
    const int2 last = int2(src.get_width(), src.get_height()) - 1;
    const int2 corner = int2(at - own) - 1;
    for (uint y = own.y; y < sobel_height + 2; y += sobel_height) {
        for (uint x = own.x; x < sobel_width + 2; x += sobel_width) {
            const int2 texel = metal::clamp(corner + int2(x, y), int2(0), last);
            tile[y][x] = metal::dot(src.read(uint2(texel)), weights);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

    const uint2 c = own + 1;
    const float3 left = float3(tile[c.y - 1][c.x - 1], tile[c.y][c.x - 1], tile[c.y + 1][c.x - 1]);
    const float3 middle = float3(tile[c.y - 1][c.x], 0.0f, tile[c.y + 1][c.x]);
    const float3 right = float3(tile[c.y - 1][c.x + 1], tile[c.y][c.x + 1], tile[c.y + 1][c.x + 1]);
    const float3 across = right - left;
    const float3 down = left + 2.0f * middle + right;
    return float2(across.x + 2.0f * across.y + across.z, down.z - down.x);
}

/// Finds edges: the steepness of the sum of weighted components in red, green and blue, and an alpha of 1. An edge
/// between 0 and 1 along a row or column is 4.
// metalgen:threadgroups (ceil_div(width(dst), sobel_width), ceil_div(height(dst), sobel_height), 1)
// metalgen:threads (sobel_width, sobel_height, 1)
kernel void sobel(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant float4& weights [[buffer(0)]], // of the components: (0.299, 0.587, 0.114, 0) is the luma of BT.601
    uint2 at [[thread_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]]) {
    threadgroup float tile[sobel_height + 2][sobel_width + 2];
    const float2 gradient = sobel_gradient_of(src, weights, at, own, tile);
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    dst.write(float4(float3(metal::length(gradient)), 1.0f), at);
}

/// Computes the gradient of the sum of weighted components: the increase from left to right in red, that from top to
/// bottom in green. Both may be negative, so dst has a format of floats. An edge between 0 and 1 is 4.
// metalgen:threadgroups (ceil_div(width(dst), sobel_width), ceil_div(height(dst), sobel_height), 1)
// metalgen:threads (sobel_width, sobel_height, 1)
kernel void sobel_gradient(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant float4& weights [[buffer(0)]], // of the components: (0.299, 0.587, 0.114, 0) is the luma of BT.601
    uint2 at [[thread_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]]) {
    threadgroup float tile[sobel_height + 2][sobel_width + 2];
    const float2 gradient = sobel_gradient_of(src, weights, at, own, tile);
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    dst.write(float4(gradient, 0.0f, 1.0f), at);
}
