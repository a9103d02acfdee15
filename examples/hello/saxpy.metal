#include <metal_stdlib>
using namespace metal;

/// Adds a times x to y.
kernel void saxpy(
    constant float& a,
    device const float* x, // [n]
    device float* y,       // [n]
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] += a * x[i];
}
