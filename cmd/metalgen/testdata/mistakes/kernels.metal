#include <metal_stdlib>
using namespace metal;

/// Kernels that are right, and some that are each wrong in one way, for calls that are.

constant bool has_bias [[function_constant(0)]];

/// Multiplies all elements.
// metalgen:grid (n, 1, 1)
kernel void scale(device const float* x, // [n]
                  device float* y,       // [n]
                  constant float& by, constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = by * x[i];
}

/// Reads one element too many.
// metalgen:grid (n, 1, 1)
kernel void beyond(device const float* x, // [n]
                   device float* y,       // [n]
                   constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = x[i + 1];
}

/// Adds up without an atomic.
// metalgen:grid (n, 1, 1)
kernel void total(device const float* x, // [n]
                  device float* sum,     // [1]
                  constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) sum[0] += x[i];
}

/// Reverses 128 elements, and lacks a barrier.
// metalgen:grid (128, 1, 1)
// metalgen:threads (128, 1, 1)
kernel void reverse(device float* x, // [128]
                    uint t [[thread_position_in_threadgroup]]) {
    threadgroup float tile[128];
    tile[t] = x[t];
    x[t] = tile[127 - t];
}

/// Stores what nothing has written.
// metalgen:grid (64, 1, 1)
// metalgen:threads (64, 1, 1)
kernel void unset(device float* y, // [64]
                  uint t [[thread_position_in_threadgroup]]) {
    threadgroup float tile[64];
    if (t < 60) tile[t] = t;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    y[t] = tile[t];
}

/// Has a barrier that some threads do not reach.
// metalgen:grid (64, 1, 1)
// metalgen:threads (64, 1, 1)
kernel void divergent(device float* y, // [64]
                      uint t [[thread_position_in_threadgroup]]) {
    if (t < 40) threadgroup_barrier(mem_flags::mem_threadgroup);
    y[t] = t;
}

/// Makes a NaN of 0 / 0.
// metalgen:grid (n, 1, 1)
kernel void ratio(device const float* x, // [n]
                  device float* y,       // [n]
                  constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = x[i] / x[i];
}

/// Divides by an argument.
// metalgen:grid (n, 1, 1)
kernel void groups(device uint* y, // [n]
                   constant uint& n, constant uint& group, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = i / group;
}

/// Divides by an argument that may not be 0.
// metalgen:require group > 0 && n % group == 0
// metalgen:grid (n, 1, 1)
kernel void careful(device uint* y, // [n]
                    constant uint& n, constant uint& group, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = i / group;
}

/// Never ends.
// metalgen:grid (32, 1, 1)
kernel void endless(device volatile uint* y) { // [1]
    while (y[0] == 0) {}
}

/// States no grid.
kernel void unstated(device float* x) { x[0] = 1; }

/// States a grid that no device has.
// metalgen:threadgroups (1, 1, 1)
// metalgen:threads (2048, 1, 1)
kernel void wide(device float* x) { x[0] = 1; }

/// Takes each value from its neighbour on the right, which may be in y.
// metalgen:grid (n, 1, 1)
kernel void shift(device const float* x, // [n + 1]
                  device float* y,       // [n]
                  constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = x[i + 1];
}

/// Adds a bias where the constant says so.
// metalgen:grid (n, 1, 1)
kernel void biased(device float* y [[buffer(0)]],                                    // [n]
                   device const float* bias [[buffer(1), function_constant(has_bias)]], // [n]
                   constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    if (i < n && has_bias) y[i] += bias[i];
}

/// Has two instances.
// metalgen:grid (n, 1, 1)
template <typename T>
[[kernel]] void twice(device T* y [[buffer(0)]], // [n]
                      constant uint& n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] *= 2;
}
template [[host_name("twice_float")]] [[kernel]] void twice<float>(device float*, constant uint&, uint);
template [[host_name("twice_uint")]] [[kernel]] void twice<uint>(device uint*, constant uint&, uint);

/// Threadgroup memory of a caller's length.
// metalgen:grid (32, 1, 1)
// metalgen:threads (32, 1, 1)
kernel void scratch(device float* y, // [32]
                    threadgroup float* s [[threadgroup(0)]], uint t [[thread_position_in_threadgroup]]) {
    s[t] = t;
    y[t] = s[t];
}

/// A copy of an image, to the right by dx.
kernel void moved(texture2d<float> src, texture2d<float, access::write> dst, constant int& dx,
                  uint2 at [[thread_position_in_grid]]) {
    if (at.x < dst.get_width() && at.y < dst.get_height()) dst.write(src.read(uint2(int2(at) - int2(dx, 0))), at);
}

struct Gains {
    device const float* gains; // [n_gains]
    uint n_gains;
};

/// Adds up what a pointer in a struct leads to.
// metalgen:grid (1, 1, 1)
kernel void gain(device const Gains* g, // [1]
                 device float* y) {     // [1]
    for (uint i = 0; i < g->n_gains; i++) y[0] += g->gains[i];
}
