#include <metal_math>
#define TILE(n) \
    ((n) / 8)