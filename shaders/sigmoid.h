#ifndef METALGEN_SHADERS_SIGMOID_H
#define METALGEN_SHADERS_SIGMOID_H

#include <metal_stdlib>

inline float sigmoid(float x) {
    return 1.0f / (1.0f + metal::exp(-x));
}

/// x * sigmoid(x), by one division.
inline float silu(float x) {
    return x / (1.0f + metal::exp(-x));
}

inline float4 silu(float4 x) {
    return x / (1.0f + metal::exp(-x));
}

#endif
