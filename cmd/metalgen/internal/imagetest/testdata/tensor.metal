#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

// Kernels whose tensors the program passes.

// metalgen:grid (y_extents, 1, 1)
kernel void tensor_scale(tensor<const device float, dextents<int, 1>> x [[buffer(0)]],
                         tensor<device float, dextents<int, 1>> y [[buffer(1)]],
                         constant float& by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    if (int(i) < y.get_extent(0)) y[int(i)] = x[int(i)] * by;
}

// metalgen:grid (x_extents.x, x_extents.y, 1)
kernel void tensor_transpose(tensor<device half, dextents<int32_t, 2>> x [[buffer(0)]],
                             tensor<device half, extents<int32_t, dynamic_extent, dynamic_extent>> y [[buffer(1)]],
                             uint2 at [[thread_position_in_grid]]) {
    y.set(x.get(int(at.x), int(at.y)), int(at.y), int(at.x));
}

// The sum of each row of each matrix.
// metalgen:grid (x_extents.y, x_extents.z, 1)
kernel void tensor_sums(tensor<device float, dextents<uint, 3>> x, tensor<device float, dextents<uint, 2>> sums,
                        uint2 at [[thread_position_in_grid]]) {
    float sum = 0;
    for (uint i = 0; i < x.get_extent(0); ++i) sum += x[array<uint, 3>{i, at.x, at.y}];
    sums[array<uint, 2>{at.x, at.y}] = sum;
}

// c = a * b, in tiles of 64 rows and 32 columns.
template <typename T>
[[kernel]] void tensor_product(tensor<device T, dextents<int32_t, 2>> a [[buffer(0)]],
                               tensor<device T, dextents<int32_t, 2>> b [[buffer(1)]],
                               tensor<device float, dextents<int32_t, 2>> c [[buffer(2)]],
                               uint2 group [[threadgroup_position_in_grid]]) {
    constexpr auto tile = matmul2d_descriptor(64, 32, static_cast<int>(dynamic_extent));
    matmul2d<tile, execution_simdgroups<4>> op;
    auto left = a.slice(0, group.y * 64);
    auto right = b.slice(group.x * 32, 0);
    auto to = c.slice(group.x * 32, group.y * 64);
    op.run(left, right, to);
}

#define INSTANCE(name, T)                                                                                             \
    template [[host_name("tensor_product_" #name)]] [[kernel]] void tensor_product<T>(                                \
        tensor<device T, dextents<int32_t, 2>> a [[buffer(0)]], tensor<device T, dextents<int32_t, 2>> b [[buffer(1)]], \
        tensor<device float, dextents<int32_t, 2>> c [[buffer(2)]], uint2 group);
INSTANCE(f32, float)
INSTANCE(f16, half)
INSTANCE(bf16, bfloat)

// c = a * transposed(b), with a cooperative tensor.
// metalgen:threadgroups (ceil_div(c_extents.x, 32), ceil_div(c_extents.y, 64), 1)
// metalgen:threads (128, 1, 1)
kernel void tensor_product_nt(tensor<device half, dextents<int32_t, 2>> a [[buffer(0)]],
                              tensor<device half, dextents<int32_t, 2>> b [[buffer(1)]],
                              tensor<device float, dextents<int32_t, 2>> c [[buffer(2)]],
                              uint2 group [[threadgroup_position_in_grid]]) {
    constexpr auto tile = matmul2d_descriptor(64, 32, static_cast<int>(dynamic_extent), false, true);
    matmul2d<tile, execution_simdgroups<4>> op;
    auto left = a.slice(0, group.y * 64);
    auto right = b.slice(0, group.x * 32);
    auto to = c.slice(group.x * 32, group.y * 64);
    auto sum = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
    op.run(left, right, sum);
    sum.store(to);
}
