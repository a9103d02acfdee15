// What memory limits.

#include "prelude.h"

kernel void triad(device const float* a, device const float* b, device float* out, VALUE(float) scale THREADS) {
	const uint i = IN_GRID(x);
	out[i] = a[i] + scale * b[i];
}

kernel void swiglu(device const float* gate, device const float* up, device float* out, VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	const float g = gate[i];
	out[i] = g / (1.0f + exp(-g)) * up[i];
}

// Rows of a table, as an embedding has them: one threadgroup a row of the result.
kernel void gather_rows(device const float* table, device const uint* rows, device float* out, VALUE(uint) dim THREADS) {
	const uint row = rows[GROUP(x)];
	for (uint i = IN_GROUP(x); i < dim; i += 256) out[GROUP(x) * dim + i] = table[row * dim + i];
}

// Single elements, in the order of a permutation.
kernel void gather(device const float* values, device const uint* index, device float* out, VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i < n) out[i] = values[index[i]];
}

kernel void transpose(device const float* in, device float* out, VALUE(uint) width, VALUE(uint) height THREADS) {
	threadgroup float tile[16 * 17];
	const uint x = GROUP(x) * 16 + IN_GROUP(x), y = GROUP(y) * 16 + IN_GROUP(y);
	if (x < width && y < height) tile[IN_GROUP(y) * 17 + IN_GROUP(x)] = in[y * width + x];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	const uint to_x = GROUP(y) * 16 + IN_GROUP(x), to_y = GROUP(x) * 16 + IN_GROUP(y);
	if (to_x < height && to_y < width) out[to_y * height + to_x] = tile[IN_GROUP(x) * 17 + IN_GROUP(y)];
}
