// RMS normalisation fused with what surrounds it in a transformer layer, float32 throughout.
//
// One threadgroup works on one row. The threads are a single dimension, any number of them; a power
// of two keeps all of them busy in the reduction. eps must be positive where a row may be all zeros.
// Each thread reads an element before it writes the same element, and nobody else's, so an output
// may be the very buffer of residual or input.

#include <metal_stdlib>

#include "reduce.h"
#include "rms.h"
#include "weighted_sum.h"

/// Adds the RMS-normalised, weighted input to the residual stream:
/// output = residual + input * rsqrt(mean(input^2) + eps) * weight, row by row.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (min(256, next_pow2(dim)), 1, 1)
// metalgen:shared shared tg_size
kernel void fused_norm_add_f32(
    device const float* residual [[buffer(0)]], // [rows, dim] residual stream
    device const float* input [[buffer(1)]],    // [rows, dim] sublayer output, to be normalised
    device const float* weight [[buffer(2)]],   // [dim] learned scale
    device float* output [[buffer(3)]],         // [rows, dim] new residual stream
    constant uint& dim [[buffer(4)]],           // elements of a row
    constant uint& rows [[buffer(5)]],          // rows
    constant float& eps [[buffer(6)]],          // added to the mean square
    uint row_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (row_id >= rows) return;

    const ulong base = ulong(row_id) * dim;
    const float sum_sq = tree_sum(partial_sum_sq(input + base, dim, tid, tg_size), shared, tid, tg_size);
    const float scale = inverse_rms(sum_sq, dim, eps);

    for (uint i = tid; i < dim; i += tg_size) {
        output[base + i] = residual[base + i] + input[base + i] * scale * weight[i];
    }
}

/// Parameters of fused_norm_add_scalar_f32.
struct FusedNormAddScalarF32Params {
    uint dim;              // elements of a row
    uint rows;             // rows
    float eps;             // added to the mean square
    uint scalar_is_vector; // 0: scalar[0] holds for all elements; otherwise one scalar an element
};

/// Adds the RMS-normalised, weighted input to the residual stream and scales the result:
/// output = (residual + input * rsqrt(mean(input^2) + eps) * weight) * scalar, row by row.
/// Only the input is normalised, not the sum.
// metalgen:threadgroups (params.rows, 1, 1)
// metalgen:threads (min(256, next_pow2(params.dim)), 1, 1)
// metalgen:shared shared tg_size
kernel void fused_norm_add_scalar_f32(
    device const float* residual [[buffer(0)]], // [params.rows, params.dim] residual stream
    device const float* input [[buffer(1)]],    // [params.rows, params.dim] sublayer output, to be normalised
    device const float* weight [[buffer(2)]],   // [params.dim] learned scale
    device float* output [[buffer(3)]],         // [params.rows, params.dim] new residual stream
    device const float* scalar [[buffer(4)]],   // [max(1, min(1, params.scalar_is_vector) * params.dim)] layer scalar
    constant FusedNormAddScalarF32Params& params [[buffer(5)]],
    uint row_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (row_id >= params.rows) return;

    const uint dim = params.dim;
    const bool per_element = params.scalar_is_vector != 0;
    const ulong base = ulong(row_id) * dim;
    const float sum_sq = tree_sum(partial_sum_sq(input + base, dim, tid, tg_size), shared, tid, tg_size);
    const float scale = inverse_rms(sum_sq, dim, params.eps);

    for (uint i = tid; i < dim; i += tg_size) {
        const float sum = residual[base + i] + input[base + i] * scale * weight[i];
        output[base + i] = sum * scalar[per_element ? i : 0];
    }
}

/// Parameters of fused_residual_norm_f32.
struct FusedResidualNormF32Params {
    uint dim;       // elements of a row
    uint rows;      // rows
    float eps;      // added to the mean square
    uint write_sum; // 0: leave sum_output alone; otherwise store the sums there
};

