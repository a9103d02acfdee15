// A network of two layers, forward and backward, and the optimiser Adam. Matrices are stored by rows, and have fewer
// than 2^32 elements.
#include <metal_stdlib>
using namespace metal;

/// The side of the square that a threadgroup of matmul computes.
constant constexpr uint tile = 16;

/// Multiplies two matrices: c = a * b. A matrix that is called transposed is stored as the transpose of what is
/// multiplied.
// metalgen:threadgroups (ceil_div(n, tile), ceil_div(m, tile), 1)
// metalgen:threads (tile, tile, 1)
template <bool transposed_a, bool transposed_b>
kernel void matmul(
    device const float* a, // [m, k] or [k, m] where it is transposed
    device const float* b, // [k, n] or [n, k] where it is transposed
    device float* c,       // [m, n]
    constant uint& m,
    constant uint& n,
    constant uint& k,
    uint2 group [[threadgroup_position_in_grid]],
    uint2 at [[thread_position_in_threadgroup]]) {
    threadgroup float a_tile[tile][tile];
    threadgroup float b_tile[tile][tile];

    const uint row = group.y * tile + at.y;
    const uint column = group.x * tile + at.x;
    float sum = 0;
    for (uint start = 0; start < k; start += tile) {
        // What lies beyond a matrix counts as 0. All threads reach the barriers, also those beyond c.
        const uint a_column = start + at.x;
        const uint b_row = start + at.y;
        const bool in_a = row < m && a_column < k;
        const bool in_b = b_row < k && column < n;
        a_tile[at.y][at.x] = in_a ? a[transposed_a ? a_column * m + row : row * k + a_column] : 0.0f;
        b_tile[at.y][at.x] = in_b ? b[transposed_b ? column * k + b_row : b_row * n + column] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < min(tile, k - start); i++) {
            sum = fma(a_tile[at.y][i], b_tile[i][at.x], sum);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

typedef decltype(matmul<false, false>) matmul_t;
template [[host_name("matmul_nn")]] kernel matmul_t matmul<false, false>;
template [[host_name("matmul_nt")]] kernel matmul_t matmul<false, true>;
template [[host_name("matmul_tn")]] kernel matmul_t matmul<true, false>;

/// Adds a bias to each row of x.
kernel void add_bias(
    device float* x,          // [rows, columns]
    device const float* bias, // [columns]
    constant uint& rows,
    constant uint& columns,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= columns || at.y >= rows) return;
    x[at.y * columns + at.x] += bias[at.x];
}

/// Adds a bias to each row of x, and takes the hyperbolic tangent of the sum.
kernel void add_bias_tanh(
    device float* x,          // [rows, columns]
    device const float* bias, // [columns]
    constant uint& rows,
    constant uint& columns,
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= columns || at.y >= rows) return;
    const uint i = at.y * columns + at.x;
    x[i] = tanh(x[i] + bias[at.x]);
}

/// Turns the gradient by y = tanh(x) into the gradient by x.
kernel void tanh_backward(
    device const float* y,  // [n]
    device float* gradient, // [n]
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    gradient[i] *= 1 - y[i] * y[i];
}

/// Computes the cross-entropy between the softmax of each row and its label, and the gradient of their mean by the
/// logits.
kernel void softmax_cross_entropy(
    device const float* logits, // [rows, classes]
    device const uint* labels,  // [rows] each below classes
    device float* losses,       // [rows]
    device float* gradient,     // [rows, classes]
    constant uint& rows,
    constant uint& classes,
    uint row [[thread_position_in_grid]]) {
    if (row >= rows) return;
    logits += row * classes;
    gradient += row * classes;
    float peak = logits[0]; // which exp does not overflow with
    for (uint c = 1; c < classes; c++) {
        peak = max(peak, logits[c]);
    }
    float total = 0;
    for (uint c = 0; c < classes; c++) {
        total += exp(logits[c] - peak);
    }
    losses[row] = log(total) + peak - logits[labels[row]];
    for (uint c = 0; c < classes; c++) {
        const float probability = exp(logits[c] - peak) / total;
        gradient[c] = (probability - (c == labels[row] ? 1.0f : 0.0f)) / rows;
    }
}

/// The most simd-groups that a threadgroup has.
constant constexpr uint most_groups = 32;

/// Adds up the rows of x, and multiplies each sum by scale.
// metalgen:threadgroups (columns, 1, 1)
// metalgen:threads (256, 1, 1)
kernel void column_sums(
    device const float* x, // [rows, columns]
    device float* sums,    // [columns]
    constant uint& rows,
    constant uint& columns,
    constant float& scale,
    uint column [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint threads [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]],
    uint groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[most_groups];
    float sum = 0;
    for (uint row = thread_index; row < rows; row += threads) {
        sum += x[row * columns + column];
    }
    sum = simd_sum(sum);
    if (lane == 0) {
        partial[group] = sum;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group == 0) {
        sum = simd_sum(lane < groups ? partial[lane] : 0.0f);
        if (lane == 0) {
            sums[column] = sum * scale;
        }
    }
}

/// AdamStep says how a step of Adam changes parameters.
struct AdamStep {
    float rate;    // of learning, with the corrections of this step
    float beta1;   // how much of the mean of gradients is kept
    float beta2;   // how much of the mean of their squares is kept
    float epsilon; // added to the root of that mean, with its correction
};

/// Changes parameters by a step of Adam.
kernel void adam(
    device float* parameters,      // [n]
    device const float* gradients, // [n]
    device float* means,           // [n] of the gradients of all steps, 0 before the first
    device float* squares,         // [n] likewise of their squares
    constant AdamStep& step,
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    const float g = gradients[i];
    const float mean = step.beta1 * means[i] + (1 - step.beta1) * g;
    const float square = step.beta2 * squares[i] + (1 - step.beta2) * g * g;
    means[i] = mean;
    squares[i] = square;
    parameters[i] -= step.rate * mean / (sqrt(square) + step.epsilon);
}
