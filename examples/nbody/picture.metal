/// Pictures of bodies: their light falls on a film, which is developed to the colors of a GIF.
#include <metal_stdlib>
using namespace metal;

#include "body.h"

constant constexpr float UNIT = 1 << 12; // of light on the film
constant constexpr int REACH = 24;       // of the glow, in pixels
constant constexpr uint LEVELS = 42;     // of brightness
constant constexpr uint HUES = 6;        // from blue to yellow

/// Camera is where the bodies are looked at from, and how.
struct Camera {
    float3 eye;
    float3 right; // of length 1, as are the next two, and at right angles to them
    float3 down;
    float3 ahead;
    float zoom;  // pixels of something of length 1 at distance 1
    float power; // light of a body at distance 1
};

/// Exposes the film to the light of all bodies, each of which shines on nine pixels.
///
/// Light is counted in whole units: their sum does not depend on the order in which threads add to it, so pictures are
/// the same in every run.
kernel void expose(
    device const Body* bodies, // [n]
    device atomic_uint* film,  // [size.x * size.y * 2] blue and yellow light of each pixel
    constant Camera& camera,
    constant uint2& size,
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    const float3 way = bodies[i].position - camera.eye;
    const float depth = dot(way, camera.ahead);
    const float2 at = float2(dot(way, camera.right), dot(way, camera.down)) * camera.zoom / depth + float2(size) / 2;
    const float2 pixel = floor(at);
    if (depth < 0.1f || any(pixel < 1) || any(pixel >= float2(size) - 1)) return;

    // The weights are those of a quadratic spline, so that stars do not flicker as they move from pixel to pixel.
    const float2 off = at - pixel - 0.5f;
    const float2 before = 0.5f - off, after = 0.5f + off;
    const float2 weights[3] = {before * before / 2, 0.75f - off * off, after * after / 2};
    const float2 light = UNIT * camera.power / (depth * depth) * float2(bodies[i].light);
    for (uint y = 0; y < 3; y++) {
        for (uint x = 0; x < 3; x++) {
            const uint2 units = uint2(round(weights[x].x * weights[y].y * light));
            const uint to = ((uint(pixel.y) + y - 1) * size.x + uint(pixel.x) + x - 1) * 2;
            atomic_fetch_add_explicit(&film[to], units.x, memory_order_relaxed);
            atomic_fetch_add_explicit(&film[to + 1], units.y, memory_order_relaxed);
        }
    }
}

/// Spreads the light of each pixel along its row.
kernel void glow(
    device const uint2* film,                        // [size.x * size.y]
    device float2* rows,                             // [size.x * size.y]
    constant float (&weights)[2 * REACH + 1],
    constant uint2& size,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= size.x || at.y >= size.y) return;
    float2 light = 0;
    for (int i = -REACH; i <= REACH; i++) {
        const int x = int(at.x) + i;
        if (x >= 0 && x < int(size.x)) light += weights[i + REACH] * float2(film[at.y * size.x + x]);
    }
    rows[at.y * size.x + at.x] = light / UNIT;
}

/// Chooses a color for the light of each pixel and the glow around it: number LEVELS * hue + level of the palette.
///
/// A part of the light stays on the film, for the next picture to have traces of this one.
kernel void develop(
    device uint2* film,                              // [size.x * size.y]
    device const float2* rows,                       // [size.x * size.y] of glow
    device uchar* colors,                            // [size.x * size.y]
    constant float (&weights)[2 * REACH + 1],
    constant float& keep,                            // part of the light that stays
    constant uint2& size,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= size.x || at.y >= size.y) return;
    const uint pixel = at.y * size.x + at.x;
    float2 light = float2(film[pixel]) / UNIT;
    film[pixel] = uint2(keep * float2(film[pixel]));
    for (int i = -REACH; i <= REACH; i++) {
        const int y = int(at.y) + i;
        if (y >= 0 && y < int(size.y)) light += weights[i + REACH] * rows[y * size.x + at.x];
    }

    // Some pixels round up and others down, in a pattern of 4 x 4, which hides that there are few levels.
    const uint2 bits = uint2(at.x ^ at.y, at.y);
    const uint2 order = (bits & 1) * uint2(8, 4) + (bits >> 1 & 1) * uint2(2, 1);
    const float round = (order.x + order.y + 0.5f) / 16;
    const float sum = light.x + light.y;
    const uint level = uint((LEVELS - 1) * sqrt(1 - exp(-sum)) + round);
    const uint hue = uint((HUES - 1) * light.y / max(sum, 1e-6f) + 0.5f);
    colors[pixel] = uchar(LEVELS * min(hue, HUES - 1) + min(level, LEVELS - 1));
}