/// RMS-normalises the sum of residual and input, and stores the sum itself on request:
/// sum = residual + input, normed_output = sum * rsqrt(mean(sum^2) + eps) * weight, row by row.
// metalgen:threadgroups (params.rows, 1, 1)
// metalgen:threads (min(256, next_pow2(params.dim)), 1, 1)
// metalgen:shared shared tg_size
kernel void fused_residual_norm_f32(
    device const float* residual [[buffer(0)]], // [params.rows, params.dim] residual stream
    device const float* input [[buffer(1)]],    // [params.rows, params.dim] sublayer output
    device const float* weight [[buffer(2)]],   // [params.dim] learned scale
    device float* normed_output [[buffer(3)]],  // [params.rows, params.dim] normalised sums
    device float* sum_output [[buffer(4)]],     // [min(1, params.write_sum) * params.rows * params.dim] the sums, where wanted
    constant FusedResidualNormF32Params& params [[buffer(5)]],
    uint row_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (row_id >= params.rows) return;

    const uint dim = params.dim;
    const bool keep_sum = params.write_sum != 0;
    const ulong base = ulong(row_id) * dim;
    const float partial = partial_sum_sq(residual + base, input + base, dim, tid, tg_size);
    const float scale = inverse_rms(tree_sum(partial, shared, tid, tg_size), dim, params.eps);

    // The sum is taken once more rather than staged, and stored only now: sum_output may be residual.
    for (uint i = tid; i < dim; i += tg_size) {
        const float sum = residual[base + i] + input[base + i];
        if (keep_sum) {
            sum_output[base + i] = sum;
        }
        normed_output[base + i] = sum * scale * weight[i];
    }
}

/// Parameters of fused_residual_norm_scalar_f32.
struct FusedResidualNormScalarF32Params {
    uint dim;              // elements of a row
    uint rows;             // rows
    float eps;             // added to the mean square
    uint scalar_is_vector; // 0: scalar[0] holds for all elements; otherwise one scalar an element
};

/// RMS-normalises the sum of residual and input, then scales it:
/// sum = residual + input, output = sum * rsqrt(mean(sum^2) + eps) * weight * scalar, row by row.
// metalgen:threadgroups (params.rows, 1, 1)
// metalgen:threads (min(256, next_pow2(params.dim)), 1, 1)
// metalgen:shared shared tg_size
kernel void fused_residual_norm_scalar_f32(
    device const float* residual [[buffer(0)]], // [params.rows, params.dim] residual stream
    device const float* input [[buffer(1)]],    // [params.rows, params.dim] sublayer output
    device const float* weight [[buffer(2)]],   // [params.dim] learned scale
    device float* output [[buffer(3)]],         // [params.rows, params.dim] normalised, scaled sums
    device const float* scalar [[buffer(4)]],   // [max(1, min(1, params.scalar_is_vector) * params.dim)] layer scalar
    constant FusedResidualNormScalarF32Params& params [[buffer(5)]],
    uint row_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (row_id >= params.rows) return;

    const uint dim = params.dim;
    const bool per_element = params.scalar_is_vector != 0;
    const ulong base = ulong(row_id) * dim;
    const float partial = partial_sum_sq(residual + base, input + base, dim, tid, tg_size);
    const float scale = inverse_rms(tree_sum(partial, shared, tid, tg_size), dim, params.eps);

    for (uint i = tid; i < dim; i += tg_size) {
        const float sum = residual[base + i] + input[base + i];
        output[base + i] = sum * scale * weight[i] * scalar[per_element ? i : 0];
    }
}

