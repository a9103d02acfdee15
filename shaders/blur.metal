// Gaussian blur in two passes, one along the rows and one along the columns.
//
// Each threadgroup brings the texels that its threads share into threadgroup memory, its own and `radius` more on both
// sides, so that each is converted once and not by every thread in reach. Threadgroups of another size will do, with
// a tile of that size and the radius on both sides. Beyond its edge an image goes on as it is there. src and dst have
// the same size.

#include <metal_stdlib>

/// Computes the weights of a Gaussian blur, of the middle and of one side. Those of the middle and of both sides add up
/// to 1. A radius of 3 * sigma leaves nothing out that shows in 8 bits.
// metalgen:grid (radius + 1, 1, 1)
// metalgen:threads (min(256, next_pow2(radius + 1)), 1, 1)
kernel void gaussian_weights(
    device float* weights [[buffer(0)]],  // [radius + 1] of the middle, then of the texels further and further from it
    constant uint& radius [[buffer(1)]],  // texels to either side
    constant float& sigma [[buffer(2)]],  // standard deviation in texels, more than 0
    uint i [[thread_position_in_grid]]) {
    if (i > radius) return;

    const float scale = -0.5f / (sigma * sigma);
    float sum = 1.0f;
    for (uint k = 1; k <= radius; ++k) {
        sum += 2.0f * metal::exp(scale * float(k * k));
    }
    weights[i] = metal::exp(scale * float(i * i)) / sum;
}

/// The weighted sum of a texel and of `radius` texels to either side of it, which are `step` apart in a tile.
inline float4 weighted_neighbours(
    threadgroup const float4* middle, uint step, constant float* weights, uint radius) {
    float4 sum = weights[0] * middle[0];
    for (uint k = 1; k <= radius; ++k) {
        sum += weights[k] * (middle[-int(k * step)] + middle[k * step]);
    }
    return sum;
}

/// Blurs the rows of an image. The radius is at most 112 with the threadgroups stated: the tile then fits into 32 KB.
// metalgen:threadgroups (ceil_div(width(dst), 32), ceil_div(height(dst), 8), 1)
// metalgen:threads (32, 8, 1)
// metalgen:shared tile 8 * (32 + 2 * radius)
kernel void blur_horizontal(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant float* weights [[buffer(0)]], // [radius + 1] of the middle, then of the texels further and further from it
    constant uint& radius [[buffer(1)]],   // texels to either side
    uint2 at [[thread_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]],
    uint2 threads [[threads_per_threadgroup]],
    threadgroup float4* tile [[threadgroup(0)]]) {
    const int2 last = int2(src.get_width(), src.get_height()) - 1;
    const uint columns = threads.x + 2 * radius;
    const int y = metal::min(int(at.y), last.y);
    threadgroup float4* row = tile + own.y * columns;
    for (uint c = own.x; c < columns; c += threads.x) {
        const int x = int(at.x - own.x + c) - int(radius);
        row[c] = src.read(uint2(metal::clamp(x, 0, last.x), y));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    dst.write(weighted_neighbours(row + own.x + radius, 1, weights, radius), at);
}

/// Blurs the columns of an image. The radius is at most 28 with the threadgroups stated: the tile then fits into 32 KB.
// metalgen:threadgroups (ceil_div(width(dst), 32), ceil_div(height(dst), 8), 1)
// metalgen:threads (32, 8, 1)
// metalgen:shared tile 32 * (8 + 2 * radius)
kernel void blur_vertical(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant float* weights [[buffer(0)]], // [radius + 1] of the middle, then of the texels further and further from it
    constant uint& radius [[buffer(1)]],   // texels to either side
    uint2 at [[thread_position_in_grid]],
    uint2 own [[thread_position_in_threadgroup]],
    uint2 threads [[threads_per_threadgroup]],
    threadgroup float4* tile [[threadgroup(0)]]) {
    const int2 last = int2(src.get_width(), src.get_height()) - 1;
    const uint rows = threads.y + 2 * radius;
    const int x = metal::min(int(at.x), last.x);
    for (uint r = own.y; r < rows; r += threads.y) {
        const int y = int(at.y - own.y + r) - int(radius);
        tile[r * threads.x + own.x] = src.read(uint2(x, metal::clamp(y, 0, last.y)));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    dst.write(weighted_neighbours(tile + (own.y + radius) * threads.x + own.x, threads.x, weights, radius), at);
}
