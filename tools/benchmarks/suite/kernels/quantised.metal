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

// Blocks of 32 weights of 4 bits, eight less than they say, with a scale of half.
kernel void dot_q4(device const uchar* weights, device const half* scales, device const float* x, device float* out,
		VALUE(uint) rows, VALUE(uint) blocks THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint b = 0; b < blocks; b++) {
		device const uchar* w = weights + (row * blocks + b) * 16;
		float products = 0;
		for (uint k = 0; k < 16; k++)
			products += float(int(w[k] & 15) - 8) * x[b * 32 + k] + float(int(w[k] >> 4) - 8) * x[b * 32 + 16 + k];
		sum += HALF(scales, row * blocks + b) * products;
	}
	out[row] = sum;
}

// The same with a fifth bit of all weights in a word.
kernel void dot_q5(device const uchar* weights, device const uint* fifth, device const half* scales,
		device const float* x, device float* out, VALUE(uint) rows, VALUE(uint) blocks THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint b = 0; b < blocks; b++) {
		device const uchar* w = weights + (row * blocks + b) * 16;
		const uint high = fifth[row * blocks + b];
		float products = 0;
		for (uint k = 0; k < 16; k++) {
			const int low_half = int((w[k] & 15) | (((high >> k) & 1) << 4)) - 16;
			const int high_half = int((w[k] >> 4) | (((high >> (k + 16)) & 1) << 4)) - 16;
			products += float(low_half) * x[b * 32 + k] + float(high_half) * x[b * 32 + 16 + k];
		}
		sum += HALF(scales, row * blocks + b) * products;
	}
	out[row] = sum;
}

// Blocks of 256 weights of 4 bits, with scales and minima of 6 bits for each 32.
kernel void dot_q4k(device const uchar* weights, device const uchar* six, device const half* scales,
		device const float* x, device float* out, VALUE(uint) rows, VALUE(uint) blocks THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint b = 0; b < blocks; b++) {
		const uint block = row * blocks + b;
		const float scale = HALF(scales, block * 2), least = HALF(scales, block * 2 + 1);
		for (uint part = 0; part < 8; part++) {
			device const uchar* packed = six + block * 12;
			uint s, m;
			if (part < 4) {
				s = packed[part] & 63;
				m = packed[part + 4] & 63;
			} else {
				s = (packed[part + 4] & 15) | ((packed[part - 4] >> 6) << 4);
				m = (packed[part + 4] >> 4) | ((packed[part] >> 6) << 4);
			}
			device const uchar* w = weights + block * 128 + part / 2 * 32;
			const uint shift = part % 2 * 4;
			float products = 0, xs = 0;
			for (uint k = 0; k < 32; k++) {
				const float v = x[b * 256 + part * 32 + k];
				products += float((uint(w[k]) >> shift) & 15) * v;
				xs += v;
			}
			sum += scale * float(s) * products - least * float(m) * xs;
		}
	}
	out[row] = sum;
}

// Blocks of 256 weights of 6 bits, four low and two high ones apart, with a scale of 8 bits for each 16.
kernel void dot_q6k(device const uchar* low, device const uchar* high, device const char* parts,
		device const half* scales, device const float* x, device float* out, VALUE(uint) rows,
		VALUE(uint) blocks THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint b = 0; b < blocks; b++) {
		const uint block = row * blocks + b;
		float of_block = 0;
		for (uint half_of = 0; half_of < 2; half_of++) {
			device const uchar* l = low + block * 128 + half_of * 64;
			device const uchar* h = high + block * 64 + half_of * 32;
			device const char* s = parts + block * 16 + half_of * 8;
			device const float* v = x + b * 256 + half_of * 128;
			for (uint k = 0; k < 32; k++) {
				const int a = int((l[k] & 15) | ((h[k] & 3) << 4)) - 32;
				const int c = int((l[k + 32] & 15) | (((h[k] >> 2) & 3) << 4)) - 32;
				const int d = int((l[k] >> 4) | (((h[k] >> 4) & 3) << 4)) - 32;
				const int e = int((l[k + 32] >> 4) | ((h[k] >> 6) << 4)) - 32;
				of_block += float(s[k / 16] * a) * v[k] + float(s[k / 16 + 2] * c) * v[k + 32] +
					float(s[k / 16 + 4] * d) * v[k + 64] + float(s[k / 16 + 6] * e) * v[k + 96];
			}
		}
		sum += HALF(scales, block) * of_block;
	}
	out[row] = sum;
}

constant float sixteen[16] = {-127.0f, -104.0f, -83.0f, -65.0f, -49.0f, -35.0f, -22.0f, -10.0f, 1.0f, 13.0f, 25.0f,
	38.0f, 53.0f, 69.0f, 89.0f, 113.0f};

// Blocks of 32 weights that are indexes of sixteen floats.
kernel void dot_table(device const uchar* weights, device const half* scales, device const float* x,
		device float* out, VALUE(uint) rows, VALUE(uint) blocks THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint b = 0; b < blocks; b++) {
		device const uchar* w = weights + (row * blocks + b) * 16;
		float products = 0;
		for (uint k = 0; k < 16; k++)
			products += sixteen[w[k] & 15] * x[b * 32 + k] + sixteen[w[k] >> 4] * x[b * 32 + 16 + k];
		sum += HALF(scales, row * blocks + b) * products;
	}
	out[row] = sum;
}

// Rows of bytes times a vector of bytes, four at a time.
kernel void dot_int8(device const char4* weights, device const char4* x, device int* out, VALUE(uint) rows,
		VALUE(uint) quads THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	int sum = 0;
	for (uint k = 0; k < quads; k++) {
		const char4 a = weights[row * quads + k], b = x[k];
		sum += int(a.x) * int(b.x) + int(a.y) * int(b.y) + int(a.z) * int(b.z) + int(a.w) * int(b.w);
	}
	out[row] = sum;
}
