#ifndef METALGEN_SHADERS_BF16_H
#define METALGEN_SHADERS_BF16_H

#include <metal_stdlib>

/// The float whose upper sixteen bits are `bits`; exact for every bfloat16, NaN and infinity included.
inline float bf16_to_float(uint16_t bits) {
    return as_type<float>(uint(bits) << 16);
}

#endif