/// Combines the outputs of a token's experts, RMS-normalises the combination and adds it to the residual stream:
/// sum = weights . expert_outputs, output = residual + sum * rsqrt(mean(sum^2) + eps) * norm_weight, row by row.
///
/// The combined row is kept in threadgroup memory, which therefore bounds dim:
/// 32 KB hold tg_size + dim floats.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (min(256, next_pow2(dim)), 1, 1)
// metalgen:shared shared tg_size + dim
kernel void fused_moe_wsum_norm_add_f32(
    device const float* expert_outputs [[buffer(0)]], // [rows, top_k, dim] what each chosen expert computed
    device const float* weights [[buffer(1)]],        // [rows, top_k] routing weights
    device const float* residual [[buffer(2)]],       // [rows, dim] residual stream
    device const float* norm_weight [[buffer(3)]],    // [dim] learned scale
    device float* output [[buffer(4)]],               // [rows, dim] new residual stream
    constant uint& dim [[buffer(5)]],                 // elements of a row
    constant uint& top_k [[buffer(6)]],               // experts of a token
    constant uint& rows [[buffer(7)]],                // tokens
    constant float& eps [[buffer(8)]],                // added to the mean square
    uint row_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (row_id >= rows) return;

    threadgroup float* combined = shared + tg_size; // element i belongs to one thread: no barrier
    const ulong base = ulong(row_id) * dim;
    device const float* experts = expert_outputs + base * top_k;
    device const float* w = weights + ulong(row_id) * top_k;

    float partial = 0.0f;
    for (uint i = tid; i < dim; i += tg_size) {
        const float sum = weighted_column(experts, w, top_k, dim, i);
        combined[i] = sum;
        partial += sum * sum;
    }
    const float scale = inverse_rms(tree_sum(partial, shared, tid, tg_size), dim, eps);

    for (uint i = tid; i < dim; i += tg_size) {
        output[base + i] = residual[base + i] + combined[i] * scale * norm_weight[i];
    }
}

/// Combines the outputs of a token's experts and adds two normalised rows, that of the residual and that of the
/// combination: sum = weights . expert_outputs, output = residual * rsqrt(mean(residual^2) + eps) * res_norm_weight
/// + sum * rsqrt(mean(sum^2) + eps) * moe_norm_weight, row by row.
///
/// The combined row is kept in threadgroup memory, which therefore bounds dim:
/// 32 KB hold 2 * tg_size + dim floats.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (min(256, next_pow2(dim)), 1, 1)
// metalgen:shared shared 2 * tg_size + dim
kernel void fused_moe_wsum_dnorm_add_f32(
    device const float* expert_outputs [[buffer(0)]],  // [rows, top_k, dim] what each chosen expert computed
    device const float* weights [[buffer(1)]],         // [rows, top_k] routing weights
    device const float* residual [[buffer(2)]],        // [rows, dim] residual, to be normalised
    device const float* res_norm_weight [[buffer(3)]], // [dim] learned scale of the residual
    device const float* moe_norm_weight [[buffer(4)]], // [dim] learned scale of the combination
    device float* output [[buffer(5)]],                // [rows, dim] sum of the two normalised rows
    constant uint& dim [[buffer(6)]],                  // elements of a row
    constant uint& top_k [[buffer(7)]],                // experts of a token
    constant uint& rows [[buffer(8)]],                 // tokens
    constant float& eps [[buffer(9)]],                 // added to both mean squares
    uint row_id [[threadgroup_position_in_grid]],
    uint tid [[thread_index_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    threadgroup float* shared [[threadgroup(0)]]) {
    if (row_id >= rows) return;

    threadgroup float* combined = shared + 2 * tg_size; // element i belongs to one thread: no barrier
    const ulong base = ulong(row_id) * dim;
    device const float* experts = expert_outputs + base * top_k;
    device const float* w = weights + ulong(row_id) * top_k;

    float2 partial = float2(0.0f);
    for (uint i = tid; i < dim; i += tg_size) {
        const float res = residual[base + i];
        const float sum = weighted_column(experts, w, top_k, dim, i);
        combined[i] = sum;
        partial += float2(res * res, sum * sum);
    }
    const float2 sum_sq = tree_sum_pair(partial, shared, tid, tg_size);
    const float res_scale = inverse_rms(sum_sq.x, dim, eps);
    const float moe_scale = inverse_rms(sum_sq.y, dim, eps);

    for (uint i = tid; i < dim; i += tg_size) {
        output[base + i] = residual[base + i] * res_scale * res_norm_weight[i]
            + combined[i] * moe_scale * moe_norm_weight[i];
    }
}
