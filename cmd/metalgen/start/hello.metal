#include <metal_stdlib>
using namespace metal;

/// Adds a times x to y.
kernel void saxpy(
    device const float* x [[buffer(0)]], // [n]
    device float*       y [[buffer(1)]], // [n]
    constant float&     a [[buffer(2)]],
    constant uint&      n [[buffer(3)]],
    uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] += a * x[i];
}
