// The steps of a language model forwards and backwards, for all positions of some texts at once. Rows are positions:
// those of the first text, then those of the second. What a kernel does backwards it does to gradients, which are
// derivatives of the loss.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

/// Multiplies matrices, whose sizes are multiples of 32: c = a b, or c += a b where `add` is 1. One that is
/// transposed is stored column by column. A simd-group computes 32 rows and columns of the product.
// metalgen:require m % 32 == 0 && n % 32 == 0 && k % 8 == 0
// metalgen:threadgroups (n / 32, m / 32, 1)
// metalgen:threads (32, 1, 1)
template <bool TransposeA, bool TransposeB>
kernel void matmul(
    device const float* a, // [m * k]
    device const float* b, // [k * n]
    device float* c,       // [m, n]
    constant uint& m, constant uint& n, constant uint& k, constant uint& add,
    uint2 group [[threadgroup_position_in_grid]]) {
    const uint row = 32 * group.y, column = 32 * group.x;
    simdgroup_float8x8 x[4], y[4], sum[4][4];
    for (uint i = 0; i < 4; i++)
        for (uint j = 0; j < 4; j++) {
            sum[i][j] = simdgroup_float8x8(0);
            if (add != 0) simdgroup_load(sum[i][j], c + (row + 8 * i) * n + column + 8 * j, n);
        }
    for (uint at = 0; at < k; at += 8) {
        for (uint i = 0; i < 4; i++) {
            if (TransposeA) simdgroup_load(x[i], a + at * m + row + 8 * i, m, ulong2(0), true);
            else simdgroup_load(x[i], a + (row + 8 * i) * k + at, k);
            if (TransposeB) simdgroup_load(y[i], b + (column + 8 * i) * k + at, k, ulong2(0), true);
            else simdgroup_load(y[i], b + at * n + column + 8 * i, n);
        }
        for (uint i = 0; i < 4; i++)
            for (uint j = 0; j < 4; j++) simdgroup_multiply_accumulate(sum[i][j], x[i], y[j], sum[i][j]);
    }
    for (uint i = 0; i < 4; i++)
        for (uint j = 0; j < 4; j++) simdgroup_store(sum[i][j], c + (row + 8 * i) * n + column + 8 * j, n);
}

template [[host_name("matmul_nn")]] kernel decltype(matmul<false, false>) matmul<false, false>;
template [[host_name("matmul_nt")]] kernel decltype(matmul<false, true>) matmul<false, true>;
template [[host_name("matmul_tn")]] kernel decltype(matmul<true, false>) matmul<true, false>;

/// Has a 1 for the token of a row, and 0 for all others. Multiplied by the embeddings that is the row of a token.
kernel void one_hot(
    device const uint* tokens, // [rows]
    device float* out,         // [rows, vocabulary]
    constant uint& rows, constant uint& vocabulary, uint2 at [[thread_position_in_grid]]) {
    if (at.x >= vocabulary || at.y >= rows) return;
    out[at.y * vocabulary + at.x] = at.x == tokens[at.y] ? 1 : 0;
}

/// Divides each row by its root mean square, and multiplies it by weights.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (32, 1, 1)
kernel void norm(
    device const float* x,      // [rows, dim]
    device const float* weight, // [dim]
    device float* out,          // [rows, dim]
    device float* inverse,      // [rows] of the root mean square
    constant uint& rows, constant uint& dim, constant float& epsilon,
    uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    float squares = 0;
    for (uint i = lane; i < dim; i += 32) squares += x[row * dim + i] * x[row * dim + i];
    const float r = rsqrt(simd_sum(squares) / float(dim) + epsilon);
    for (uint i = lane; i < dim; i += 32) out[row * dim + i] = x[row * dim + i] * r * weight[i];
    if (lane == 0) inverse[row] = r;
}

/// Goes back through norm, from `by_out` to `by_x`, to which it adds.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (32, 1, 1)
kernel void norm_backward(
    device const float* x,       // [rows, dim]
    device const float* weight,  // [dim]
    device const float* inverse, // [rows]
    device const float* by_out,  // [rows, dim]
    device float* by_x,          // [rows, dim]
    constant uint& rows, constant uint& dim,
    uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    const float r = inverse[row];
    float sum = 0;
    for (uint i = lane; i < dim; i += 32) sum += weight[i] * by_out[row * dim + i] * x[row * dim + i];
    sum = simd_sum(sum) * r * r / float(dim);
    for (uint i = lane; i < dim; i += 32) {
        by_x[row * dim + i] += r * (weight[i] * by_out[row * dim + i] - x[row * dim + i] * sum);
    }
}

