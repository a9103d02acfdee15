// Image kernels as people write them, for tests of textures from end to end.
#include <metal_stdlib>
using namespace metal;

kernel void invert(texture2d<float> src, texture2d<float, access::write> dst, uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    float4 c = src.read(at);
    dst.write(float4(1 - c.rgb, c.a), at);
}

// The gradient of the first component, with the edge repeated.
kernel void sobel(texture2d<float> src, texture2d<float, access::write> dst, uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    constexpr sampler edge(coord::pixel, address::clamp_to_edge, filter::nearest);
    float2 p = float2(at) + 0.5f;
    float v[3][3];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) v[y][x] = src.sample(edge, p + float2(x - 1, y - 1)).x;
    float gx = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0];
    float gy = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
    dst.write(sqrt(gx * gx + gy * gy), at);
}

kernel void resize(texture2d<float> src, texture2d<float, access::write> dst, sampler s,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    float2 size = float2(dst.get_width(), dst.get_height());
    dst.write(src.sample(s, (float2(at) + 0.5f) / size), at);
}

// One direction of a blur of nine taps.
kernel void blur9(texture2d<float> src, texture2d<float, access::write> dst, constant float (&weights)[9],
    constant int2& step, uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    int2 last = int2(src.get_width(), src.get_height()) - 1;
    float4 sum = 0;
    for (int i = 0; i < 9; i++) sum += weights[i] * src.read(uint2(clamp(int2(at) + (i - 4) * step, int2(0), last)));
    dst.write(sum, at);
}

kernel void histogram(texture2d<float> src, texture1d<uint, access::read_write> bins,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= src.get_width() || at.y >= src.get_height()) return;
    bins.atomic_fetch_add(uint(src.read(at).x * 255 + 0.5f), 1);
}

// The mean of a column of a volume.
kernel void project(texture3d<float> volume, texture2d<float, access::write> dst,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    float sum = 0;
    for (uint z = 0; z < volume.get_depth(); z++) sum += volume.read(uint3(at, z)).x;
    dst.write(sum / volume.get_depth(), at);
}

kernel void look(texturecube<float> cube, sampler s, device const packed_float3* directions /* [n] */,
    device float4* colors, /* [n] */ constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    colors[i] = cube.sample(s, float3(directions[i]));
}

kernel void shadow(depth2d<float> depths, sampler s, texture2d<float, access::write> lit, constant float& reference,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= lit.get_width() || at.y >= lit.get_height()) return;
    lit.write(depths.sample_compare(s, (float2(at) + 0.5f) / float2(lit.get_width(), lit.get_height()), reference), at);
}
