// Rotary position embeddings. A pair of channels (i, i + rotary_dim / 2) of a head is turned by the
// angle position * inv_freq[i]. Angles reach many thousands, hence the precise sine and cosine: the
// fast ones lose their accuracy there.

#include <metal_stdlib>

/// Turns the pair x[0], x[distance] by `angle` and scales it by `scale`.
inline void rotate_pair(device float* x, uint distance, float angle, float scale) {
    const float c = metal::precise::cos(angle) * scale;
    const float s = metal::precise::sin(angle) * scale;
    const float a = x[0];
    const float b = x[distance];
    x[0] = a * c - b * s;
    x[distance] = a * s + b * c;
}

/// Applies a YaRN rotary embedding to the heads of one token in place:
/// (x[h, i], x[h, i + half]) is turned by pos_f * inv_freq[i] and scaled by mscale, with half = rotary_dim / 2.
/// One thread turns one pair; any size of threadgroup will do. Of an odd rotary_dim the last channel is left alone.
// metalgen:threadgroups (num_heads, rotary_dim / 2, 1)
// metalgen:threads (1, 1, 1)
kernel void yarn_rope_apply(
    device float* x [[buffer(0)]],           // [num_heads, rotary_dim] in and out, the rotary part of each head
    constant float* inv_freq [[buffer(1)]],  // [rotary_dim / 2] radians a position
    constant uint& num_heads [[buffer(2)]],  // heads
    constant uint& rotary_dim [[buffer(3)]], // channels of a head
    constant float& pos_f [[buffer(4)]],     // position of the token
    constant float& mscale [[buffer(5)]],    // YaRN's attention factor
    uint2 gid [[thread_position_in_grid]]) { // head, pair
    const uint half_dim = rotary_dim / 2;
    if (gid.x >= num_heads || gid.y >= half_dim) return;

    rotate_pair(x + ulong(gid.x) * rotary_dim + gid.y, half_dim, pos_f * inv_freq[gid.y], mscale);
}

/// Applies a rotary embedding to the heads of n_tokens tokens in place: token t is at position start_pos + t,
/// and (x[t, h, i], x[t, h, i + rotary_dim / 2]) is turned by position * inv_freq[i]. Only the first rotary_dim
/// channels of a head take part, which must not be more than head_dim; of an odd rotary_dim the last one is left
/// alone. Positions are exact up to 2^24, and n_tokens * num_heads * rotary_dim / 2 must be below 2^32.
kernel void rope_n_tokens(
    device float* x [[buffer(0)]],              // [n_tokens, num_heads, head_dim] in and out
    device const float* inv_freq [[buffer(1)]], // [rotary_dim / 2] radians a position
    constant uint& n_tokens [[buffer(2)]],      // tokens
    constant uint& num_heads [[buffer(3)]],     // heads of a token
    constant uint& head_dim [[buffer(4)]],      // channels of a head
    constant uint& rotary_dim [[buffer(5)]],    // channels of a head that are turned
    constant int& start_pos [[buffer(6)]],      // position of the first token
    uint tid [[thread_position_in_grid]]) {
    const uint total = n_tokens * num_heads * (rotary_dim / 2);
    if (tid >= total) return;

    const uint half_dim = rotary_dim / 2;
    const uint i = tid % half_dim;
    const uint head = tid / half_dim; // counted over all tokens
    const int position = start_pos + int(head / num_heads);
    rotate_pair(x + ulong(head) * head_dim + i, half_dim, float(position) * inv_freq[i], 1.0f);
}
