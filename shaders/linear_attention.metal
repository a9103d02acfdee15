// Linear attention with a gated delta rule, and the small kernels around it.
//
// Heads are 128 wide. A token's row of conv_out is q, k (key_total floats each) and v (128 floats for
// each of the num_v_heads value heads); k_heads_per_v value heads share one key head, and
// num_v_heads / k_heads_per_v * 128 must not be more than key_total. A value head has a state S of 128 rows,
// one for each element of its value, and 128 columns, one for each element of its key. For every token:
//
//   S = g * S;  u = beta * (v - S * k);  S = S + u * transpose(k);  output = S * q
//
// gated_delta_net_step, _chunkwise and _sequential all compute that, and differ only in rounding.

#include <metal_simdgroup_matrix>
#include <metal_stdlib>

#include "bf16.h"
#include "reduce.h"
#include "sigmoid.h"

/// Width of a head.
constant constexpr uint delta_dim = 128;

/// Applies the gated delta rule to n_tokens tokens, one threadgroup a value head and one thread a state row. The plain kernel.
// metalgen:require k_heads_per_v > 0
// metalgen:threadgroups (num_v_heads, 1, 1)
// metalgen:threads (128, 1, 1)
kernel void gated_delta_net_step(
    device float* state [[buffer(0)]],           // [num_v_heads, delta_dim, delta_dim] in and out
    device const float* conv_out [[buffer(1)]],  // [n_tokens, 2 * key_total + num_v_heads * delta_dim] q, k and v of each token
    device const float* g_decay [[buffer(2)]],   // [n_tokens, num_v_heads] decay of the state, 0 to 1
    device const float* beta_gate [[buffer(3)]], // [n_tokens, num_v_heads] strength of the update
    device float* output [[buffer(4)]],          // [n_tokens, num_v_heads, delta_dim] results
    constant uint& k_heads_per_v [[buffer(5)]],  // value heads that share a key head
    constant uint& n_tokens [[buffer(6)]],       // tokens
    constant uint& key_total [[buffer(7)]],      // floats of all queries, and of all keys, of a token
    constant uint& num_v_heads [[buffer(8)]],    // value heads
    uint head_id [[threadgroup_position_in_grid]],
    uint vi [[thread_position_in_threadgroup]]) {
    if (head_id >= num_v_heads || vi >= delta_dim) return;

    const ulong value_total = ulong(num_v_heads) * delta_dim;
    const ulong token_stride = 2 * ulong(key_total) + value_total;
    const uint key_offset = head_id / k_heads_per_v * delta_dim;
    const uint row = head_id * delta_dim + vi;
    device float* s = state + ulong(row) * delta_dim;
    for (uint t = 0; t < n_tokens; ++t) {
        device const float* q = conv_out + t * token_stride + key_offset;
        device const float* k = q + key_total;
        const float v = conv_out[t * token_stride + 2 * ulong(key_total) + row];
        const float decay = g_decay[ulong(t) * num_v_heads + head_id];
        const float beta = beta_gate[ulong(t) * num_v_heads + head_id];

        float known = 0.0f;
        for (uint i = 0; i < delta_dim; ++i) {
            known = metal::fma(s[i], k[i], known);
        }
        const float update = beta * (v - decay * known);
        float result = 0.0f;
        for (uint i = 0; i < delta_dim; ++i) {
            const float next = metal::fma(update, k[i], decay * s[i]);
            s[i] = next;
            result = metal::fma(next, q[i], result);
        }
        output[t * value_total + row] = result;
    }
}

/// State rows of a threadgroup of [gated_delta_net_sequential], one for each of its simdgroups.
constant constexpr uint sequential_rows = 4;

/// State columns that each of the 32 lanes of a simdgroup keeps.
constant constexpr uint columns_per_lane = 4;

