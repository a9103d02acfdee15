// Colors in other encodings. src and dst have the same size, alpha stays as it is, and colors are not premultiplied.

#include <metal_stdlib>

/// sRGB to linear light (IEC 61966-2-1). Negative values are mirrored, as in extended sRGB.
inline float3 to_linear(float3 c) {
    const float3 v = metal::abs(c);
    const float3 linear = metal::select(
        metal::pow((v + 0.055f) / 1.055f, float3(2.4f)), v / 12.92f, v <= 0.04045f);
    return metal::copysign(linear, c);
}

/// Linear light to sRGB (IEC 61966-2-1). Negative values are mirrored, as in extended sRGB.
inline float3 to_srgb(float3 c) {
    const float3 v = metal::abs(c);
    const float3 encoded = metal::select(
        1.055f * metal::pow(v, float3(1.0f / 2.4f)) - 0.055f, v * 12.92f, v <= 0.0031308f);
    return metal::copysign(encoded, c);
}

/// Decodes sRGB to linear light, for textures whose format does not.
kernel void srgb_to_linear(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const float4 c = src.read(at);
    dst.write(float4(to_linear(c.rgb), c.a), at);
}

/// Encodes linear light as sRGB, for textures whose format does not.
kernel void linear_to_srgb(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const float4 c = src.read(at);
    dst.write(float4(to_srgb(c.rgb), c.a), at);
}

/// YCbCr is a standard that says what Y, Cb and Cr are.
enum YCbCr : uint {
    BT601,  // of JPEG files and video of standard definition
    BT709,  // of HDTV
    BT2020, // of UHDTV, with non-constant luminance
};

/// What red and blue contribute to Y.
constant constexpr float2 luma_of[] = {
    float2(0.299f, 0.114f),
    float2(0.2126f, 0.0722f),
    float2(0.2627f, 0.0593f),
};

/// Where Cb and Cr are 0 of images of 8 bits.
constant constexpr float chroma_zero = 128.0f / 255.0f;

/// Converts gamma-encoded RGB to Y, Cb and Cr of full range: 0 to 1, with 128/255 for a chroma of 0.
kernel void rgb_to_ycbcr(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant YCbCr& standard [[buffer(0)]], // of Y, Cb and Cr
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const float4 c = src.read(at);
    const float2 k = luma_of[standard];
    const float y = metal::dot(c.rgb, float3(k.x, 1.0f - k.x - k.y, k.y));
    const float2 chroma = 0.5f * (c.br - y) / (1.0f - k.yx) + chroma_zero;
    dst.write(float4(y, chroma, c.a), at);
}

/// Converts Y, Cb and Cr of full range, with 128/255 for a chroma of 0, to gamma-encoded RGB.
kernel void ycbcr_to_rgb(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    constant YCbCr& standard [[buffer(0)]], // of Y, Cb and Cr
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const float4 c = src.read(at);
    const float2 k = luma_of[standard];
    const float2 br = c.x + 2.0f * (1.0f - k.yx) * (c.yz - chroma_zero);
    const float green = (c.x - k.x * br.y - k.y * br.x) / (1.0f - k.x - k.y);
    dst.write(float4(br.y, green, br.x, c.a), at);
}