/// Goes back through norm to its weights.
kernel void norm_backward_weight(
    device const float* x,       // [rows, dim]
    device const float* inverse, // [rows]
    device const float* by_out,  // [rows, dim]
    device float* by_weight,     // [dim]
    constant uint& rows, constant uint& dim, uint i [[thread_position_in_grid]]) {
    if (i >= dim) return;
    float sum = 0;
    for (uint row = 0; row < rows; row++) sum += by_out[row * dim + i] * x[row * dim + i] * inverse[row];
    by_weight[i] = sum;
}

/// Turns pairs of neighbours in each head by its position times base^(-2 pair / head_dim), or back where `sign` is -1
/// (RoPE; Su et al. 2021, arXiv:2104.09864).
kernel void rope(
    device float* x, // [rows, dim]
    constant uint& rows, constant uint& dim, constant uint& head_dim, constant uint& positions, constant float& base,
    constant float& sign, uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dim / 2 || at.y >= rows) return;
    const uint pair = at.x % (head_dim / 2);
    const float angle = sign * float(at.y % positions) * powr(base, -2 * float(pair) / float(head_dim));
    const float c = cos(angle), s = sin(angle);
    device float* p = x + at.y * dim + 2 * at.x;
    const float2 v = float2(p[0], p[1]);
    p[0] = v.x * c - v.y * s;
    p[1] = v.x * s + v.y * c;
}

/// The sizes of an attention. Each head of keys and values serves heads / kv_heads heads of queries.
struct Heads {
    uint texts;
    uint positions; // of a text
    uint heads;
    uint kv_heads;
    uint head_dim;
};

/// Attention, in which a position sees itself and those before it.
// metalgen:threadgroups (h.heads, h.texts * h.positions, 1)
// metalgen:threads (32, 1, 1)
kernel void attention(
    device const float* q, // [h.texts, h.positions, h.heads, h.head_dim]
    device const float* k, // [h.texts, h.positions, h.kv_heads, h.head_dim]
    device const float* v, // [h.texts, h.positions, h.kv_heads, h.head_dim]
    device float* share,   // [h.texts, h.positions, h.heads, h.positions] of a position in what another sees
    device float* out,     // [h.texts, h.positions, h.heads, h.head_dim]
    constant Heads& h,
    uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    const uint own = group.y % h.positions, first = group.y - own, kv = group.x / (h.heads / h.kv_heads);
    device const float* query = q + (group.y * h.heads + group.x) * h.head_dim;
    device float* p = share + (group.y * h.heads + group.x) * h.positions;
    const float scale = rsqrt(float(h.head_dim));

    float greatest = -INFINITY, total = 0;
    for (uint s = lane; s <= own; s += 32) {
        device const float* key = k + ((first + s) * h.kv_heads + kv) * h.head_dim;
        float score = 0;
        for (uint d = 0; d < h.head_dim; d++) score += query[d] * key[d];
        p[s] = score * scale;
        greatest = max(greatest, p[s]);
    }
    greatest = simd_max(greatest);
    for (uint s = lane; s <= own; s += 32) {
        p[s] = exp(p[s] - greatest);
        total += p[s];
    }
    total = simd_sum(total);
    for (uint s = lane; s <= own; s += 32) p[s] /= total;
    simdgroup_barrier(mem_flags::mem_device); // each lane reads what the others have written

    for (uint d = lane; d < h.head_dim; d += 32) {
        float sum = 0;
        for (uint s = 0; s <= own; s++) sum += p[s] * v[((first + s) * h.kv_heads + kv) * h.head_dim + d];
        out[(group.y * h.heads + group.x) * h.head_dim + d] = sum;
    }
}

/// Goes back through attention to scores and queries.
// metalgen:threadgroups (h.heads, h.texts * h.positions, 1)
// metalgen:threads (32, 1, 1)
kernel void attention_backward_queries(
    device const float* k,      // [h.texts, h.positions, h.kv_heads, h.head_dim]
    device const float* v,      // [h.texts, h.positions, h.kv_heads, h.head_dim]
    device const float* share,  // [h.texts, h.positions, h.heads, h.positions]
    device const float* by_out, // [h.texts, h.positions, h.heads, h.head_dim]
    device float* by_score,     // [h.texts, h.positions, h.heads, h.positions]
    device float* by_q,         // [h.texts, h.positions, h.heads, h.head_dim]
    constant Heads& h,
    uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    const uint own = group.y % h.positions, first = group.y - own, kv = group.x / (h.heads / h.kv_heads);
    const uint head = group.y * h.heads + group.x;
    device const float* p = share + head * h.positions;
    device const float* g = by_out + head * h.head_dim;
    device float* b = by_score + head * h.positions;

    float total = 0;
    for (uint s = lane; s <= own; s += 32) {
        device const float* value = v + ((first + s) * h.kv_heads + kv) * h.head_dim;
        float sum = 0;
        for (uint d = 0; d < h.head_dim; d++) sum += g[d] * value[d];
        b[s] = sum;
        total += sum * p[s];
    }
    total = simd_sum(total);
    for (uint s = lane; s <= own; s += 32) b[s] = p[s] * (b[s] - total) * rsqrt(float(h.head_dim));
    simdgroup_barrier(mem_flags::mem_device);

    for (uint d = lane; d < h.head_dim; d += 32) {
        float sum = 0;
        for (uint s = 0; s <= own; s++) sum += b[s] * k[((first + s) * h.kv_heads + kv) * h.head_dim + d];
        by_q[head * h.head_dim + d] = sum;
    }
}

