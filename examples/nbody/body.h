#pragma once

/// Body is a star, or the heavy middle of a galaxy.
struct Body {
    packed_float3 position;
    float mass;
    packed_float3 velocity;
    packed_float2 light; // blue and yellow
};