/// Applies the gated delta rule to n_tokens tokens, one simdgroup a state row. The row stays in registers, four columns
/// a lane, from the first token to the last. A threadgroup must be 32 wide and 4 high.
// metalgen:require k_heads_per_v > 0
// metalgen:threadgroups (delta_dim / sequential_rows, num_v_heads, 1)
// metalgen:threads (32, sequential_rows, 1)
kernel void gated_delta_net_sequential(
    device float* state [[buffer(0)]],           // [num_v_heads, delta_dim, delta_dim] in and out
    device const float* conv_out [[buffer(1)]],  // [n_tokens, 2 * key_total + num_v_heads * delta_dim] q, k and v of each token
    device const float* g_decay [[buffer(2)]],   // [n_tokens, num_v_heads] decay of the state, 0 to 1
    device const float* beta_gate [[buffer(3)]], // [n_tokens, num_v_heads] strength of the update
    device float* output [[buffer(4)]],          // [n_tokens, num_v_heads, delta_dim] results
    constant uint& k_heads_per_v [[buffer(5)]],  // value heads that share a key head
    constant uint& n_tokens [[buffer(6)]],       // tokens
    constant uint& key_total [[buffer(7)]],      // floats of all queries, and of all keys, of a token
    constant uint& num_v_heads [[buffer(8)]],    // value heads
    uint3 tgpig [[threadgroup_position_in_grid]],
    uint3 tpitg [[thread_position_in_threadgroup]]) {
    const uint head = tgpig.y;
    const uint vi = tgpig.x * sequential_rows + tpitg.y;
    if (head >= num_v_heads || vi >= delta_dim) return; // the same for all lanes of a simdgroup

    const ulong value_total = ulong(num_v_heads) * delta_dim;
    const ulong token_stride = 2 * ulong(key_total) + value_total;
    const uint first_column = tpitg.x * columns_per_lane;
    const uint key_offset = head / k_heads_per_v * delta_dim + first_column;
    const uint row = head * delta_dim + vi;
    device float* s = state + ulong(row) * delta_dim + first_column;

    float kept[columns_per_lane];
    for (uint j = 0; j < columns_per_lane; ++j) {
        kept[j] = s[j];
    }
    for (uint t = 0; t < n_tokens; ++t) {
        device const float* q = conv_out + t * token_stride + key_offset;
        device const float* k = q + key_total;
        const float v = conv_out[t * token_stride + 2 * ulong(key_total) + row];
        const float decay = g_decay[ulong(t) * num_v_heads + head];
        const float beta = beta_gate[ulong(t) * num_v_heads + head];

        float known = 0.0f;
        for (uint j = 0; j < columns_per_lane; ++j) {
            kept[j] *= decay;
            known = metal::fma(kept[j], k[j], known);
        }
        known = metal::simd_sum(known);

        const float update = beta * (v - known);
        float result = 0.0f;
        for (uint j = 0; j < columns_per_lane; ++j) {
            kept[j] = metal::fma(update, k[j], kept[j]);
            result = metal::fma(kept[j], q[j], result);
        }
        result = metal::simd_sum(result);
        if (tpitg.x == 0) {
            output[t * value_total + row] = result;
        }
    }
    for (uint j = 0; j < columns_per_lane; ++j) {
        s[j] = kept[j];
    }
}

