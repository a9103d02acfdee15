// Kernels with textures of several types, samplers, and atomics of texels, for tests from end to end.
#include <metal_stdlib>
using namespace metal;

kernel void resize(texture2d<float> src, texture2d<float, access::write> dst, sampler s,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    float2 size = float2(dst.get_width(), dst.get_height());
    dst.write(src.sample(s, (float2(at) + 0.5f) / size), at);
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
