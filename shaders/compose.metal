// Composition of images with the operators of Porter and Duff ("Compositing Digital Images", 1984).
//
// Colors are premultiplied: red, green and blue are those of the texel times its alpha.

#include <metal_stdlib>

/// Operator says what is seen of a top image and of a bottom image.
enum Operator : uint {
    Clear,      // nothing
    Top,        // the top image alone
    Bottom,     // the bottom image alone
    Over,       // the top image, and the bottom image around it
    Under,      // the bottom image, and the top image around it
    In,         // the top image where the bottom image is
    BottomIn,   // the bottom image where the top image is
    Out,        // the top image where the bottom image is not
    BottomOut,  // the bottom image where the top image is not
    Atop,       // the bottom image, and the top image where that is
    BottomAtop, // the top image, and the bottom image where that is
    Xor,        // each image where the other is not
    Plus,       // the sum of both
};

/// How much is seen of the images: of the top one x + y * the alpha of the bottom one, and of the bottom one z + w *
/// the alpha of the top one.
constant constexpr float4 shares[] = {
    float4(0, 0, 0, 0),   // Clear
    float4(1, 0, 0, 0),   // Top
    float4(0, 0, 1, 0),   // Bottom
    float4(1, 0, 1, -1),  // Over
    float4(1, -1, 1, 0),  // Under
    float4(0, 1, 0, 0),   // In
    float4(0, 0, 0, 1),   // BottomIn
    float4(1, -1, 0, 0),  // Out
    float4(0, 0, 1, -1),  // BottomOut
    float4(0, 1, 1, -1),  // Atop
    float4(1, -1, 0, 1),  // BottomAtop
    float4(1, -1, 1, -1), // Xor
    float4(1, 0, 1, 0),   // Plus
};

/// Composes a top image with a bottom image, which dst has the size of. What the top image does not cover is
/// transparent in it, and what lies beyond the bottom image is not seen. The sums of Plus are limited by the format of
/// dst only.
kernel void compose(
    metal::texture2d<float, metal::access::read> top [[texture(0)]],
    metal::texture2d<float, metal::access::read> bottom [[texture(1)]],
    metal::texture2d<float, metal::access::write> dst [[texture(2)]],
    constant Operator& op [[buffer(0)]], // what is seen
    constant int2& origin [[buffer(1)]], // where the first texel of the top image is on the bottom image
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const int2 on_top = int2(at) - origin;
    const bool covered = metal::all(on_top >= 0 && on_top < int2(top.get_width(), top.get_height()));
    const float4 t = covered ? top.read(uint2(on_top)) : float4(0.0f);
    const float4 b = bottom.read(at);
    const float4 share = shares[op];
    dst.write((share.x + share.y * b.a) * t + (share.z + share.w * t.a) * b, at);
}

/// Multiplies colors by their alpha. src and dst have the same size.
kernel void premultiply(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const float4 c = src.read(at);
    dst.write(float4(c.rgb * c.a, c.a), at);
}

/// Divides premultiplied colors by their alpha. Transparent texels become black. src and dst have the same size.
kernel void unpremultiply(
    metal::texture2d<float, metal::access::read> src [[texture(0)]],
    metal::texture2d<float, metal::access::write> dst [[texture(1)]],
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dst.get_width() || at.y >= dst.get_height()) return;

    const float4 c = src.read(at);
    dst.write(c.a > 0.0f ? float4(c.rgb / c.a, c.a) : float4(0.0f), at);
}
