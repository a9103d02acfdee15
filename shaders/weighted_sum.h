#ifndef METALGEN_SHADERS_WEIGHTED_SUM_H
#define METALGEN_SHADERS_WEIGHTED_SUM_H

#include <metal_stdlib>

/// Column `i` of `count` rows of `dim` floats, each row scaled by its weight, added up in row order.
inline float weighted_column(device const float* rows, device const float* weights, uint count, uint dim, uint i) {
    float sum = 0.0f;
    for (uint k = 0; k < count; ++k) {
        sum += weights[k] * rows[ulong(k) * dim + i];
    }
    return sum;
}

#endif
