// Filters that draw an image from another one. Each thread draws one pixel of dst; the guards say so, and metalgen
// takes the grid from them.
#include <metal_stdlib>
using namespace metal;

/// Draws a test image: rings that become narrower from the middle outwards, and nowhere as narrow as a few pixels.
kernel void rings(
    texture2d<float, access::write> dst,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    const float2 size = float2(dst.get_width(), dst.get_height());
    const float2 p = (float2(at) + 0.5f - size / 2) / size.y;
    const float wave = 0.5f + 0.5f * cos(M_PI_F * size.y / 16 * dot(p, p));
    dst.write(float4(mix(float3(0.1f, 0.2f, 0.5f), float3(1.0f, 0.9f, 0.7f), wave), 1.0f), at);
}

/// Resizes an image. The sampler says how it finds colors between the pixels of src. Where dst is smaller, each of its
/// pixels is the mean of what it covers, or else fine patterns would become coarse ones.
kernel void resize(
    texture2d<float> src,
    texture2d<float, access::write> dst,
    sampler s, // with normalised coordinates
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    const float2 size = float2(dst.get_width(), dst.get_height());
    const uint2 n = uint2(max(1.0f, round(float2(src.get_width(), src.get_height()) / size)));
    float4 sum = 0;
    for (uint y = 0; y < n.y; y++) {
        for (uint x = 0; x < n.x; x++) {
            sum += src.sample(s, (float2(at) + (float2(x, y) + 0.5f) / float2(n)) / size);
        }
    }
    dst.write(sum / float(n.x * n.y), at);
}

/// Adds up nine weighted pixels of a row or of a column. Beyond its edge, an image goes on as it is there.
kernel void blur(
    texture2d<float, access::read> src,
    texture2d<float, access::write> dst,
    constant float (&weights)[9], // of the pixels from 4 before to 4 after
    constant int2& step,          // from one pixel to the next: (1, 0) in a row, (0, 1) in a column
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    const int2 last = int2(src.get_width(), src.get_height()) - 1;
    float4 sum = 0;
    for (int i = 0; i < 9; i++) {
        sum += weights[i] * src.read(uint2(clamp(int2(at) + (i - 4) * step, int2(0), last)));
    }
    dst.write(sum, at);
}

/// Draws the edges of an image in white: how steep its brightness is, by the filters of Sobel.
kernel void edges(
    texture2d<float, access::read> src,
    texture2d<float, access::write> dst,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;
    const int2 last = int2(src.get_width(), src.get_height()) - 1;
    float2 gradient = 0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            const float4 c = src.read(uint2(clamp(int2(at) + int2(x, y), int2(0), last)));
            const float brightness = dot(c.rgb, float3(0.299f, 0.587f, 0.114f));
            gradient += brightness * float2(x * (2 - abs(y)), y * (2 - abs(x)));
        }
    }
    dst.write(float4(float3(length(gradient)), 1), at);
}
