// Threads of a threadgroup that wait for one another at each step.

#include "prelude.h"

// Two sequences of 64 aligned, along the diagonals, after Needleman and Wunsch.
kernel void needle(device const uchar* a, device const uchar* b, device int* out, VALUE(int) gap THREADS) {
	threadgroup int score[65 * 65];
	const int t = int(IN_GROUP(x)), base = int(GROUP(x)) * 64;
	score[t + 1] = -gap * (t + 1);
	score[(t + 1) * 65] = -gap * (t + 1);
	if (t == 0) score[0] = 0;
	for (int diagonal = 0; diagonal < 127; diagonal++) {
		threadgroup_barrier(mem_flags::mem_threadgroup);
		const int row = t, column = diagonal - t;
		if (column >= 0 && column < 64) {
			const int match = a[base + row] == b[base + column] ? 5 : -3;
			const int here = (row + 1) * 65 + column + 1;
			score[here] = max(score[here - 66] + match, max(score[here - 1], score[here - 65]) - gap);
		}
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[base + t] = score[64 * 65 + t + 1];
}

// The lower and the upper triangle of blocks of 32 x 32, in place of them.
kernel void lud(device const float* in, device float* out THREADS) {
	threadgroup float block[32 * 32];
	const uint t = IN_GROUP(x), base = GROUP(x) * 1024;
	for (uint row = 0; row < 32; row++) block[row * 32 + t] = in[base + row * 32 + t];
	for (uint k = 0; k < 31; k++) {
		threadgroup_barrier(mem_flags::mem_threadgroup);
		if (t > k) {
			const float factor = block[t * 32 + k] / block[k * 32 + k];
			block[t * 32 + k] = factor;
			for (uint column = k + 1; column < 32; column++) block[t * 32 + column] -= factor * block[k * 32 + column];
		}
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint row = 0; row < 32; row++) out[base + row * 32 + t] = block[row * 32 + t];
}

// 1024 complex numbers a threadgroup: five passes of four, after Stockham.
kernel void fft(device const float2* in, device float2* out THREADS) {
	threadgroup float2 values[1024];
	const uint t = IN_GROUP(x), base = GROUP(x) * 1024;
	float2 a = in[base + t], b = in[base + t + 256], c = in[base + t + 512], d = in[base + t + 768];
	for (uint size = 1; size <= 256; size *= 4) {
		const uint k = t & (size - 1);
		const float angle = -1.57079632679f * float(k) / float(size);
		const float c1 = cos(angle), s1 = sin(angle);
		const float c2 = c1 * c1 - s1 * s1, s2 = 2.0f * c1 * s1, c3 = c1 * c2 - s1 * s2, s3 = c1 * s2 + s1 * c2;
		b = float2(b.x * c1 - b.y * s1, b.x * s1 + b.y * c1);
		c = float2(c.x * c2 - c.y * s2, c.x * s2 + c.y * c2);
		d = float2(d.x * c3 - d.y * s3, d.x * s3 + d.y * c3);
		const float2 e = a + c, f = a - c, g = b + d, h = b - d;
		const uint to = (t - k) * 4 + k;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		values[to] = e + g;
		values[to + size] = float2(f.x + h.y, f.y - h.x);
		values[to + 2 * size] = e - g;
		values[to + 3 * size] = float2(f.x - h.y, f.y + h.x);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		a = values[t];
		b = values[t + 256];
		c = values[t + 512];
		d = values[t + 768];
	}
	out[base + t] = a;
	out[base + t + 256] = b;
	out[base + t + 512] = c;
	out[base + t + 768] = d;
}
