// Rows of quantised matrices times a vector, as engines for language models have them.

#include "prelude.h"

inline float bfloat_of(ushort bits) { return AS_FLOAT(uint(bits) << 16); }

// Weights of 4 bits in groups with a scale and a bias, one thread a row.
kernel void matvec_4bit(device const uint* packed, device const ushort* scales, device const ushort* biases,
		device const float* x, device float* out, VALUE(uint) out_dim, VALUE(uint) in_dim,
		VALUE(uint) group_size THREADS) {
	const uint row = IN_GRID(x);
	if (row >= out_dim) return;
	const uint groups = (in_dim + group_size - 1) / group_size;
	device const uint* words = packed + row * (in_dim / 8);
	float sum = 0;
	for (uint i = 0; i < in_dim / 8; i++) {
		const uint in = i * 8 / group_size;
		const float scale = bfloat_of(scales[row * groups + in]), bias = bfloat_of(biases[row * groups + in]);
		float products = 0, xs = 0;
		for (uint k = 0; k < 8; k++) {
			products += float((words[i] >> (4 * k)) & 15) * x[i * 8 + k];
			xs += x[i * 8 + k];
		}
		sum += scale * products + bias * xs;
	}
	out[row] = sum;
}

// Blocks of 32 weights of 8 bits with a scale, times such a vector, one thread a row.
kernel void dot_q8(device const char* weights, device const float* scales, device const char* x,
		device const float* x_scales, device float* out, VALUE(uint) rows, VALUE(uint) blocks THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint b = 0; b < blocks; b++) {
		int products = 0;
		for (uint k = 0; k < 32; k++)
			products += int(weights[(row * blocks + b) * 32 + k]) * int(x[b * 32 + k]);
		sum += scales[row * blocks + b] * x_scales[b] * float(products);
	}
	out[row] = sum;
}
