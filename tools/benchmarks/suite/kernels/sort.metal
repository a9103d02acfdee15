// Sorting in threadgroup memory.

#include "prelude.h"

// 512 numbers a threadgroup, bitonic.
kernel void bitonic(device const uint* in, device uint* out THREADS) {
	threadgroup uint keys[512];
	const uint t = IN_GROUP(x), base = GROUP(x) * 512;
	keys[t] = in[base + t];
	keys[t + 256] = in[base + t + 256];
	for (uint size = 2; size <= 512; size *= 2) {
		for (uint step = size / 2; step > 0; step /= 2) {
			threadgroup_barrier(mem_flags::mem_threadgroup);
			const uint i = 2 * t - (t & (step - 1)), j = i + step;
			const uint a = keys[i], b = keys[j];
			const bool up = (i & size) == 0;
			keys[i] = up ? min(a, b) : max(a, b);
			keys[j] = up ? max(a, b) : min(a, b);
		}
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[base + t] = keys[t];
	out[base + t + 256] = keys[t + 256];
}

// The order of the 256 numbers of each row.
kernel void argsort(device const float* in, device uint* out THREADS) {
	threadgroup uint order[256];
	const uint t = IN_GROUP(x), base = GROUP(x) * 256;
	order[t] = t;
	for (uint size = 2; size <= 256; size *= 2) {
		for (uint step = size / 2; step > 0; step /= 2) {
			threadgroup_barrier(mem_flags::mem_threadgroup);
			const uint other = t ^ step;
			if (other > t) {
				const uint a = order[t], b = order[other];
				const bool swap = (t & size) == 0 ? in[base + a] > in[base + b] : in[base + a] < in[base + b];
				if (swap) {
					order[t] = b;
					order[other] = a;
				}
			}
		}
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[base + t] = order[t];
}

// How often each digit of four bits occurs, counted by each thread for itself: a pass of a radix sort.
kernel void radix_count(device const uint* in, device uint* out, VALUE(uint) each, VALUE(uint) shift THREADS) {
	threadgroup uint counts[16 * 128];
	const uint t = IN_GROUP(x), base = GROUP(x) * 128 * each;
	for (uint d = 0; d < 16; d++) counts[d * 128 + t] = 0;
	for (uint i = 0; i < each; i++) counts[((in[base + i * 128 + t] >> shift) & 15) * 128 + t]++;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (t < 16) {
		uint sum = 0;
		for (uint i = 0; i < 128; i++) sum += counts[t * 128 + i];
		out[GROUP(x) * 16 + t] = sum;
	}
}
