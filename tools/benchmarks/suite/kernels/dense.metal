// Dense matrices.

#include "prelude.h"

// A product through tiles of 16 x 16 in threadgroup memory.
kernel void gemm(device const float* a, device const float* b, device float* out, VALUE(uint) n THREADS) {
	threadgroup float tile_a[256];
	threadgroup float tile_b[256];
	const uint x = IN_GROUP(x), y = IN_GROUP(y);
	float sum = 0;
	for (uint k = 0; k < n; k += 16) {
		tile_a[y * 16 + x] = a[IN_GRID(y) * n + k + x];
		tile_b[y * 16 + x] = b[(k + y) * n + IN_GRID(x)];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (uint i = 0; i < 16; i++) sum += tile_a[y * 16 + i] * tile_b[i * 16 + x];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[IN_GRID(y) * n + IN_GRID(x)] = sum;
}
