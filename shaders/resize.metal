// Images of another size.
//
// An image fills its texture. Texel i covers the interval from i to i + 1 of a dimension, so its middle is at i + 0.5,
// and the edges of src and dst meet whatever their sizes are. Beyond its edge an image goes on as it is there.
//
// Values are those of the formats' conversions: linear ones where the textures have formats of sRGB or views of them,
// and else what is stored. Where alpha counts, the colors have to be premultiplied.

#include <metal_stdlib>

/// Resizes an image: each texel of dst is that of src in which its middle lies.
kernel void resize_nearest(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    // Of textures' sizes, the products fit into 32 bits.
    const uint2 from = uint2(src.get_width(), src.get_height());
    const uint2 to = uint2(dst.get_width(), dst.get_height());
    dst.write(src.read((2 * at + 1) * from / (2 * to)), at);
}

/// Resizes an image by bilinear interpolation of the four texels around the middle of each texel of dst. A GPU's
/// sampler weights them in steps of 1/256. Where dst is smaller than half of src, texels are left out: lanczos_weights
/// and halve leave none out.
kernel void resize_bilinear(
    metal::texture2d<float, metal::access::sample> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    constexpr metal::sampler linear(metal::filter::linear, metal::address::clamp_to_edge);
    const float2 size = float2(dst.get_width(), dst.get_height());
    dst.write(src.sample(linear, (float2(at) + 0.5f) / size), at);
}

/// Lobes of the Lanczos filter to each side.
constant constexpr uint lanczos_lobes = 3;

/// The Lanczos filter at x, which is no further from 0 than its last lobe: sinc(x) * sinc(x / lobes).
inline float lanczos(float x) {
    const float lobes = lanczos_lobes;
    if (metal::abs(x) >= lobes) return 0.0f;
    if (x == 0.0f) return 1.0f;

    const float a = M_PI_F * x;
    return metal::sinpi(x) * metal::sinpi(x / lobes) * lobes / (a * a);
}

/// Computes what resample_horizontal and resample_vertical need to bring one dimension from `in` texels to `out` with
/// the Lanczos filter of three lobes, which is stretched where out is smaller. For each texel of dst, the weights add
/// up to 1. Both sizes are those of textures, and `taps` is ceil_div(6 * max(in, out), out).
kernel void lanczos_weights(
    device uint* first [[buffer(0)]],    // [out] the texel of src that the first weight is of
    device float* weights [[buffer(1)]], // [taps, out] those of one tap beside each other
    constant uint& in [[buffer(2)]],     // texels of src in this dimension
    constant uint& out [[buffer(3)]],    // texels of dst in this dimension
    constant uint& taps [[buffer(4)]],   // weights of a texel of dst
    uint i [[thread_position_in_grid]]) {
    if (i >= out) return;

    // The middle of texel i lies a fraction behind the middle of a texel of src. Both are found with integers: in a
    // large image, a float has few bits left for the fraction.
    const int twice = 2 * int(out);
    const int middle = (2 * int(i) + 1) * int(in) - int(out) + twice; // in 1/twice, from the middle of texel -1 on
    const int whole = middle / twice - 1;
    const float fraction = float(middle % twice) / float(twice);

    const float stretch = metal::max(1.0f, float(in) / float(out));
    const int before = int(metal::floor(float(lanczos_lobes) * stretch - fraction));
    const int start = metal::max(0, whole - before);
    float sum = 0.0f;
    for (uint t = 0; t < taps; ++t) {
        const int texel = start + int(t);
        const float weight = texel < int(in) ? lanczos((float(texel - whole) - fraction) / stretch) : 0.0f;
        weights[t * out + i] = weight;
        sum += weight;
    }
    for (uint t = 0; t < taps; ++t) {
        weights[t * out + i] /= sum;
    }
    first[i] = uint(start);
}

/// Resizes an image to the width of dst, with weights for each column such as lanczos_weights computes them. The images
/// have the same height. Between this and resample_vertical belongs a texture of floats, because weights may be
/// negative and sums beyond the range of normalised formats.
kernel void resample_horizontal(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    device const uint* first [[buffer(0)]],    // [width(dst)] the column of src that the first weight is of
    device const float* weights [[buffer(1)]], // [taps, width(dst)] those of one tap beside each other
    constant uint& taps [[buffer(2)]],         // weights of a column
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const uint last = src.get_width() - 1;
    const uint start = first[at.x];
    float4 sum = 0.0f;
    for (uint t = 0; t < taps; ++t) {
        sum += weights[t * dst.get_width() + at.x] * src.read(uint2(metal::min(start + t, last), at.y));
    }
    dst.write(sum, at);
}

/// Resizes an image to the height of dst, with weights for each row such as lanczos_weights computes them. The images
/// have the same width.
kernel void resample_vertical(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    device const uint* first [[buffer(0)]],    // [height(dst)] the row of src that the first weight is of
    device const float* weights [[buffer(1)]], // [taps, height(dst)] those of one tap beside each other
    constant uint& taps [[buffer(2)]],         // weights of a row
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const uint last = src.get_height() - 1;
    const uint start = first[at.y];
    float4 sum = 0.0f;
    for (uint t = 0; t < taps; ++t) {
        sum += weights[t * dst.get_height() + at.y] * src.read(uint2(at.x, metal::min(start + t, last)));
    }
    dst.write(sum, at);
}

/// Weights of the three texels, from texel 2 * i on, that texel i of a dimension of half the size covers of n texels.
/// If n is odd, texel i covers more than two: all of the middle one and parts of those beside it.
inline float3 half_weights(uint n, uint i) {
    if (n == 1) return float3(1.0f, 0.0f, 0.0f);
    if (n % 2 == 0) return float3(0.5f, 0.5f, 0.0f);
    return float3(float(n / 2 - i), float(n / 2), float(i + 1)) / float(n);
}

/// Averages an image to half its width and height, rounded down but not below 1: a level of a mip chain from the one
/// before. Each texel of dst is the mean of the area that it covers of src, also where that is an odd number of texels
/// wide or high. src and dst may be views of two levels of one texture.
kernel void halve(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const uint2 size = uint2(src.get_width(), src.get_height());
    const float3 columns = half_weights(size.x, at.x);
    const float3 rows = half_weights(size.y, at.y);
    const uint2 taps = metal::min(2 + size % 2, size); // 2 of an even number, 3 of an odd one, 1 of 1
    float4 sum = 0.0f;
    for (uint y = 0; y < taps.y; ++y) {
        for (uint x = 0; x < taps.x; ++x) {
            sum += rows[y] * columns[x] * src.read(2 * at + uint2(x, y));
        }
    }
    dst.write(sum, at);
}
