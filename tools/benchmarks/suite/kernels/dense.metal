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

// A product with one thread an element, which reads rows and columns.
kernel void gemm_naive(device const float* a, device const float* b, device float* out, VALUE(uint) n THREADS) {
	float sum = 0;
	for (uint k = 0; k < n; k++) sum += a[IN_GRID(y) * n + k] * b[k * n + IN_GRID(x)];
	out[IN_GRID(y) * n + IN_GRID(x)] = sum;
}

// One thread a row of a matrix.
kernel void matvec(device const float* a, device const float* x, device float* out, VALUE(uint) rows,
		VALUE(uint) columns THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint k = 0; k < columns; k++) sum += a[row * columns + k] * x[k];
	out[row] = sum;
}

// One thread a column of it.
kernel void matvec_transposed(device const float* a, device const float* x, device float* out, VALUE(uint) rows,
		VALUE(uint) columns THREADS) {
	const uint column = IN_GRID(x);
	if (column >= columns) return;
	float sum = 0;
	for (uint k = 0; k < rows; k++) sum += a[k * columns + column] * x[k];
	out[column] = sum;
}

// The nearest of some centres.
kernel void kmeans(device const float* points, device const float* centres, device uint* out, VALUE(uint) n,
		VALUE(uint) clusters, VALUE(uint) features THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	uint nearest = 0;
	float least = 1e30f;
	for (uint c = 0; c < clusters; c++) {
		float distance = 0;
		for (uint f = 0; f < features; f++) {
			const float d = points[f * n + i] - centres[c * features + f];
			distance += d * d;
		}
		if (distance < least) {
			least = distance;
			nearest = c;
		}
	}
	out[i] = nearest;
}