/// Convolves each channel with its four weights over the last four tokens and applies silu:
/// output[t, c] = silu(sum over j < 4 of weights[c, j] * seen[t + j, c]), where seen is the three rows of
/// conv_state followed by input. The length of input says how many tokens there are. conv_state is only
/// read: [conv1d_state_update] brings it up to date afterwards.
// metalgen:require conv_dim > 0
// metalgen:shape input any
// metalgen:threadgroups (ceil_div(conv_dim, 256), len(input) / conv_dim, 1)
// metalgen:threads (256, 1, 1)
kernel void conv1d_step(
    device const float* conv_state [[buffer(0)]], // [3, conv_dim] the three inputs before these, oldest first
    device const float* input [[buffer(1)]],      // new inputs, a row of conv_dim floats for each token
    device const uint16_t* weights [[buffer(2)]], // [conv_dim, 4] bfloat16 weights, oldest input first
    device float* output [[buffer(3)]],           // [len(input) / conv_dim, conv_dim] results
    constant uint& conv_dim [[buffer(4)]],        // channels
    uint3 gid [[thread_position_in_grid]]) {      // channel, token
    if (gid.x >= conv_dim) return;

    const uint c = gid.x;
    const ulong t = gid.y;
    float sum = 0.0f;
    for (uint j = 0; j < 4; ++j) {
        const ulong at = t + j;
        const float value = at < 3 ? conv_state[at * conv_dim + c] : input[(at - 3) * conv_dim + c];
        sum = metal::fma(bf16_to_float(weights[4 * ulong(c) + j]), value, sum);
    }
    output[t * conv_dim + c] = silu(sum);
}

/// Moves the history of [conv1d_step] on by n_tokens tokens: conv_state becomes the last three rows of
/// what was in it followed by input.
kernel void conv1d_state_update(
    device float* conv_state [[buffer(0)]],  // [3, conv_dim] in and out, oldest first
    device const float* input [[buffer(1)]], // [n_tokens, conv_dim] new inputs
    constant uint& conv_dim [[buffer(2)]],   // channels
    constant uint& n_tokens [[buffer(3)]],   // tokens
    uint c [[thread_position_in_grid]]) {
    if (c >= conv_dim) return;

    // All three are read before one is written: with less than three tokens, rows move up inside conv_state.
    float last[3];
    for (uint r = 0; r < 3; ++r) {
        const ulong at = ulong(n_tokens) + r;
        last[r] = at < 3 ? conv_state[at * conv_dim + c] : input[(at - 3) * conv_dim + c];
    }
    for (uint r = 0; r < 3; ++r) {
        conv_state[ulong(r) * conv_dim + c] = last[r];
    }
}

