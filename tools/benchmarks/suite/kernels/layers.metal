// Layers of neural networks.

#include "prelude.h"

// A convolution with 3x3 weights for each pair of channels, zeros around the image.
kernel void conv2d(device const float* in, device const float* weights, device float* out, VALUE(int) width,
		VALUE(int) height, VALUE(int) channels THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y)), to = int(IN_GRID(z));
	if (x >= width || y >= height) return;
	float sum = 0;
	for (int c = 0; c < channels; c++)
		for (int dy = 0; dy < 3; dy++)
			for (int dx = 0; dx < 3; dx++) {
				const int sx = x + dx - 1, sy = y + dy - 1;
				if (sx >= 0 && sx < width && sy >= 0 && sy < height)
					sum += in[(c * height + sy) * width + sx] * weights[((to * channels + c) * 3 + dy) * 3 + dx];
			}
	out[(to * height + y) * width + x] = sum;
}

// The neighbourhoods of 3x3 pixels as rows of a matrix.
kernel void im2col(device const float* in, device float* out, VALUE(int) width, VALUE(int) height,
		VALUE(int) channels THREADS) {
	const int column = int(IN_GRID(x)), pixel = int(IN_GRID(y));
	if (column >= channels * 9 || pixel >= width * height) return;
	const int c = column / 9, dy = column / 3 % 3, dx = column % 3;
	const int x = pixel % width + dx - 1, y = pixel / width + dy - 1;
	const bool inside = x >= 0 && x < width && y >= 0 && y < height;
	out[pixel * channels * 9 + column] = inside ? in[(c * height + y) * width + x] : 0.0f;
}

// The largest of 3x3, every second pixel.
kernel void maxpool(device const float* in, device float* out, VALUE(int) width, VALUE(int) height THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y)), c = int(IN_GRID(z));
	const int to_width = width / 2, to_height = height / 2;
	if (x >= to_width || y >= to_height) return;
	float most = -INFINITY;
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++) {
			const int sx = 2 * x + dx, sy = 2 * y + dy;
			if (sx < width && sy < height) most = fmax(most, in[(c * height + sy) * width + sx]);
		}
	out[(c * to_height + y) * to_width + x] = most;
}

// Positions turned into angles of pairs.
kernel void rope(device const float* in, device float* out, VALUE(uint) dim, VALUE(float) base THREADS) {
	const uint pair = IN_GRID(x), position = IN_GRID(y);
	const float angle = float(position) * pow(base, -2.0f * float(pair) / float(dim));
	const float c = cos(angle), s = sin(angle);
	const float a = in[position * dim + 2 * pair], b = in[position * dim + 2 * pair + 1];
	out[position * dim + 2 * pair] = a * c - b * s;
	out[position * dim + 2 * pair + 1] = a * s + b * c;
}

// One thread a query of 64, over all keys, in one pass.
kernel void attention(device const float* queries, device const float* keys, device const float* values,
		device float* out, VALUE(uint) length, VALUE(float) scale THREADS) {
	const uint query = IN_GRID(x), head = IN_GRID(y);
	float q[64];
	float sum[64];
	for (uint i = 0; i < 64; i++) {
		q[i] = queries[(head * length + query) * 64 + i] * scale;
		sum[i] = 0;
	}
	float most = -1e30f, weights = 0;
	for (uint k = 0; k < length; k++) {
		device const float* key = keys + (head * length + k) * 64;
		device const float* value = values + (head * length + k) * 64;
		float score = 0;
		for (uint i = 0; i < 64; i++) score += q[i] * key[i];
		const float before = most;
		most = max(most, score);
		const float keep = exp(before - most), weight = exp(score - most);
		weights = weights * keep + weight;
		for (uint i = 0; i < 64; i++) sum[i] = sum[i] * keep + weight * value[i];
	}
	for (uint i = 0; i < 64; i++) out[(head * length + query) * 64 + i] = sum[i] / weights;
}
