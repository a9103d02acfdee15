#ifndef METALGEN_SHADERS_RMS_H
#define METALGEN_SHADERS_RMS_H

#include <metal_stdlib>

/// 1 / sqrt(mean + eps) for `dim` values whose squares add up to `sum_sq`.
inline float inverse_rms(float sum_sq, uint dim, float eps) {
    return metal::rsqrt(sum_sq / float(dim) + eps);
}

/// What thread `tid` of `tg_size` contributes to the sum of the squares of `x`.
inline float partial_sum_sq(device const float* x, uint dim, uint tid, uint tg_size) {
    float sum = 0.0f;
    for (uint i = tid; i < dim; i += tg_size) {
        const float v = x[i];
        sum += v * v;
    }
    return sum;
}

/// The same for the elementwise sum of two rows.
inline float partial_sum_sq(device const float* x, device const float* y, uint dim, uint tid, uint tg_size) {
    float sum = 0.0f;
    for (uint i = tid; i < dim; i += tg_size) {
        const float v = x[i] + y[i];
        sum += v * v;
    }
    return sum;
}

#endif