/// Normalises the query and key heads of each token in place: q = q * inv_scale^2 / rms(q) and k = k * inv_scale / rms(k), with
/// rms(v) = sqrt(mean(v^2) + 1e-6) over one head. One threadgroup does a query head and the key head that
/// belongs to it. As many heads are done as fit into key_offset_per_token, all tokens that fit into x.
// metalgen:require key_dim > 0 && per_token_total > 0
// metalgen:shape x any
// metalgen:threadgroups (key_offset_per_token / key_dim, len(x) / per_token_total, 1)
// metalgen:threads (min(key_dim, 1024), 1, 1)
kernel void rms_norm_qk(
    device float* x [[buffer(0)]],                     // in and out, a row of per_token_total floats for each token
    constant uint& key_dim [[buffer(1)]],              // floats of a head
    constant float& inv_scale [[buffer(2)]],           // usually 1 / sqrt(key_dim)
    constant uint& per_token_total [[buffer(3)]],      // floats of a token, 2 * key_offset_per_token or more
    constant uint& key_offset_per_token [[buffer(4)]], // floats of the queries of a token, which its keys follow
    uint3 tg3 [[threadgroup_position_in_grid]],        // head, token
    uint3 tid3 [[thread_position_in_threadgroup]],
    uint3 size3 [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    device float* q = x + ulong(tg3.y) * per_token_total + ulong(tg3.x) * key_dim;
    device float* k = q + key_offset_per_token;

    float q_sum = 0.0f;
    float k_sum = 0.0f;
    for (uint i = tid3.x; i < key_dim; i += size3.x) {
        q_sum = metal::fma(q[i], q[i], q_sum);
        k_sum = metal::fma(k[i], k[i], k_sum);
    }
    q_sum = simdgroup_sum(q_sum, partial, simd_lane, simd_group, simd_groups);
    k_sum = simdgroup_sum(k_sum, partial, simd_lane, simd_group, simd_groups);

    const float q_factor = metal::rsqrt(q_sum / float(key_dim) + 1e-6f) * inv_scale * inv_scale;
    const float k_factor = metal::rsqrt(k_sum / float(key_dim) + 1e-6f) * inv_scale;
    for (uint i = tid3.x; i < key_dim; i += size3.x) {
        q[i] *= q_factor;
        k[i] *= k_factor;
    }
}

/// log(1 + exp(x)), without overflow for any x.
inline float softplus(float x) {
    return metal::max(x, 0.0f) + metal::log(1.0f + metal::exp(-metal::fabs(x)));
}

/// Computes the decay and the update strength of each value head and token:
/// g_decay = exp(-exp(A_log) * softplus(alpha_out + dt_bias)), beta_gate = sigmoid(beta_out).
/// One thread does one head of one token. The length of alpha_out says how many there are; no argument does,
/// so there is nothing to guard with, and the grid must have exactly one thread for each element.
// metalgen:require num_v_heads > 0
// metalgen:shape alpha_out any
// metalgen:grid (len(alpha_out), 1, 1)
// metalgen:threads (256, 1, 1)
kernel void compute_decay_beta(
    device const float* alpha_out [[buffer(0)]],  // projected time steps, num_v_heads for each token
    device const float* beta_out [[buffer(1)]],   // [len(alpha_out)] projected update strengths
    device const float* A_log [[buffer(2)]],      // [num_v_heads] logarithm of each head's rate of decay
    device const uint16_t* dt_bias [[buffer(3)]], // [num_v_heads] bfloat16 bias of the time steps
    device float* g_decay [[buffer(4)]],          // [len(alpha_out)] decay of the state, 0 to 1
    device float* beta_gate [[buffer(5)]],        // [len(alpha_out)] strength of the update, 0 to 1
    constant uint& num_v_heads [[buffer(6)]],     // value heads
    uint idx [[thread_position_in_grid]]) {
    const uint head = idx % num_v_heads;
    const float step = softplus(alpha_out[idx] + bf16_to_float(dt_bias[head]));
    g_decay[idx] = metal::exp(-metal::exp(A_log[head]) * step);
    beta_gate[idx] = sigmoid(beta_out[idx]);
}

/// Normalises each value head and gates it: output = values / rms(values) * weight * silu(z), with
/// rms(v) = sqrt(mean(v^2) + eps) over one head. One threadgroup does one head of one token. The length of values
/// says how many tokens there are. output may be values or z.
// metalgen:require num_v_heads > 0 && value_dim > 0
// metalgen:shape values any
// metalgen:threadgroups (num_v_heads, len(values) / (num_v_heads * value_dim), 1)
// metalgen:threads (min(value_dim, 1024), 1, 1)
kernel void gated_rms_norm(
    device const float* values [[buffer(0)]],    // heads to be normalised, num_v_heads of value_dim floats for each token
    device const float* z [[buffer(1)]],         // [len(values)] gates before silu
    device const uint16_t* weight [[buffer(2)]], // [value_dim] bfloat16 scale, the same for all heads
    device float* output [[buffer(3)]],          // [len(values)] results
    constant uint& value_dim [[buffer(4)]],      // floats of a head
    constant float& eps [[buffer(5)]],           // added to the mean square
    constant uint& num_v_heads [[buffer(6)]],    // value heads of a token
    uint3 tg3 [[threadgroup_position_in_grid]],  // head, token
    uint3 tid3 [[thread_position_in_threadgroup]],
    uint3 size3 [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[max_simdgroups];
    if (tg3.x >= num_v_heads) return;

    const ulong base = (ulong(tg3.y) * num_v_heads + tg3.x) * value_dim;
    float sum = 0.0f;
    for (uint i = tid3.x; i < value_dim; i += size3.x) {
        sum = metal::fma(values[base + i], values[base + i], sum);
    }
    sum = simdgroup_sum(sum, partial, simd_lane, simd_group, simd_groups);

    const float factor = metal::rsqrt(sum / float(value_dim) + eps);
    for (uint i = tid3.x; i < value_dim; i += size3.x) {
        output[base + i] = values[base + i] * factor * bf16_to_float(weight[i]) * silu(z[base + i]);
    }
}

/// Tokens of a chunk of [gated_delta_net_chunkwise].
constant constexpr uint chunk_size = 16;

/// Simdgroups of [gated_delta_net_chunkwise] that write results, each by way of an 8 x 8 tile of its own.
constant constexpr uint chunk_writers = 4;

/// Adds a * transpose(b) to acc, where a and b are eight rows of delta_dim floats each.
inline void add_row_products(thread metal::simdgroup_matrix<float, 8, 8>& acc,
                             threadgroup const float* a,
                             threadgroup const float* b) {
    for (uint d = 0; d < delta_dim; d += 8) {
        metal::simdgroup_matrix<float, 8, 8> left;
        metal::simdgroup_matrix<float, 8, 8> right;
        metal::simdgroup_load(left, a + d, delta_dim);
        metal::simdgroup_load(right, b + d, delta_dim, ulong2(0, 0), true);
        metal::simdgroup_multiply_accumulate(acc, left, right, acc);
    }
}

inline void add_row_products(thread metal::simdgroup_matrix<float, 8, 8>& acc,
                             threadgroup const float* a,
                             device const float* b) {
    for (uint d = 0; d < delta_dim; d += 8) {
        metal::simdgroup_matrix<float, 8, 8> left;
        metal::simdgroup_matrix<float, 8, 8> right;
        metal::simdgroup_load(left, a + d, delta_dim);
        metal::simdgroup_load(right, b + d, delta_dim, ulong2(0, 0), true);
        metal::simdgroup_multiply_accumulate(acc, left, right, acc);
    }
}

/// Applies the gated delta rule to n_tokens tokens, one threadgroup a value head, 16 tokens at a time with matrix products.
///
/// With S the state before a chunk, G[l, i] the product of the decays of its tokens i + 1 to l, and G[l] that of
/// all up to l, the updates u of the chunk follow from one triangular system, and all else from them:
///
///     u[l] = beta[l] * (v[l] - G[l] * S * k[l] - sum over i < l of G[l, i] * (k[l] * k[i]) * u[i])
///     output[l] = G[l] * S * q[l] + sum over i <= l of G[l, i] * (q[l] * k[i]) * u[i]
///     next S = G[last] * S + sum over i of G[last, i] * u[i] * transpose(k[i])
///
/// The products G are multiplied out, never taken from logarithms, so that a decay of 0 is like any other.
/// A threadgroup must have exactly 128 threads.
// metalgen:require k_heads_per_v > 0
// metalgen:threadgroups (num_v_heads, 1, 1)
// metalgen:threads (128, 1, 1)
kernel void gated_delta_net_chunkwise(
    device float* state [[buffer(0)]],           // [num_v_heads, delta_dim, delta_dim] in and out
    device const float* conv_out [[buffer(1)]],  // [n_tokens, 2 * key_total + num_v_heads * delta_dim] q, k and v of each token
    device const float* g_decay [[buffer(2)]],   // [n_tokens, num_v_heads] decay of the state, 0 to 1
    device const float* beta_gate [[buffer(3)]], // [n_tokens, num_v_heads] strength of the update
    device float* output [[buffer(4)]],          // [n_tokens, num_v_heads, delta_dim] results
    constant uint& k_heads_per_v [[buffer(5)]],  // value heads that share a key head
    constant uint& n_tokens [[buffer(6)]],       // tokens
    constant uint& key_total [[buffer(7)]],      // floats of all queries, and of all keys, of a token
    constant uint& num_v_heads [[buffer(8)]],    // value heads
    uint head_id [[threadgroup_position_in_grid]],
    uint vi [[thread_position_in_threadgroup]],
    uint tg_size [[threads_per_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]],
    uint simd_groups [[simdgroups_per_threadgroup]]) {
    threadgroup float keys[chunk_size * delta_dim];
    threadgroup float queries[chunk_size * delta_dim];
    threadgroup float updates[chunk_size * delta_dim];
    threadgroup float key_key[chunk_size * chunk_size];
    threadgroup float query_key[chunk_size * chunk_size];
    threadgroup float decay[chunk_size];
    threadgroup float beta[chunk_size];
    threadgroup float result_tiles[chunk_writers * 64];
    if (head_id >= num_v_heads) return;

    const uint strips = delta_dim / 8; // of eight rows or columns
    const ulong value_total = ulong(num_v_heads) * delta_dim;
    const ulong token_stride = 2 * ulong(key_total) + value_total;
    const uint key_offset = head_id / k_heads_per_v * delta_dim;
    const ulong value_offset = ulong(head_id) * delta_dim;
    device float* s = state + value_offset * delta_dim;
    for (uint start = 0; start < n_tokens; start += chunk_size) {
        const uint count = metal::min(chunk_size, n_tokens - start);
        device const float* tokens = conv_out + start * token_stride;

        // Tokens that the last chunk lacks take part as zeros that do not decay, and change nothing.
        for (uint i = vi; i < chunk_size * delta_dim; i += tg_size) {
            const uint l = i / delta_dim;
            device const float* q = tokens + l * token_stride + key_offset + i % delta_dim;
            queries[i] = l < count ? q[0] : 0.0f;
            keys[i] = l < count ? q[key_total] : 0.0f;
        }
        for (uint l = vi; l < chunk_size; l += tg_size) {
            const ulong at = ulong(start + l) * num_v_heads + head_id;
            decay[l] = l < count ? g_decay[at] : 1.0f;
            beta[l] = l < count ? beta_gate[at] : 0.0f;
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

        // key_key = K * transpose(K), query_key = Q * transpose(K), updates = K * transpose(S).
        for (uint tile = simd_group; tile < 4; tile += simd_groups) {
            const uint row = tile / 2 * 8;
            const uint column = tile % 2 * 8;
            metal::simdgroup_matrix<float, 8, 8> kk = metal::simdgroup_matrix<float, 8, 8>(0.0f);
            metal::simdgroup_matrix<float, 8, 8> qk = metal::simdgroup_matrix<float, 8, 8>(0.0f);
            add_row_products(kk, keys + row * delta_dim, keys + column * delta_dim);
            add_row_products(qk, queries + row * delta_dim, keys + column * delta_dim);
            metal::simdgroup_store(kk, key_key + row * chunk_size + column, chunk_size);
            metal::simdgroup_store(qk, query_key + row * chunk_size + column, chunk_size);
        }
        for (uint tile = simd_group; tile < 2 * strips; tile += simd_groups) {
            const uint row = tile / strips * 8;
            const uint column = tile % strips * 8;
            metal::simdgroup_matrix<float, 8, 8> ks = metal::simdgroup_matrix<float, 8, 8>(0.0f);
            add_row_products(ks, keys + row * delta_dim, s + column * delta_dim);
            metal::simdgroup_store(ks, updates + row * delta_dim + column, delta_dim);
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

        // Bring in the decays: the coefficients of the system and of the output, element by element;
        // its right-hand side, the queries and the keys, column by column.
        for (uint slot = vi; slot < chunk_size * chunk_size; slot += tg_size) {
            const uint l = slot / chunk_size;
            const uint i = slot % chunk_size;
            float g = 1.0f;
            for (uint j = i + 1; j <= l; ++j) {
                g *= decay[j];
            }
            key_key[slot] = i < l ? beta[l] * g * key_key[slot] : 0.0f;
            query_key[slot] = i <= l ? g * query_key[slot] : 0.0f;
        }
        for (uint column = vi; column < delta_dim; column += tg_size) {
            float g = 1.0f;
            for (uint l = 0; l < chunk_size; ++l) {
                const uint at = l * delta_dim + column;
                g *= decay[l];
                queries[at] *= g;
                if (l < count) {
                    const float v = tokens[l * token_stride + 2 * ulong(key_total) + value_offset + column];
                    updates[at] = beta[l] * (v - g * updates[at]);
                } else {
                    updates[at] = 0.0f;
                }
            }
            g = 1.0f;
            for (uint l = chunk_size; l > 0; --l) {
                keys[(l - 1) * delta_dim + column] *= g;
                g *= decay[l - 1];
            }
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

        // Solve for the updates, top down; columns have nothing to do with each other.
        for (uint column = vi; column < delta_dim; column += tg_size) {
            for (uint l = 1; l < count; ++l) {
                float u = updates[l * delta_dim + column];
                for (uint i = 0; i < l; ++i) {
                    u = metal::fma(-key_key[l * chunk_size + i], updates[i * delta_dim + column], u);
                }
                updates[l * delta_dim + column] = u;
            }
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);

        // output = Q * transpose(S) + query_key * updates. Every simdgroup sends its tiles through memory of
        // its own, because the rows of missing tokens must not be written.
        if (simd_group < chunk_writers) {
            threadgroup float* result = result_tiles + simd_group * 64;
            const uint writers = metal::min(simd_groups, chunk_writers);
            for (uint tile = simd_group; tile < 2 * strips; tile += writers) {
                const uint row = tile / strips * 8;
                const uint column = tile % strips * 8;
                metal::simdgroup_matrix<float, 8, 8> acc = metal::simdgroup_matrix<float, 8, 8>(0.0f);
                add_row_products(acc, queries + row * delta_dim, s + column * delta_dim);
                for (uint i = 0; i < chunk_size; i += 8) {
                    metal::simdgroup_matrix<float, 8, 8> left;
                    metal::simdgroup_matrix<float, 8, 8> right;
                    metal::simdgroup_load(left, query_key + row * chunk_size + i, chunk_size);
                    metal::simdgroup_load(right, updates + i * delta_dim + column, delta_dim);
                    metal::simdgroup_multiply_accumulate(acc, left, right, acc);
                }
                metal::simdgroup_store(acc, result, 8);
                metal::simdgroup_barrier(metal::mem_flags::mem_threadgroup);
                for (uint e = simd_lane; e < 64; e += 32) {
                    const uint l = row + e / 8;
                    if (l < count) {
                        output[(start + l) * value_total + value_offset + column + e % 8] = result[e];
                    }
                }
                metal::simdgroup_barrier(metal::mem_flags::mem_threadgroup);
            }
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_device); // all have read the state that is now replaced

        // S = G * S + transpose(updates) * K. A tile is read and written by one simdgroup alone.
        float g = 1.0f;
        for (uint l = 0; l < chunk_size; ++l) {
            g *= decay[l];
        }
        metal::simdgroup_matrix<float, 8, 8> scale = metal::simdgroup_matrix<float, 8, 8>(g); // g on the diagonal
        for (uint tile = simd_group; tile < strips * strips; tile += simd_groups) {
            const uint row = tile / strips * 8;
            const uint column = tile % strips * 8;
            device float* s_tile = s + row * delta_dim + column;
            metal::simdgroup_matrix<float, 8, 8> before;
            metal::simdgroup_matrix<float, 8, 8> after;
            metal::simdgroup_load(before, s_tile, delta_dim);
            metal::simdgroup_multiply(after, scale, before);
            for (uint i = 0; i < chunk_size; i += 8) {
                metal::simdgroup_matrix<float, 8, 8> left;
                metal::simdgroup_matrix<float, 8, 8> right;
                metal::simdgroup_load(left, updates + i * delta_dim + row, delta_dim, ulong2(0, 0), true);
                metal::simdgroup_load(right, keys + i * delta_dim + column, delta_dim);
                metal::simdgroup_multiply_accumulate(after, left, right, after);
            }
            metal::simdgroup_store(after, s_tile, delta_dim);
        }
        // The next chunk reads this state and writes the staged tokens.
        metal::threadgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup);
    }
}
