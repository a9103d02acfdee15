/// Bodies that attract each other, and move.
#include <metal_stdlib>
using namespace metal;

#include "body.h"

constant constexpr uint TILE = 256; // bodies that a threadgroup looks at together

/// Moves each body by its velocity, for a time of dt.
kernel void drift(
    device Body* bodies, // [n]
    constant float& dt,
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i < n) bodies[i].position += dt * bodies[i].velocity;
}

/// Changes each velocity by the attraction of all bodies, for a time of dt.
///
/// Every thread looks at every body. Those of a threadgroup do so together: each fetches one body of a tile to
/// threadgroup memory, where all of them read it.
// metalgen:threadgroups (ceil_div(n, TILE), 1, 1)
// metalgen:threads (TILE, 1, 1)
kernel void kick(
    device Body* bodies,       // [n]
    constant float& dt,
    constant float& softening, // distance within which attraction grows no further, more than 0
    constant uint& n,
    uint i [[thread_position_in_grid]],
    uint id [[thread_position_in_threadgroup]]) {
    threadgroup float4 tile[TILE]; // positions and masses
    const float3 here = bodies[min(i, n - 1)].position;
    float3 acceleration = 0;
    for (uint first = 0; first < n; first += TILE) {
        const uint other = first + id;
        tile[id] = other < n ? float4(bodies[other].position, bodies[other].mass) : float4(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint k = 0; k < TILE; k++) {
            const float3 way = tile[k].xyz - here;
            const float inverse = rsqrt(dot(way, way) + softening * softening);
            acceleration += tile[k].w * inverse * inverse * inverse * way;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup); // before the next tile takes its place
    }
    if (i < n) bodies[i].velocity += dt * acceleration;
}