/// Goes back through attention to keys and values.
// metalgen:threadgroups (h.kv_heads, h.texts * h.positions, 1)
// metalgen:threads (min(32, h.head_dim), 1, 1)
kernel void attention_backward_keys(
    device const float* q,        // [h.texts, h.positions, h.heads, h.head_dim]
    device const float* share,    // [h.texts, h.positions, h.heads, h.positions]
    device const float* by_score, // [h.texts, h.positions, h.heads, h.positions]
    device const float* by_out,   // [h.texts, h.positions, h.heads, h.head_dim]
    device float* by_k,           // [h.texts, h.positions, h.kv_heads, h.head_dim]
    device float* by_v,           // [h.texts, h.positions, h.kv_heads, h.head_dim]
    constant Heads& h,
    uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
    const uint own = group.y % h.positions, first = group.y - own, each = h.heads / h.kv_heads;
    for (uint d = lane; d < h.head_dim; d += 32) {
        float key = 0, value = 0;
        for (uint t = own; t < h.positions; t++) {
            for (uint i = 0; i < each; i++) {
                const uint head = (first + t) * h.heads + group.x * each + i;
                key += by_score[head * h.positions + own] * q[head * h.head_dim + d];
                value += share[head * h.positions + own] * by_out[head * h.head_dim + d];
            }
        }
        by_k[(group.y * h.kv_heads + group.x) * h.head_dim + d] = key;
        by_v[(group.y * h.kv_heads + group.x) * h.head_dim + d] = value;
    }
}

/// Goes back through silu(gate) * up, where silu(x) = x / (1 + exp(-x)).
kernel void swiglu_backward(
    device const float* gate,   // [n]
    device const float* up,     // [n]
    device const float* by_out, // [n]
    device float* by_gate,      // [n]
    device float* by_up,        // [n]
    constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    const float x = gate[i], sigmoid = 1 / (1 + exp(-x));
    by_gate[i] = by_out[i] * up[i] * sigmoid * (1 + x * (1 - sigmoid));
    by_up[i] = by_out[i] * x * sigmoid;
}

/// Makes the gradient of the mean loss of logits, and says what the loss of each row is: the logarithm of how
/// probable the token is that follows, with the sign changed.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (32, 1, 1)
kernel void cross_entropy(
    device float* logits,    // [rows, vocabulary] in, and their gradient out
    device const uint* next, // [rows] the tokens that follow
    device float* losses,    // [rows]
    constant uint& rows, constant uint& vocabulary,
    uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    device float* x = logits + row * vocabulary;
    const uint right = next[row];
    float greatest = -INFINITY, total = 0;
    for (uint i = lane; i < vocabulary; i += 32) greatest = max(greatest, x[i]);
    greatest = simd_max(greatest);
    for (uint i = lane; i < vocabulary; i += 32) total += exp(x[i] - greatest);
    total = simd_sum(total);
    for (uint i = lane; i < vocabulary; i += 32) {
        if (i == right) losses[row] = log(total) + greatest - x[i];
        x[i] = (exp(x[i] - greatest) / total - (i == right ? 1 : 0)) / float(rows);
    }
}

/// A step of Adam, with decay of weights (Loshchilov and Hutter 2017, arXiv:1711.05101).
struct Step {
    float rate;
    float beta1, beta2;
    float epsilon;
    float decay; // of a weight in each step, as a share of the rate
};

/// Makes a step against the gradients.
kernel void adam(
    device float* weights,         // [n]
    device const float* gradients, // [n]
    device float* means,           // [n] of gradients
    device float* squares,         // [n] of gradients
    constant Step& step, constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    const float g = gradients[i];
    means[i] = mix(g, means[i], step.beta1);
    squares[i] = mix(g * g, squares[i], step.beta2);
    weights[i] -= step.rate * (means[i] / (sqrt(squares[i]) + step.epsilon) + step.decay * weights[i]);
}
