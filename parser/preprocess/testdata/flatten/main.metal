// Attention over a cache of keys and values.
#include <metal_stdlib>
#include "common.h"
#include "reduce.h" // brings common.h, too
using namespace metal;

#ifndef HEAD_DIM
#define HEAD_DIM 128
#endif

#if HEAD_DIM > 256
#include "wide.h"
#endif

#include <tile.h>

kernel void scores(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) {
    out[tid] = reduce(tid) * TILE(HEAD_DIM);
}
